"""What entries of the audit log, which hold only ids and slugs, are about: names, and links to pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from portal.models import ApiToken, Application, Choice, Cycle, InterviewSlot, Lab, Referee, Release, User
from portal.web.whole_numbers import whole_number, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session
    from sqlalchemy.sql.base import ExecutableOption

    from portal.models import AuditEntry


Row = TypeVar("Row", ApiToken, Application, Choice, InterviewSlot, Lab, Referee, User)
SCORECARD = "scorecard."


@dataclass(frozen=True, slots=True)
class _NamedRows:
    """The rows that entries refer to, by id, slug or address."""

    applications: Mapping[int | None, Application]
    choices: Mapping[int | None, Choice]
    people: Mapping[int | None, User]
    labs: Mapping[int | None, Lab]
    labs_by_slug: Mapping[str, Lab]
    people_by_email: Mapping[str, User]
    tokens: Mapping[int | None, ApiToken]
    referees: Mapping[int | None, Referee]
    slots: Mapping[int | None, InterviewSlot]


def about_in_words(session: Session, entries: Sequence[AuditEntry]) -> dict[int, str]:
    """What each entry is about, by the id of the entry; its type and key if the row is gone or needs no name."""
    rows = _load_rows(session, entries)
    return {
        entry.id: _description(entry, rows) or f"{entry.object_type} {entry.object_key}".strip() for entry in entries
    }


def _description(entry: AuditEntry, rows: _NamedRows) -> str:
    first, _, second = entry.object_key.partition("/")
    match entry.object_type:
        case "application":
            return _application(entry, first, rows)
        case "choice" if entry.act.startswith(SCORECARD):  # the address of the lab, and the number of its choice
            choice = rows.choices.get(whole_number(second))
            is_same_row = choice is not None and choice.lab.slug == first and _existed_then(choice.listed_since, entry)
            return f"choice of {choice.lab.name} by {_whose(choice.application)}" if choice and is_same_row else ""
        case "choice":  # the numbers of the application and of the lab
            lab = rows.labs.get(whole_number(second))
            return f"choice of {lab.name} in the {_application(entry, first, rows)}" if lab else ""
        case "applicant of lab":  # the address of the lab, and the number of the applicant
            person, lab = rows.people.get(whole_number(second)), rows.labs_by_slug.get(first)
            return f"{person.display_name} as an applicant of {lab.name}" if person and lab else ""
        case "conflict":
            reviewer, applicant = (rows.people.get(whole_number(part)) for part in (first, second))
            return (
                f"{reviewer.display_name} as a reviewer of {applicant.display_name}" if reviewer and applicant else ""
            )
    return _single_object(entry, whole_number(entry.object_key), rows)


def _single_object(entry: AuditEntry, object_id: int | None, rows: _NamedRows) -> str:
    """What an entry is about whose key is the id or the address of a single row."""
    match entry.object_type:
        case "account":
            person = rows.people_by_email.get(entry.object_key)
            return f"account of {person.name}, {person.email}" if person and person.name else ""
        case "calendar":
            person = rows.people.get(object_id)
            return f"calendar of {person.display_name}" if person else ""
        case "token":
            token = rows.tokens.get(object_id)
            is_same_row = token is not None and _existed_then(token.created_at, entry)
            return f"token “{token.name}” of {token.user.display_name}" if token and is_same_row else ""
        case "referee":
            referee = rows.referees.get(object_id)
            is_same_row = referee is not None and _existed_then(referee.created_at, entry)
            return f"letter of {referee.name} for {_whose(referee.application)}" if referee and is_same_row else ""
        case "interview":
            slot = rows.slots.get(object_id)
            is_same_row = slot is not None and _existed_then(slot.created_at, entry)
            return _interview(slot) if slot and is_same_row else ""
    return ""


def _interview(slot: InterviewSlot) -> str:
    label = f"interview with {slot.lab.name}"
    return f"{label} of {_whose(slot.choice.application)}" if slot.choice else label


def _application(entry: AuditEntry, application_id: str, rows: _NamedRows) -> str:
    application = rows.applications.get(whole_number(application_id))
    is_same_row = application is not None and _existed_then(application.created_at, entry)
    return f"application of {_whose(application)}" if application and is_same_row else f"application {application_id}"


def _whose(application: Application) -> str:
    return f"{application.applicant.display_name} for {application.cycle.name}"


def _existed_then(since: datetime | None, entry: AuditEntry) -> bool:
    """Whether the row existed when the entry was written: the id of an erased row may have been reused."""
    return since is not None and since <= entry.at


def _load_rows(session: Session, entries: Sequence[AuditEntry]) -> _NamedRows:
    keys = [(entry, *entry.object_key.partition("/")[::2]) for entry in entries]

    def keys_of(kind: str) -> list[str]:
        return [entry.object_key for entry in entries if entry.object_type == kind]

    scored = [key for key in keys if key[0].object_type == "choice" and key[0].act.startswith(SCORECARD)]
    moved = [key for key in keys if key[0].object_type == "choice" and key not in scored]
    pairs = [key for key in keys if key[0].object_type == "applicant of lab"]
    conflicting = [text for entry, *both in keys if entry.object_type == "conflict" for text in both]
    application_options = (joinedload(Application.applicant), joinedload(Application.cycle))
    of_choice = joinedload(Choice.application).options(*application_options)
    slugs, emails = {first for _, first, _ in pairs}, set(keys_of("account"))
    by_slug, by_email = select(Lab).where(Lab.slug.in_(slugs)), select(User).where(User.email.in_(emails))
    return _NamedRows(
        _rows(session, Application, [*keys_of("application"), *(first for _, first, _ in moved)], *application_options),
        _rows(session, Choice, [second for _, _, second in scored], joinedload(Choice.lab), of_choice),
        _rows(session, User, [*conflicting, *(second for _, _, second in pairs), *keys_of("calendar")]),
        _rows(session, Lab, [second for _, _, second in moved]),
        {lab.slug: lab for lab in session.scalars(by_slug)} if slugs else {},
        {person.email: person for person in session.scalars(by_email)} if emails else {},
        _rows(session, ApiToken, keys_of("token"), joinedload(ApiToken.user)),
        _rows(session, Referee, keys_of("referee"), joinedload(Referee.application).options(*application_options)),
        _rows(
            session,
            InterviewSlot,
            keys_of("interview"),
            joinedload(InterviewSlot.lab),
            joinedload(InterviewSlot.choice).options(of_choice),
        ),
    )


def _rows(
    session: Session, kind: type[Row], numbers: Iterable[str], *options: ExecutableOption
) -> dict[int | None, Row]:
    """The rows with these ids, by id; without ids, no statement is sent."""
    ids = whole_numbers(numbers)
    if not ids:
        return {}
    return {row.id: row for row in session.scalars(select(kind).where(kind.id.in_(ids)).options(*options))}


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
