"""`portal reindex` and `portal index-status`: rebuild and inspect the saved index."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click
from flask import current_app
from flask.cli import with_appcontext

from portal.db import db
from portal.labs.commands.input import need_tables
from portal.labs.commands.stages import CommandStages
from portal.labs.live_index.live import live_index
from portal.labs.live_index.status import saved_state

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.labs.live_index.status import SavedState

MEGABYTE = 1_000_000


@click.command("reindex")
@with_appcontext
def reindex() -> None:
    """Fit the matcher's index anew and save it.

    Processes that serve take it over within moments. It may be run at any time and interrupted: until it is done, the
    index before stays in use. It is never needed for an edit to be seen; it saves the next start the work.
    """
    need_tables()
    with CommandStages() as stages:
        built = live_index(current_app).rebuild(db.session(), stages)
    if built is None:
        raise click.ClickException("Another process is building the index just now. portal index-status shows more.")
    click.echo(f"The index of {len(built.profiles)} labs with {built.fit.works} works is saved.")


@click.command("index-status")
@click.option("--json", "as_json", is_flag=True, help="Answer with JSON.")
@with_appcontext
def index_status(*, as_json: bool) -> None:
    """Show how old the saved index is, and what has changed since."""
    need_tables()
    state = saved_state(current_app, db.session())
    if as_json:
        fitted_at = state.fitted_at.isoformat() if state.fitted_at else None
        click.echo(json.dumps({**asdict(state), "fitted_at": fitted_at}))
    else:
        click.echo("\n".join(_in_words(state)))


def _in_words(state: SavedState) -> Iterator[str]:
    yield f"In the database: {state.labs} labs with {state.works} works."
    if state.fitted_at is None:
        yield "Saved: no index that can be used. It is built when a process first needs it, or by portal reindex."
    else:
        megabytes = state.bytes / MEGABYTE
        yield f"Saved: fitted {state.fitted_at:%Y-%m-%d %H:%M} UTC, {state.terms} terms, {megabytes:.1f} MB."
        yield f"Edited since: {state.edits} of the labs. Every process puts these edits into the index by itself."
    if state.is_building:
        yield "A process is building the index at this moment."
