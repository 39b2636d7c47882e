"""Labs that an applicant saves or shares with, and whom a lab may read about before it is chosen. Callers commit."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from sqlalchemy import and_, delete, func, or_, select
from sqlalchemy.orm import contains_eager, selectinload

from portal.applications.interests.service import query_from
from portal.applications.locks import lock_person, refuse_if
from portal.models import Interests, InterestTopic, Lab, LabShare, Resume, Role, SavedLab, User
from portal.models.user import APPLICANT, role_of_user

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.db import Columns
    from portal.matching import Query


MOST_SHARES = 30  # labs
MOST_SAVED = 60  # labs
AT_ONCE = 500  # people whose texts are read in one statement
BLANKS = "".join(sign for sign in map(chr, range(0x3001)) if sign.isspace())


def why_not_share(shares: int) -> str | None:
    """Against sharing with one more lab."""
    if shares >= MOST_SHARES:
        return f"You share with {shares} labs, the most there can be. Stop sharing with one of them first."
    return None


@dataclass(frozen=True, slots=True)
class ApplicantForLab:
    """Somebody a lab may read about: what they state, the resume if it is confirmed, and since when they share with the
    lab, if they do not only agree to be found.
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
    stated: bytes


def applicants_in_short(session: Session, lab: Lab) -> list[ApplicantInShort]:
    """Active applicants who share with the lab, or who agreed to be found and can be matched; by account."""
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
            stated=blake2b(repr(stated).encode(), digest_size=32).digest(),
        )
        for user_id, name, email, shared_at, *stated in rows
    ]


def applicants_of_lab(session: Session, lab: Lab, only: Collection[int]) -> list[ApplicantForLab]:
    """Those of the same people whose accounts have these ids, with what they state."""
    columns = select(User, Interests, Resume, LabShare.shared_at).options(selectinload(Interests.topics))
    statement = _readable(columns, lab)
    return [
        ApplicantForLab(*row)
        for batch in _in_parts(sorted(only))
        for row in session.execute(statement.where(User.id.in_(batch))).all()
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
    """`portal.applications.interests.service.asks_for_something` as an SQL expression."""
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


def _in_parts(people: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(people), AT_ONCE):
        yield people[start : start + AT_ONCE]


def shares_of(session: Session, user: User) -> Sequence[LabShare]:
    """Which labs an applicant shares with, and since when; by name of the lab."""
    return session.scalars(
        select(LabShare)
        .join(LabShare.lab)
        .where(LabShare.user_id == user.id)
        .options(contains_eager(LabShare.lab))
        .order_by(Lab.name)
    ).all()


def share_with_lab(session: Session, user: User, lab: Lab, *, now: datetime) -> bool:
    """Let the professors of a lab read what the applicant states; False if they could already. Raises `Refusal`: the
    applicant shares with as many labs as can be, or the lab is archived.
    """
    lock_person(session, user)
    if session.get(LabShare, (user.id, lab.id)) is not None:
        return False
    archived = f"{lab.name} is not listed any more, so you cannot share with it."  # nobody finds anybody for it
    refuse_if(archived if not lab.is_listed else why_not_share(len(shares_of(session, user))))
    session.add(LabShare(user_id=user.id, lab_id=lab.id, shared_at=now))
    session.flush()
    return True


def stop_sharing(session: Session, user: User, lab: Lab) -> bool:
    """Undo `share_with_lab`; False if nothing was shared."""
    stopped = session.execute(delete(LabShare).where(LabShare.user_id == user.id, LabShare.lab_id == lab.id))
    return bool(stopped.rowcount)  # type: ignore[attr-defined]  # a DELETE gives a CursorResult


def saved_labs(session: Session, user: User) -> Sequence[Lab]:
    """The labs on an applicant's shortlist, the first one saved first."""
    return session.scalars(
        select(Lab)
        .join(SavedLab, SavedLab.lab_id == Lab.id)
        .where(SavedLab.user_id == user.id)
        .order_by(SavedLab.saved_at, Lab.name)
    ).all()


def save_lab(session: Session, user: User, lab: Lab, *, now: datetime) -> bool:
    """Put a lab on the shortlist; False if it is there. Raises `Refusal`: the shortlist is full, or the lab is
    archived.
    """
    lock_person(session, user)
    if session.get(SavedLab, (user.id, lab.id)) is not None:
        return False
    refuse_if(f"{lab.name} is not listed any more." if not lab.is_listed else None)
    count = session.scalar(select(func.count()).select_from(SavedLab).where(SavedLab.user_id == user.id)) or 0
    refuse_if(f"You saved {count} labs, the most there can be. Remove one first." if count >= MOST_SAVED else None)
    session.add(SavedLab(user_id=user.id, lab_id=lab.id, saved_at=now))
    session.flush()
    return True


def remove_saved(session: Session, user: User, lab: Lab) -> None:
    """Take a lab off the shortlist."""
    session.execute(delete(SavedLab).where(SavedLab.user_id == user.id, SavedLab.lab_id == lab.id))
