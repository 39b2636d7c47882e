"""Searching the audit log by names of people and labs: entries themselves hold only ids, slugs and addresses."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import String, and_, cast, func, literal, or_, select, union_all

from portal.admin.searching import contains_text, is_called, is_found_by
from portal.applications.people import ids_of_names
from portal.labs.folding import folded_letters
from portal.models import ApiToken, Application, AuditEntry, Choice, InterviewSlot, Lab, Referee, User

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from sqlalchemy import ColumnElement, Select, SQLColumnExpression, Subquery
    from sqlalchemy.orm import Session

OF_PEOPLE = ("applicant of lab", "conflict")  # their keys end, or begin, with the number of an account
OF_LABS = ("applicant of lab", "lab in cycle")  # theirs begin with the address of a lab
_LONG_AGO = literal(datetime(1970, 1, 1, tzinfo=UTC), AuditEntry.at.type)


def was_done_by(session: Session, text: str) -> ColumnElement[bool]:
    """A condition on `AuditEntry`: the actor's label contains `text`, or the actor's current name does."""
    named = select(User.id).where(*(is_called(session, word) for word in text.split()))
    return or_(contains_text(AuditEntry.actor_label.expression, text), AuditEntry.actor_id.in_(named))


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
    since = func.coalesce(User.created_at, _LONG_AGO)
    yield _object("account", User.email, _LONG_AGO).where(User.id.in_(people))
    yield _object("calendar", _text(User.id), since).where(User.id.in_(people))
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
