"""Files as text or JSON, and the result of parsing one: a draft of a profile, and the outcome of each entry."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from portal.seeding.pages import SeedError, excerpt
from portal.seeding.records import LabRecord
from portal.seeding.same_works import without_duplicates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.seeding.records import WorkRecord
    from portal.seeding.snapshots import Json


ImportKind = Literal["bibtex", "openalex_works", "orcid", "seed_page", "markdown_page", "html_page", "labs_csv"]
Outcome = Literal["taken", "merged", "problem", "ignored"]
SubjectRole = Literal["leader", "member", "author"]

KIND_NAMES: dict[ImportKind, str] = {
    "bibtex": "BibTeX",
    "openalex_works": "works from OpenAlex",
    "orcid": "an ORCID record",
    "seed_page": "a page of a known kind",
    "markdown_page": "a home page in Markdown",
    "html_page": "a home page in HTML",
    "labs_csv": "a table of labs",
}


class ImportRefused(SeedError):
    """The file as a whole cannot be parsed; the message is one sentence that names it and says what to do."""


def refusal_for(refusal: Exception, filename: str) -> str:
    """The reason for refusing a file, for a page that already names the file."""
    text = str(refusal).removeprefix(f"{filename}: ")
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


@dataclass(frozen=True, slots=True)
class ImportEntry:
    """One entry of a file and its outcome.

    Attributes:
        line: From 1; 0 if the format has no meaningful lines.
        pointer: The JSON pointer of the entry ("/results/3"), or empty.
        said: The entry in words, on one line.
        outcome: "taken" (in the draft, at the path `item`, such as "works/flexgen" or "about"), "merged" (equal to an
            earlier entry, which `item` names), "problem" (left out; `reason` says why and what to do) or "ignored"
            (understood, but not part of a profile; `reason` says why).
    """

    line: int
    pointer: str
    said: str
    outcome: Outcome
    reason: str = ""
    item: str = ""

    @property
    def where(self) -> str:
        """The position in words: "line 12", "entry /results/3"."""
        return f"entry {self.pointer}" if self.pointer else f"line {self.line}"


@dataclass(frozen=True, slots=True)
class Remark:
    """A note about the file or an entry that was taken: a guess, a repair, an open question."""

    line: int
    pointer: str
    said: str
    reason: str


@dataclass(frozen=True, slots=True)
class Imported:
    """A parsed file. Nothing of it is in a profile yet.

    `labs` has one draft (without key and, for most kinds, without name), for a table of labs one per row. `subject` is
    the person the file is about, if it names one, and `role` their role in the lab.
    """

    filename: str
    kind: ImportKind
    encoding: str
    labs: tuple[LabRecord, ...]
    entries: tuple[ImportEntry, ...]
    remarks: tuple[Remark, ...] = ()
    subject: str = ""
    role: SubjectRole = "leader"

    @property
    def draft(self) -> LabRecord:
        """The single draft of a file about one lab.

        Raises:
            ValueError: The file is a table of labs, or none of its rows could be parsed.
        """
        if len(self.labs) != 1:
            raise ValueError(f"{self.filename} holds {len(self.labs)} labs")
        return self.labs[0]

    @property
    def taken(self) -> tuple[ImportEntry, ...]:
        """The entries in the draft."""
        return self._with("taken")

    @property
    def merged(self) -> tuple[ImportEntry, ...]:
        """The entries equal to an earlier one."""
        return self._with("merged")

    @property
    def problems(self) -> tuple[ImportEntry, ...]:
        """The entries that could not be parsed, each with its position and the reason."""
        return self._with("problem")

    @property
    def ignored(self) -> tuple[ImportEntry, ...]:
        """The entries that are not part of a profile."""
        return self._with("ignored")

    def _with(self, outcome: Outcome) -> tuple[ImportEntry, ...]:
        return tuple(entry for entry in self.entries if entry.outcome == outcome)


@dataclass(slots=True)
class Ledger:
    """The outcomes of a file's entries, recorded while parsing."""

    entries: list[ImportEntry] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def note(
        self, outcome: Outcome, text: str, reason: str = "", *, line: int = 0, pointer: str = "", item: str = ""
    ) -> None:
        """Record the outcome of an entry."""
        self.entries.append(ImportEntry(line, pointer, excerpt(text), outcome, reason, item))

    def remark(self, text: str, reason: str, *, line: int = 0, pointer: str = "") -> None:
        """Record a note about an entry or the whole file."""
        self.remarks.append(Remark(line, pointer, excerpt(text), reason))

    def in_order(self) -> tuple[ImportEntry, ...]:
        """The entries in the order of the file."""
        return tuple(sorted(self.entries, key=lambda entry: (entry.line, _steps(entry.pointer))))


def _steps(pointer: str) -> list[tuple[int, str]]:
    """A pointer as a sort key: the 10th entry after the 9th."""
    return [(int(step), "") if step.isdecimal() else (-1, step) for step in pointer.split("/")]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a parser returns: drafts, the outcomes of all entries, and the person whom the file is about."""

    labs: tuple[LabRecord, ...]
    ledger: Ledger
    subject: str = ""
    role: SubjectRole = "leader"


def works_of(works: Sequence[tuple[WorkRecord, int, str]], ledger: Ledger) -> Reading:
    """A draft of works given as (work, line, pointer); every entry is recorded as taken or merged."""
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
    return Reading((LabRecord(key="", name="", works=tuple(kept)),), ledger)


# Decoding


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
