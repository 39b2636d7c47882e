"""How a lab reviews, as its leader sets it: blind review, seats and applications in a cycle, texts for messages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from flask import redirect, render_template, request, url_for
from sqlalchemy import func, select

from portal import audit
from portal.applications.cycles import cycle_by_slug, cycles, intake_of, why_closed
from portal.applications.forms import running_text
from portal.applications.locks import Refusal, lock_lab
from portal.applications.moves.service import LONGEST_MESSAGE
from portal.db import db
from portal.models import Application, Choice, LabIntake, LabReviewing, LabText
from portal.reviews.access import chosen_cycle, lab_i_lead
from portal.reviews.blind_review import is_blind
from portal.web.access import actor, ensure, or_404
from portal.web.forms import whole_number
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask.typing import ResponseReturnValue
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
    """The number that was typed; None for an empty box. `Refusal` if it is not from 0 to `MOST_SEATS`."""
    text = text.strip()
    if not text:
        return None
    seats = whole_number(text)
    if seats is None or seats > MOST_SEATS:
        raise Refusal(f"Give the seats as a whole number from 0 to {MOST_SEATS:,}, or leave the box empty.")
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
    key = f"{lab.slug}/{cycle.slug}"
    audit.record(session, actor, "lab.intake", "lab in cycle", key, now, before=before, after=after)
    session.flush()
    return True


KINDS = {"decline": "Decline", "waitlist": "Waitlist", "offer": "Offer", "invitation": "Invitation to apply"}
"""By the name of the move, or invitations to apply, whose message a text is."""
LONGEST = dict.fromkeys(KINDS, LONGEST_MESSAGE) | {"invitation": 2_000}  # characters
EXAMPLE = "Ada Example"


def texts_of(session: Session, lab: Lab) -> dict[str, str]:
    """The lab's texts, by kind; empty where it has none."""
    rows = session.execute(select(LabText.kind, LabText.text).where(LabText.lab_id == lab.id))
    return dict.fromkeys(KINDS, "") | {row.kind: row.text for row in rows}


def filled(text: str, *, name: str, lab: str, cycle: str) -> str:
    """The text for one applicant."""
    for place_holder, value in zip(("{name}", "{lab}", "{cycle}"), (name, lab, cycle), strict=True):
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
    audit.record(session, actor, act, "lab", lab.slug, now, before=before, after=after)


def settings(slug: str) -> str:
    """How the lab reviews."""
    return _page(lab_i_lead(slug))


def set_blind(slug: str) -> ResponseReturnValue:
    """Turn blind review on, or off with the reader's confirmation: all readers then see names."""
    lab = lab_i_lead(slug)
    blind = request.form.get("blind") == "on"
    if not blind and request.form.get("sure") != "yes":
        return redirect(url_for("reviews.settings", slug=slug))
    changed = set_blind_first(db.session(), lab, blind=blind, actor=actor(), now=datetime.now(UTC))
    if changed:
        flash_message(
            f"From now on {'your lab reviews blind first' if blind else 'everybody who reads for your lab sees names'}."
        )
    return redirect(url_for("reviews.settings", slug=slug))


def save_intake(slug: str) -> ResponseReturnValue:
    """Save the seats in a cycle, and whether the lab accepts applications in it."""
    lab = lab_i_lead(slug)
    cycle = or_404(cycle_by_slug(db.session(), request.form.get("cycle", "")))
    ensure(why_closed(cycle))
    sent = request.form.get("seats", "")
    is_open = request.form.get("open") == "yes"
    try:
        seats = number_of_seats(sent)
    except Refusal as refused:
        return _page(lab, {"reason": str(refused), "cycle": cycle.slug, "seats": sent, "open": is_open}), 422
    changed = set_intake(db.session(), lab, cycle, seats=seats, is_open=is_open, actor=actor(), now=datetime.now(UTC))
    flash_message(f"Saved for {cycle.name}." if changed else f"It was so already in {cycle.name}.")
    return redirect(url_for("reviews.settings", slug=slug, _anchor="intake"))


def save_messages(slug: str) -> ResponseReturnValue:
    """Save the lab's texts for messages."""
    lab = lab_i_lead(slug)
    sent = {kind: running_text(request.form.get(kind, "")).strip() for kind in KINDS}
    reason = save_texts(db.session(), lab, sent, actor=actor(), now=datetime.now(UTC))
    if reason:
        return _page(lab, sent=sent, reason=reason), 422
    flash_message("Your texts are saved.")
    return redirect(url_for("reviews.settings", slug=slug, _anchor="messages"))


def _page(
    lab: Lab, not_saved: dict[str, str | bool] | None = None, sent: dict[str, str] | None = None, reason: str = ""
) -> str:
    session, texts, cycle = db.session(), sent or texts_of(db.session(), lab), chosen_cycle(lab)
    open_cycles = [cycle for cycle in cycles(session) if cycle.closed_at is None]
    return render_template(
        "reviews/settings.html",
        lab=lab,
        blind=is_blind(session, lab),
        not_saved=not_saved,
        now=datetime.now(UTC),
        intake=[(cycle, seats_of(session, lab, cycle)) for cycle in open_cycles],
        kinds=KINDS,
        texts=texts,
        reason=reason,
        examples={
            kind: filled(text, name=EXAMPLE, lab=lab.name, cycle=cycle.name if cycle else "this cycle")
            for kind, text in texts.items()
        },
    )
