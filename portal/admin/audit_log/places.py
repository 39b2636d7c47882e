"""Links from audit log entries to the administrators' page of their object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.admin.audit_log.about import SCORECARD
from portal.models import Application, Cycle, Lab, Referee, Release, User
from portal.web.whole_numbers import whole_number, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.models import AuditEntry


LISTS = {"people": "admin.people", "audit log": "admin.audit_log"}
"""Endpoints by kind of object, for kinds whose page takes no id."""


@dataclass(frozen=True, slots=True)
class Place:
    """A page of the administrators: its endpoint and the values in its URL."""

    endpoint: str
    values: Mapping[str, str | int] = field(default_factory=dict)


def places_of(session: Session, entries: Sequence[AuditEntry]) -> dict[int, Place]:
    """The page of each entry's object, by the id of the entry; objects that are gone or have no page are left out.

    An application created after the entry has reused the id of an erased one, so it is left out as well.
    """
    keys = {entry.id: (_kind(entry), entry.object_key.partition("/")[0]) for entry in entries}

    def keys_of(kind: str) -> set[str]:
        return {first for key_kind, first in keys.values() if key_kind == kind}

    labs = set(session.scalars(select(Lab.slug).where(Lab.slug.in_(keys_of("lab")))))
    cycles = set(session.scalars(select(Cycle.slug).where(Cycle.slug.in_(keys_of("cycle")))))
    releases = set(session.scalars(select(Release.id).where(Release.id.in_(whole_numbers(keys_of("release"))))))
    accounts = session.execute(select(User.email, User.id).where(User.email.in_(keys_of("account"))))
    people = {row.email: row.id for row in accounts}
    applications = {
        row.id: row
        for row in session.execute(
            select(Application.id, Application.created_at, Cycle.slug)
            .join(Cycle, Cycle.id == Application.cycle_id)
            .where(Application.id.in_(whole_numbers(keys_of("application"))))
        )
    }
    letters = {
        row.id: row
        for row in session.execute(
            select(Referee.id, Referee.created_at, Referee.application_id, Cycle.slug)
            .join(Application, Application.id == Referee.application_id)
            .join(Cycle, Cycle.id == Application.cycle_id)
            .where(Referee.id.in_(whole_numbers(keys_of("referee"))))
        )
    }
    places: dict[int, Place] = {}
    for entry in entries:
        kind, first = keys[entry.id]
        object_id = whole_number(first)
        if kind == "lab" and first in labs:
            places[entry.id] = Place("admin.lab", {"slug": first})
        elif kind == "cycle" and first in cycles:
            is_round = entry.object_type == "assignment round"
            places[entry.id] = Place("admin.assignment" if is_round else "admin.cycle", {"slug": first})
        elif kind == "release" and object_id is not None and object_id in releases:
            places[entry.id] = Place("admin.release", {"release_id": object_id})
        elif kind in LISTS:
            places[entry.id] = Place(LISTS[kind])
        elif kind == "account" and first in people:
            places[entry.id] = Place("admin.person", {"person_id": people[first]})
        elif kind == "referee" and object_id in letters and letters[object_id].created_at <= entry.at:
            letter = letters[object_id]
            places[entry.id] = Place(
                "admin.application", {"slug": letter.slug, "application_id": letter.application_id}
            )
        elif (
            kind == "application"
            and object_id is not None
            and object_id in applications
            and applications[object_id].created_at <= entry.at
        ):
            places[entry.id] = Place(
                "admin.application", {"slug": applications[object_id].slug, "application_id": object_id}
            )
    return places


def _kind(entry: AuditEntry) -> str:
    """The kind of object that the first part of the key identifies."""
    if entry.object_type == "choice":
        # The key of a scorecard's entry begins with the lab.
        return "lab" if entry.act.startswith(SCORECARD) else "application"
    return {"applicant of lab": "lab", "lab in cycle": "lab", "assignment round": "cycle"}.get(
        entry.object_type, entry.object_type
    )
