"""Words in capitals, as in headings and the names of schools and employers of many templates, read like others."""

from __future__ import annotations

import re

from portal.matching.privacy.searched import Searched
from portal.matching.privacy.words import TECHNICAL_AFTER

_CAPITALS = r"(?<![^\W_])[^\W\d_a-z]{2,}(?![^\W_])"
_RUN = re.compile(rf"{_CAPITALS}(?:[ \t]+{_CAPITALS})*")
_WORD = re.compile(r"[^\W\d_]+")
_NO_ABBREVIATION = 5
"""Letters: shorter words in capitals are mostly abbreviations, unless others stand beside them ("NEW YORK")."""
_SHORTEST_RUN = 8
_SMALL = "and at da das de del della des di do dos du et for für in la of the und van von y zu"
_WRITTEN_AS = {word.upper(): word for word in (*TECHNICAL_AFTER, *_SMALL.split())}
"""Small words, and those behind a name that is no person's or place's then (Intel CPUs, Hungarian algorithm)."""


def lines_in_capitals(text: str) -> Searched:
    """The lines of a text that have words in capitals, with these as others are written: Peking University."""
    lines: list[str] = []
    places: list[int] = []
    start = 0
    for line in text.split("\n"):
        as_others = _RUN.sub(_as_others_are_written, line)
        if as_others != line and len(as_others) == len(line):
            lines.append(as_others)
            places += range(start, start + len(line) + 1)
        start += len(line) + 1
    return Searched("\n".join(lines), places)


def _as_others_are_written(run: re.Match[str]) -> str:
    written = run.group()
    is_long = max(map(len, written.split())) >= _NO_ABBREVIATION or (" " in written and len(written) >= _SHORTEST_RUN)
    if not (is_long and written.isupper()):
        return written
    return _WORD.sub(lambda word: _WRITTEN_AS.get(word[0], word[0].capitalize()), written)
