"""What entries of the audit log are about, by name: an entry itself keeps only the numbers of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from portal.models import Application, Choice, Lab, User
from portal.web.whole_numbers import whole_number, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session
    from sqlalchemy.sql.base import ExecutableOption

    from portal.models import AuditEntry

Row = TypeVar("Row", Application, Choice, Lab, User)
SCORECARD = "scorecard."


@dataclass(frozen=True, slots=True)
class _Named:
    """The rows that entries name by number."""

    applications: Mapping[int | None, Application]
    choices: Mapping[int | None, Choice]
    people: Mapping[int | None, User]
    labs: Mapping[int | None, Lab]
    labs_by_slug: Mapping[str, Lab]


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
    return ""


def _application(entry: AuditEntry, number: str, named: _Named) -> str:
    application = named.applications.get(whole_number(number))
    known = application is not None and _was_there(application.created_at, entry)
    return f"application of {_whose(application)}" if application and known else f"application {number}"


def _whose(application: Application) -> str:
    return f"{application.applicant.display_name} for {application.cycle.name}"


def _was_there(since: datetime | None, entry: AuditEntry) -> bool:
    """Whether a row is the one that was meant then: the number of one that was erased may be given again."""
    return since is not None and since <= entry.at


def _named(session: Session, entries: Sequence[AuditEntry]) -> _Named:
    keys = [(entry, *entry.object_key.partition("/")[::2]) for entry in entries]
    scored = [one for one in keys if one[0].object_type == "choice" and one[0].act.startswith(SCORECARD)]
    moved = [one for one in keys if one[0].object_type == "choice" and one not in scored]
    of_lab = [one for one in keys if one[0].object_type == "applicant of lab"]
    applications = [first for entry, first, _ in keys if entry.object_type == "application"]
    people = [text for entry, *both in keys if entry.object_type == "conflict" for text in both]
    whose = (joinedload(Application.applicant), joinedload(Application.cycle))
    labs = _rows(session, Lab, [second for _, _, second in moved])
    by_slug = select(Lab).where(Lab.slug.in_({first for _, first, _ in of_lab}))
    return _Named(
        _rows(session, Application, [*applications, *(first for _, first, _ in moved)], *whose),
        _rows(
            session,
            Choice,
            [second for _, _, second in scored],
            joinedload(Choice.lab),
            joinedload(Choice.application).options(*whose),
        ),
        _rows(session, User, [*people, *(second for _, _, second in of_lab)]),
        labs,
        {lab.slug: lab for lab in session.scalars(by_slug)} if of_lab else {},
    )


def _rows(
    session: Session, kind: type[Row], numbers: Iterable[str], *options: ExecutableOption
) -> dict[int | None, Row]:
    """The rows with these numbers, by number; nothing is asked where there are none."""
    wanted = whole_numbers(numbers)
    if not wanted:
        return {}
    return {row.id: row for row in session.scalars(select(kind).where(kind.id.in_(wanted)).options(*options))}
