"""Whom a matter concerns: who reads for a lab, who is kept out by a conflict of interest, and people looked up by name.

A reviewer who applies is excluded from their own application, without declaring anything. Names are found without
accents and strokes: “garcia” finds García. The database compares letters as they are, so names with other letters than
those of ASCII are read and compared here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import and_, bindparam, exists, false, or_, select, true

from portal.db import columns
from portal.labs.texts import folded_text, folded_words
from portal.models import Application, Choice, Conflict, LabProfessor, User

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from sqlalchemy import ColumnElement, SQLColumnExpression
    from sqlalchemy.orm import Session

    Who = int | SQLColumnExpression[int]


_DECLARED = select(Conflict.id).where(
    Conflict.reviewer_id == bindparam("reviewer"),
    Conflict.applicant_id == bindparam("applicant"),
    Conflict.state == "declared",
)


def keeps_out(reviewer: Who, applicant: Who) -> ColumnElement[bool]:
    """As an SQL expression of ids: whether the reviewer declared a conflict with the applicant, or is the applicant."""
    declared = exists().where(
        Conflict.reviewer_id == reviewer, Conflict.applicant_id == applicant, Conflict.state == "declared"
    )
    return or_(cast("ColumnElement[bool]", reviewer == applicant), declared.correlate_except(Conflict))


def declared_conflict(session: Session, reviewer: User, applicant_id: int) -> bool:
    """Whether the reviewer declared a conflict of interest with the applicant, or is the applicant."""
    if reviewer.id == applicant_id:
        return True
    return columns(session, _DECLARED, {"reviewer": reviewer.id, "applicant": applicant_id}).first() is not None


def applicants_in_conflict(session: Session, reviewer: User) -> frozenset[int]:
    """The applicants with whom the reviewer declared a conflict of interest, and the reviewer."""
    declared = select(Conflict.applicant_id).where(Conflict.reviewer_id == reviewer.id, Conflict.state == "declared")
    return frozenset((reviewer.id, *session.scalars(declared)))


def professors_of(session: Session, lab_id: int, about: User | None = None) -> Sequence[User]:
    """Who reads for a lab; for news `about` an applicant, without those excluded from that applicant's matters."""
    readers = (
        select(User)
        .join(LabProfessor, LabProfessor.user_id == User.id)
        .where(LabProfessor.lab_id == lab_id, User.active.is_(True))
        .order_by(User.id)
    )
    if about is not None:
        readers = readers.where(~keeps_out(User.id, about.id))
    return session.scalars(readers).all()


def readers_of(session: Session, application_ids: Collection[int]) -> Mapping[int, Sequence[User]]:
    """By choice of these applications: whom `professors_of` names for its lab and applicant. Two statements."""
    pairs = session.execute(
        select(Choice.id, User.id)
        .join(Application, Application.id == Choice.application_id)
        .join(LabProfessor, LabProfessor.lab_id == Choice.lab_id)
        .join(User, User.id == LabProfessor.user_id)
        .where(
            Choice.application_id.in_(application_ids),
            User.active.is_(True),
            ~keeps_out(User.id, Application.applicant_id),
        )
        .order_by(Choice.id, User.id)
    ).all()
    statement = select(User).where(User.id.in_({user_id for _, user_id in pairs}))
    users = {user.id: user for user in session.scalars(statement)}
    readers: dict[int, list[User]] = {}
    for choice_id, user_id in pairs:
        readers.setdefault(choice_id, []).append(users[user_id])
    return readers


def is_named(name: str, text: str) -> bool:
    """Whether a name holds every word of `text`, whatever the case, accents and strokes of either."""
    words, folded = folded_words(text), folded_text(name)
    return bool(words) and all(word in folded for word in words)


def ids_of_names(rows: Iterable[Any], text: str) -> list[int]:
    """The ids of those rows, each an id and a name, whose name is named by `text`, see `is_named`."""
    return [row_id for row_id, name in rows if is_named(name, text)]


def has_other_letters(name: ColumnElement[str]) -> ColumnElement[bool]:
    """As an SQL expression: whether a name has other letters than those of ASCII."""
    return name.regexp_match(r"[^\x01-\x7F]")


def is_plainly_named(name: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """As an SQL expression: `is_named` for a name of ASCII letters alone."""
    words = folded_words(text)
    return and_(false() if not words else true(), *(name.icontains(word, autoescape=True) for word in words))
