"""Decodes the bytes of a text file."""

from __future__ import annotations

import codecs
import unicodedata
from dataclasses import dataclass

from portal.documents import refusals
from portal.documents.decoding_east_asian import east_asian
from portal.documents.decoding_letters import of_letters
from portal.documents.decoding_names import of_names
from portal.documents.kinds import is_nearly_text, wide_encoding

# The four-byte marks first: one of them begins with a two-byte one.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# What old programs fill their files with: zeros, and the sign for the end of a file.
_FILLING = b"\x00\x1a"
# Where most of a text is UTF-8, other bytes were pasted into it. Marked as private characters until they are counted.
_MIXED = "portal.documents.mixed"
_ODD = range(0xF700, 0xF800)
_READ_AS = {_ODD.start + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}
SAMPLE = 65_536  # bytes
LEAST_RIGHT = 3
RIGHT_FOR_EACH_ODD = 3
# What stands before and behind stretches of other letters in texts of seven bits.
_SEVEN_BITS = (
    ("iso2022_jp_2", (b"\x1b$B",)),
    ("iso2022_jp_2", (b"\x1b$@",)),
    ("hz", (b"~{", b"~}")),
)
LEAST_WIDE = 2


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
    """Decode a text file: by its byte order mark or as UTF-8, else in the encoding in which it reads like a language.

    Raises:
        RefusedDocument: it reads like a language in none, or the result holds characters no text has.
    """
    wide = wide_encoding(data)
    if wide is not None:
        return Decoded(data.decode(wide), wide, certain=False)
    marked = _by_mark(data)
    if marked is None and is_nearly_text(data):
        data = data.translate(None, _FILLING)
    decoded = marked or _of_seven_bits(data) or _of_utf8(data)
    if decoded is None:
        guess = east_asian(data) or of_names(data) or of_letters(data)
        decoded = Decoded(*guess, certain=False) if guess else None
    if decoded is None or "\x00" in decoded.text:
        raise refusals.unknown_encoding()
    return decoded


def _by_mark(data: bytes) -> Decoded | None:
    """The text of bytes with a byte order mark.

    Raises:
        RefusedDocument: they have a mark that is not true.
    """
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    if encoding is None:
        return None
    try:
        return Decoded(data.decode(encoding), encoding, certain=True)
    except UnicodeDecodeError:
        raise refusals.unknown_encoding() from None


def _of_utf8(data: bytes) -> Decoded | None:
    """UTF-8, also where a part was pasted into it as Windows-1252 or its last character is cut."""
    try:
        return Decoded(data.decode("utf-8"), "utf-8", certain=True)
    except UnicodeDecodeError:
        # Most of what is no UTF-8 shows itself at once.
        is_mostly_right = all(_is_mostly_right(data[:length].decode("utf-8", _MIXED)) for length in (SAMPLE, len(data)))
    if not is_mostly_right:
        return None
    return Decoded(data.decode("utf-8", _MIXED).translate(_READ_AS), "utf-8", certain=False)


def _is_mostly_right(text: str) -> bool:
    odd = sum(ord(character) in _ODD for character in text)
    right = sum(not character.isascii() for character in text) - odd
    return right >= LEAST_RIGHT and right >= RIGHT_FOR_EACH_ODD * odd


def _mixed(error: UnicodeError) -> tuple[str, int]:
    """Replace bytes that are not UTF-8 by marks; a character that is cut at the end is dropped."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    if error.end == len(error.object) and error.reason == "unexpected end of data":
        return "", error.end
    return "".join(chr(_ODD.start + byte) for byte in error.object[error.start : error.end]), error.end


codecs.register_error(_MIXED, _mixed)


def _of_seven_bits(data: bytes) -> Decoded | None:
    """Japanese or Chinese that is written in ASCII between signs of escape."""
    if not data.isascii():
        return None
    encoding = next((name for name, signs in _SEVEN_BITS if all(sign in data for sign in signs)), None)
    if encoding is None:
        return None
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    # Where its signs mean something else, few letters come of it, or odd ones.
    is_east_asian = sum(unicodedata.east_asian_width(letter) == "W" for letter in text) >= LEAST_WIDE
    return Decoded(text, encoding, certain=False) if is_east_asian else None
