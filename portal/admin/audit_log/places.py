"""Where the pages are of what entries of the audit log are about, for those that have one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.admin.audit_log.about import SCORECARD
from portal.models import Application, Cycle, Lab, Release, User
from portal.web.whole_numbers import whole_number, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.models import AuditEntry


LISTS = {"people": "admin.people", "audit log": "admin.audit_log"}
"""Pages of what there is one of."""


@dataclass(frozen=True, slots=True)
class Place:
    """A page of the administrators: its endpoint, and what its address takes."""

    endpoint: str
    values: Mapping[str, str | int] = field(default_factory=dict)


def places_of(session: Session, entries: Sequence[AuditEntry]) -> dict[int, Place]:
    """The page of each entry, by the id of the entry; entries about what is gone, or has no page, are left out.

    An application that is younger than the entry was given the number of one that is gone.
    """
    keys = {entry.id: (_kind(entry), entry.object_key.partition("/")[0]) for entry in entries}

    def of(kind: str) -> set[str]:
        return {first for said, first in keys.values() if said == kind}

    labs = set(session.scalars(select(Lab.slug).where(Lab.slug.in_(of("lab")))))
    cycles = set(session.scalars(select(Cycle.slug).where(Cycle.slug.in_(of("cycle")))))
    releases = set(session.scalars(select(Release.id).where(Release.id.in_(whole_numbers(of("release"))))))
    accounts = session.execute(select(User.email, User.id).where(User.email.in_(of("account"))))
    people = {row.email: row.id for row in accounts}
    applications = {
        row.id: row
        for row in session.execute(
            select(Application.id, Application.created_at, Cycle.slug)
            .join(Cycle, Cycle.id == Application.cycle_id)
            .where(Application.id.in_(whole_numbers(of("application"))))
        )
    }
    found: dict[int, Place] = {}
    for entry in entries:
        kind, first = keys[entry.id]
        number = whole_number(first)
        if kind == "lab" and first in labs:
            found[entry.id] = Place("admin.lab", {"slug": first})
        elif kind == "cycle" and first in cycles:
            is_round = entry.object_type == "assignment round"
            found[entry.id] = Place("admin.assignment" if is_round else "admin.cycle", {"slug": first})
        elif kind == "release" and number is not None and number in releases:
            found[entry.id] = Place("admin.release", {"number": number})
        elif kind in LISTS:
            found[entry.id] = Place(LISTS[kind])
        elif kind == "account" and first in people:
            found[entry.id] = Place("admin.person", {"number": people[first]})
        elif (
            kind == "application"
            and number is not None
            and number in applications
            and applications[number].created_at <= entry.at
        ):
            found[entry.id] = Place("admin.application", {"slug": applications[number].slug, "number": number})
    return found


def _kind(entry: AuditEntry) -> str:
    """Of what the first part of the key is the key."""
    if entry.object_type == "choice":
        # Those of a scorecard name the lab first.
        return "lab" if entry.act.startswith(SCORECARD) else "application"
    return {"applicant of lab": "lab", "lab in cycle": "lab", "assignment round": "cycle"}.get(
        entry.object_type, entry.object_type
    )
