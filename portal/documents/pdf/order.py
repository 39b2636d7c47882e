"""Puts the lines of a page into the order of reading, and tells where one ends inside of a word. In the child only.

Most programs paint a page in the order of reading, and that order is kept where it can be. Programs to design pages
paint boxes in the order in which they were made, and browsers what floats before all else: so each line comes behind
those above it in its column, and a date that stands beside an entry is on its line.

Typesetters break words in any text; word processors and browsers do so only when told to. Lines of Chinese and Japanese
are cut at the margin, inside of a word or not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING

from portal.documents.cleaning import keeps_hyphen
from portal.documents.pdf.lines import Line, is_ideographic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pypdfium2 import PdfDocument

    from portal.documents.pdf.glyphs import Claim, Glyph

# All in sizes of the letters; a raised figure is no line of its own.
ABOVE_BY, NEXT_LINE_WITHIN = 0.6, 3.0
# Of the narrower line, what it shares with one in the same column.
SHARED_WIDTH = 0.5
MOST_LINES = 400
# A date beside the entry that it belongs to.
MOST_WORDS_OF_A_DATE = 8
SAME_LINE_WITHIN, SAME_SIDE_WITHIN, CLOSE_WITHIN = 0.5, 1.0, 1.9
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}/\d\d(?!\d)")
_MONTHS = (
    "jan|feb|mar|mär|apr|mai|may|maj|jun|jul|aug|sep|okt|oct|nov|dec|dez|ene|abr|ago|dic|fév|avr|juin|juil|aoû|déc|gen"
    "|mag|giu|lug|set|ott"
)
_OF_DATES = (
    "present|now|today|current|currently|ongoing|since|until|to|heute|seit|bis|aujourd’hui|actuel|depuis|actualidad|hoy"
    "|presente|oggi|months?|years?|yrs?|mos?|[年月日至今现在]+"
)
_WORD_OF_A_DATE = re.compile(rf"[\W\d_]*(?:(?:{_MONTHS})[^\W\d_]{{0,7}}|{_OF_DATES})?[\W\d_]*", re.IGNORECASE)


def in_reading_order(lines: list[Line], painted: Mapping[int, int]) -> list[Line]:
    """The lines of a page as they are read; `painted` tells in which order texts are painted, by address."""
    places: list[int] = []
    for line in lines:
        known = [
            painted[word.glyphs[0].owner.address] for word in line.words if word.glyphs[0].owner.address in painted
        ]
        places.append(min(known, default=places[-1] if places else 0))
    lines = [lines[index] for index in sorted(range(len(lines)), key=places.__getitem__)]
    if len(lines) > MOST_LINES:
        return lines
    return _below_those_above(_with_dates(lines))


def _below_those_above(lines: list[Line]) -> list[Line]:
    """The lines as painted, but each waits for those above it in its column and the one painted right above it."""
    above = [{other for other in range(len(lines)) if _is_below(line, lines[other])} for line in lines]
    run = 0
    for number, (last, line) in enumerate(pairwise(lines), start=1):
        if last.angle == line.angle and 0 <= (last.base - line.base) / (line.size or 1) <= NEXT_LINE_WITHIN:
            above[number].add(number - 1)
            continue
        # A column that begins where the one painted before it does.
        if lines[run].angle == line.angle and abs(lines[run].base - line.base) <= SAME_LINE_WITHIN * line.size:
            above[number].add(run)
        run = number
    waiting = TopologicalSorter(dict(enumerate(above)))
    try:
        waiting.prepare()
    except CycleError:  # letters of very different sizes upon each other
        return lines
    ready: list[int] = []
    ordered: list[Line] = []
    while waiting.is_active():
        for number in waiting.get_ready():
            heappush(ready, number)
        read = heappop(ready)
        ordered.append(lines[read])
        waiting.done(read)
    return ordered


def _is_below(line: Line, other: Line) -> bool:
    if line.angle != other.angle or other.base - line.base <= ABOVE_BY * max(line.size, other.size):
        return False
    shared = min(line.end, other.end) - max(line.start, other.start)
    return shared > SHARED_WIDTH * min(line.end - line.start, other.end - other.start)


def _with_dates(lines: list[Line]) -> list[Line]:
    """The lines, with dates that stand apart beside an entry put on the line of the entry."""
    dates = [number for number, line in enumerate(lines) if line.angle == 0 and _is_date(line)]
    entries = {number: entry for number in dates if (entry := _entry_beside(number, lines, dates)) is not None}
    beside: defaultdict[int, list[int]] = defaultdict(list)
    for number, entry in entries.items():
        # Dates that stand in a column of dates have entries beside them, all of them; in a sidebar a few may.
        column = [other for other in dates if _are_aligned(lines[number], lines[other])]
        if len(column) > 1 and all(other in entries for other in column):
            beside[entry].append(number)
    moved = {number for numbers in beside.values() for number in numbers}
    joined: list[Line] = []
    for number, line in enumerate(lines):
        if number not in moved:
            cells = sorted([line, *(lines[other] for other in beside[number])], key=lambda cell: cell.start)
            joined.append(Line([word for cell in cells for word in cell.words]))
    return joined


def _is_date(line: Line) -> bool:
    words = line.text.split()
    return (
        len(words) <= MOST_WORDS_OF_A_DATE
        and _YEAR.search(line.text) is not None
        and all(_WORD_OF_A_DATE.fullmatch(word) for word in words)
    )


def _entry_beside(number: int, lines: Sequence[Line], dates: Sequence[int]) -> int | None:
    date = lines[number]
    if any(0 < date.base - line.base <= CLOSE_WITHIN * date.size and _are_aligned(date, line) for line in lines):
        return None
    beside = [
        other
        for other, line in enumerate(lines)
        if other not in dates
        and abs(line.base - date.base) <= SAME_LINE_WITHIN * max(line.size, date.size)
        and (line.start >= date.end or line.end <= date.start)
    ]
    return beside[0] if len(beside) == 1 else None


def _are_aligned(first: Line, second: Line) -> bool:
    return min(abs(first.start - second.start), abs(first.end - second.end)) <= SAME_SIDE_WITHIN * first.size


_SELDOM_BREAK_WORDS = re.compile(
    r"microsoft|office|skia|quartz|wps|google|canva|weasyprint|qt |reportlab|fpdf|tcpdf|dompdf|jspdf|itext",
    re.IGNORECASE,
)
_SOFT_HYPHEN, _BREAKING_HYPHEN = "\u00ad", "\u2010"
_HYPHENS = frozenset({"-", _SOFT_HYPHEN})
# All in sizes of the letters. The next line of a paragraph, of which the first or all others may be indented.
STEP = (0.8, 2.5)
FARTHEST_LEFT, FARTHEST_RIGHT = -3.0, 4.5
SAME_SIZE_WITHIN, LETTER_AND_A_BIT, SURELY_PROSE = 0.1, 1.1, 24.0
BROKEN_WORDS_TO_TELL, BROKEN_SHARE = 3, 0.6
# What must not begin a line takes the letter before it along to the next.
_WITHIN_SENTENCES = frozenset("，、；：）》」』】")
_NOT_FIRST = frozenset("，。、；：？！）》」』】…,.;:?!)ぁぃぅぇぉっゃゅょァィゥェォッャュョー々")


def tell_hyphens(glyphs: Sequence[Glyph], claims: Mapping[int, Claim]) -> None:
    """Distinguish hyphens that break words from typed ones, as the file claims.

    A font may have one glyph for both, which then says that it is the first. Where there are breaking ones, `clean`
    takes all others for typed.
    """
    hyphens = [(glyph, claims.get(glyph.owner.address)) for glyph in glyphs if glyph.text in _HYPHENS]
    tells = any(glyph.text == _SOFT_HYPHEN or (claim and claim.text == _SOFT_HYPHEN) for glyph, claim in hyphens)
    for glyph, claim in hyphens if tells else ():
        glyph.text = "-" if claim and claim.text == "-" else _BREAKING_HYPHEN


def seldom_breaks_words(document: PdfDocument) -> bool:
    """Whether the document says that it was made by a program which breaks words only when told to."""
    return any(_SELDOM_BREAK_WORDS.search(document.get_metadata_value(key)) for key in ("Producer", "Creator"))


def mark_line_ends(lines: Sequence[Line], *, seldom_breaks: bool) -> None:
    """Set `goes_on` of every line, in reading order, that goes on where the one before ends inside of a word."""
    ends = [
        (above.words[-1].text.removesuffix("-"), line)
        for above, line in pairwise(lines)
        if above.last.text == "-" and len(above.words[-1].glyphs) > 1 and line.first.text[0].isalpha()
    ]
    if seldom_breaks and not _breaks_words([(half, line.words[0].text) for half, line in ends], lines):
        for _, line in ends:
            line.goes_on = True
    for above, line in pairwise(lines):
        line.goes_on |= is_ideographic(line.first.text[0]) and _is_cut(above, line, lines)


def _breaks_words(halves: Sequence[tuple[str, str]], lines: Sequence[Line]) -> bool:
    words = {word.text.lower() for line in lines for word in line.words}
    broken = sum(not keeps_hyphen(first, second.rstrip(".,;:"), words) for first, second in halves)
    return broken >= BROKEN_WORDS_TO_TELL and broken > BROKEN_SHARE * len(halves)


def _is_cut(above: Line, line: Line, lines: Sequence[Line]) -> bool:
    """Whether a line of a text without spaces ends at the margin, and the next one goes on as its paragraph does."""
    last, first, size = above.last, line.first, above.last.size
    is_next = (
        last.angle == first.angle
        and abs(first.size - size) <= SAME_SIZE_WITHIN * size
        and STEP[0] * size <= last.base - first.base <= STEP[1] * size
        and FARTHEST_LEFT * size <= above.start - line.start <= FARTHEST_RIGHT * size
    )
    if not is_next or not (is_ideographic(last.text[-1]) or last.text in _WITHIN_SENTENCES):
        return False
    room = LETTER_AND_A_BIT * size * (2 if line.words[0].text[1:2] in _NOT_FIRST else 1)
    column = [other for other in lines if abs(other.start - above.start) <= FARTHEST_RIGHT * size]
    is_full = max(other.end for other in column) <= above.end + room
    has_margin = any(other is not above and other.end >= above.end - size for other in column)
    return is_full and (has_margin or above.end - above.start >= SURELY_PROSE * size)
