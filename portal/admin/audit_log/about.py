"""Names for the objects of audit log entries: an entry itself holds only ids and slugs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from portal.models import ApiToken, Application, Choice, InterviewSlot, Lab, Referee, User
from portal.web.whole_numbers import whole_number, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
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
