"""Decodes the bytes of a text file. Runs in the reading child only."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.documents import refusals
from portal.documents.extracted import Raw
from portal.documents.kinds import FILLING, is_nearly_text, wide_encoding
from portal.documents.notices import Notice

if TYPE_CHECKING:
    from portal.documents.limits import Limits

BYTES_OF_A_CHARACTER = 4  # no encoding has more for one
# The four-byte marks first: one of them begins with a two-byte one.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What begins a stretch of Japanese in a text of seven bits.
_JAPANESE = (b"\x1b$B", b"\x1b$@")
# By what begins a text its encoding is told.
SAMPLE = 65_536  # bytes
# Letters of each language that Windows-1252 has, and its signs: where all others are of one language, it is that.
_WESTERN = (*("äöüßéèêàâîôûçñ", "àâæçéèêëîïôœùûüÿ", "áéíóúüñçàèìòùïºª", "áâãàçéêíóôõúüºª", "åäöæøéüáèà"),)
_SIGNS = "–—…•·“”‘’„‚«»¿¡€£©®™§°±×µ²³½¼¾†\u00a0"
# What people's files are in, as charset-normalizer calls it; of others, it would name one that fits by chance.
_ENCODINGS = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874", "iso8859_2"),
    *("iso8859_5", "iso8859_7", "iso8859_9", "koi8_r", "mac_roman", "mac_latin2", "mac_cyrillic", "mac_turkish"),
    *("cp850", "cp852", "cp857", "cp862", "cp866", "gb18030", "big5", "cp932", "euc_jp", "cp949"),
]
# Where most of a text is UTF-8, other bytes were pasted into it as Windows-1252.
_PASTED = "portal.documents.pasted"
_ESCAPED = range(0xDC80, 0xDD00)
RIGHT_FOR_EACH_ODD = 3


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


def read_txt(data: bytes, limits: Limits) -> Raw:
    """A text file in an encoding that can be told.

    Raises:
        RefusedDocument: it cannot be told, or there is too much text.
    """
    if len(data) > BYTES_OF_A_CHARACTER * limits.raw_characters:
        raise refusals.too_much_text(limits.characters)
    decoded = decode(data)
    return Raw(visible=decoded.text, notices=() if decoded.certain else (Notice.NOT_UTF8,))


def decode(data: bytes) -> Decoded:
    """Decode a text file: by its byte order mark or as UTF-8, else in the encoding that charset-normalizer finds.

    Raises:
        RefusedDocument: it finds none, or the result holds characters no text has.
    """
    wide = wide_encoding(data)
    if wide is not None:
        return Decoded(data.decode(wide), wide, certain=False)
    marked = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    if marked is None and is_nearly_text(data):
        data = data.translate(None, FILLING)
    decoded = _of_utf8(data) if marked is None else _in(data, marked, certain=True)
    if decoded is None and marked is None:
        decoded = _inferred(data)
    if decoded is None or "\x00" in decoded.text:
        raise refusals.unknown_encoding()
    return decoded


def _in(data: bytes, encoding: str, *, certain: bool) -> Decoded | None:
    try:
        return Decoded(data.decode(encoding), encoding, certain)
    except UnicodeDecodeError:
        return None


def _of_utf8(data: bytes) -> Decoded | None:
    """UTF-8, also where Windows-1252 was pasted into it or its last character is cut; Japanese of seven bits."""
    if data.isascii() and any(sign in data for sign in _JAPANESE):
        return _in(data, "iso2022_jp_2", certain=False)
    whole = _in(data, "utf-8", certain=True)
    if whole is not None:
        return whole
    # Most of what is no UTF-8 shows itself at once.
    for part in (data[:SAMPLE], data):
        beyond = [ord(character) for character in part.decode("utf-8", "surrogateescape") if not character.isascii()]
        odd = sum(code in _ESCAPED for code in beyond)
        if len(beyond) - odd < RIGHT_FOR_EACH_ODD * max(odd, 1):
            return None
    return Decoded(data.decode("utf-8", _PASTED), "utf-8", certain=False)


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    """Read bytes that are not UTF-8 as Windows-1252; a character that is cut at the end is dropped."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    if error.end == len(error.object) and error.reason == "unexpected end of data":
        return "", error.end
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error(_PASTED, _as_windows)


def _inferred(data: bytes) -> Decoded | None:
    """Windows-1252 where that is plausible, as in most such files; else what charset-normalizer finds."""
    western = _in(data, "cp1252", certain=False)
    if western is not None:
        beyond = {character.lower() for character in western.text if not character.isascii()} - set(_SIGNS)
        if any(beyond <= set(letters) for letters in _WESTERN):
            return western
    # Imported for the few texts that need it.
    from charset_normalizer import from_bytes

    sample = data if len(data) <= SAMPLE else data[:SAMPLE].rpartition(b"\n")[0]
    best = from_bytes(sample, cp_isolation=_ENCODINGS).best()
    return None if best is None else _in(data, best.encoding, certain=False)
