"""What an applicant states, as one value, and its limits: each rule gives the reason against it, or None."""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from portal.applications.forms import one_line, running_text
from portal.labs.texts import degree_name
from portal.matching import Topic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
DEGREE = "degree"
_NUMBER = re.compile(r"[+-]?\d{1,6}(?:[.,]\d{0,6})?|[+-]?[.,]\d{1,6}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Stated:
    """Topics with weights, a statement, wanted facets (values by the name of the facet), and whether labs that
    the applicant does not share with may find them. `resume_weight` is how much the resume counts beside a topic of
    weight 1. Compares by value.
    """

    topics: tuple[Topic, ...] = ()
    statement: str = ""
    facets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    discoverable: bool = False
    resume_weight: float = USUAL_RESUME_WEIGHT


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
    """`stated` with `text` as one more topic or, where it is longer than topics are, at the end of the statement.

    What is stated already is not stated twice.
    """
    topic = as_topic(text)
    if topic:
        if topic_key(topic) in {topic_key(stated_topic.text) for stated_topic in stated.topics}:
            return stated
        if len(stated.topics) < MOST_TOPICS:
            return replace(stated, topics=(*stated.topics, Topic(topic)))
    return replace(stated, statement=with_passage(stated.statement, text))


def as_topic(text: str) -> str:
    """`text` as a topic; empty if it is longer than topics are."""
    topic = one_line(text)
    is_short = len(topic.split()) <= MOST_WORDS and len(topic) <= LONGEST_TOPIC and "\n" not in text.strip()
    return topic if is_short else ""


def with_passage(statement: str, text: str) -> str:
    """`statement` with `text` at its end, unless it contains the text already."""
    passage = running_text(text)
    if passage in statement:
        return statement
    return f"{statement}\n\n{passage}" if statement else passage


def value_in_words(facet: str, value: str) -> str:
    """A value as people write it: degrees are kept as codes."""
    return degree_name(value) if facet == DEGREE else value


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
