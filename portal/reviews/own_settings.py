"""What a lab sets for itself: whether it reviews blind, its seats in a cycle, its texts for messages to applicants."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, select

from portal import audit
from portal.applications.cycles import intake_of
from portal.applications.locks import lock_lab
from portal.applications.moves.service import LONGEST_MESSAGE
from portal.models import Application, Choice, LabIntake, LabReviewing, LabText
from portal.web.forms import whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab, User


def set_blind_first(session: Session, lab: Lab, *, blind: bool, actor: User, now: datetime) -> bool:
    """Turn blind review on or off; False if unchanged. Locks the lab; writes an audit entry."""
    lock_lab(session, lab.id)
    stored = session.get(LabReviewing, lab.id, populate_existing=True)
    row = stored or LabReviewing(lab_id=lab.id, blind_first=False)
    if row.blind_first == blind:
        return False
    row.blind_first, row.changed_at = blind, now
    session.add(row)
    _log(session, "lab.blind_first", lab, actor, now, {"blind_first": not blind}, {"blind_first": blind})
    session.flush()
    return True


MOST_SEATS = 1_000


class SeatsRefused(Exception):
    """What was sent is not a number of seats; the message says what is. Nothing was written."""


class Seats(NamedTuple):
    """Seats of a lab in a cycle; `staged` offers wait for release, `out` ones for an answer; `open` to applications."""

    seats: int | None
    staged: int
    out: int
    accepted: int
    open: bool

    @property
    def free(self) -> int | None:
        """How many offers can still be made; negative if there are more offers than seats."""
        return None if self.seats is None else self.seats - self.staged - self.out - self.accepted


def seats_of(session: Session, lab: Lab, cycle: Cycle) -> Seats:
    """The lab's seats in a cycle. Two statements."""
    intake = intake_of(session, lab, cycle)
    rows = session.execute(
        select(Choice.state, Choice.shown_state, func.count())
        .join(Application, Application.id == Choice.application_id)
        .where(Choice.lab_id == lab.id, Application.cycle_id == cycle.id, Choice.state.in_(("offered", "accepted")))
        .group_by(Choice.state, Choice.shown_state)
    ).all()
    return Seats(
        seats=intake.seats if intake else None,
        staged=sum(row[2] for row in rows if row[0] == "offered" and row[1] != "offered"),
        out=sum(row[2] for row in rows if row[0] == "offered" and row[1] == "offered"),
        accepted=sum(row[2] for row in rows if row[0] == "accepted"),
        open=intake.open if intake else True,
    )


def number_of_seats(text: str) -> int | None:
    """The number that was typed; None for an empty box. `SeatsRefused` if it is not from 0 to `MOST_SEATS`."""
    text = text.strip()
    if not text:
        return None
    seats = whole_number(text)
    if seats is None or seats > MOST_SEATS:
        raise SeatsRefused(f"Give the seats as a whole number from 0 to {MOST_SEATS:,}, or leave the box empty.")
    return seats


def set_intake(
    session: Session, lab: Lab, cycle: Cycle, *, seats: int | None, is_open: bool, actor: User, now: datetime
) -> bool:
    """Set a lab's seats in a cycle and whether it is open, with an audit entry; False if unchanged."""
    lock_lab(session, lab.id)
    intake = intake_of(session, lab, cycle)
    before = {"seats": intake.seats if intake else None, "open": intake.open if intake else True}
    after = {"seats": seats, "open": is_open}
    if before == after:
        return False
    if intake is None:
        intake = LabIntake(lab_id=lab.id, cycle_id=cycle.id)
        session.add(intake)
    intake.seats, intake.open = seats, is_open
    audit.record(
        session,
        actor=actor,
        act="lab.intake",
        object_type="lab in cycle",
        object_key=f"{lab.slug}/{cycle.slug}",
        now=now,
        before=before,
        after=after,
    )
    session.flush()
    return True


KINDS = {"decline": "Decline", "waitlist": "Waitlist", "offer": "Offer", "invitation": "Invitation to apply"}
"""By the name of the move, or invitations to apply, whose message a text is."""
LONGEST = dict.fromkeys(KINDS, LONGEST_MESSAGE) | {"invitation": 2_000}  # characters
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
    if long := next((kind for kind, text in texts.items() if len(text) > LONGEST[kind]), None):
        return f"Keep the text for “{KINDS[long]}” to {LONGEST[long]:,} characters."
    lock_lab(session, lab.id)
    before = texts_of(session, lab)
    changed = sorted(kind for kind in KINDS if texts.get(kind, "") != before[kind])
    for kind in changed:
        session.merge(LabText(lab_id=lab.id, kind=kind, text=texts.get(kind, "")))
    if changed:
        _log(session, "lab.texts", lab, actor, now, None, {"texts": changed})
    session.flush()
    return None


def _log(session: Session, act: str, lab: Lab, actor: User, now: datetime, before: object, after: object) -> None:
    audit.record(
        session, actor=actor, act=act, object_type="lab", object_key=lab.slug, now=now, before=before, after=after
    )
