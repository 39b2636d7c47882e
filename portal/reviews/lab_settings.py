"""How a lab reviews, for its leader: blind review, seats, whether it takes applications."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.applications.cycles import cycles
from portal.applications.forms import running_text
from portal.db import db
from portal.models import Choice
from portal.reviews.access import chosen_cycle, lab_i_lead
from portal.reviews.assigning import open_choices
from portal.reviews.blind_review import is_blind, shown_as
from portal.reviews.own_settings import (
    KINDS,
    MOST_SEATS,
    SeatsRefused,
    filled,
    number_of_seats,
    save_texts,
    seats_of,
    set_blind_first,
    set_intake,
    texts_of,
)
from portal.reviews.rules import why_not_change
from portal.web.access import actor, ensure, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.models import Lab


UNPROCESSABLE = 422


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
    cycle = or_404(
        next((candidate for candidate in cycles(db.session()) if candidate.slug == request.form.get("cycle", "")), None)
    )
    ensure(why_not_change(cycle))
    sent = request.form.get("seats", "")
    is_open = request.form.get("open") == "yes"
    try:
        seats = number_of_seats(sent)
    except SeatsRefused as refused:
        return _page(lab, {"reason": str(refused), "cycle": cycle.slug, "seats": sent, "open": is_open}), UNPROCESSABLE
    changed = set_intake(db.session(), lab, cycle, seats=seats, is_open=is_open, actor=actor(), now=datetime.now(UTC))
    flash_message(f"Saved for {cycle.name}." if changed else f"It was so already in {cycle.name}.")
    return redirect(url_for("reviews.settings", slug=slug, _anchor="intake"))


def save_messages(slug: str) -> ResponseReturnValue:
    """Save the lab's texts for messages."""
    lab = lab_i_lead(slug)
    sent = {kind: running_text(request.form.get(kind, "")).strip() for kind in KINDS}
    reason = save_texts(db.session(), lab, sent, actor=actor(), now=datetime.now(UTC))
    if reason:
        return _page(lab, sent=sent, reason=reason), UNPROCESSABLE
    flash_message("Your texts are saved.")
    return redirect(url_for("reviews.settings", slug=slug, _anchor="messages"))


def _page(
    lab: Lab, not_saved: dict[str, str | bool] | None = None, sent: dict[str, str] | None = None, reason: str = ""
) -> str:
    session, texts, cycle = db.session(), sent or texts_of(db.session(), lab), chosen_cycle(lab)
    ids = open_choices(session, lab, cycle)[:1] if cycle else ()
    shown = shown_as(session, lab, actor(), [session.get_one(Choice, number) for number in ids])
    example = next((one.label for one in shown.values()), "Ada Example")
    open_cycles = [cycle for cycle in cycles(session) if cycle.closed_at is None]
    return render_template(
        "reviews/settings.html",
        lab=lab,
        blind=is_blind(session, lab),
        not_saved=not_saved,
        now=datetime.now(UTC),
        intake=[(cycle, seats_of(session, lab, cycle)) for cycle in open_cycles],
        most_seats=MOST_SEATS,
        kinds=KINDS,
        texts=texts,
        reason=reason,
        example=example,
        examples={
            kind: filled(text, name=example, lab=lab.name, cycle=cycle.name if cycle else "this cycle")
            for kind, text in texts.items()
        },
    )
