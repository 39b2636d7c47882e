"""The applicants whom a lab may read about before they choose it: all of them in short, some with what they state.

A lab may find ten thousand people. The list of all is columns only; texts are read for those that are shown or scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import selectinload

from portal.applications.queries import query_from
from portal.models import Interests, InterestTopic, LabShare, Resume, Role, User
from portal.models.user import APPLICANT, role_of_user

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.db import Columns
    from portal.matching import Query
    from portal.models import Lab

AT_ONCE = 500  # people whose texts are read in one statement
BLANKS = "".join(sign for sign in map(chr, range(0x3001)) if sign.isspace())


@dataclass(frozen=True, slots=True)
class ApplicantForLab:
    """Somebody a lab may read about.

    `interests` is None where somebody shares before anything is stated. `resume` is None until its owner has confirmed
    the text that was read. `shared_at` is since when they share with the lab; None if they only agreed to be found.
    """

    user: User
    interests: Interests | None
    resume: Resume | None
    shared_at: datetime | None


@dataclass(frozen=True, slots=True)
class ApplicantInShort:
    """Somebody a lab may read about, without texts. `stated` changes whenever what they state changes."""

    id: int
    name: str
    email: str
    shared_at: datetime | None
    has_resume: bool
    stated: bytes


def applicants_in_short(session: Session, lab: Lab) -> list[ApplicantInShort]:
    """Applicants who share with the lab, or who agreed to be found and can be matched; by account. One statement.

    Suspended accounts and people who are no applicants any more are left out.
    """
    rows = session.execute(
        _readable(
            select(
                User.id,
                User.name,
                User.email,
                LabShare.shared_at,
                # Every save of interests gets another version, every resume that is confirmed another time.
                Interests.id,
                Interests.version,
                Interests.changed_at,
                Resume.id,
                Resume.sha256,
                Resume.confirmed_at,
            ),
            lab,
        )
    )
    return [
        ApplicantInShort(
            user_id,
            name,
            email,
            shared_at,
            has_resume=resume_id is not None,
            stated=_digest((*interests, resume_id, sha256, confirmed_at)),
        )
        for user_id, name, email, shared_at, *interests, resume_id, sha256, confirmed_at in rows
    ]


def applicants_of_lab(session: Session, lab: Lab, only: Collection[int]) -> list[ApplicantForLab]:
    """Those of the same people whose accounts have these ids, with what they state."""
    return [
        ApplicantForLab(*row)
        for batch in _in_parts(sorted(only))
        for row in session.execute(_with_texts(lab).where(User.id.in_(batch))).all()
    ]


def queries_of(session: Session, people: Collection[int]) -> dict[int, Query]:
    """The matcher's query of each of these people, by account."""
    queries: dict[int, Query] = {}
    for batch in _in_parts(sorted(people)):
        rows = session.execute(
            select(User.id, Interests, Resume)
            .outerjoin(Interests, Interests.user_id == User.id)
            .outerjoin(Resume, _confirmed_resume())
            .where(User.id.in_(batch))
            .options(selectinload(Interests.topics))
        )
        queries |= {user_id: query_from(interests, resume) for user_id, interests, resume in rows}
    return queries


def _with_texts(lab: Lab) -> Select[User, Interests, Resume, datetime]:
    statement = select(User, Interests, Resume, LabShare.shared_at).options(selectinload(Interests.topics))
    return _readable(statement, lab)


def _readable(statement: Select[*Columns], lab: Lab) -> Select[*Columns]:
    """Join `LabShare`, `Interests` and the confirmed `Resume` to `User`, and keep whom the lab may read about."""
    applicants = (
        select(role_of_user.c.user_id).join(Role, Role.id == role_of_user.c.role_id).where(Role.name == APPLICANT)
    )
    return (
        statement.outerjoin(LabShare, and_(LabShare.user_id == User.id, LabShare.lab_id == lab.id))
        .outerjoin(Interests, Interests.user_id == User.id)
        .outerjoin(Resume, _confirmed_resume())
        .where(
            User.active.is_(True),
            User.id.in_(applicants),
            or_(LabShare.user_id.is_not(None), and_(Interests.discoverable.is_(True), _asks_for_something())),
        )
        .order_by(User.id)
    )


def _confirmed_resume() -> ColumnElement[bool]:
    return and_(Resume.user_id == User.id, Resume.confirmed_at.is_not(None))


def _asks_for_something() -> ColumnElement[bool]:
    """`portal.applications.queries.asks_for_something` as an SQL expression."""
    topic = (
        select(InterestTopic.id)
        .where(InterestTopic.interests_id == Interests.id, InterestTopic.weight > 0, InterestTopic.text != "")
        .exists()
    )
    return or_(
        topic,
        func.ltrim(Interests.statement, BLANKS) != "",
        and_(Interests.resume_weight > 0, func.ltrim(Resume.text, BLANKS) != ""),
    )


def _digest(values: tuple[object, ...]) -> bytes:
    return blake2b(repr(values).encode(), digest_size=32).digest()


def _in_parts(people: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(people), AT_ONCE):
        yield people[start : start + AT_ONCE]
