"""What readers of pages and files return, and their errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from portal.seeding.records import LabRecord

Outcome = Literal["taken", "merged", "problem", "ignored", "repaired", "lossy", "question", "remark"]
SubjectRole = Literal["leader", "member", "author"]
# Kinds of files; pages that labs are seeded from have kinds of their own.
ImportKind = Literal["bibtex", "openalex_works", "orcid", "seed_page", "markdown_page", "html_page", "labs_csv"]

_EXCERPT = 160


class SeedError(ValueError):
    """A page (or the file of corrections) is unusable; the message names the file and says why."""


class UnreadablePage(SeedError):
    """The page is empty, cut off, too large or not text."""


class UnknownPage(SeedError):
    """The page is text, but of no known kind."""


@dataclass(frozen=True, slots=True)
class Note:
    """What became of an entry of a page or file, or what else a person should know about it.

    Attributes:
        outcome: "taken" (in the draft, at the path `item`, such as "works/flexgen" or "about"), "merged" (equal to an
            earlier entry, which `item` names), "problem" (left out), "ignored" (understood, but not part of a profile),
            "repaired" (mojibake with a certain reading), "lossy" (mojibake with missing bytes: the reading is a guess,
            or the damage remains), "question" (for a person to decide) or "remark".
        line: From 1; 0 for the whole page, or if the format has no meaningful lines.
        said: The entry in words, on one line.
        pointer: The JSON pointer of the entry ("/results/3"), or empty.
        page: The name of the page or file.
    """

    outcome: Outcome
    line: int
    said: str
    reason: str = ""
    pointer: str = ""
    item: str = ""
    page: str = ""

    @property
    def where(self) -> str:
        """The position in words: "line 12", "entry /results/3"."""
        return f"entry {self.pointer}" if self.pointer else f"line {self.line}"


@dataclass(slots=True)
class Ledger:
    """The notes on one page or file, made while reading it."""

    page: str
    notes: list[Note] = field(default_factory=list)

    def note(
        self, outcome: Outcome, said: str, reason: str = "", *, line: int = 0, pointer: str = "", item: str = ""
    ) -> None:
        """Add a note; what is said is shortened to one line."""
        self.notes.append(Note(outcome, line, excerpt(said), reason, pointer, item, self.page))


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from a page or file; nothing of it is in a profile yet.

    `labs` has one draft (whose key and name are empty if it names no lab), or for a table of labs one per row.
    `subject` is the person whom it is about, if it names one; otherwise `account` is the handle its own links lead to.
    `role` says whether the subject leads the lab, is a member of `adviser`'s lab, or is only known as an author.
    """

    filename: str
    kind: str
    labs: tuple[LabRecord, ...]
    notes: tuple[Note, ...] = ()
    subject: str = ""
    role: SubjectRole = "leader"
    adviser: str = ""
    account: str = ""

    @property
    def draft(self) -> LabRecord:
        """The single draft of a page or file about one lab; a ValueError says that there are more, or none."""
        if len(self.labs) != 1:
            raise ValueError(f"{self.filename} holds {len(self.labs)} labs")
        return self.labs[0]

    @property
    def entries(self) -> tuple[Note, ...]:
        """The notes that say what became of an entry, in order; each entry has one."""
        return self._of("taken", "merged", "problem", "ignored")

    @property
    def taken(self) -> tuple[Note, ...]:
        """The entries in the draft."""
        return self._of("taken")

    @property
    def merged(self) -> tuple[Note, ...]:
        """The entries equal to an earlier one."""
        return self._of("merged")

    @property
    def problems(self) -> tuple[Note, ...]:
        """The entries that could not be read, each with its position and the reason."""
        return self._of("problem")

    @property
    def ignored(self) -> tuple[Note, ...]:
        """The entries that are not part of a profile."""
        return self._of("ignored")

    @property
    def remarks(self) -> tuple[Note, ...]:
        """The notes on entries that were taken, and on the whole: guesses, repairs, open questions."""
        return self._of("repaired", "lossy", "question", "remark")

    def _of(self, *outcomes: Outcome) -> tuple[Note, ...]:
        return tuple(note for note in self.notes if note.outcome in outcomes)


def excerpt(text: str) -> str:
    """The text on one line, cut after 160 characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _EXCERPT else flat[: _EXCERPT - 1].rstrip() + "…"
