"""Links from audit log entries to the administrators' page of their object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from portal.admin.audit_log.about import SCORECARD
from portal.models import Application, Cycle, Lab, Referee, Release, User
from portal.web.whole_numbers import whole_number, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import AuditEntry


LISTS = {"people": "admin.people", "audit log": "admin.audit_log"}
"""Endpoints by kind of object, for kinds whose page takes no id."""


@dataclass(frozen=True, slots=True)
class Place:
    """A page of the administrators: its endpoint and the values in its URL."""

    endpoint: str
    values: Mapping[str, str | int] = field(default_factory=dict)


class _Application(NamedTuple):
    """The page of an application for what was made at `created_at`: the application, or a letter for it."""

    created_at: datetime
    slug: str
    application_id: int

    @property
    def place(self) -> Place:
        """The page."""
        return Place("admin.application", {"slug": self.slug, "application_id": self.application_id})


@dataclass(frozen=True, slots=True)
class _There:
    """What some entries are about and is still there: keys with what the addresses of their pages need."""

    labs: frozenset[str]
    cycles: frozenset[str]
    releases: frozenset[int]
    people: Mapping[str, int]
    applications: Mapping[int, _Application]
    letters: Mapping[int, _Application]


def places_of(session: Session, entries: Sequence[AuditEntry]) -> dict[int, Place]:
    """The page of each entry's object, by the id of the entry; objects that are gone or have no page are left out.

    An application created after the entry has reused the id of an erased one, so it is left out as well.
    """
    keys = {entry.id: (_kind(entry), entry.object_key.partition("/")[0]) for entry in entries}
    there = _there(session, keys.values())
    found = ((entry.id, _place(entry, *keys[entry.id], there)) for entry in entries)
    return {entry_id: place for entry_id, place in found if place is not None}


def _there(session: Session, keys: Collection[tuple[str, str]]) -> _There:
    def keys_of(kind: str) -> set[str]:
        return {first for key_kind, first in keys if key_kind == kind}

    accounts = session.execute(select(User.email, User.id).where(User.email.in_(keys_of("account"))))
    applications = session.execute(
        select(Application.created_at, Cycle.slug, Application.id)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .where(Application.id.in_(whole_numbers(keys_of("application"))))
    )
    letters = session.execute(
        select(Referee.id, Referee.created_at, Cycle.slug, Referee.application_id)
        .join(Application, Application.id == Referee.application_id)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .where(Referee.id.in_(whole_numbers(keys_of("referee"))))
    )
    return _There(
        labs=frozenset(session.scalars(select(Lab.slug).where(Lab.slug.in_(keys_of("lab"))))),
        cycles=frozenset(session.scalars(select(Cycle.slug).where(Cycle.slug.in_(keys_of("cycle"))))),
        releases=frozenset(
            session.scalars(select(Release.id).where(Release.id.in_(whole_numbers(keys_of("release")))))
        ),
        people={row.email: row.id for row in accounts},
        applications={row.id: _Application(*row) for row in applications},
        letters={row.id: _Application(row.created_at, row.slug, row.application_id) for row in letters},
    )


def _place(entry: AuditEntry, kind: str, first: str, there: _There) -> Place | None:
    """The page of the object of one entry, of this kind and with this first part of its key."""
    object_id = whole_number(first)
    if kind == "lab" and first in there.labs:
        return Place("admin.lab", {"slug": first})
    if kind == "cycle" and first in there.cycles:
        is_round = entry.object_type == "assignment round"
        return Place("admin.assignment" if is_round else "admin.cycle", {"slug": first})
    if kind == "release" and object_id is not None and object_id in there.releases:
        return Place("admin.release", {"release_id": object_id})
    if kind in LISTS:
        return Place(LISTS[kind])
    if kind == "account" and first in there.people:
        return Place("admin.person", {"person_id": there.people[first]})
    of_kind = {"application": there.applications, "referee": there.letters}.get(kind, {})
    made = None if object_id is None else of_kind.get(object_id)
    return made.place if made is not None and made.created_at <= entry.at else None


def _kind(entry: AuditEntry) -> str:
    """The kind of object that the first part of the key identifies."""
    if entry.object_type == "choice":
        # The key of a scorecard's entry begins with the lab.
        return "lab" if entry.act.startswith(SCORECARD) else "application"
    return {"applicant of lab": "lab", "lab in cycle": "lab", "assignment round": "cycle"}.get(
        entry.object_type, entry.object_type
    )
