"""What tells in documents of any kind how their text appears: colours, fonts of icons, a title, sentences beside it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

WHITE: Colour = (255, 255, 255)
# Blue adds little to how bright a colour is: pale yellow on white cannot be read either.
_WITHIN = (20, 20, 50)
WORDS_OF_A_SENTENCE = 3
# A title is larger than all else, and is mostly a name: a line or two, a few words.
LARGER_THAN_THE_REST, AS_LARGE = 1.2, 0.95
MOST_LINES, MOST_WORDS, LEAST_LETTERS = 2, 6, 3
_OF_ICONS = re.compile(
    r"(?:[A-Z]{6}\+)?(?:font-?awesome|academicons|marvosym|material-?(?:icons|symbols)|bootstrap-?icons|simple-?icons"
    r"|glyphicons|ionicons|icomoon|fontello|devicons?|dashicons|wingdings|webdings|(?:itc)?zapfdingbats)",
    re.IGNORECASE,
)


def alike(first: Colour, second: Colour, opacity: float = 1.0) -> bool:
    """Whether a reader sees no difference between the second colour and the first, of this opacity, on it."""
    return all(
        abs(channel - other_channel) * opacity <= tolerance
        for channel, other_channel, tolerance in zip(first, second, _WITHIN, strict=True)
    )


def is_named_after_icons(font: str) -> bool:
    """Whether a font is named after a collection of icons: its letters are pictures."""
    return _OF_ICONS.match(font.replace(" ", "")) is not None


def sentences_in(texts: Iterable[str], visible: str) -> str:
    """Those of the texts that are whole sentences of which most words stand nowhere in `visible`, one a line.

    Honest programs write a ligature, a hyphen or a box once more like this.
    """
    seen = set(visible.casefold().split())
    sentences = []
    for text in texts:
        words = text.casefold().split()
        if len(words) >= WORDS_OF_A_SENTENCE and sum(word not in seen for word in words) > len(words) / 2:
            sentences.append(" ".join(text.split()))
    return "\n".join(sentences)


def title_among(lines: Sequence[tuple[str, float]]) -> range:
    """Where the title is among lines, given with the size of their smallest letters; empty when none stands out.

    Beside a column at the left the name of the person comes late in the file; whoever reads the text looks for it at
    its beginning.
    """
    sized = [(place, text, size) for place, (text, size) in enumerate(lines) if size > 0 and text.strip()]
    largest = max((size for _, _, size in sized), default=0.0)
    title = [(place, text) for place, text, size in sized if size >= AS_LARGE * largest]
    next_largest = max((size for _, _, size in sized if size < AS_LARGE * largest), default=0.0)
    if not title or len(title) > MOST_LINES or largest < LARGER_THAN_THE_REST * next_largest or next_largest == 0:
        return range(0)
    words = " ".join(text for _, text in title)
    start, end = title[0][0], title[-1][0] + 1
    if end - start != len(title) or len(words.split()) > MOST_WORDS or sum(map(str.isalpha, words)) < LEAST_LETTERS:
        return range(0)
    return range(start, end)
