"""The title of a document, which a reader sees first wherever it stands in the file.

Beside a column at the left the name of the person comes late in the file; it is set in the largest letters all the
same, and whoever reads the text looks for it at its beginning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGER_THAN_THE_REST = 1.2
AS_LARGE = 0.95
# A name may stand on two lines, and has a few words.
MOST_LINES, MOST_WORDS = 2, 6
LEAST_LETTERS = 3


def title_among(lines: Sequence[tuple[str, float]]) -> range:
    """Where the title is among lines, given with the size of their smallest letters; empty when none stands out."""
    sized = [(place, text, size) for place, (text, size) in enumerate(lines) if size > 0 and text.strip()]
    largest = max((size for _, _, size in sized), default=0.0)
    title = [(place, text) for place, text, size in sized if size >= AS_LARGE * largest]
    next_largest = max((size for _, _, size in sized if size < AS_LARGE * largest), default=0.0)
    if not title or len(title) > MOST_LINES or largest < LARGER_THAN_THE_REST * next_largest or next_largest == 0:
        return range(0)
    words = " ".join(text for _, text in title)
    place = title[0][0]
    is_together = all(index == place + offset for offset, (index, _) in enumerate(title))
    if not is_together or len(words.split()) > MOST_WORDS or sum(map(str.isalpha, words)) < LEAST_LETTERS:
        return range(0)
    return range(place, place + len(title))
