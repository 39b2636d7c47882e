"""What an applicant may do: each rule gives the reason against it, or None."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from portal.applications.stated import topic_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.applications.stated import Stated
    from portal.models import Lab

MOST_TOPICS = 12
LONGEST_TOPIC = 200  # characters
HEAVIEST_TOPIC = 5.0
LONGEST_STATEMENT = 4_000  # characters
MOST_SHARES = 30  # labs
MOST_FACET_VALUES = 50  # of one facet


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


def why_not_share_with(lab: Lab) -> str | None:
    """Against sharing with an archived lab: nobody finds anybody for it."""
    return None if lab.archived_at is None else f"{lab.name} is not listed any more, so you cannot share with it."


def why_not_share(shares: int) -> str | None:
    """Against sharing with one more lab."""
    if shares >= MOST_SHARES:
        return f"You share with {shares} labs, the most there can be. Stop sharing with one of them first."
    return None
