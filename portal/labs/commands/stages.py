"""Progress of a long command: one line per stage, with a bar on a terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from portal.labs.commands.input import has_bar, with_bar

if TYPE_CHECKING:
    from typing import Self

    from click._termui_impl import ProgressBar  # only for the type of click.progressbar


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
