"""Names folded for searching, so that case, accents, strokes, spaces, hyphens and width do not matter.

`static/js/filter-as-you-type.js` folds in the same way.
"""

from __future__ import annotations

import re
import unicodedata

FIRST_IDEOGRAPH = "\u2e80"  # names in ideographs have no spaces between their parts
_NO_LETTER = re.compile(r"[\W_]+")
_SPACE = re.compile(r"\s+")
_PLAIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ı": "i"}
    | {"ŋ": "n", "ə": "e", "ĸ": "k"}
)
"""Letters that do not decompose into a letter and an accent, with what people type for them."""


def folded_letters(text: str) -> str:
    """Lower case without accents and strokes; other characters stay."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return plain.casefold().translate(_PLAIN)


def folded_name(name: str) -> str:
    """Letters and digits only: "Deja Vu", "DejaVu" and "déjà-vu" all give "dejavu"."""
    return _NO_LETTER.sub("", folded_letters(name))


def folded_words(text: str) -> tuple[str, ...]:
    """The distinct words of a search, in order: "HexGen-2 on NPUs" gives hexgen, 2, on, npus."""
    return tuple(dict.fromkeys(word for word in _NO_LETTER.split(folded_letters(text)) if word))


def folded_text(text: str) -> str:
    """A text to search for words: folded as the words are, with a single space for everything between them."""
    return _NO_LETTER.sub(" ", folded_letters(text)).strip(" ")


def folded_value(value: str) -> str:
    """A facet value for comparison: "GPU " and "gpu" are one value, "C" and "C++" are two."""
    return _SPACE.sub(" ", value.strip()).casefold()
