"""How long a lab takes to reply: from the application's eligibility to the first reply that was sent.

A reply is an invitation to an interview or a released decision. Decisions waiting for release do not count, so that no
figure changes before an applicant can know why.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select

from portal.db import columns
from portal.models import Application, Choice, Cycle

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from sqlalchemy.orm import Session

ENOUGH_REPLIES = 5  # fewer would reveal single applicants
LAST_CYCLES = 2
SECONDS_PER_DAY = 86_400


_LAST = (
    select(Cycle.id)
    .where(Cycle.deadline_at <= bindparam("now", type_=Cycle.deadline_at.type))
    .order_by(Cycle.deadline_at.desc(), Cycle.id.desc())
    .limit(LAST_CYCLES)
)
# The lab, when it could first read the application, when the reply was sent.
REPLIES = (
    select(Choice.lab_id, Choice.listed_since, Choice.replied_at)
    .join(Application, Application.id == Choice.application_id)
    .where(Application.cycle_id.in_(_LAST), Choice.replied_at <= bindparam("now"))
)
REPLIES_OF_LABS = REPLIES.where(Choice.lab_id.in_(bindparam("labs", expanding=True)))
REPLIES_OF_LAB = REPLIES.where(Choice.lab_id == bindparam("lab"))


def median_days(replies: Sequence[tuple[datetime, datetime]]) -> int | None:
    """The median number of days, rounded up, between the moments of each pair; None for too few pairs."""
    days = [(replied - begun).total_seconds() / SECONDS_PER_DAY for begun, replied in replies if replied >= begun]
    return max(1, math.ceil(median(days))) if len(days) >= ENOUGH_REPLIES else None


def reply_days(session: Session, lab_id: int, now: datetime) -> int | None:
    """Within how many days half of the applicants of the last two cycles had a reply; None if unknown."""
    return _days(columns(session, REPLIES_OF_LAB, {"now": now, "lab": lab_id})).get(lab_id)


def reply_days_of_labs(session: Session, now: datetime, lab_ids: Sequence[int] | None = None) -> Mapping[int, int]:
    """`reply_days` of many labs at once, or of all if `lab_ids` is None; labs without a figure are omitted."""
    statement, values = (REPLIES, {}) if lab_ids is None else (REPLIES_OF_LABS, {"labs": lab_ids})
    return _days(columns(session, statement, {"now": now, **values}))


def _days(rows: Iterable[Any]) -> dict[int, int]:
    replies: dict[int, list[tuple[datetime, datetime]]] = {}
    for lab_id, begun, replied in rows:
        if begun is not None and replied is not None:
            replies.setdefault(lab_id, []).append((begun, replied))
    medians = {lab_id: median_days(pairs) for lab_id, pairs in replies.items()}
    return {lab_id: days for lab_id, days in medians.items() if days is not None}
