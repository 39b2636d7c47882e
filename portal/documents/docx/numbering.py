"""What Word writes before the items of a list, where it has words: "Project 1:". Runs in the reading child only.

Bullets and bare numbers ("2.", "a)") say nothing and are left out.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from portal.documents.docx.names import qn
from portal.documents.docx.styles import DEEPEST_STYLE, styles_by_id

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

_PLACE = re.compile(r"%([1-9])")
_WORD = re.compile(r"[^\W\d_]{2,}")
# Lists deeper than that do not exist.
LEVELS = 9
LONGEST_LABEL = 200
MOST_ROMAN = 3_999
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


@dataclass(frozen=True, slots=True)
class _Level:
    """How the items of one level are numbered."""

    label: str = ""
    form: str = "decimal"
    start: int = 1
    properties: Element | None = None
    indent: Element | None = None


@dataclass(slots=True)
class _List:
    """The levels of a list, and the number of the last item on each."""

    levels: dict[int, _Level]
    counts: dict[int, int] = field(default_factory=dict)

    def next_label(self, level: int) -> str:
        """Count an item; what stands before it."""
        start = self.levels.get(level, _Level()).start
        self.counts[level] = self.counts.get(level, start - 1) + 1
        self.counts = {other: count for other, count in self.counts.items() if other <= level}
        return _PLACE.sub(lambda place: self._number(int(place[1]) - 1), self.levels.get(level, _Level()).label)

    def _number(self, level: int) -> str:
        written = self.levels.get(level, _Level())
        return _written(self.counts.get(level, written.start), written.form)


class Numbering:
    """The lists of a document; its paragraphs are to be asked in their order."""

    def __init__(self, numbering: Element | None, styles: Element | None) -> None:
        self._lists: dict[str, _List] = {}
        self._styles = styles_by_id(styles)
        if numbering is None:
            return
        abstract: dict[str, _List] = {}
        for element in numbering.iterchildren(qn("w:abstractNum")):
            abstract[element.get(qn("w:abstractNumId"), "")] = _List(_levels_of(element))
        for element in numbering.iterchildren(qn("w:num")):
            base = abstract.get(_value(element, "w:abstractNumId"))
            if base is not None:
                self._lists[element.get(qn("w:numId"), "")] = _overridden(base, element)

    def write_label(self, paragraph: Element) -> None:
        """Put what stands before an item of a list into its paragraph as a run, which looks as Word paints it."""
        if not self._lists:
            return
        number, level = self._place_of(paragraph.find(qn("w:pPr")))
        entries = self._lists.get(number)
        if entries is None or not level.isdecimal() or int(level) >= LEVELS:
            return
        written = entries.levels.get(int(level), _Level())
        label = entries.next_label(int(level))[:LONGEST_LABEL]
        has_words = _WORD.search(_PLACE.sub("", written.label)) is not None
        if has_words and any((text.text or "").strip() for text in paragraph.iter(qn("w:t"))):
            paragraph.insert(0, _run(paragraph, f"{label} ", written.properties))

    def indent_of(self, paragraph: Element) -> Element | None:
        """The `w:ind` of the level of a list that a paragraph is on; None where it is in none."""
        if not self._lists:
            return None
        number, level = self._place_of(paragraph.find(qn("w:pPr")))
        entries = self._lists.get(number)
        return entries.levels.get(int(level), _Level()).indent if entries is not None and level.isdecimal() else None

    def _place_of(self, properties: Element | None) -> tuple[str, str]:
        """The list of a paragraph and the level in it, by itself or by its style."""
        number = level = ""
        source, depth = properties, 0
        while source is not None and depth < DEEPEST_STYLE and not (number and level):
            place = source.find(qn("w:numPr"))
            if place is not None:
                number = number or _value(place, "w:numId")
                level = level or _value(place, "w:ilvl")
            style = self._styles.get(
                _value(source, "w:pStyle") if depth == 0 else _value(source.getparent(), "w:basedOn")
            )
            source = style.find(qn("w:pPr")) if style is not None else None
            depth += 1
        return number, level or "0"


def _levels_of(element: Element) -> dict[int, _Level]:
    levels: dict[int, _Level] = {}
    for level in element.iterchildren(qn("w:lvl")):
        number, start = level.get(qn("w:ilvl"), ""), _value(level, "w:start")
        if number.isdecimal():
            levels[int(number)] = _Level(
                label=_value(level, "w:lvlText"),
                form=_value(level, "w:numFmt") or "decimal",
                start=int(start) if start.isdecimal() else 1,
                properties=level.find(qn("w:rPr")),
                indent=level.find(f"{qn('w:pPr')}/{qn('w:ind')}"),
            )
    return levels


def _overridden(base: _List, number: Element) -> _List:
    """A list as one of its uses changes it; uses without a change go on counting."""
    changes = list(number.iterchildren(qn("w:lvlOverride")))
    if not changes:
        return base
    levels = dict(base.levels)
    for change in changes:
        levels.update(_levels_of(change))
        place, start = change.get(qn("w:ilvl"), ""), _value(change, "w:startOverride")
        if place.isdecimal() and start.isdecimal():
            level = levels.get(int(place), _Level())
            levels[int(place)] = replace(level, start=int(start))
    return _List(levels)


def _run(paragraph: Element, label: str, own: Element | None) -> Element:
    """A run with a label, which looks as its level says, else like the mark at the end of its paragraph."""
    run: Element
    run, properties, text = (paragraph.makeelement(qn(tag)) for tag in ("w:r", "w:rPr", "w:t"))
    for source in (own, paragraph.find(f"{qn('w:pPr')}/{qn('w:rPr')}")):
        properties.extend(map(deepcopy, source if source is not None else ()))
    text.text = label
    run.extend((properties, text))
    return run


def _value(element: Element, tag: str) -> str:
    child = element.find(qn(tag))
    return "" if child is None else child.get(qn("w:val"), "")


def _written(number: int, form: str) -> str:
    """A number as letters, Roman or in figures."""
    if form in {"lowerLetter", "upperLetter"}:
        letters = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 9)
        return letters if form == "lowerLetter" else letters.upper()
    if form in {"lowerRoman", "upperRoman"} and 0 < number <= MOST_ROMAN:
        roman = ""
        for value, letters in _ROMAN:
            count, number = divmod(number, value)
            roman += letters * count
        return roman if form == "lowerRoman" else roman.upper()
    if form in {"none", "bullet"}:
        return ""
    return f"{number:02}" if form == "decimalZero" else str(number)
