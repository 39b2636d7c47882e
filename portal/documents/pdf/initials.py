"""Large initials that a paragraph begins with: part of its first word. Runs in the reading child only.

Programs set such a letter as a text of its own, before or behind the lines that it reaches over.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from portal.documents.pdf.words import Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.documents.pdf.glyphs import Glyph
    from portal.documents.pdf.lines import Line

LARGER_FROM = 1.5
# In sizes of the letters of the paragraph.
FARTHEST = 0.5
DEEPEST = 0.35
REACHES_OVER = 0.5
MOST_INITIALS = 100
SAME_LINE_WITHIN = 0.05
_WORDS_OF_ONE_LETTER = frozenset("AEIOUYÀÉ")


def with_initials(lines: list[Line]) -> list[Line]:
    """The lines, in reading order, with large initials put before the lines that they stand at the left of."""
    initials = [line for line in lines if _is_initial(line)][:MOST_INITIALS]
    for line in lines:
        line.words[:1] = _split_initial(line.words[0])
    beside = [line for line in lines if len(line.words) > 1 and _is_initial_of(line.words[0], line.words[1].glyphs[0])]
    if not initials and not beside:
        return lines
    word_counts = Counter(_text_of(word) for line in lines for word in line.words)
    for line in beside:
        # It may reach over several lines and stand on the foot of the last.
        first = _first_beside(line.words[0], lines)
        if first is not None and first is not line and first.first.base > line.words[1].glyphs[0].base:
            first.words[:1] = _with_initial(line.words.pop(0), first.words[0], word_counts)
        else:
            line.words[:2] = _with_initial(line.words[0], line.words[1], word_counts)
    placed: set[int] = set()
    for initial in initials:
        first = _first_beside(initial.words[0], lines)
        if first is not None:
            first.words[:1] = _with_initial(initial.words[0], first.words[0], word_counts)
            placed.add(id(initial))
    return [line for line in lines if id(line) not in placed]


def _split_initial(word: Word) -> list[Word]:
    """A word in two where it begins with a letter that is as large as an initial."""
    first, remainder = Word(word.glyphs[:1], spaced=word.spaced), Word(word.glyphs[1:])
    return [first, remainder] if remainder.glyphs and _is_initial_of(first, remainder.glyphs[0]) else [word]


def _is_initial(line: Line) -> bool:
    return len(line.words) == 1 and _is_letter(line.words[0])


def _is_letter(word: Word) -> bool:
    """Whether a word is one letter or figure, perhaps with a sign beside it."""
    return len(word.glyphs) <= 2 and sum(glyph.text.isalnum() for glyph in word.glyphs) == 1  # noqa: PLR2004


def _is_initial_of(word: Word, first: Glyph) -> bool:
    return (
        _is_letter(word)
        and word.glyphs[0].angle == first.angle
        and word.glyphs[0].size >= LARGER_FROM * first.size
        and first.start - word.end <= FARTHEST * first.size
    )


def _first_beside(initial: Word, lines: Sequence[Line]) -> Line | None:
    """The highest of the lines that begin at the right of an initial, no higher than it is.

    Or one that goes on in small letters below it: some programs let an initial lie on its paragraph.
    """
    letter = initial.glyphs[0]
    beside = [
        line
        for line in lines
        if _is_initial_of(initial, line.first)
        and line.first.start >= letter.start
        and -DEEPEST * line.first.size <= line.first.base - letter.base <= letter.size - line.first.size / 2
    ]
    apart = [line for line in beside if line.first.start >= initial.end - REACHES_OVER * line.first.size]
    below = [line for line in beside if line.first.text.islower()]
    return max(apart + below, key=lambda line: line.first.base, default=None)


def _with_initial(initial: Word, word: Word, word_counts: Counter[str]) -> list[Word]:
    """A word with its initial, or both where the initial is a word ("A", "I") and the rest stands elsewhere as well."""
    last = initial.glyphs[-1].text[-1]
    text = _text_of(word)
    is_word = last in _WORDS_OF_ONE_LETTER and word_counts[text] > 1 and _text_of(initial) + text not in word_counts
    if is_word or not last.isalnum() or _is_word_in_line(initial, word):
        return [initial, word]
    return [Word([*initial.glyphs, *word.glyphs], spaced=initial.spaced)]


def _is_word_in_line(initial: Word, word: Word) -> bool:
    """Whether a large letter is a word by itself: on the line of the next one, with a space between in the file."""
    first = word.glyphs[0]
    return word.spaced and abs(initial.glyphs[0].base - first.base) <= SAME_LINE_WITHIN * first.size


def _text_of(word: Word) -> str:
    return word.text.casefold().strip(".,;:()“”\"'")
