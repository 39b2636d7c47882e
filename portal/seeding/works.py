"""Keys and labels for works without a title."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from portal.seeding.names import slug

if TYPE_CHECKING:
    from portal.seeding.records import WorkRecord

_KEY_HEAD = 60
_DIGESTED = 400


def untitled_key(authors: tuple[str, ...], venue: str, year: int | None, abstract: str) -> str:
    """The key of a work without a title: first author, venue, year and a hash of what is printed."""
    content = " ".join([*authors, " ".join(abstract.casefold().split())[:_DIGESTED]])
    digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:6]
    family = authors[0].split()[-1] if authors else ""
    return f"{slug(f'{family} {venue} {year or str()}')[:_KEY_HEAD]}-{digest}"


def work_label(work: WorkRecord) -> str:
    """The title of a work, or a statement that none is printed, with people, venue and year.

    "Work without a printed title: Wang, Zhu et al. (ASPLOS 2025)".
    """
    if work.title:
        return work.title
    families = [name.split()[-1] for name in work.authors if name.split()]
    people = ", ".join(families[:2]) + (" et al." if len(families) > 2 or not work.authors_complete else "")  # noqa: PLR2004
    place = " ".join(part for part in (work.venue, str(work.year or "")) if part)
    description = " ".join(part for part in (people, f"({place})" if place else "") if part)
    return f"Work without a printed title: {description}" if description else "Work without a printed title"
