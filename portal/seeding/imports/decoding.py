"""Decodes the bytes of an export, in whatever encoding, or says in one sentence why it cannot."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.seeding.imports.imported import ImportRefused

if TYPE_CHECKING:
    from portal.seeding.snapshots import Json


BYTE_LIMIT = 64_000_000

PEOPLE_LIMIT = 300  # of one work
WORKS_LIMIT = 20_000  # of one file

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_FORMATS = (
    (b"%PDF", "a PDF", "export the list as BibTeX, or paste its text"),
    (b"PK\x03\x04", "a ZIP archive or an Office document", "unpack it and import the file inside, or save it as CSV"),
    (b"\x1f\x8b", "a compressed file", "unpack it and import the file inside"),
)
_DECLARED = re.compile(rb"charset\s*=\s*[\"']?\s*(gbk|gb2312|gb18030|big5|shift_jis|euc-(?:jp|kr))\b", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_HEAD = 4096
_FEW = 20
_RARE = 2000


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text with normalised line ends; a note on how it was decoded, or ""."""

    text: str
    encoding: str
    remark: str = ""


def decode(filename: str, data: bytes) -> Decoded:
    """The text of a file: by its byte order mark, as UTF-8, by its declaration, else as Windows-1252.

    Raises:
        ImportRefused: It is empty, larger than 64,000,000 bytes, a format that is not text, or undecodable.
    """
    if len(data) > BYTE_LIMIT:
        raise ImportRefused(
            f"{filename}: the file has {len(data):,} bytes; at most {BYTE_LIMIT:,} can be read – split it into parts"
        )
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


def _decoded(filename: str, data: bytes) -> tuple[str, str, str]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            # An odd byte or half a surrogate pair at the end is from a truncated file: the rest is readable.
            return data.decode(encoding, "replace"), encoding.removesuffix("-sig"), ""
    declared = _DECLARED.search(data[:_HEAD])
    east_asian = (
        declared[1].decode("ascii").lower().replace("gb2312", "gb18030").replace("gbk", "gb18030") if declared else ""
    )
    for encoding in filter(None, ("utf-8", east_asian)):
        try:
            return data.decode(encoding), encoding, ""
        except UnicodeDecodeError:
            continue
    lenient = data.decode("utf-8", "replace")
    damaged = lenient.count("\ufffd")
    if sum(not character.isascii() for character in lenient) > damaged * 5:
        return lenient, "utf-8", f"{damaged} damaged characters of the file are shown as \ufffd; check names and titles"
    text = data.decode("cp1252", "replace")
    if text.count("\ufffd") > _FEW or sum(not character.isascii() for character in text) * 3 > len(data):
        raise ImportRefused(
            f"{filename}: the encoding of the file cannot be determined; save it as UTF-8 and try again"
        )
    return text, "windows-1252", "the file is not UTF-8; it was read as Windows-1252 – check letters with accents"


_LONGEST_LINE = 5000


def looks_like_json(text: str) -> bool:
    """Whether a text begins like a JSON object or list."""
    return bool(re.match(r"\s*(?:\{\s*[\"}]|\[\s*[\[\]{\"\d-])", text))


def load_json(filename: str, text: str) -> Json:
    """The JSON of a text: one value, or one object per line, of which a broken one stays a text.

    Raises:
        ImportRefused: It is not JSON, cut off, or nested too deeply.
    """
    try:
        return _loaded(text)
    except RecursionError:
        raise ImportRefused(f"{filename}: the JSON is nested too deeply to be read") from None
    except ValueError as error:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) > 1 and all(re.match(r'\s*\{"', line) for line in lines[:2]):
            return [_line(line) for line in lines]
        place = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else "a number too long"
        raise ImportRefused(f"{filename}: the JSON is broken ({place}); download or export it again") from None


def _loaded(text: str) -> Json:
    value: Json = json.loads(text, parse_constant=lambda _name: None)  # NaN and Infinity are read as null
    return value


def _line(line: str) -> Json:
    try:
        return _loaded(line)
    except (ValueError, RecursionError):
        return line[:_LONGEST_LINE]  # the caller reports it as a problem


def obj(value: object) -> dict[str, Json]:
    """`value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Json]:
    """`value` if it is a JSON list, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """`value` if it is a text, else ""."""
    return value if isinstance(value, str) else ""


def number(value: object) -> int | None:
    """`value` if it is a whole number of at most nine digits (also as a string), else None."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    digits = str(value).strip() if isinstance(value, str) else str(value) if abs(value) < 10**9 else ""
    return int(digits) if re.fullmatch(r"-?\d{1,9}", digits, re.ASCII) else None


def year_of(value: object) -> int | None:
    """`value` as a year between 1500 and 2100, else None."""
    year = number(value)
    return year if year is not None and 1500 <= year <= 2100 else None  # noqa: PLR2004
