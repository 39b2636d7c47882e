"""Regular expressions that are compiled when they are first looked for.

Those about what is left out of a resume take a third of a second together, which a program that leaves nothing out
need not wait for.
"""

from __future__ import annotations

import re
from functools import cached_property


class LatePattern:
    """A regular expression as it is written, and, from its first use on, `compiled`."""

    def __init__(self, written: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._written = written
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern to look with."""
        return re.compile(self._written, self._flags)
