"""Regular expressions that are compiled when they are first used.

Compiling all patterns of the privacy filter takes a third of a second, for which a program that redacts nothing need
not wait. A server does so before anybody waits for it.
"""

from __future__ import annotations

import re
from functools import cached_property

_patterns: list[LatePattern] = []


class LatePattern:
    """A regular expression as it is written, and, from its first use on, `compiled`."""

    def __init__(self, source: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._written = source
        self._flags = flags
        _patterns.append(self)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self._written, self._flags)


def compile_all() -> None:
    """Compile the patterns of all modules imported so far."""
    for pattern in _patterns:
        _ = pattern.compiled
