"""Languages that somebody speaks, in a list of them: "Languages: English, Deutsch (native)"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.matching.privacy.late_patterns import LatePattern
from portal.matching.privacy.search import any_of
from portal.matching.privacy.words import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.matching.privacy.search import Written
    from portal.matching.results import Span

_LABELS = frozenset({"language", "languages", "语言", "语言能力"})
_LABEL = r"(?:languages?|语言(?:能力)?)"
_LABELLED = re.compile(rf"(?i:{_LABEL})(?:[ \t]known)?[ \t]*[:：–|\n-]")
_LIST = re.compile(rf"(?im)^(?:.*(?<!\w){_LABEL}(?:[ \t]known)?[ \t]*[:：–|-]|[ \t#*]*{_LABEL}[ \t]*\n).*$")
"""A line with a label, or below one."""
_LANGUAGE = LatePattern(
    rf"(?<!\w)(?:{any_of(LANGUAGES)})(?!\w)"
    r"(?:[ \t]*\([^()\n]{1,40}\))?"
    # Of a language on no list, that it is somebody's own goes.
    r"|\((?i:native|bilingual|mother[ \t]tongue)(?![\w-])[^()\n]{0,40}\)"
)


def languages(written: Written) -> Iterator[Span]:
    """Where languages stand in lists of them."""
    text = written.text
    if any(_LABELLED.match(text, place) for place in written.places(_LABELS, ignores_case=True)):
        for line in _LIST.finditer(text):
            yield from (match.span() for match in _LANGUAGE.compiled.finditer(text, *line.span()))
