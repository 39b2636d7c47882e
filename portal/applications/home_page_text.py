"""Adding a text from the home page to what an applicant states."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from portal.applications.rules import LONGEST_TOPIC, MOST_TOPICS
from portal.applications.stated import one_line, running_text, topic_key
from portal.matching import Topic

if TYPE_CHECKING:
    from portal.applications.stated import Stated

MOST_WORDS = 12
"""What has more words is a statement rather than a topic."""


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
