"""A lab's own texts for messages to applicants, with place-holders that are filled in for each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal import audit
from portal.applications.locks import lock_lab
from portal.applications.moves.service import LONGEST_MESSAGE
from portal.models import LabText

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab, User

KINDS = {"decline": "Decline", "waitlist": "Waitlist", "offer": "Offer", "invitation": "Invitation to apply"}
"""By the name of the move, or invitations to apply, whose message a text is."""
PLACE_HOLDERS = ("{name}", "{lab}", "{cycle}")


def texts_of(session: Session, lab: Lab) -> dict[str, str]:
    """The lab's texts, by kind; empty where it has none."""
    rows = session.execute(select(LabText.kind, LabText.text).where(LabText.lab_id == lab.id))
    return dict.fromkeys(KINDS, "") | {row.kind: row.text for row in rows}


def filled(text: str, *, name: str, lab: str, cycle: str) -> str:
    """The text for one applicant."""
    for place_holder, value in zip(PLACE_HOLDERS, (name, lab, cycle), strict=True):
        text = text.replace(place_holder, value)
    return text


def save_texts(session: Session, lab: Lab, texts: Mapping[str, str], *, actor: User, now: datetime) -> str | None:
    """Save the lab's texts, with an audit entry if any changed; the reason against one if it is too long."""
    if long := next((KINDS[kind] for kind, text in texts.items() if len(text) > LONGEST_MESSAGE), None):
        return f"Keep the text for “{long}” to {LONGEST_MESSAGE:,} characters."
    lock_lab(session, lab.id)
    before = texts_of(session, lab)
    changed = sorted(kind for kind in KINDS if texts.get(kind, "") != before[kind])
    for kind in changed:
        session.merge(LabText(lab_id=lab.id, kind=kind, text=texts.get(kind, "")))
    if changed:
        after = {"texts": changed}
        audit.record(
            session, actor=actor, act="lab.texts", object_type="lab", object_key=lab.slug, now=now, after=after
        )
    session.flush()
    return None
