"""Sanitises texts of exports: no markup, no characters that cannot be shown, limited length."""

from __future__ import annotations

import html
import re

TITLE_LIMIT = 600
NAME_LIMIT = 150
LINE_LIMIT = 400
ABSTRACT_LIMIT = 20_000
TEXT_LIMIT = 20_000

# Control characters, lone surrogates, soft hyphens, bidirectional controls, and
# zero-width characters, which can hide words from a reader.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_TAG = re.compile(
    r"</?(?:i|b|u|em|strong|sub|sup|scp|sc|tt|br|p|span|italic|bold|underline|tex|[a-z]{2,12}[:-][\w-]{1,30}|math|"
    r"m(?:i|n|o|row|sup|sub|frac|text|style|over|under|subsup))(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_BLOCK_TAG = re.compile(r"</?(?:br|p|jats:p|jats:title|jats:sec)\b", re.IGNORECASE)


def plain(text: object, limit: int = LINE_LIMIT) -> str:
    """`text` on one line with at most `limit` characters; "" if it is not a string."""
    if not isinstance(text, str):
        return ""
    return cut(" ".join(visible(text[: limit * 4]).split()), limit)


def paragraphs(text: object, limit: int = TEXT_LIMIT) -> str:
    """`text` sanitised, with its paragraphs (blank lines) kept."""
    if not isinstance(text, str):
        return ""
    visible_text = visible(text[: limit * 4].replace("\r\n", "\n").replace("\r", "\n"))
    parts = (" ".join(part.split()) for part in re.split(r"\n[ \t]*\n", visible_text))
    return cut("\n\n".join(part for part in parts if part), limit)


def without_markup(text: object, limit: int = LINE_LIMIT) -> str:
    """`plain` text without markup from publishers in titles and abstracts ("<i>E. coli</i>", "&amp;")."""
    if not isinstance(text, str):
        return ""
    shortened = text[: limit * 6]
    if "&" in shortened:
        shortened = html.unescape(html.unescape(shortened))
    if "<" in shortened:
        shortened = _TAG.sub(lambda tag: " " if _BLOCK_TAG.match(tag[0]) else "", shortened)
    return plain(shortened, limit)


def visible(text: str) -> str:
    """The text without invisible characters; control characters become spaces."""
    return _UNSEEN.sub(lambda match: " " if match[0] < "\x20" else "", text)


def cut(text: str, limit: int) -> str:
    """The text, cut at a word to `limit` characters and ended by "…" if it is longer."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    at_word = head.rpartition(" ")[0]
    return (at_word if len(at_word) * 2 > limit else head).rstrip(" ,;:") + "…"


def first_sentence(error: BaseException) -> str:
    """A library's error message on one short line."""
    return plain(str(error).split("\n", 1)[0], 200)
