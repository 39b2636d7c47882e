"""Input of the commands: the tables, the labs available, and lines from a file or standard input, with a progress
bar.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from flask import current_app
from sqlalchemy import func, inspect, select

from portal.config import RESOURCES
from portal.db import db
from portal.instance import has_tables
from portal.labs.live_index.live import index_records, live_index
from portal.models import Lab
from portal.seeding.reader import seed_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from click._termui_impl import ProgressBar  # only for the type of click.progressbar

    from portal.labs.live_index.live import IndexedLabs
    from portal.matching import Concept, LabDoc

STANDARD_INPUT = "-"
NO_STANDARD_INPUT = "Standard input is closed. Name a file instead of -, or redirect one, as in: portal … - < FILE"
BAR_FROM = 50  # items; fewer are done before anyone could read a bar
BAR_STEPS = 200

T = TypeVar("T")


def need_tables() -> None:
    """Check that the database has the portal's tables.

    Raises:
        click.ClickException: It has none.
    """
    if not has_tables():
        raise click.ClickException("The database has no tables yet. Run portal db upgrade, then portal seed.")


def labs_at_hand() -> IndexedLabs:
    """The labs in the database, or else those of the seed pages, with a note on standard error."""
    if inspect(db.engine).has_table(Lab.__tablename__) and db.session.scalar(select(func.count(Lab.id))):
        return live_index(current_app).current(db.session())
    click.echo("There are no labs in the database yet; the labs of the seed pages are used.", err=True)
    return index_records(seed_from(RESOURCES / "seeds" / "pages", RESOURCES / "seeds" / "corrections.toml").labs)


def labs_and_concepts() -> tuple[list[LabDoc], tuple[Concept, ...]]:
    """The labs of `labs_at_hand` as the matcher's documents, ordered by key, and the concepts in use."""
    labs = labs_at_hand()
    return list(map(labs.index.lab, labs.index.keys())), labs.corpus.concepts


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The file at `path`, or standard input for "-".

    Raises:
        click.ClickException: Standard input is closed.
        OSError: The file cannot be read.
    """
    if path != STANDARD_INPUT:
        with Path(path).open("rb") as file:
            yield file
    elif sys.stdin is None or sys.stdin.closed:
        raise click.ClickException(NO_STANDARD_INPUT)
    else:
        yield sys.stdin.buffer


def name_of(path: str) -> str:
    """The name of the file in messages."""
    return "standard input" if path == STANDARD_INPUT else path


def has_bar(length: int) -> bool:
    """Whether a progress bar is worth showing: standard error is a terminal and there are enough items."""
    # Closed standard error is None, for which click would take standard output.
    return sys.stderr is not None and sys.stderr.isatty() and length >= BAR_FROM


def with_bar(items: Iterable[T], label: str, length: int) -> ProgressBar[T]:
    """Iterate over `items`, with a progress bar on standard error where `has_bar` allows it."""
    return click.progressbar(
        items,
        length=length,
        label=label,
        file=sys.stderr,
        hidden=not has_bar(length),
        show_pos=True,
        show_eta=False,  # click estimates from the last second, and chunks come in bursts
        update_min_steps=max(1, length // BAR_STEPS),
    )
