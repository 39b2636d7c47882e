"""What reading a file yields: a draft of a profile, and what became of every entry of the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from portal.seeding.pages import SeedError, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.seeding.records import LabRecord

ImportKind = Literal[
    "bibtex", "openalex_works", "openalex_author", "orcid", "seed_page", "markdown_page", "html_page", "labs_csv"
]
Outcome = Literal["taken", "merged", "problem", "ignored"]
SubjectRole = Literal["leader", "member", "author"]

KIND_NAMES: dict[ImportKind, str] = {
    "bibtex": "BibTeX",
    "openalex_works": "works from OpenAlex",
    "openalex_author": "an author from OpenAlex",
    "orcid": "an ORCID record",
    "seed_page": "a page of a known kind",
    "markdown_page": "a home page in Markdown",
    "html_page": "a home page in HTML",
    "labs_csv": "a table of labs",
}


class ImportRefused(SeedError):  # noqa: N818 - reads as what it is at the place it is raised
    """The file as a whole cannot be read; the message is one sentence that names it and says what to do."""


def refusal_for(refusal: Exception, filename: str) -> str:
    """Why a file was refused, as a sentence for a page that names the file already."""
    text = str(refusal).removeprefix(f"{filename}: ")
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


@dataclass(frozen=True, slots=True)
class ImportEntry:
    """One entry of a file and what became of it.

    `line` counts from 1, 0 where the format has no lines worth telling; `pointer` is the place inside JSON
    ("/results/3"), else empty. `said` is what the entry is, on one line. `outcome` is "taken" (in the draft, at
    the path `item`, such as "works/flexgen" or "about"), "merged" (the same as an entry before it, which `item`
    names), "problem" (left out; `reason` says why and what to do) or "ignored" (understood, but no part of a
    profile; `reason` says why).
    """

    line: int
    pointer: str
    said: str
    outcome: Outcome
    reason: str = ""
    item: str = ""

    @property
    def where(self) -> str:
        """The place in words: "line 12", "entry /results/3"."""
        return f"entry {self.pointer}" if self.pointer else f"line {self.line}"


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to know about the file or an entry that was taken: a guess, a repair, an open question."""

    line: int
    pointer: str
    said: str
    reason: str


@dataclass(frozen=True, slots=True)
class Imported:
    """A file that was read. Nothing of it is in a profile yet.

    `labs` holds one draft (its key and, for most kinds, its name are empty), for a table of labs one per row.
    `subject` is the person the file is about, if it names one, and `role` what they are to the lab.
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
        """The one draft of a file about one lab.

        Raises:
            ValueError: the file is a table of several labs, or none of its rows could be read.
        """
        if len(self.labs) != 1:
            raise ValueError(f"{self.filename} holds {len(self.labs)} labs")
        return self.labs[0]

    @property
    def taken(self) -> tuple[ImportEntry, ...]:
        """The entries that are in the draft."""
        return self._with("taken")

    @property
    def merged(self) -> tuple[ImportEntry, ...]:
        """The entries that said the same as one before them."""
        return self._with("merged")

    @property
    def problems(self) -> tuple[ImportEntry, ...]:
        """The entries that could not be read, each with its place and the reason."""
        return self._with("problem")

    @property
    def ignored(self) -> tuple[ImportEntry, ...]:
        """The entries that are no part of a profile."""
        return self._with("ignored")

    def _with(self, outcome: Outcome) -> tuple[ImportEntry, ...]:
        return tuple(entry for entry in self.entries if entry.outcome == outcome)


@dataclass(slots=True)
class Ledger:
    """The entries of a file while it is read: each is written down once, with what became of it."""

    entries: list[ImportEntry] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def note(
        self, outcome: Outcome, said: str, reason: str = "", *, line: int = 0, pointer: str = "", item: str = ""
    ) -> None:
        """Write down an entry."""
        self.entries.append(ImportEntry(line, pointer, excerpt(said), outcome, reason, item))

    def remark(self, said: str, reason: str, *, line: int = 0, pointer: str = "") -> None:
        """Write down something to know about an entry, or about the whole file."""
        self.remarks.append(Remark(line, pointer, excerpt(said), reason))

    def extend(self, entries: Iterable[ImportEntry]) -> None:
        """Write down several entries."""
        self.entries.extend(entries)

    def in_order(self) -> tuple[ImportEntry, ...]:
        """The entries in the order of the file."""
        return tuple(sorted(self.entries, key=lambda entry: (entry.line, _steps(entry.pointer))))


def _steps(pointer: str) -> list[tuple[int, str]]:
    """A pointer as something to sort by: the 10th entry behind the 9th."""
    return [(int(step), "") if step.isdecimal() else (-1, step) for step in pointer.split("/")]
