"""What entries of the audit log are about, by name: an entry itself holds only ids of rows."""

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
class _Named:
    """The rows that entries name by number."""

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
    """What each entry is about, by the id of the entry; by its key where that says it, or where the row is gone."""
    named = _named(session, entries)
    return {entry.id: _said(entry, named) or f"{entry.object_type} {entry.object_key}".strip() for entry in entries}


def _said(entry: AuditEntry, named: _Named) -> str:
    first, _, second = entry.object_key.partition("/")
    match entry.object_type:
        case "application":
            return _application(entry, first, named)
        case "choice" if entry.act.startswith(SCORECARD):  # the address of the lab, and the number of its choice
            choice = named.choices.get(whole_number(second))
            there = choice is not None and choice.lab.slug == first and _was_there(choice.listed_since, entry)
            return f"choice of {choice.lab.name} by {_whose(choice.application)}" if choice and there else ""
        case "choice":  # the numbers of the application and of the lab
            lab = named.labs.get(whole_number(second))
            return f"choice of {lab.name} in the {_application(entry, first, named)}" if lab else ""
        case "applicant of lab":  # the address of the lab, and the number of the applicant
            person, lab = named.people.get(whole_number(second)), named.labs_by_slug.get(first)
            return f"{person.display_name} as an applicant of {lab.name}" if person and lab else ""
        case "conflict":
            reviewer, applicant = (named.people.get(whole_number(one)) for one in (first, second))
            return (
                f"{reviewer.display_name} as a reviewer of {applicant.display_name}" if reviewer and applicant else ""
            )
    return _single_object(entry, whole_number(entry.object_key), named)


def _single_object(entry: AuditEntry, number: int | None, named: _Named) -> str:
    """What an entry is about whose key is the number or the address of one row."""
    match entry.object_type:
        case "account":
            person = named.people_by_email.get(entry.object_key)
            return f"account of {person.name}, {person.email}" if person and person.name else ""
        case "calendar":
            person = named.people.get(number)
            return f"calendar of {person.display_name}" if person else ""
        case "token":
            token = named.tokens.get(number)
            there = token is not None and _was_there(token.created_at, entry)
            return f"token “{token.name}” of {token.user.display_name}" if token and there else ""
        case "referee":
            referee = named.referees.get(number)
            there = referee is not None and _was_there(referee.created_at, entry)
            return f"letter of {referee.name} for {_whose(referee.application)}" if referee and there else ""
        case "interview":
            slot = named.slots.get(number)
            there = slot is not None and _was_there(slot.created_at, entry)
            return _interview(slot) if slot and there else ""
    return ""


def _interview(slot: InterviewSlot) -> str:
    label = f"interview with {slot.lab.name}"
    return f"{label} of {_whose(slot.choice.application)}" if slot.choice else label


def _application(entry: AuditEntry, number: str, named: _Named) -> str:
    application = named.applications.get(whole_number(number))
    known = application is not None and _was_there(application.created_at, entry)
    return f"application of {_whose(application)}" if application and known else f"application {number}"


def _whose(application: Application) -> str:
    return f"{application.applicant.display_name} for {application.cycle.name}"


def _was_there(since: datetime | None, entry: AuditEntry) -> bool:
    """Whether the row is the one that was meant then: the id of an erased row may have been reused."""
    return since is not None and since <= entry.at


def _named(session: Session, entries: Sequence[AuditEntry]) -> _Named:
    keys = [(entry, *entry.object_key.partition("/")[::2]) for entry in entries]

    def of(kind: str) -> list[str]:
        return [entry.object_key for entry in entries if entry.object_type == kind]

    scored = [key for key in keys if key[0].object_type == "choice" and key[0].act.startswith(SCORECARD)]
    moved = [key for key in keys if key[0].object_type == "choice" and key not in scored]
    pairs = [key for key in keys if key[0].object_type == "applicant of lab"]
    conflicting = [text for entry, *both in keys if entry.object_type == "conflict" for text in both]
    whose = (joinedload(Application.applicant), joinedload(Application.cycle))
    of_choice = joinedload(Choice.application).options(*whose)
    slugs, emails = {first for _, first, _ in pairs}, set(of("account"))
    by_slug, by_email = select(Lab).where(Lab.slug.in_(slugs)), select(User).where(User.email.in_(emails))
    return _Named(
        _rows(session, Application, [*of("application"), *(first for _, first, _ in moved)], *whose),
        _rows(session, Choice, [second for _, _, second in scored], joinedload(Choice.lab), of_choice),
        _rows(session, User, [*conflicting, *(second for _, _, second in pairs), *of("calendar")]),
        _rows(session, Lab, [second for _, _, second in moved]),
        {lab.slug: lab for lab in session.scalars(by_slug)} if slugs else {},
        {person.email: person for person in session.scalars(by_email)} if emails else {},
        _rows(session, ApiToken, of("token"), joinedload(ApiToken.user)),
        _rows(session, Referee, of("referee"), joinedload(Referee.application).options(*whose)),
        _rows(
            session,
            InterviewSlot,
            of("interview"),
            joinedload(InterviewSlot.lab),
            joinedload(InterviewSlot.choice).options(of_choice),
        ),
    )


def _rows(
    session: Session, kind: type[Row], numbers: Iterable[str], *options: ExecutableOption
) -> dict[int | None, Row]:
    """The rows with these numbers, by number; nothing is asked where there are none."""
    wanted = whole_numbers(numbers)
    if not wanted:
        return {}
    return {row.id: row for row in session.scalars(select(kind).where(kind.id.in_(wanted)).options(*options))}
