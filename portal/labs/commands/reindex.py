"""`portal reindex` and `portal index-status`: rebuild and inspect the saved index."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click
from flask import current_app
from flask.cli import with_appcontext

from portal.db import db
from portal.labs.commands.console import CommandStages, need_tables
from portal.labs.live_index.live import live_index, saved_state

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.labs.live_index.live import SavedState

MEGABYTE = 1_000_000


@click.command("reindex")
@with_appcontext
def reindex() -> None:
    """Fit the matcher's index anew and save it.

    Running processes use the new index within moments. You may run this at any time, and interrupt it: until it has
    finished, the previous index stays in use. Edits are visible without it; it makes the next start faster.
    """
    need_tables()
    with CommandStages() as stages:
        built = live_index(current_app).rebuild(db.session(), stages)
    if built is None:
        raise click.ClickException(
            "Another process is building the index just now. Wait for it; portal index-status shows when it is done."
        )
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
        yield "Saved: no usable index. It is built when a process first needs it, or by portal reindex."
    else:
        megabytes = state.bytes / MEGABYTE
        yield f"Saved: fitted {state.fitted_at:%Y-%m-%d %H:%M} UTC, {state.terms} terms, {megabytes:.1f} MB."
        yield f"Edited since: {state.edits} of the labs. Every process adds these edits to its index by itself."
    if state.is_building:
        yield "A process is building the index at this moment."
