"""Characters as a parser gives them to text as a person would have typed it.

Every step is linear in the length of the text, whatever the text is: pasted text is cleaned in the server
itself.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# More marks than this on one letter occur in no writing, and normalising long runs of them is quadratic.
MARKS_ON_ONE_LETTER = 6

_LINE_ENDS = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_BLANK_LINES = re.compile(r"\n{3,}")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
# pdfium writes U+0002 where a line ended in a hyphen, and joins the lines.
_HYPHEN_AT_LINE_END = "\x02"
_SOFT_HYPHEN_AT_LINE_END = "\u00ad\n"
# Zero width joiners shape Persian, Indic and emoji text; all other format characters are invisible baggage.
_JOINERS = "\u200c\u200d"
# First halves of compounds that keep their hyphen when a line ends after it.
_COMPOUND_STARTS = frozenset(
    {
        *("all", "cross", "end", "fault", "fine", "first", "full", "half", "hand", "high", "in", "large", "long"),
        *("low", "mixed", "multi", "near", "non", "off", "on", "open", "post", "pre", "quasi", "real", "second"),
        *("self", "semi", "short", "single", "state", "third", "two", "user", "well"),
    }
)
# Joining copies the line it adds to; a line this long was not broken by a typesetter.
LONGEST_BROKEN_LINE = 1_000
_OPENING = "([{“‘\"'"
_CLOSING = ")]}”’\"'.,;:!?"


@dataclass(frozen=True)
class Cleaned:
    """Clean text and whether its end was cut off."""

    text: str
    cut: bool


def clean(raw: str, most: int) -> Cleaned:
    """Normalise `raw` and keep at most `most` characters, cut at the end of a word where there is one.

    NFC; line feeds as line ends; one space between words; no control, format, private or unassigned
    characters; typographic ligatures and words hyphenated at a line end put together again. The order of
    the text is left alone.
    """
    text = _LINE_ENDS.sub("\n", raw).replace(_SOFT_HYPHEN_AT_LINE_END, "")
    text = text.replace(_HYPHEN_AT_LINE_END, "-\n")
    text = unicodedata.normalize("NFC", _printable(text.translate(_LIGATURES)))
    lines = [" ".join(line.split()) for line in text.split("\n")]
    text = _BLANK_LINES.sub("\n\n", "\n".join(_joined(lines))).strip()
    return _cut(text, most)


def _printable(text: str) -> str:
    """The text without characters that show nothing, spaces unified, marks per letter bounded."""
    kept: list[str] = []
    marks = 0
    for character in text:
        if character.isascii():
            marks = 0
            if character >= " " and character != "\x7f":
                kept.append(character)
            elif character in "\n\t":
                kept.append(character if character == "\n" else " ")
            continue
        category = unicodedata.category(character)
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        if category in {"Zs", "Co"}:
            kept.append(" ")
        elif category[0] == "C":
            if character in _JOINERS:
                kept.append(character)
        elif marks <= MARKS_ON_ONE_LETTER:
            kept.append(character)
    return "".join(kept)


def _joined(lines: list[str]) -> list[str]:
    """The lines, with every word that was broken by a hyphen at a line end put back on its first line."""
    words = {token.strip(_OPENING + _CLOSING).lower() for line in lines for token in line.split()}
    joined: list[str] = []
    for line in lines:
        previous = joined[-1] if joined else ""
        broken = previous.endswith("-") and previous[-2:-1].isalnum() and line[:1].isalnum()
        if not broken or len(previous) > LONGEST_BROKEN_LINE:
            joined.append(line)
            continue
        start, _, rest = line.partition(" ")
        first = previous[:-1].rsplit(" ", 1)[-1]
        hyphen = "-" if _keeps_hyphen(first.lstrip(_OPENING), start.rstrip(_CLOSING), words) else ""
        joined[-1] = previous[:-1] + hyphen + start
        # A rest that ends in a hyphen is joined in its turn; an empty one leaves no blank line behind.
        if rest:
            joined.append(rest)
    return joined


def _keeps_hyphen(first: str, second: str, words: set[str]) -> bool:
    """Whether “first-” and “second” on the next line are a compound rather than one broken word."""
    if not second[:1].islower() or "-" in first or not first.isalpha():
        return True
    if f"{first}-{second}".lower() in words:
        return True
    return (first + second).lower() not in words and first.lower() in _COMPOUND_STARTS


def _cut(text: str, most: int) -> Cleaned:
    if len(text) <= most:
        return Cleaned(text, cut=False)
    kept = text[:most]
    # A word cut in two is no word; text without spaces (Chinese, Japanese) is cut where it is.
    if not text[most].isspace():
        end = max(kept.rfind(" "), kept.rfind("\n"))
        kept = kept[:end] if end > most - 100 else kept
    return Cleaned(kept.rstrip(), cut=True)
