"""Blind review: an applicant's identity is hidden from a reviewer until the reviewer's own scorecard is locked.

A setting of the lab (`LabReviewing.blind_first`) that applies to its leader and its reviewers alike. Abstaining does
not lift it. Whoever accepts the lab's offer is shown to all of them: nobody scores them any more, and they come.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, bindparam, exists, select

from portal.applications.content.submissions import ALPHABET
from portal.db import columns
from portal.models import Application, Choice, LabReviewing, Scorecard, User
from portal.models.user import called

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import BindParameter, ColumnElement
    from sqlalchemy.orm import Session

    from portal.models import Lab

HALF = len(ALPHABET) ** 3  # numbers of three characters
ROUNDS = 4
AT_ONCE = 10_000  # choices in one statement; SQLite allows about three times as many values


class Shown(NamedTuple):
    """How a person is shown to a reviewer: a name or a pseudonym, and the e-mail address or None."""

    label: str
    email: str | None
    hidden: bool


def hidden_from(lab: Lab, reviewer: User) -> ColumnElement[bool]:
    """An SQL condition on `Choice`: whether the applicant is hidden from the reviewer."""
    return _hidden(lab.id, reviewer.id)


def _blind(lab_id: int | BindParameter[int]) -> ColumnElement[bool]:
    return exists().where(LabReviewing.lab_id == lab_id, LabReviewing.blind_first.is_(True)).correlate(None)


def _hidden(lab_id: int | BindParameter[int], reviewer_id: int | BindParameter[int]) -> ColumnElement[bool]:
    reviewed = (
        exists()
        .where(
            Scorecard.choice_id == Choice.id,
            Scorecard.reviewer_id == reviewer_id,
            Scorecard.locked_at.is_not(None),
            Scorecard.abstained.is_(False),
        )
        .correlate(Choice)
    )
    return and_(_blind(lab_id), ~reviewed, Choice.state != "accepted")


# The same with lab and reviewer as bound parameters, so that it is built once; and whether the lab
# reviews blind first.
HIDDEN = _hidden(bindparam("lab"), bindparam("reviewer"))
BLIND = _blind(bindparam("lab"))
_IS_BLIND = select(BLIND)
_IS_HIDDEN = select(HIDDEN).where(Choice.id == bindparam("choice"))
_SHOWN = (
    select(Choice.id, User.name, User.email, HIDDEN)
    .join(Application, Application.id == Choice.application_id)
    .join(User, User.id == Application.applicant_id)
    .where(Choice.id.in_(bindparam("choices", expanding=True)), Choice.lab_id == bindparam("lab"))
)


def shown_as(session: Session, lab: Lab, reviewer: User, choices: Iterable[Choice]) -> Mapping[int, Shown]:
    """How the applicants of `choices` are shown to the reviewer, by the choice's id. One statement."""
    ids = [choice.id for choice in choices]
    shown: dict[int, Shown] = {}
    for start in range(0, len(ids), AT_ONCE):
        values = {"lab": lab.id, "reviewer": reviewer.id, "choices": ids[start : start + AT_ONCE]}
        rows = columns(session, _SHOWN, values)
        shown.update(
            {choice_id: shown_person(choice_id, name, email, hidden) for choice_id, name, email, hidden in rows}
        )
    return shown


def shown_person(choice_id: int, name: str, email: str, hidden: bool) -> Shown:  # noqa: FBT001  (a column of a row)
    """How the applicant of the choice with this id is shown."""
    if hidden:
        return Shown(_pseudonym("choice", choice_id), None, hidden=True)
    return Shown(called(name, email), email, hidden=False)


def is_hidden(session: Session, lab: Lab, reviewer: User, choice: Choice) -> bool:
    """Whether the applicant of one choice is hidden from the reviewer."""
    values = {"lab": lab.id, "reviewer": reviewer.id, "choice": choice.id}
    return bool(columns(session, _IS_HIDDEN, values).scalar())


def is_blind(session: Session, lab: Lab) -> bool:
    """Whether the lab reviews blind first."""
    return bool(columns(session, _IS_BLIND, {"lab": lab.id}).scalar())


def pseudonym(choice: Choice) -> str:
    """The pseudonym of a hidden applicant, such as "Applicant 7F3K-2Q": stable and unique per choice."""
    return _pseudonym("choice", choice.id)


def pseudonym_of_person(user_id: int) -> str:
    """The pseudonym of a person who has not chosen the lab."""
    return _pseudonym("person", user_id)


@lru_cache(maxsize=16_384)
def _pseudonym(kind: str, number: int) -> str:
    """A permutation of all six-character codes, so that consecutive numbers look unlike and none collide."""
    high, low = divmod(number % HALF**2, HALF)
    for round_number in range(ROUNDS):
        digest = hashlib.sha256(f"{kind} {round_number} {low}".encode()).digest()
        high, low = low, (high + int.from_bytes(digest[:8])) % HALF
    characters = _signs(high) + _signs(low)
    return f"Applicant {characters[:4]}-{characters[4:]}"


def _signs(number: int) -> str:
    size = len(ALPHABET)
    return "".join(ALPHABET[number // size**place % size] for place in (2, 1, 0))
