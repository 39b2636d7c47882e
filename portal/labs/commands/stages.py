"""What a long command is doing: a line for each stage, on a terminal with a bar."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from portal.labs.commands.input import has_bar, with_bar

if TYPE_CHECKING:
    from typing import Self

    from click._termui_impl import ProgressBar  # only the name of what click.progressbar gives


class CommandStages:
    """What is being done and how long it took, a line each, on standard error; on a terminal with a bar."""

    def __init__(self) -> None:
        self._what = ""
        self._began: float | None = None
        self._bar: ProgressBar[int] | None = None
        self._done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the line under way, also where the work was interrupted."""
        self._end()

    def begin(self, what: str) -> None:
        """Close the line of the stage before and open the next one."""
        self._end()
        self._what, self._began = what, time.monotonic()
        self._open_line()

    def done(self, number: int, of: int) -> None:
        """Move the bar, where there is one."""
        if not has_bar(of):
            return
        if self._bar is None:
            self._bar, self._done = with_bar(range(of), self._what, of).__enter__(), 0
        self._bar.update(number - self._done)
        self._done = number

    def _open_line(self) -> None:
        click.echo(f"{self._what} … ", nl=False, err=True)

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None
            self._open_line()
        if self._began is not None:
            click.echo(f"{time.monotonic() - self._began:.1f} s", err=True)
        self._began = None
