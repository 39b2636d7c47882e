"""What goes into a parser and what comes out of it, and the one family of errors they raise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from portal.seeding.records import LabRecord

PageKind = Literal["jekyll_home", "academic_pages", "scraped_profile", "dspace_listing", "paper_listing"]
ProblemKind = Literal["rejected", "merged", "repaired", "lossy", "ignored", "question"]
SubjectRole = Literal["leader", "member", "author"]

PROBLEM_KINDS: tuple[ProblemKind, ...] = ("rejected", "merged", "repaired", "lossy", "ignored", "question")

RECORDS_LIMIT = 2000

_EXCERPT = 160


class SeedError(ValueError):
    """A page (or the file of corrections) cannot be used; the message names the file and says why."""


class UnreadablePage(SeedError):  # noqa: N818 - reads as what it is at the place it is raised
    """The page is empty, cut off, too large or no text."""


class UnknownPage(SeedError):  # noqa: N818
    """The page is text, but of no kind that can be read."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a person should know about a page.

    `kind` is "rejected" (left out, and why), "merged" (the same twice), "repaired" (wrongly encoded text
    whose reading is certain), "lossy" (wrongly encoded text with bytes missing: the reading is a guess or
    the damage remains), "ignored" (understood, but no part of a profile) or "question" (for a person to
    decide). `line` is 0 where the whole page is meant.
    """

    kind: ProblemKind
    page: str
    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """One page's content.

    `subject` is the person the page is about, as far as the page names them; `account` the handle its own
    links go to where it does not. `role` says whether the subject leads the lab, is a member of `adviser`'s
    lab, or is only known as an author. `draft` holds what the page says about the lab; its key and name are
    empty where the page does not name a lab.
    """

    page: str
    kind: PageKind
    subject: str
    role: SubjectRole
    draft: LabRecord
    problems: tuple[Problem, ...]
    adviser: str = ""
    account: str = ""


def check_number(page: str, records: int) -> None:
    """Refuse a page with more than 2,000 entries: no page of a person has as many.

    Raises:
        UnreadablePage: there are more.
    """
    if records > RECORDS_LIMIT:
        raise UnreadablePage(f"{page}: the page has {records:,} entries; at most {RECORDS_LIMIT:,} can be read")


def excerpt(text: str) -> str:
    """The text on one line, cut after 160 characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _EXCERPT else flat[: _EXCERPT - 1].rstrip() + "…"
