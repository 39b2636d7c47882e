"""The values of a cycle's form, and their conversion: dates in the cycle's own zone, one question per line."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from portal.moments import ANYWHERE_ON_EARTH
from portal.reviews.scorecards.rules import own_anchors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.models import Cycle
    from portal.reviews.scorecards.rules import Anchors

REQUIRED = "*"
USUAL_CHOICES = 5
USUAL_REFEREES = 2
USUAL_RETENTION = 730  # days


@dataclass(frozen=True, slots=True)
class CycleValues:
    """The values of a cycle that an administrator sets. Moments are aware; `questions` are as in `Cycle.questions`.

    `rubric` holds the criteria for which the cycle has its own texts, five each; an empty one means the usual text.
    """

    name: str
    zone: str
    opens_at: datetime
    deadline_at: datetime
    reply_by_at: datetime
    most_choices: int
    referees: int
    retention_days: int
    about: str
    questions: tuple[dict[str, Any], ...]
    rubric: Anchors


def values_of(cycle: Cycle) -> CycleValues:
    """The current values of a cycle."""
    return CycleValues(
        cycle.name,
        cycle.zone,
        cycle.opens_at,
        cycle.deadline_at,
        cycle.reply_by_at,
        cycle.most_choices,
        cycle.referees,
        cycle.retention_days,
        cycle.about,
        tuple(cycle.questions),
        set_anchors_only(own_anchors(cycle.rubric)),
    )


def next_values(last: Cycle | None, now: datetime) -> CycleValues:
    """Initial values of a new cycle: those of the last one a year later, or usual ones. The name is empty.

    The usual ones begin tomorrow, and their days end at 23:59: a deadline at 0:00 is taken for the midnight after it.
    """
    if last is None:
        day = now.astimezone(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
        return CycleValues(
            "",
            ANYWHERE_ON_EARTH,
            day + timedelta(days=1),
            day + timedelta(days=61, minutes=-1),
            day + timedelta(days=151, minutes=-1),
            USUAL_CHOICES,
            USUAL_REFEREES,
            USUAL_RETENTION,
            "",
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
        values.about,
        values.questions,
        values.rubric,
    )


def set_anchors_only(anchors: Anchors) -> Anchors:
    """The criteria that have at least one text."""
    return {key: texts for key, texts in anchors.items() if any(texts)}


def in_zone(local: datetime, zone: str) -> datetime:
    """The moment at which clocks in `zone` show `local`, in UTC."""
    return local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def local_time(moment: datetime, zone: str) -> datetime:
    """The local time in `zone` at that moment, without the zone."""
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def questions_as_text(questions: Sequence[dict[str, Any]]) -> str:
    """One question per line; a star at the end says that it must be answered."""
    return "\n".join(
        f"{question['text']}{' ' + REQUIRED if question.get('required') else ''}" for question in questions
    )


def questions_from_text(
    text: str, before: Sequence[dict[str, Any]] = (), *, are_reworded: bool = False
) -> tuple[dict[str, Any], ...]:
    """The questions in a text. One whose words are among those of `before` keeps its key, and so its answers.

    If `are_reworded`, those with new words are those of `before` that are missing, in the same order, and keep their
    keys, too: as many as there are.
    """
    lines: dict[str, bool] = {}
    for line in text.splitlines():
        question_text = " ".join(line.split())
        required = question_text.endswith(REQUIRED)
        question_text = question_text.rstrip(REQUIRED).strip()
        if question_text:
            lines.setdefault(question_text, required)
    keys = {question["text"]: question["key"] for question in before}
    new = [question_text for question_text in lines if question_text not in keys]
    missing = [question_text for question_text in keys if question_text not in lines]
    if are_reworded and len(new) == len(missing):
        keys |= dict(zip(new, [keys[question_text] for question_text in missing], strict=True))
    taken = {question["key"] for question in before}
    return tuple(
        {"key": keys.get(question_text) or _new_key(question_text, taken), "text": question_text, "required": required}
        for question_text, required in lines.items()
    )


def _new_key(question_text: str, taken: set[str]) -> str:
    """A key made from the words, other than those taken: a question that had these words may have others now."""
    candidates = (question_text + "*" * times for times in itertools.count())
    digests = ("q" + hashlib.sha256(candidate.encode()).hexdigest()[:10] for candidate in candidates)
    return next(digest for digest in digests if digest not in taken)


def _year_later(moment: datetime, zone: str) -> datetime:
    local = local_time(moment, zone)
    try:
        later = local.replace(year=local.year + 1)
    except ValueError:  # 29 February
        later = local.replace(year=local.year + 1, day=28)
    return in_zone(later, zone)
