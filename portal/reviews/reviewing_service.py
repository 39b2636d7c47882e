"""Writes how a lab reviews: blind review, and its own texts of the scorecard's anchors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal import audit
from portal.applications.interviews.news import leave_names_out
from portal.applications.locks import lock_lab
from portal.models import LabReviewing
from portal.models.review import CRITERIA
from portal.reviews.scorecards.rubric import LONGEST_ANCHOR, POINTS, QUESTIONS, five_texts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab, User

Anchors = dict[str, list[str]]


class AnchorsRefused(Exception):
    """A text is too long; the message names it. Nothing was written."""


class AnchorsChanged(Exception):
    """Somebody else saved the texts since the form was opened. Nothing was written."""


def reviewing_of(session: Session, lab: Lab) -> LabReviewing | None:
    """How a lab reviews, as stored now; None if nothing was set."""
    return session.scalar(
        select(LabReviewing).where(LabReviewing.lab_id == lab.id).execution_options(populate_existing=True)
    )


def set_blind_first(session: Session, lab: Lab, *, blind: bool, actor: User, now: datetime) -> bool:
    """Turn blind review on or off; False if unchanged.

    Side effects: locks the lab until the transaction ends; writes an audit entry; when turned on, removes names from
    calendars in unsent mails.
    """
    row = _locked_row(session, lab, now)
    if row.blind_first == blind:
        return False
    row.blind_first = blind
    if blind:
        leave_names_out(session, lab)
    _log(session, lab, actor, "lab.blind_first", {"blind_first": not blind}, {"blind_first": blind}, now)
    return True


def set_anchors(session: Session, lab: Lab, anchors: Anchors, *, seen: Anchors, actor: User, now: datetime) -> bool:
    """Set a lab's own texts; empty ones fall back to the defaults. False if unchanged.

    Raises:
        AnchorsRefused: A text is too long.
        AnchorsChanged: They differ from `seen`.
    """
    for key, texts in anchors.items():
        for points, text in zip(POINTS, texts, strict=True):
            if len(text) > LONGEST_ANCHOR:
                raise AnchorsRefused(
                    f"{QUESTIONS[key][0]}, {points}: keep it to {LONGEST_ANCHOR} characters; it has {len(text)}."
                )
    row = _locked_row(session, lab, now)
    current = own_anchors(row.anchors)
    if current == anchors:
        return False
    if current != seen:
        raise AnchorsChanged
    row.anchors = {key: texts for key, texts in anchors.items() if any(texts)}
    row.changed_at = now
    _log(session, lab, actor, "lab.anchors", current, row.anchors, now)
    return True


def own_anchors(stored: Mapping[str, object]) -> Anchors:
    """Five texts for each criterion, empty where the lab set none."""
    return {key: five_texts(stored.get(key)) for key in CRITERIA}


def _locked_row(session: Session, lab: Lab, now: datetime) -> LabReviewing:
    lock_lab(session, lab.id)
    row = reviewing_of(session, lab)
    if row is None:
        row = LabReviewing(lab_id=lab.id, blind_first=False, anchors={}, changed_at=now)
        session.add(row)
    row.changed_at = now
    return row


def _log(session: Session, lab: Lab, actor: User, act: str, before: object, after: object, now: datetime) -> None:
    audit.record(
        session, actor=actor, act=act, object_type="lab", object_key=lab.slug, now=now, before=before, after=after
    )
    session.flush()
