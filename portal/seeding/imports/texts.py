"""Texts of exports made plain: no markup, no characters that no page can show, of a bounded length."""

from __future__ import annotations

import html
import re

TITLE_LIMIT = 600
NAME_LIMIT = 150
LINE_LIMIT = 400
ABSTRACT_LIMIT = 20_000
TEXT_LIMIT = 20_000

# Control characters, halves of surrogate pairs, soft hyphens, marks that change the direction of text, and
# characters of no width, which hide words from a reader.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_TAG = re.compile(
    r"</?(?:i|b|u|em|strong|sub|sup|scp|sc|tt|br|p|span|italic|bold|underline|jats:[\w-]+|mml:[\w-]+|math|"
    r"m(?:i|n|o|row|sup|sub|frac|text|style|over|under|subsup))(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_BLOCK_TAG = re.compile(r"</?(?:br|p|jats:p|jats:title|jats:sec)\b", re.IGNORECASE)


def plain(text: object, limit: int = LINE_LIMIT) -> str:
    """`text` on one line, of at most `limit` characters; "" for what is no text."""
    if not isinstance(text, str):
        return ""
    return cut(" ".join(visible(text[: limit * 4]).split()), limit)


def paragraphs(text: object, limit: int = TEXT_LIMIT) -> str:
    """`text` with its paragraphs (blank lines) kept and everything else made plain."""
    if not isinstance(text, str):
        return ""
    seen = visible(text[: limit * 4].replace("\r\n", "\n").replace("\r", "\n"))
    parts = (" ".join(part.split()) for part in re.split(r"\n[ \t]*\n", seen))
    return cut("\n\n".join(part for part in parts if part), limit)


def without_markup(text: object, limit: int = LINE_LIMIT) -> str:
    """`plain` text without the markup that publishers leave in titles and abstracts ("<i>E. coli</i>", "&amp;")."""
    if not isinstance(text, str):
        return ""
    said = text[: limit * 6]
    if "&" in said:
        said = html.unescape(html.unescape(said))
    if "<" in said:
        said = _TAG.sub(lambda tag: " " if _BLOCK_TAG.match(tag[0]) else "", said)
    return plain(said, limit)


def visible(text: str) -> str:
    """The text without characters that show nothing; a control character stands for a space."""
    return _UNSEEN.sub(lambda found: " " if found[0] < "\x20" else "", text)


def cut(text: str, limit: int) -> str:
    """The text, cut at a word where it is longer than `limit` characters; what is cut ends in "…"."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    at_word = head.rpartition(" ")[0]
    return (at_word if len(at_word) * 2 > limit else head).rstrip(" ,;:") + "…"


def first_sentence(error: BaseException) -> str:
    """What an error of a library says, on one short line."""
    return plain(str(error).split("\n", 1)[0], 200)
