"""The result of parsing a file: a draft of a profile, and the outcome of each entry."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from portal.seeding.pages import SeedError, excerpt
from portal.seeding.records import LabRecord
from portal.seeding.same_works import without_duplicates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.seeding.records import WorkRecord


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
