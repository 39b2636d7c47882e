"""Decodes the bytes of an export, in whatever encoding, or says in one sentence why it cannot."""

from __future__ import annotations

import codecs
import re
import zlib
from dataclasses import dataclass

from portal.seeding.imports.imported import ImportRefused

BYTE_LIMIT = 64_000_000

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GZIP = b"\x1f\x8b"
_FORMATS = (
    (b"%PDF", "a PDF", "export the list as BibTeX, or paste its text"),
    (b"PK\x03\x04", "a ZIP archive or an Office document", "unpack it and import the file inside, or save it as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old Office document", "save it as CSV or plain text first"),
    (b"\x89PNG", "an image", "export the list as BibTeX"),
    (b"\xff\xd8\xff", "an image", "export the list as BibTeX"),
    (b"GIF8", "an image", "export the list as BibTeX"),
    (b"SQLite format 3", "a database", "export the list as BibTeX"),
    (b"\x7fELF", "a program", "export the list as BibTeX"),
)
_DECLARED = re.compile(
    rb"(?:charset\s*=\s*|<\?xml[^>]{0,80}encoding\s*=\s*)[\"']?\s*([A-Za-z0-9_-]{2,40})", re.IGNORECASE
)
# Declared encodings that browsers read as a superset.
_WIDER = {"iso-8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252",
          "gb2312": "gb18030", "gbk": "gb18030", "iso8859-1": "cp1252"}  # fmt: skip
_TEXT_CODECS = frozenset(
    [
        "utf-8", "utf8", "cp1252", "gb18030", "big5", "big5-hkscs", "shift_jis", "euc-jp", "euc-kr", "cp949",
        "koi8-r", "koi8-u", "iso-2022-jp", "macintosh",
        *(f"iso-8859-{number}" for number in range(2, 17)),
        *(f"windows-125{number}" for number in range(9)),
    ]
)  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_C1 = re.compile(r"[\x80-\x9f]")
_HIGH = bytes(range(128, 256))
_HEAD = 4096
_FEW = 20
_RARE = 2000
_MOSTLY = 0.7
_LAST_COMMON_ROW = 0xD7


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text with normalised line ends; a note on how it was decoded, or ""."""

    text: str
    encoding: str
    remark: str = ""


def decode(filename: str, data: bytes) -> Decoded:
    """The text of a file: by its byte order mark, as UTF-8, by its declaration, as Chinese, else as Windows-1252.

    Raises:
        ImportRefused: It is empty, larger than 64,000,000 bytes, a format that is not text, or undecodable.
    """
    if len(data) > BYTE_LIMIT:
        raise ImportRefused(
            f"{filename}: the file has {len(data):,} bytes; at most {BYTE_LIMIT:,} can be read – split it into parts"
        )
    if data.startswith(_GZIP):
        data = _unpacked(filename, data)
    for head, kind, advice in _FORMATS:
        if data.startswith(head):
            raise ImportRefused(f"{filename}: the file is {kind}, which cannot be imported; {advice}")
    text, encoding, remark = _decoded(filename, data)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    controls = len(_CONTROL.findall(text))
    if controls > max(_FEW, len(text) // _RARE):
        raise ImportRefused(f"{filename}: the file is not text (it contains control characters)")
    if controls:
        text = _CONTROL.sub(" ", text)
        remark = remark or f"the file had {controls} control characters; they were read as spaces"
    if not text.strip():
        raise ImportRefused(f"{filename}: the file is empty")
    return Decoded(text, encoding, remark)


def _unpacked(filename: str, data: bytes) -> bytes:
    """The content of a gzip file, as far as it is intact."""
    stream = zlib.decompressobj(wbits=31)
    try:
        unpacked = stream.decompress(data, BYTE_LIMIT + 1)
    except zlib.error:
        unpacked = b""
    if not unpacked:
        raise ImportRefused(f"{filename}: the compressed file (gzip) is broken; unpack it and import the file inside")
    if len(unpacked) > BYTE_LIMIT:
        raise ImportRefused(f"{filename}: unpacked, the file has more than {BYTE_LIMIT:,} bytes; split it into parts")
    return unpacked


def _decoded(filename: str, data: bytes) -> tuple[str, str, str]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            # An odd byte or half a surrogate pair at the end is from a truncated file: the rest is readable.
            return data.decode(encoding, "replace"), encoding.removesuffix("-sig"), ""
    wide = _wide(data)
    if wide:
        return data.decode(wide, "replace"), wide, f"the file does not name its encoding; it was read as {wide}"
    try:
        return data.decode("utf-8"), "utf-8", ""
    except UnicodeDecodeError:
        pass
    declared = _declared(data)
    if declared:
        try:
            return data.decode(declared), declared, ""
        except UnicodeDecodeError:
            pass
    return _guessed(filename, data)


def _wide(data: bytes) -> str:
    """UTF-16 without a byte order mark: nearly every second byte at its beginning is zero."""
    head = data[: _HEAD & ~1]
    half = len(head) // 2
    if half < 2:  # noqa: PLR2004 - too short to tell
        return ""
    if head[1::2].count(0) * 10 >= half * 7 and head[::2].count(0) * 10 < half:
        return "utf-16-le"
    if head[::2].count(0) * 10 >= half * 7 and head[1::2].count(0) * 10 < half:
        return "utf-16-be"
    return ""


def _declared(data: bytes) -> str:
    match = _DECLARED.search(data[:_HEAD])
    if match is None:
        return ""
    name = match[1].decode("ascii").lower()
    name = _WIDER.get(name, name)
    return name if name in _TEXT_CODECS else ""


def _chinese(data: bytes) -> str:
    """The text if it may be GB18030, with nearly all non-ASCII characters common Chinese ones; else "".

    Common ones are in the first rows of GB 2312. In Windows-1252, an accented lower-case letter followed by an ASCII
    letter or another such letter ("Größe") is not a valid sequence there.
    """
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return ""
    signs = [sign for sign in text if not sign.isascii()]
    leading = "".join(signs).encode("gb2312", "ignore")[::2]
    common = sum(byte <= _LAST_COMMON_ROW for byte in leading)
    return text if signs and common >= _MOSTLY * len(signs) else ""


def _guessed(filename: str, data: bytes) -> tuple[str, str, str]:
    """UTF-8 with a few damaged places, or a single-byte encoding as old programs write it."""
    lenient = data.decode("utf-8", "replace")
    damaged = lenient.count("\ufffd")
    letters = len(lenient) - len(lenient.encode("ascii", "ignore")) - damaged
    if letters > damaged * 4:
        return lenient, "utf-8", f"{damaged} damaged characters of the file are shown as \ufffd; check names and titles"
    chinese = _chinese(data)
    if chinese:
        return chinese, "gb18030", "the file is not UTF-8; it was read as GB18030 (Chinese) – check names and titles"
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    strange = len(_C1.findall(text))
    high = len(data) - len(data.translate(None, _HIGH))
    if strange > _FEW or high * 3 > len(data):
        raise ImportRefused(
            f"{filename}: the encoding of the file cannot be determined; save it as UTF-8 and try again"
        )
    return text, "windows-1252", "the file is not UTF-8; it was read as Windows-1252 – check letters with accents"
