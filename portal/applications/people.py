"""Whom a matter concerns: who reads for a lab, who is kept out by a conflict of interest, and people looked up by name.

A reviewer who applies is excluded from their own application, without declaring anything. Names are found as one types
them: “garcia” finds García, “Lukasz” Łukasz, “Soerensen” Sørensen and “陈大文” 陳大文. The database compares letters as
they are, so names with other letters than those of ASCII are read and compared here.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import and_, bindparam, exists, func, literal, or_, select

from portal.db import columns
from portal.labs.texts import FIRST_IDEOGRAPH, folded_letters, folded_text
from portal.matching.language.words import simplified
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
MANY = 2  # words
_BEYOND_ASCII = r"[^\x01-\x7F]"
_IN_TWO = str.maketrans({"ä": "ae", "ö": "oe", "ø": "oe", "ü": "ue", "å": "aa"})
"""Letters that people write as two where their keyboard does not have them."""
_AS_TYPED = str.maketrans("’‘‐‑–", "''---")


def keeps_out(reviewer: Who, applicant: Who) -> ColumnElement[bool]:
    """As an SQL expression: whether the reviewer declared a conflict with the applicant, or is the applicant.

    Both are ids: columns of the statement, parameters or numbers.
    """
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
    """By choice of these applications: whom `professors_of` names for its lab and applicant. As many statements for
    many as for one.
    """
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
    """Whether a name holds `text`, or its words in another order, whatever the case, accents and strokes of either:
    “González María” finds María González.

    Of several words each begins a word of the name; an ideograph may stand anywhere, as such names have no spaces.
    """
    words = text.split()
    return _holds(name, text) or (
        len(words) >= MANY and all(_holds(name, word, at_start=word < FIRST_IDEOGRAPH) for word in words)
    )


def _holds(name: str, text: str, *, at_start: bool = False) -> bool:
    """Whether a name holds `text`, at the start of a word if `at_start`."""
    before = " " if at_start else ""
    typed = [folded_text(spelling) for spelling in _spellings(text)]
    spellings = [f" {folded_text(spelling)}" for spelling in _spellings(name)]
    return any(one and f"{before}{one}" in spelling for one in typed for spelling in spellings)


def ids_of_names(rows: Iterable[Any], text: str) -> list[int]:
    """The ids of those rows, each an id and a name, whose name is named by `text`, see `is_named`."""
    return [row_id for row_id, name in rows if is_named(name, text)]


def has_other_letters(name: ColumnElement[str]) -> ColumnElement[bool]:
    """As an SQL expression: whether a name has other letters than those of ASCII."""
    return name.regexp_match(_BEYOND_ASCII)


def holds_plainly(name: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """As an SQL expression: whether a name of ASCII letters alone holds `text`, whose letters may be others."""
    typed = {folded_letters(spelling).translate(_AS_TYPED) for spelling in _spellings(text)}
    return or_(*(name.icontains(spelling, autoescape=True) for spelling in sorted(typed)))


def is_plainly_named(name: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """As an SQL expression: `is_named` for a name of ASCII letters alone."""
    words = text.split()
    if len(words) < MANY:
        return holds_plainly(name, text)
    spaced = literal(" ") + func.replace(name, "-", " ")
    return or_(holds_plainly(name, text), and_(*(holds_plainly(spaced, f" {word}") for word in words)))


def _spellings(text: str) -> tuple[str, ...]:
    """A text in lower case and simplified characters, and with two letters for each of `_IN_TWO` if it has any."""
    if text.isascii():
        return (text,)
    normalized = simplified(unicodedata.normalize("NFC", text.casefold()))
    return tuple(dict.fromkeys((normalized, normalized.translate(_IN_TWO))))
