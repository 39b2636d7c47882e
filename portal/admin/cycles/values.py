"""A cycle as its form holds it: dates in the cycle's own zone, one question a line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from portal.moments import ANYWHERE_ON_EARTH
from portal.reviews.reviewing_service import own_anchors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.models import Cycle
    from portal.reviews.reviewing_service import Anchors

REQUIRED = "*"
USUAL_CHOICES = 5
USUAL_REFEREES = 2
USUAL_RETENTION = 730  # days


@dataclass(frozen=True, slots=True)
class CycleValues:
    """What an administrator sets of a cycle. Moments are aware; `questions` are items as `Cycle.questions` has them.

    `rubric` has the criteria with texts of the cycle's own, five each; the usual text stands where one is empty.
    """

    name: str
    zone: str
    opens_at: datetime
    deadline_at: datetime
    reply_by_at: datetime
    most_choices: int
    referees: int
    retention_days: int
    questions: tuple[dict[str, Any], ...]
    rubric: Anchors


def values_of(cycle: Cycle) -> CycleValues:
    """What is set of a cycle now."""
    return CycleValues(
        cycle.name,
        cycle.zone,
        cycle.opens_at,
        cycle.deadline_at,
        cycle.reply_by_at,
        cycle.most_choices,
        cycle.referees,
        cycle.retention_days,
        tuple(cycle.questions),
        set_anchors_only(own_anchors(cycle.rubric)),
    )


def next_values(last: Cycle | None, now: datetime) -> CycleValues:
    """What a new cycle begins with: the last one a year later, or usual values. The name is left to say."""
    if last is None:
        day = now.astimezone(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
        return CycleValues(
            "",
            ANYWHERE_ON_EARTH,
            day,
            day + timedelta(days=60),
            day + timedelta(days=150),
            USUAL_CHOICES,
            USUAL_REFEREES,
            USUAL_RETENTION,
            (),
            {},
        )
    values = values_of(last)
    return CycleValues(
        "",
        values.zone,
        _year_later(values.opens_at, values.zone),
        _year_later(values.deadline_at, values.zone),
        _year_later(values.reply_by_at, values.zone),
        values.most_choices,
        values.referees,
        values.retention_days,
        values.questions,
        values.rubric,
    )


def set_anchors_only(anchors: Anchors) -> Anchors:
    """The criteria that have a text of their own."""
    return {key: texts for key, texts in anchors.items() if any(texts)}


def in_zone(local: datetime, zone: str) -> datetime:
    """The moment that a clock on the wall in `zone` shows `local`."""
    return local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def on_the_wall(moment: datetime, zone: str) -> datetime:
    """What a clock on the wall in `zone` shows at that moment, without the zone."""
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def questions_as_text(questions: Sequence[dict[str, Any]]) -> str:
    """One question a line; a star at the end says that it must be answered."""
    return "\n".join(
        f"{question['text']}{' ' + REQUIRED if question.get('required') else ''}" for question in questions
    )


def questions_from_text(text: str, before: Sequence[dict[str, Any]] = ()) -> tuple[dict[str, Any], ...]:
    """The questions in a text. One that was asked before under the same words keeps its key, and so its answers."""
    keys = {one["text"]: one["key"] for one in before}
    questions: dict[str, dict[str, Any]] = {}
    for line in text.splitlines():
        words = " ".join(line.split())
        required = words.endswith(REQUIRED)
        words = words.rstrip(REQUIRED).strip()
        if not words:
            continue
        key = keys.get(words) or "q" + hashlib.sha256(words.encode()).hexdigest()[:10]
        questions.setdefault(key, {"key": key, "text": words, "required": required})
    return tuple(questions.values())


def _year_later(moment: datetime, zone: str) -> datetime:
    wall = on_the_wall(moment, zone)
    try:
        later = wall.replace(year=wall.year + 1)
    except ValueError:  # 29 February
        later = wall.replace(year=wall.year + 1, day=28)
    return in_zone(later, zone)
