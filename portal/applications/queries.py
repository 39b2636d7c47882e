"""What others read of applicants."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import func, or_, select
from sqlalchemy.orm import contains_eager, selectinload

from portal.applications.stated import Stated, topic_key
from portal.labs.queries import IS_LISTED
from portal.matching import Query, Topic
from portal.models import Interests, Lab, LabShare, Opening, Resume, Role, User
from portal.models.user import APPLICANT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy.orm import Session

FACETS = ("degree", "hardware", "place", "start", "funding")
"""The facets an applicant may ask for; `portal.labs.lab_docs.facets_of` gives a lab's values by the same names."""


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value that labs state, and how many state it."""

    value: str
    labs: int


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights to try out instead of the saved ones: of topics by `topic_key`, and of the resume."""

    topics: Mapping[str, float] = field(default_factory=dict)
    resume: float | None = None


def interests_of(session: Session, user: User) -> Interests | None:
    """What an applicant has stated, if anything."""
    return session.scalar(select(Interests).where(Interests.user_id == user.id).options(selectinload(Interests.topics)))


def resume_of(session: Session, user: User) -> Resume | None:
    """An applicant's resume as stored now, confirmed or not."""
    return session.scalar(select(Resume).where(Resume.user_id == user.id).execution_options(populate_existing=True))


def shares_of(session: Session, user: User) -> Sequence[LabShare]:
    """Which labs an applicant shares with, and since when; by name of the lab."""
    return session.scalars(
        select(LabShare)
        .join(LabShare.lab)
        .where(LabShare.user_id == user.id)
        .options(contains_eager(LabShare.lab))
        .order_by(Lab.name)
    ).all()


def labs_shared_with(session: Session, user: User) -> Sequence[Lab]:
    """The labs an applicant shares with, by name."""
    return [share.lab for share in shares_of(session, user)]


def share_count(session: Session, user: User) -> int:
    """How many labs an applicant shares with."""
    return session.scalar(select(func.count()).select_from(LabShare).where(LabShare.user_id == user.id)) or 0


def stated_in(interests: Interests | None) -> Stated:
    """The row as a value; nothing stated where there is no row."""
    if interests is None:
        return Stated()
    return Stated(
        topics=tuple(Topic(topic.text, topic.weight) for topic in interests.topics),
        statement=interests.statement,
        facets={name: tuple(values) for name, values in interests.facets.items()},
        discoverable=interests.discoverable,
        resume_weight=interests.resume_weight,
    )


def query_from(interests: Interests | None, resume: Resume | None, weights: Weights | None = None) -> Query:
    """The matcher's query for what somebody stated. A resume that is not confirmed is left out."""
    stated = stated_in(interests)
    overrides = weights or Weights()
    resume_weight = stated.resume_weight if overrides.resume is None else overrides.resume
    return Query(
        topics=tuple(
            Topic(topic.text, overrides.topics.get(topic_key(topic.text), topic.weight)) for topic in stated.topics
        ),
        statement=stated.statement,
        resume=resume.text if resume is not None and resume.confirmed_at is not None else "",
        resume_weight=resume_weight,
        facets=stated.facets,
    )


def query_of(session: Session, user: User) -> Query:
    """The matcher's query for an applicant, with the saved weights."""
    return query_from(interests_of(session, user), resume_of(session, user))


def last_interests(session: Session, limit: int) -> list[Query]:
    """What the applicants who changed their interests last ask for, without their resumes: texts of people, for
    counting only.
    """
    rows = session.scalars(
        select(Interests)
        .join(User, User.id == Interests.user_id)
        .where(
            User.active.is_(True),
            User.roles.any(Role.name == APPLICANT),
            or_(Interests.statement != "", Interests.topics.any()),
        )
        .options(selectinload(Interests.topics))
        .order_by(Interests.changed_at.desc(), Interests.id.desc())
        .limit(limit)
    )
    queries = (query_from(row, None) for row in rows)
    return [query for query in queries if asks_for_something(query)]


def asks_for_something(query: Query) -> bool:
    """Whether any part of a query can weigh anything."""
    return (
        any(topic.weight > 0 and topic.text for topic in query.topics)
        or bool(query.statement.strip())
        or (query.resume_weight > 0 and bool(query.resume.strip()))
    )


def has_something_to_match(session: Session, user: User) -> bool:
    """Whether the applicant's saved topics, statement or confirmed resume can be matched with labs."""
    return asks_for_something(query_of(session, user))


def facet_values(session: Session) -> dict[str, tuple[FacetValue, ...]]:
    """For each of `FACETS` the values that labs state: the most frequent first, then by name."""
    stated = select(Opening.lab_id, Opening.degree, Opening.start, Opening.funding).join(Lab).where(IS_LISTED)
    openings = session.execute(stated).all()
    labs = session.execute(select(Lab.id, Lab.place, Lab.hardware).where(IS_LISTED)).all()
    return {
        "degree": _counted((row.lab_id, row.degree) for row in openings),
        "hardware": _counted((row.id, value) for row in labs for value in row.hardware),
        "place": _counted((row.id, row.place) for row in labs),
        "start": _counted((row.lab_id, row.start) for row in openings),
        "funding": _counted((row.lab_id, row.funding) for row in openings),
    }


def _counted(stated: Iterable[tuple[int, str]]) -> tuple[FacetValue, ...]:
    """Values with the number of different labs that state them; pairs are (lab, value)."""
    counts = Counter(value for _lab, value in set(stated) if value)
    return tuple(
        FacetValue(value, counts[value]) for value in sorted(counts, key=lambda value: (-counts[value], value))
    )
