"""Masks markup in a text, character for character, so that every place in the masked text is the same in the text."""

from __future__ import annotations

import html
import re

JOINER = "\u2060"
"""Stands for a character that is left out; it joins what stands on both sides."""
_STOPS = "。！？；｡"
HARD_BREAK = re.compile(rf"\n\s*\n|\n\s*(?=[-*•▪·–]\s)|[\x0b\x0c]|(?<=[{_STOPS}])")
"""Ends a sentence in any case: an empty line, an item of a list, a new page, a Chinese full stop."""
OTHER_BREAK = re.compile(rf"[\x0b\x0c{_STOPS}]")
"""Characters of hard breaks that are no line breaks."""
CHUNK = re.compile(rf"[^\s{_STOPS}]+[{_STOPS}]?|[{_STOPS}]")
"""A stretch without spaces; behind a Chinese full stop, another one begins."""

# Each alternative takes linear time: runs are possessive, open-ended ones bounded, none can start inside a run.
_MARKUP = re.compile(
    r"""
      (?P<blank>\]\([^()\n]{0,500}\)                          # the address of a Markdown link
        | (?:https?://|www\.)\S++                             # web addresses …
        | (?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++        # e-mail addresses …
        | (?<![\w.-])(?:[\w-]++\.)++[A-Za-z]{2,24}/\S*+)      # addresses without a scheme
    | (?P<math>\$\$?(?P<formula>[^$\n]{1,200})\$\$?)
    | (?P<accent>\\(?:["'`^~=.]|[uvHckrb](?=\{))\{?(?P<letter>[A-Za-z])\}?)
    | (?P<command>\\(?:cite[a-z]{0,8}|ref|eqref|label|url)\*?\{[^{}\n]{0,300}\}
        | \\(?:begin|end)\{[A-Za-z*]{1,30}\}
        | \\[A-Za-z]++\*?
        | </?[A-Za-z][^<>\n]{0,300}>)
    | (?P<entity>&(?:[A-Za-z]{2,8}|\#\d{1,6});)
    | (?P<star>(?<=\b[A-Z])\*(?![\w*]))                       # A* is a name
    | (?P<dropped>[*`{}]++)
    """,
    re.VERBOSE,
)
_SIGNS_OF_MARKUP = (*"$\\*`{}<&@/", "](", "www.")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_PLAIN_FORMULA = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,19}")
_LOOKS_LIKE_LATEX = re.compile(r"[\\^_=]")


def masked(text: str) -> str:
    """`text` with blanks for addresses, formulas, LaTeX commands and HTML tags; it has the same length.

    Characters that only mark up ("**bold**", the dollars of "$k$-means") and invisible ones become joiners. HTML
    entities and LaTeX accents become the letter that they stand for.
    """
    if "\x00" in text:
        text = text.replace("\x00", "\x0b")
    if any(map(text.__contains__, _SIGNS_OF_MARKUP)):
        text = _MARKUP.sub(_mask, text)
    return text if text.isascii() else _INVISIBLE.sub(JOINER, text)


def _mask(match: re.Match[str]) -> str:
    written = match.group()
    length = len(written)
    match match.lastgroup:
        case "dropped":
            new = JOINER * length
        case "star":
            new = written
        case "accent":
            new = match["letter"].ljust(length, JOINER)
        case "entity":
            letter = html.unescape(written)
            new = letter.ljust(length, JOINER) if len(letter) == 1 else " " * length
        case "math":
            new = _formula(match["formula"], written)
        case _:
            new = "".join(["\n" if character == "\n" else " " for character in written])
    return new


def _formula(formula: str, written: str) -> str:
    """Keeps a one-word formula ($k$ in "$k$-means") and prices, blanks every other formula."""
    if _PLAIN_FORMULA.fullmatch(formula):
        return written.replace("$", JOINER)
    return " " * len(written) if _LOOKS_LIKE_LATEX.search(formula) else written
