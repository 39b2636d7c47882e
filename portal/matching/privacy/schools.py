"""Names of schools that go on in the next line, as in narrow columns and in cells of tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.matching.privacy.late_patterns import LatePattern
from portal.matching.privacy.search import CAPITALISED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.matching.privacy.search import Written
    from portal.matching.results import Span

_KINDS = (
    "University Universität Universitaet Université Universidad Universidade Università Universiteit Universitat "
    "Institute Institut Instituto College Academy Polytechnic Polytechnique Politecnico Politécnica Hochschule"
)
_ANY_KIND = frozenset(_KINDS.split())
_PARTS = frozenset({"College", "Academy"})
"""Words that parts of a university are called by as well: "College of Engineering" is a whole name."""
_BEFORE_A_KIND = (
    "Advanced Aerospace Agricultural Autonomous Catholic Central Christian City Eastern Federal Free Imperial "
    "International Jiaotong Maritime Medical Metropolitan National Normal Northern Open Pedagogical Polytechnic Royal "
    "Southern State Technical Technische Technological Tong Western"
)
_ADJECTIVES = frozenset(_BEFORE_A_KIND.split())
_LONGEST_BEFORE = 100  # characters
_OF = r"(?:of|at|de|del|della|degli|di|da|do|dos|das|du|des|für|van|von|der)"
_SUBJECT = r"(?:Agriculture|Arts|Commerce|Economics|Engineering|Management|Medicine|Mines|Sciences?|Technology)"
# What somebody studied, in the line above the school.
_SUBJECTS = (
    "Mathematics Maths Statistics Physics Chemistry Biology Economics Informatics Linguistics Engineering Robotics"
)
_SUBJECTS_ABOVE = frozenset(_SUBJECTS.split())
_GAP = r"(?:[ \t]|[ \t]?\n[ \t]*)"
_OVER = r"[ \t]?\n[ \t]*"
_ONWARDS = LatePattern(
    rf"\w+{_GAP}{_OF}(?:{_GAP}(?:the|la|los|las))?{_GAP}{CAPITALISED}(?:[ \t]{CAPITALISED}){{0,4}}"
    rf"(?:(?:{_GAP}and{_GAP}{_SUBJECT}(?!\w)|[ \t](?:of|at|de|do){_OVER}{CAPITALISED}"
    rf"|{_OVER}(?:at|de|do)[ \t]{CAPITALISED})(?:[ \t]{CAPITALISED})?){{0,2}}"
)
_IS_OF_A_PLACE = re.compile(
    rf"\w+(?:{_GAP}{_OF}{_GAP}(?!(?:Arts|Sciences?|Technology)(?!\w))|(?<!\bCollege)[ \t]{CAPITALISED})"
)
_IS_OF_ANYTHING = re.compile(rf"\w+{_GAP}{_OF}{_GAP}")
_NAMED_BEFORE = re.compile(rf"(?<!\S)(?:{CAPITALISED}[ \t]){{0,2}}{CAPITALISED}[ \t]?$")
_CALLED = re.compile(rf"(?<!\S)(?:{CAPITALISED}[ \t]){{1,4}}$")
_ONE_WORD = re.compile(rf"[ \t]*{CAPITALISED}[ \t]?")


def schools_over_lines(written: Written) -> Iterator[Span]:
    """Where a school's name continues: after "University of" in the next line, before "University" in the one above."""
    text = written.text
    if "\n" not in text:
        return
    for place in written.places(_ANY_KIND):
        line = text.rfind("\n", 0, place) + 1
        onwards = _ONWARDS.compiled.match(text, place)
        if onwards and "\n" in onwards.group():
            name_before = _CALLED.search(text, line, place)
            yield name_before.start() if name_before else place, onwards.end()
        if line and place - line <= _LONGEST_BEFORE and _ADJECTIVES.issuperset(text[line:place].split()):
            start = _begin_above(text, line, place)
            if start < line:
                yield start, place


def _begin_above(text: str, line: int, place: int) -> int:
    """Where a school's name begins in the lines above, if the word for its kind stands at `place` in `line`."""
    above = text.rfind("\n", 0, line - 1) + 1
    named = _NAMED_BEFORE.search(text, above, line - 1)
    if not named:
        return line
    is_part = any(text.startswith(part, place) for part in _PARTS)
    is_whole = (_IS_OF_ANYTHING if is_part else _IS_OF_A_PLACE).match(text, place)
    last = named.group().split()[-1]
    goes_on_above = last in _ADJECTIVES
    if (is_whole and not goes_on_above) or last in _SUBJECTS_ABOVE:
        return line
    if goes_on_above and above and _ONE_WORD.fullmatch(text, above, line - 1):
        line_before = text.rfind("\n", 0, above - 1) + 1
        if _ONE_WORD.fullmatch(text, line_before, above - 1):
            return line_before
    return named.start()
