"""What the commands share: their tables, labs and input, and progress of stages."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from flask import current_app
from sqlalchemy import func, inspect, select

from portal.config import RESOURCES
from portal.db import db
from portal.instance import has_tables
from portal.labs.live_index.live import live_index
from portal.labs.live_index.state import Stamp, index_records, read_corpus
from portal.models import Lab
from portal.seeding.reader import seed_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO, Self

    from click._termui_impl import ProgressBar  # only for the type of click.progressbar

    from portal.labs.live_index.state import IndexedLabs
    from portal.matching import Concept, LabDoc
    from portal.seeding.records import LabRecord


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
    return live_index(current_app).current(db.session()) if _are_saved() else index_records(_seed_labs())


def profiles_at_hand() -> Iterable[LabRecord]:
    """The profiles of the same labs, read without an index, so whatever the concept file in use is like."""
    return read_corpus(db.session(), Stamp()).profiles.values() if _are_saved() else _seed_labs()


def _are_saved() -> bool:
    return bool(inspect(db.engine).has_table(Lab.__tablename__) and db.session.scalar(select(func.count(Lab.id))))


def _seed_labs() -> Iterable[LabRecord]:
    click.echo("There are no labs in the database yet; the labs of the seed pages are used.", err=True)
    return seed_from(RESOURCES / "seeds" / "pages", RESOURCES / "seeds" / "corrections.toml").labs


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


class CommandStages:
    """Prints each stage and its duration in seconds to standard error, with a progress bar on a terminal."""

    def __init__(self) -> None:
        self._label = ""
        self._began: float | None = None
        self._bar: ProgressBar[int] | None = None
        self._done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        """Finish the current line, also after an interruption."""
        self._end()

    def begin(self, label: str) -> None:
        """Finish the previous stage's line and start the next one."""
        self._end()
        self._label, self._began = label, time.monotonic()
        self._open_line()

    def done(self, count: int, total: int) -> None:
        """Advance the bar, if there is one."""
        if not has_bar(total):
            return
        if self._bar is None:
            self._bar, self._done = with_bar(range(total), self._label, total).__enter__(), 0
        self._bar.update(count - self._done)
        self._done = count

    def _open_line(self) -> None:
        click.echo(f"{self._label} … ", nl=False, err=True)

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None
            self._open_line()
        if self._began is not None:
            click.echo(f"{time.monotonic() - self._began:.1f} s", err=True)
        self._began = None
