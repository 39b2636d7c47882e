"""How long a lab takes to reply: from when an application was found eligible to the first reply that went out.

A reply is an invitation to an interview or a decision that was released. What waits for its release counts as no
reply, so that no figure moves before an applicant can know why.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.models import Application, Choice, Cycle, MoveRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

ENOUGH_REPLIES = 5  # fewer would tell of single applicants
LAST_CYCLES = 2
SECONDS_PER_DAY = 86_400


def median_days(replies: Sequence[tuple[datetime, datetime]]) -> int | None:
    """The median of the days between the two moments of each pair, begun days counted whole; None for too few pairs."""
    days = [(replied - begun).total_seconds() / SECONDS_PER_DAY for begun, replied in replies if replied >= begun]
    return max(1, math.ceil(median(days))) if len(days) >= ENOUGH_REPLIES else None


def reply_days(session: Session, lab_id: int, now: datetime) -> int | None:
    """Within how many days half of the lab's applicants of the last two cycles had a reply; None if not known."""
    return reply_days_of_labs(session, now, [lab_id]).get(lab_id)


def reply_days_of_labs(session: Session, now: datetime, lab_ids: Sequence[int] | None = None) -> Mapping[int, int]:
    """`reply_days` of many labs at once, of all without `lab_ids`; labs of which it is not known are left out."""
    last = (
        select(Cycle.id)
        .where(Cycle.deadline_at <= now)
        .order_by(Cycle.deadline_at.desc(), Cycle.id.desc())
        .limit(LAST_CYCLES)
    )
    found_eligible = (
        select(MoveRecord.application_id, func.max(MoveRecord.at).label("at"))
        .where(MoveRecord.choice_id.is_(None), MoveRecord.move == "mark_eligible")
        .group_by(MoveRecord.application_id)
        .subquery()
    )
    rows = (
        select(Choice.lab_id, found_eligible.c.at, Choice.replied_at)
        .join(Application, Application.id == Choice.application_id)
        .join(found_eligible, found_eligible.c.application_id == Application.id)
        .where(Application.cycle_id.in_(last), Choice.replied_at <= now)
    )
    if lab_ids is not None:
        rows = rows.where(Choice.lab_id.in_(lab_ids))
    replies: dict[int, list[tuple[datetime, datetime]]] = {}
    for lab_id, begun, replied in session.execute(rows):
        if replied is not None:
            replies.setdefault(lab_id, []).append((begun, replied))
    medians = {lab_id: median_days(pairs) for lab_id, pairs in replies.items()}
    return {lab_id: days for lab_id, days in medians.items() if days is not None}
