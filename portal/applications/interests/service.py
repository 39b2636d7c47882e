"""What an applicant states: its limits, as one value, read and written. The caller commits.

Each rule gives the reason against something, or None.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from portal.applications.forms import one_line, running_text
from portal.applications.locks import lock_person, refuse_if
from portal.labs.queries import IS_LISTED
from portal.labs.texts import degree_name
from portal.matching import Query, Topic
from portal.models import Interests, InterestTopic, Lab, Opening, Resume, User

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.labs.matches import LabMatch
    from portal.matching import FacetCheck


USUAL_RESUME_WEIGHT = 0.3
MOST_TOPICS = 12
LONGEST_TOPIC = 200  # characters
HEAVIEST_TOPIC = 5.0
LONGEST_STATEMENT = 4_000  # characters
MOST_FACET_VALUES = 50  # of one facet
MOST_WORDS = 12
"""What has more words is a statement rather than a topic."""
_NUMBER = re.compile(r"[+-]?\d{1,6}(?:[.,]\d{0,6})?|[+-]?[.,]\d{1,6}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Stated:
    """Topics with weights, a statement, wanted facets (values by name), and whether labs that the applicant does not
    share with may find them. `resume_weight` is how much the resume counts beside a topic of weight 1.
    """

    topics: tuple[Topic, ...] = ()
    statement: str = ""
    facets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    discoverable: bool = False
    resume_weight: float = USUAL_RESUME_WEIGHT
    education: str = ""


def topic_key(text: str) -> str:
    """A short name of a topic for addresses and field names; equal for topics that differ in case only."""
    return hashlib.sha256(one_line(text).casefold().encode()).hexdigest()[:10]


def why_not_topic(text: str, *, before: Sequence[str] = ()) -> str | None:
    """Against one topic, already on one line, after those `before` it in the list."""
    if len(text) > LONGEST_TOPIC:
        return (
            f"A topic may have {LONGEST_TOPIC} characters; this one has {len(text):,}. "
            "Shorten it, or move the details into the statement below."
        )
    if len(before) >= MOST_TOPICS:
        return f"You can state {MOST_TOPICS} topics, and this is one more. Remove one, or combine two."
    if topic_key(text) in map(topic_key, before):
        return f"“{text}” is there twice. Keep it once, and give it more weight if it matters more."
    return None


def weight_in(typed: str) -> float:
    """The weight that was typed, with a decimal point or comma, to two decimals; NaN if it is no plain number."""
    text = typed.strip()
    return round(float(text.replace(",", ".")), 2) if _NUMBER.fullmatch(text) else math.nan


def why_not_weight(weight: float, most: float = HEAVIEST_TOPIC) -> str | None:
    """Against a weight."""
    if not math.isfinite(weight) or not 0 <= weight <= most:
        return f"Give a number from 0 to {most:g}, such as {most / 2:g}."
    return None


def why_not_statement(text: str) -> str | None:
    """Against a statement."""
    if len(text) > LONGEST_STATEMENT:
        over = len(text) - LONGEST_STATEMENT
        return (
            f"The statement may have {LONGEST_STATEMENT:,} characters; this one has {len(text):,}. "
            f"Take out {over:,} and save again; nothing you typed is lost."
        )
    return None


def why_not_facet(values: Sequence[str]) -> str | None:
    """Against the wanted values of one facet."""
    if len(values) > MOST_FACET_VALUES:
        return f"You can ask for {MOST_FACET_VALUES} values; these are {len(values)}. Take out some."
    return None


def why_not_state(stated: Stated) -> str | None:
    """Against saving this: the first reason that any other rule of interests gives."""
    texts = [topic.text for topic in stated.topics]
    reasons = [
        *(why_not_topic(text, before=texts[:place]) for place, text in enumerate(texts)),
        *(why_not_weight(topic.weight) for topic in stated.topics),
        why_not_statement(stated.statement),
        *(why_not_facet(values) for values in stated.facets.values()),
        why_not_weight(stated.resume_weight, most=1),
    ]
    return next((reason for reason in reasons if reason), None)


def with_text(stated: Stated, text: str) -> Stated:
    """`stated` with `text`, unless it is there: as a topic or, where it is longer, at the end of the statement."""
    topic = one_line(text)
    is_short = len(topic.split()) <= MOST_WORDS and len(topic) <= LONGEST_TOPIC and "\n" not in text.strip()
    if topic and is_short:
        if topic_key(topic) in {topic_key(stated_topic.text) for stated_topic in stated.topics}:
            return stated
        if len(stated.topics) < MOST_TOPICS:
            return replace(stated, topics=(*stated.topics, Topic(topic)))
    passage = running_text(text)
    if passage in stated.statement:
        return stated
    return replace(stated, statement=f"{stated.statement}\n\n{passage}" if stated.statement else passage)


def value_in_words(facet: str, value: str) -> str:
    """A value as people write it: degrees are kept as codes."""
    return degree_name(value) if facet == "degree" else value


def with_facets_in_words(match: LabMatch) -> LabMatch:
    """The match with the values of its facets as people write them."""
    return replace(
        match,
        facets_met=tuple(map(_in_words, match.facets_met)),
        facets_missed=tuple(map(_in_words, match.facets_missed)),
    )


def _in_words(check: FacetCheck) -> FacetCheck:
    return replace(
        check,
        wanted=tuple(value_in_words(check.name, value) for value in check.wanted),
        lab_values=tuple(value_in_words(check.name, value) for value in check.lab_values),
    )


FACETS = ("degree", "hardware", "place", "start", "funding")
"""The facets an applicant may ask for; `portal.labs.lab_docs.facets_of` gives a lab's values by the same names."""


def interests_of(session: Session, user: User) -> Interests | None:
    """What an applicant has stated as stored now, if anything."""
    stated = select(Interests).where(Interests.user_id == user.id).options(selectinload(Interests.topics))
    return session.scalar(stated.execution_options(populate_existing=True))


def resume_of(session: Session, user: User) -> Resume | None:
    """An applicant's resume as stored now, confirmed or not."""
    return session.scalar(select(Resume).where(Resume.user_id == user.id).execution_options(populate_existing=True))


def stated_in(interests: Interests | None) -> Stated:
    """The row as a value; nothing stated where there is no row."""
    if interests is None:
        return Stated()
    return Stated(
        topics=tuple(Topic(topic.text, topic.weight) for topic in interests.topics),
        statement=interests.statement,
        education=interests.education,
        facets={name: tuple(values) for name, values in interests.facets.items()},
        discoverable=interests.discoverable,
        resume_weight=interests.resume_weight,
    )


def query_for(stated: Stated, resume: Resume | None) -> Query:
    """The matcher's query for what somebody states. A resume that is not confirmed is left out."""
    return Query(
        topics=stated.topics,
        statement=stated.statement,
        resume=resume.text if resume is not None and resume.confirmed_at is not None else "",
        resume_weight=stated.resume_weight,
        facets=stated.facets,
    )


def query_from(interests: Interests | None, resume: Resume | None) -> Query:
    """The same for rows."""
    return query_for(stated_in(interests), resume)


def query_of(session: Session, user: User) -> Query:
    """The matcher's query for an applicant, with the saved weights."""
    return query_from(interests_of(session, user), resume_of(session, user))


def asks_for_something(query: Query) -> bool:
    """Whether any part of a query can weigh anything."""
    return (
        any(topic.weight > 0 and topic.text for topic in query.topics)
        or bool(query.statement.strip())
        or (query.resume_weight > 0 and bool(query.resume.strip()))
    )


def facet_values(session: Session) -> dict[str, dict[str, int]]:
    """For each of `FACETS` the values that labs state, each with how many do: the most frequent first, then by name."""
    stated = select(Opening.lab_id, Opening.degree, Opening.start, Opening.funding).join(Lab).where(IS_LISTED)
    openings = session.execute(stated).all()
    labs = session.execute(select(Lab.id, Lab.place, Lab.hardware).where(IS_LISTED)).all()
    return {
        "degree": _by_frequency((row.lab_id, row.degree) for row in openings),
        "hardware": _by_frequency((row.id, value) for row in labs for value in row.hardware),
        "place": _by_frequency((row.id, row.place) for row in labs),
        "start": _by_frequency((row.lab_id, row.start) for row in openings),
        "funding": _by_frequency((row.lab_id, row.funding) for row in openings),
    }


def _by_frequency(stated: Iterable[tuple[int, str]]) -> dict[str, int]:
    """Values with the number of different labs that state them; pairs are (lab, value)."""
    counts = Counter(value for _lab, value in set(stated) if value)
    return {value: counts[value] for value in sorted(counts, key=lambda value: (-counts[value], value))}


class StaleInterests(Exception):
    """The interests were saved elsewhere since the form was opened. Nothing was written; `stored` is what is saved."""

    def __init__(self, stored: Interests) -> None:
        super().__init__(f"version {stored.version} was saved meanwhile")
        self.stored = stored


def save_interests(session: Session, user: User, stated: Stated, *, base: int, now: datetime) -> Interests:
    """Save what an applicant states; `base` is the version that the form was opened with. The same changes nothing.
    Raises `StaleInterests`: something else was saved since `base`; `Refusal`: a limit is not kept.
    """
    refuse_if(why_not_state(stated))
    lock_person(session, user)
    stored = interests_of(session, user) or _first_row(session, user, now)
    if stated == stated_in(stored):
        return stored
    if stored.version != base:
        raise StaleInterests(stored)
    stored.statement, stored.education = stated.statement, stated.education
    stored.facets = {name: list(values) for name, values in stated.facets.items()}
    stored.discoverable = stated.discoverable
    stored.resume_weight = stated.resume_weight
    stored.version = base + 1
    stored.changed_at = now
    _write_topics(stored, stated.topics)
    session.flush()
    return stored


def _first_row(session: Session, user: User, now: datetime) -> Interests:
    """A row with nothing stated, as version 0."""
    empty = Interests(
        user_id=user.id,
        statement="",
        education="",
        facets={},
        resume_weight=USUAL_RESUME_WEIGHT,
        discoverable=False,
        version=0,
        changed_at=now,
    )
    session.add(empty)
    session.flush()
    return empty


def _write_topics(stored: Interests, topics: tuple[Topic, ...]) -> None:
    """Write the topics, reusing rows by position: it is unique, and a moved row would collide with its neighbour."""
    for position, topic in enumerate(topics):
        if position < len(stored.topics):
            stored.topics[position].text = topic.text
            stored.topics[position].weight = topic.weight
        else:
            stored.topics.append(InterestTopic(position=position, text=topic.text, weight=topic.weight))
    del stored.topics[len(topics) :]
