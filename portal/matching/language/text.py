"""Cleans raw text (removes markup and invisible characters, applies Unicode NFKC) and keeps a way back.

Every passage of the clean text can be traced to the passage of the original that it came from, so that matched words
can be marked in the text as it was written.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.normalizing import normalized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.matching.results import Span

# Each alternative takes linear time: runs are possessive, open-ended ones bounded, none can start inside a run.
_REWRITTEN = re.compile(
    r"""
      (?P<link>\]\([^()\n]{0,500}\))                          # the address of a Markdown link
    | (?P<address>(?:https?://|www\.)\S++                     # web addresses …
        | (?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++        # e-mail addresses …
        | (?<![\w.-])(?:[\w-]++\.)++[A-Za-z]{2,24}/\S*+)      # addresses without a scheme
    | (?P<math>\$\$?(?P<formula>[^$\n]{1,200})\$\$?)
    | \\(?:["'`^~=.]|[uvHckrb](?=\{))\{?(?P<accented>[A-Za-z])\}?
    | (?P<citation>\\(?:cite[a-z]{0,8}|ref|eqref|label|url)\*?\{[^{}\n]{0,300}\})
    | (?P<environment>\\(?:begin|end)\{[A-Za-z*]{1,30}\})
    | (?P<command>\\[A-Za-z]++\*?)
    | (?P<tag></?[A-Za-z][^<>\n]{0,300}>)
    | (?P<entity>&(?:[A-Za-z]{2,8}|\#\d{1,6});)
    | (?P<dropped>[*`{}]++
        | [\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]++)
    | (?P<unicode>[A-Za-z]?[\u0300-\u036f]++ | [^\x00-\x7f][\u0300-\u036f]*+)
    """,
    re.VERBOSE,
)
# A quick check: without any of these characters, nothing needs rewriting.
_TELLTALES = rb"$\*`{}<&@/]"
_LONG = 1_000
"""In texts of so many characters, searching for one sign after the other is faster than for all of them together."""
_MAY_NEED_REWRITING = re.compile(r"[^\x00-\x7f]|[$\\*`{}<&@]|\]\(|://|www\.|[A-Za-z]/")
_MAY_HAVE_ADDRESS = re.compile(r"@|://|www\.|\.[A-Za-z]{2,24}/")
_SIGN = re.compile(r"[\]$\\*`{}<&\x80-\U0010ffff]")
"""With which all but addresses begin, besides letters under a combining mark."""
_ATTRIBUTE = re.compile(r"""(?<![\w-])(?:alt|class|href|id|name|rel|src|style|title|type)=(?:"[^"\n]*"|'[^'\n]*')""")
_PLAIN_FORMULA = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,19}")
_LONGEST_OF_ONE = 4
"""A sign that stands for more characters than this is a whole word or phrase (㌖, ﷺ), which matters for no work."""
_LOOKS_LIKE_LATEX = re.compile(r"[\\^_=]")


class _Piece(NamedTuple):
    """A passage of clean text and its origin; `kept` passages correspond character for character."""

    clean_start: int
    start: int
    end: int
    kept: bool


_CLEAN_START = itemgetter(0)


@dataclass(frozen=True, slots=True)
class CleanText:
    """Text without markup, in NFKC, with the pieces that lead back to the original."""

    text: str
    pieces: tuple[_Piece, ...] = ()

    def original_span(self, start: int, end: int) -> Span:
        """The passage of the original text that `text[start:end]` came from."""
        if not self.pieces:
            return start, end
        first = self._piece_at(start)
        last = self._piece_at(max(start, end - 1))
        begin = first.start + (start - first.clean_start) if first.kept else first.start
        stop = last.start + (end - last.clean_start) if last.kept else last.end
        return begin, stop

    def _piece_at(self, position: int) -> _Piece:
        return self.pieces[bisect_right(self.pieces, position, key=_CLEAN_START) - 1]


def is_clean(text: str) -> bool:
    """Whether `clean` would certainly leave `text` unchanged; False if that is not certain."""
    if not text.isascii() or text.rfind("www.") >= 0:  # from the end, which takes half of the time of `in`
        return False
    if len(text) < _LONG:
        return len(text.encode().translate(None, _TELLTALES)) == len(text)
    return not any(map(text.encode().__contains__, _TELLTALES))


def clean(text: str) -> CleanText:
    """`text` without LaTeX, Markdown, HTML, addresses and invisible characters, normalised to NFKC."""
    if is_clean(text) or not _MAY_NEED_REWRITING.search(text):
        return CleanText(text)
    parts: list[str] = []
    pieces: list[_Piece] = []
    length = position = 0
    for match in _to_rewrite(text):
        new = _rewritten(match)
        if new == match.group():
            continue
        if match.start() > position:
            pieces.append(_Piece(length, position, match.start(), kept=True))
            parts.append(text[position : match.start()])
            length += match.start() - position
        if new:
            pieces.append(_Piece(length, match.start(), match.end(), kept=False))
            parts.append(new)
            length += len(new)
        position = match.end()
    if position == 0:
        return CleanText(text)
    if position < len(text):
        pieces.append(_Piece(length, position, len(text), kept=True))
        parts.append(text[position:])
    return CleanText("".join(parts), tuple(pieces))


def _to_rewrite(text: str) -> Iterator[re.Match[str]]:
    """What `_REWRITTEN` finds in `text`, in order; without addresses, it is tried only where it can match."""
    if _MAY_HAVE_ADDRESS.search(text):
        yield from _REWRITTEN.finditer(text)
        return
    position = 0
    while sign := _SIGN.search(text, position):
        start = sign.start()
        found = (_REWRITTEN.match(text, start - 1) if start > position else None) or _REWRITTEN.match(text, start)
        if found:
            yield found
        position = found.end() if found else sign.end()


def without_attributes(text: str) -> str:
    """`text` with blanks instead of HTML attributes, which come with pasted page source."""
    return _ATTRIBUTE.sub(lambda found: " " * len(found.group()), text) if "=" in text else text


def _rewritten(match: re.Match[str]) -> str:
    """The replacement for one piece of markup."""
    written = match.group()
    match match.lastgroup:
        case "unicode":
            new = normalized("NFKC", written)
            if len(new) > max(_LONGEST_OF_ONE, len(written)):
                new = " "
        case "dropped":
            new = ""
        case "accented":
            new = match["accented"]
        case "entity":
            new = normalized("NFKC", html.unescape(written))
        case "math":
            new = _formula_in_words(match["formula"], written)
        case _:
            new = " "
    return new


def _formula_in_words(formula: str, written: str) -> str:
    """Keeps a one-word formula ($k$ in "$k$-means") and prices, removes every other formula."""
    if _PLAIN_FORMULA.fullmatch(formula):
        return formula
    return " " if _LOOKS_LIKE_LATEX.search(formula) else written
