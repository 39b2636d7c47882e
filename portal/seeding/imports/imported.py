"""Files as text or JSON, what each kind is called, and the works of one."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from portal.seeding.pages import Ledger, Reading, SeedError
from portal.seeding.records import LabRecord
from portal.seeding.same_works import without_duplicates
from portal.seeding.texts import LINE_LIMIT, cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.seeding.pages import ImportKind
    from portal.seeding.records import WorkRecord


KIND_NAMES: dict[str, str] = {
    "bibtex": "BibTeX",
    "openalex_works": "works from OpenAlex",
    "orcid": "an ORCID record",
    "seed_page": "a page of a known kind",
    "markdown_page": "a home page in Markdown",
    "html_page": "a home page in HTML",
    "labs_csv": "a table of labs",
}
# Kinds of files whose values win over those that were read from a page.
STRUCTURED = ("bibtex", "openalex_works", "orcid")


class ImportRefused(SeedError):
    """The file as a whole cannot be parsed; the message is one sentence that names it and says what to do."""


def refusal_for(refusal: Exception, filename: str) -> str:
    """The reason for refusing a file, for a page that already names the file."""
    text = str(refusal).removeprefix(f"{filename}: ")
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def with_pages(venue: str, volume: str, issue: str, pages: str) -> str:
    """A venue with volume, issue and pages as printed."""
    number = f"{volume[:30]}({issue[:30]})" if volume and issue else volume[:30]
    return cut(", ".join(filter(None, (venue, number, f"pp. {pages[:40]}" if pages else ""))), LINE_LIMIT)


def works_of(kind: ImportKind, works: Sequence[tuple[WorkRecord, int, str]], ledger: Ledger) -> Reading:
    """A draft of works given as (work, line, pointer); every entry is noted as taken or merged."""
    kept, places = without_duplicates(work for work, _, _ in works)
    first: dict[int, str] = {}
    for (work, line, pointer), match in zip(works, places, strict=True):
        item = f"works/{kept[match.index].key}"
        if match.by:
            reason = f"the same work as at {first[match.index]} (by {match.by}); what it adds was taken"
            ledger.note("merged", work.title, reason, line=line, pointer=pointer, item=item)
        else:
            first[match.index] = f"entry {pointer}" if pointer else f"line {line}"
            ledger.note("taken", work.title, line=line, pointer=pointer, item=item)
    return Reading(ledger.page, kind, (LabRecord(key="", name="", works=tuple(kept)),), tuple(ledger.notes))


BYTE_LIMIT = 64_000_000

PEOPLE_LIMIT = 300  # of one work
WORKS_LIMIT = 20_000  # of one file

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


def decode(filename: str, data: bytes) -> tuple[str, str]:
    """The text of a file with normalised line ends, and a note on how it was decoded, or "".

    It is decoded by its byte order mark, as UTF-8, by its declaration, else as Windows-1252.

    Raises:
        ImportRefused: It is empty, larger than 64,000,000 bytes, a format that is not text, or undecodable.
    """
    if len(data) > BYTE_LIMIT:
        raise ImportRefused(f"{filename}: the file has more than {BYTE_LIMIT:,} bytes; split it into parts")
    for head, kind, advice in _FORMATS:
        if data.startswith(head):
            raise ImportRefused(f"{filename}: the file is {kind}, which cannot be imported; {advice}")
    text, remark = _decoded(filename, data)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    controls = len(_CONTROL.findall(text))
    if controls > max(_FEW, len(text) // _RARE):
        raise ImportRefused(f"{filename}: the file is not text (it contains control characters)")
    if controls:
        text = _CONTROL.sub(" ", text)
        remark = remark or f"the file had {controls} control characters; they were read as spaces"
    if not text.strip():
        raise ImportRefused(f"{filename}: the file is empty")
    return text, remark


def _decoded(filename: str, data: bytes) -> tuple[str, str]:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # An odd byte or half a surrogate pair at the end is from a truncated file: the rest is readable.
        return data.decode("utf-16", "replace"), ""
    declared = _DECLARED.search(data[:_HEAD])
    east_asian = (
        declared[1].decode("ascii").lower().replace("gb2312", "gb18030").replace("gbk", "gb18030") if declared else ""
    )
    for encoding in filter(None, ("utf-8", east_asian)):
        try:
            return data.decode(encoding), ""
        except UnicodeDecodeError:
            continue
    lenient = data.decode("utf-8", "replace")
    damaged = lenient.count("\ufffd")
    if sum(not character.isascii() for character in lenient) > damaged * 5:
        return lenient, f"{damaged} damaged characters of the file are shown as \ufffd; check names and titles"
    text = data.decode("cp1252", "replace")
    if text.count("\ufffd") > _FEW or sum(not character.isascii() for character in text) * 3 > len(data):
        raise ImportRefused(f"{filename}: the encoding of the file cannot be determined; save it as UTF-8")
    return text, "the file is not UTF-8; it was read as Windows-1252 – check letters with accents"
