"""The input and output of page parsers, and their errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from portal.seeding.records import LabRecord

PageKind = Literal["jekyll_home", "academic_pages", "scraped_profile", "dspace_listing", "paper_listing"]
ProblemKind = Literal["rejected", "merged", "repaired", "lossy", "ignored", "question"]
SubjectRole = Literal["leader", "member", "author"]

_EXCERPT = 160


class SeedError(ValueError):
    """A page (or the file of corrections) is unusable; the message names the file and says why."""


class UnreadablePage(SeedError):
    """The page is empty, cut off, too large or not text."""


class UnknownPage(SeedError):
    """The page is text, but of no known kind."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a person should know about a page.

    `kind` is "rejected" (left out, with the reason), "merged" (a duplicate), "repaired" (mojibake with a certain
    reading), "lossy" (mojibake with missing bytes: the reading is a guess, or the damage remains), "ignored"
    (understood, but not part of a profile) or "question" (for a person to decide). `line` is 0 for the whole page.
    """

    kind: ProblemKind
    page: str
    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """One page's content.

    `subject` is the person the page is about, if it names them; otherwise `account` is the handle its own links lead
    to. `role` says whether the subject leads the lab, is a member of `adviser`'s lab, or is only known as an author.
    `draft` is the page's content; its key and name are empty if the page names no lab.
    """

    page: str
    kind: PageKind
    subject: str
    role: SubjectRole
    draft: LabRecord
    problems: tuple[Problem, ...]
    adviser: str = ""
    account: str = ""


def excerpt(text: str) -> str:
    """The text on one line, cut after 160 characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _EXCERPT else flat[: _EXCERPT - 1].rstrip() + "…"
