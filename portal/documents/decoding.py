"""Decodes the bytes of a text file. Runs in the reading child only."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from portal.documents.extracted import Extracted
from portal.documents.kinds import FILLING, Kind
from portal.documents.notices import Notice
from portal.documents.refusals import UNKNOWN_ENCODING, Reason, RefusedDocument, refused

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


def read_txt(data: bytes, limits: Limits) -> Extracted:
    """A text file in an encoding that can be told.

    Raises:
        RefusedDocument: it cannot be told, or there is too much text.
    """
    if len(data) > BYTES_OF_A_CHARACTER * limits.raw_characters:
        raise refused(Reason.TOO_MUCH_TEXT, limit=limits.characters)
    text, is_certain = decode(data)
    return Extracted(text, Kind.TXT, warnings=() if is_certain else (Notice.NOT_UTF8,))


def decode(data: bytes) -> tuple[str, bool]:
    """Decode a text file: by its byte order mark or as UTF-8, else in the encoding that charset-normalizer finds.

    Returns the text, and whether the bytes say their encoding themselves; else it is inferred.

    Raises:
        RefusedDocument: it finds none, or the result holds characters no text has.
    """
    marked = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)
    data = data.rstrip(FILLING) if marked is None else data
    text = _in(data, marked or "utf-8")
    is_certain = text is not None
    if text is None and marked is None:
        text = _cut_utf8(data) or _inferred(data)
    if text is None or "\x00" in text:
        raise RefusedDocument(Reason.UNKNOWN_KIND, UNKNOWN_ENCODING)
    return text, is_certain


def _in(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _cut_utf8(data: bytes) -> str | None:
    """UTF-8 of which the last character is cut."""
    parts = (_in(data[:-length], "utf-8") for length in (1, 2, 3))
    return next((part for part in parts if part is not None and not part.isascii()), None)


def _inferred(data: bytes) -> str | None:
    western = _in(data, "cp1252")
    if western is not None:
        beyond = {character.lower() for character in western if not character.isascii()} - set(_SIGNS)
        if any(beyond <= set(letters) for letters in _WESTERN):
            return western
    # Imported for the few texts that need it.
    from charset_normalizer import from_bytes

    sample = data if len(data) <= SAMPLE else data[:SAMPLE].rpartition(b"\n")[0]
    best = from_bytes(sample, cp_isolation=_ENCODINGS).best()
    return None if best is None else _in(data, best.encoding)
