"""Regular expressions that are compiled when they are first used.

Compiling all patterns of the privacy filter takes a third of a second, for which a program that redacts nothing need
not wait.
"""

from __future__ import annotations

import re
from functools import cached_property


class LatePattern:
    """A regular expression as it is written, and, from its first use on, `compiled`."""

    def __init__(self, source: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._written = source
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self._written, self._flags)
