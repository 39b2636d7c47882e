"""Bytes of a text file to characters."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from portal.documents import refusals
from portal.documents.decoding_east_asian import east_asian
from portal.documents.decoding_letters import of_letters
from portal.documents.kinds import wide_encoding

# The four-byte marks first: one of them begins with a two-byte one.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


# What begins a stretch of Japanese in a text of seven bits.
_ISO_2022 = (b"\x1b$B", b"\x1b$@")


@dataclass(frozen=True)
class Decoded:
    """Characters and how sure their encoding is.

    Attributes:
        text: the characters.
        encoding: name of the encoding, as Python knows it.
        certain: whether the bytes say so themselves (UTF-8, or a byte order mark); otherwise inferred, and a
            person should look at the text.
    """

    text: str
    encoding: str
    certain: bool


def decode(data: bytes) -> Decoded:
    """Decode a text file: what it says of itself, else the encoding in which it reads like a language.

    Raises:
        RefusedDocument: it reads like a language in none, or the result holds characters no text has.
    """
    wide = wide_encoding(data)
    if wide is not None:
        return Decoded(data.decode(wide), wide, certain=False)
    decoded = _of_seven_bits(data) or _by_mark_or_utf8(data)
    if decoded is None:
        found = east_asian(data) or of_letters(data)
        decoded = Decoded(*found, certain=False) if found else None
    if decoded is None or "\x00" in decoded.text:
        raise refusals.unknown_encoding()
    return decoded


def _by_mark_or_utf8(data: bytes) -> Decoded | None:
    """What the bytes say themselves.

    Raises:
        RefusedDocument: they have a mark that is not true.
    """
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    try:
        return Decoded(data.decode(encoding or "utf-8"), encoding or "utf-8", certain=True)
    except UnicodeDecodeError:
        if encoding is not None:
            raise refusals.unknown_encoding() from None
        return None


def _of_seven_bits(data: bytes) -> Decoded | None:
    """Japanese that is written in ASCII between signs of escape."""
    if not data.isascii() or not any(sign in data for sign in _ISO_2022):
        return None
    try:
        return Decoded(data.decode("iso2022_jp_2"), "iso2022_jp_2", certain=False)
    except UnicodeDecodeError:
        return None
