"""Pages of the audit log, filtered by act, people, objects and days."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import String, and_, cast, func, literal, or_, select, union_all

from portal.admin.searching import contains_text, is_called, is_found_by, search_text
from portal.admin.system.audit_log.words import act_in_words, objects_of
from portal.applications.people import ids_of_names
from portal.db import folded_letters
from portal.models import ApiToken, Application, AuditEntry, Choice, InterviewSlot, Lab, Referee, User
from portal.moments import readers_zone
from portal.web.paging import Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from sqlalchemy import ColumnElement, Select, SQLColumnExpression, Subquery
    from sqlalchemy.orm import Session

    from portal.admin.system.audit_log.words import AuditObject


NAMES = ("act", "person", "about", "since", "until")
OF_PEOPLE = ("applicant of lab", "conflict")  # their keys end, or begin, with the number of an account
OF_LABS = ("applicant of lab", "lab in cycle")  # theirs begin with the address of a lab
_LONG_AGO = literal(datetime(1970, 1, 1, tzinfo=UTC), AuditEntry.at.type)


class AuditRow(NamedTuple):
    """An entry of the audit log, the act in words, and what it is about. `before` and `after` are indented JSON, or
    empty.
    """

    entry: AuditEntry
    words: str
    about: AuditObject
    before: str
    after: str


def audit_acts(session: Session) -> list[str]:
    """Every act that occurs in the log."""
    return list(session.scalars(select(AuditEntry.act).distinct().order_by(AuditEntry.act)))


def count_entries(session: Session, conditions: Sequence[ColumnElement[bool]] = ()) -> int:
    """How many entries meet the conditions."""
    return session.scalar(select(func.count(AuditEntry.id)).where(*conditions)) or 0


def is_no_newer_than_now(session: Session) -> ColumnElement[bool]:
    """A condition on `AuditEntry`: it was written before this call."""
    return AuditEntry.id <= (session.scalar(select(func.max(AuditEntry.id))) or 0)


def audit_page(session: Session, chosen: AuditFilter, *, number: int) -> Page[AuditRow]:
    """One page of the entries that match a filter, newest first."""
    matching = select(AuditEntry).where(*chosen.conditions(session)).order_by(AuditEntry.id.desc())
    shown, page, total = cut_to_page(session, matching, number)
    return Page(audit_rows(session, session.scalars(shown).all()), page, total)


def audit_rows(session: Session, entries: Sequence[AuditEntry]) -> list[AuditRow]:
    """Entries as rows, with what they are about by name."""
    objects = objects_of(session, entries)
    return [
        AuditRow(entry, act_in_words(entry.act), objects[entry.id], _as_text(entry.before), _as_text(entry.after))
        for entry in entries
    ]


def _as_text(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """The filter as typed; `errors` are by field. Unreadable values filter nothing, and their errors are always
    shown.
    """

    act: str = ""
    person: str = ""
    about: str = ""
    since: str = ""
    until: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)

    def query(self) -> dict[str, str]:
        """The query parameters; none if it excludes nothing."""
        values = {name: str(getattr(self, name)) for name in NAMES}
        return {name: value for name, value in values.items() if value}

    def conditions(self, session: Session) -> list[ColumnElement[bool]]:
        """The SQL conditions over `AuditEntry`. A person or a lab is found by its name, too."""
        result: list[ColumnElement[bool]] = []
        if self.act:
            result.append(AuditEntry.act == self.act)
        if self.person:
            named = select(User.id).where(*(is_called(session, word) for word in self.person.split()))
            is_named = contains_text(AuditEntry.actor_label.expression, self.person)
            result.append(is_named | AuditEntry.actor_id.in_(named))
        result += [is_about(session, word) for word in self.about.split()]
        if self.since and "since" not in self.errors:
            result.append(AuditEntry.at >= _begin_of(self.since))
        if self.until and "until" not in self.errors:
            result.append(AuditEntry.at < _begin_of(self.until, days_later=1))
        return result


def read_filter(values: Mapping[str, str]) -> AuditFilter:
    """The filter in a query string."""
    typed = {name: search_text(values.get(name)) for name in NAMES}
    errors: dict[str, str] = {}
    for name in ("since", "until"):
        if typed[name] and not _is_day(typed[name]):
            errors[name] = "Write the day as 2026-12-31."
    if not errors and typed["since"] and typed["until"] and typed["since"] > typed["until"]:
        errors["until"] = "This is before the first day. Give a later one."
    return AuditFilter(**typed, errors=errors)


def _begin_of(day: str, *, days_later: int = 0) -> datetime:
    """When a day begins for whoever reads the page."""
    return datetime.combine(date.fromisoformat(day) + timedelta(days_later), time(), ZoneInfo(readers_zone("UTC")))


def _is_day(text: str) -> bool:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return False
    return text == day.isoformat() and 1970 <= day.year <= 9000  # noqa: PLR2004  (a day more still fits)


def is_about(session: Session, word: str) -> ColumnElement[bool]:
    """A condition on `AuditEntry`: its object, or a person or lab that the object belongs to, matches `word`.

    An id counts only if its row existed when the entry was written: the id of an erased row may have been reused.
    """
    people = select(User.id).where(is_found_by(session, word))
    labs = ids_of_names(session.execute(select(Lab.id, Lab.name)), word)
    objects = union_all(*_objects_of(people, labs)).subquery("things")
    is_object = and_(
        AuditEntry.object_type == objects.c.kind,
        AuditEntry.object_key == objects.c.key,
        AuditEntry.at >= objects.c.since,
    )
    key, user_id = AuditEntry.object_key, _text(User.id)
    with_person, with_lab = _of_kinds(OF_PEOPLE), _of_kinds(OF_LABS)
    its_person = or_(with_person.c.object_key.like("%/" + user_id), with_person.c.object_key.like(user_id + "/%"))
    its_lab = with_lab.c.object_key.like(Lab.slug + "/%")
    return or_(
        contains_text(key.expression, word),
        contains_text(key.expression, folded_letters(word)),
        contains_text(AuditEntry.object_type.expression, word),
        AuditEntry.id.in_(select(AuditEntry.id).join(objects, is_object)),
        AuditEntry.id.in_(select(with_person.c.id).join(User, its_person).where(User.id.in_(people))),
        AuditEntry.id.in_(select(with_lab.c.id).join(Lab, its_lab).where(Lab.id.in_(labs))),
    )


def _of_kinds(kinds: Sequence[str]) -> Subquery:
    """Entries of few kinds. The offset makes the database read them first, not all entries for each person or lab."""
    return select(AuditEntry.id, AuditEntry.object_key).where(AuditEntry.object_type.in_(kinds)).offset(0).subquery()


def _objects_of(people: Select[int], labs: list[int]) -> Iterator[Select[*tuple[Any, ...]]]:
    """Kind and key, as in entries, of everything that belongs to these people or labs, and since when it exists."""
    of_people = Application.applicant_id.in_(people)
    of_either = or_(of_people, Choice.lab_id.in_(labs))
    yield _object("account", User.email, _LONG_AGO).where(User.id.in_(people))
    yield _object("token", _text(ApiToken.id), ApiToken.created_at).where(ApiToken.user_id.in_(people))
    yield _object("lab", Lab.slug, _LONG_AGO).where(Lab.id.in_(labs))
    yield _object("application", _text(Application.id), Application.created_at).where(of_people)
    letter = _object("referee", _text(Referee.id), Referee.created_at)
    yield letter.join(Application, Application.id == Referee.application_id).where(of_people)
    moved = _object("choice", _text(Choice.application_id) + "/" + _text(Choice.lab_id), Application.created_at)
    yield moved.join(Application, Application.id == Choice.application_id).where(of_either)
    scored = _object("choice", Lab.slug + "/" + _text(Choice.id), Choice.listed_since).join(
        Lab, Lab.id == Choice.lab_id
    )
    yield scored.join(Application, Application.id == Choice.application_id).where(of_either)
    slot = _object("interview", _text(InterviewSlot.id), InterviewSlot.created_at)
    of_slot = Choice.id == func.coalesce(InterviewSlot.choice_id, InterviewSlot.cancelled_choice_id)
    slots = slot.outerjoin(Choice, of_slot).outerjoin(Application, Application.id == Choice.application_id)
    yield slots.where(or_(of_people, InterviewSlot.lab_id.in_(labs)))


def _object(kind: str, key: SQLColumnExpression[Any], since: SQLColumnExpression[Any]) -> Select[*tuple[Any, ...]]:
    return select(literal(kind).label("kind"), key.label("key"), since.label("since"))


def _text(id_column: SQLColumnExpression[int]) -> ColumnElement[str]:
    return cast(id_column, String)
