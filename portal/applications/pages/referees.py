"""/me/application/<cycle>/referees: name, ask, remind and remove them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.applications.cycles import application_of, cycle_by_slug
from portal.applications.drafting.service import start_application
from portal.applications.moves.service import MoveRefused
from portal.applications.referees import rules
from portal.applications.referees import service as referees
from portal.applications.referees.forms import RefereeForm
from portal.applications.referees.queries import referee_of, referees_of
from portal.db import db
from portal.web.access import actor, or_404
from portal.web.messages import flash_message
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from portal.models import Application, Cycle, Referee

UNPROCESSABLE = 422
CONFLICT = 409


@dataclass(frozen=True, slots=True)
class RefereeRow:
    """A referee as their applicant sees them: without whether they opened the link, and without the letter."""

    referee: Referee
    state: str
    since: datetime | None
    why_not_ask: str | None
    why_not_remind: str | None
    why_not_remove: str | None


def referees_page(cycle: str) -> ResponseReturnValue:
    """The named referees and the state of each; a sent form names one more and, if it says so, asks them."""
    row = or_404(cycle_by_slug(db.session(), cycle))
    form = RefereeForm()
    if not form.is_submitted():
        return _page(row, form)
    if not form.validate():
        return _page(row, form), UNPROCESSABLE
    session, now = db.session(), datetime.now(UTC)
    try:
        application = start_application(session, actor(), row, now=now)
        referee = referees.name_referee(
            session, application, form.name.data, form.address, form.relation.data or "", now=now
        )
    except MoveRefused as refusal:
        session.rollback()
        form.add_refusal(refusal)
        return _page(row, form), UNPROCESSABLE
    if request.form.get("then") == "ask":
        _ask_at_once(referee, now)
    else:
        flash_message(f"{referee.name} is on your list. Ask them when you are ready; nothing was sent yet.")
    return _back(row)


def _ask_at_once(referee: Referee, now: datetime) -> None:
    """Ask somebody who was named just now; where that is refused, they stay on the list."""
    try:
        if referees.ask(db.session(), referee, actor=actor(), now=now):
            flash_message(
                f"{referee.name} is on your list, and a mail with a link of their own goes to {referee.email}."
            )
        else:
            flash_message(
                f"{referee.name} was asked already and has a link of their own. No second mail was sent.", "info"
            )
    except MoveRefused as refusal:
        flash_message(f"{referee.name} is on your list, but was not asked. {refusal}", "warn")


def act_on_referee(cycle: str, referee_id: int, act: str) -> ResponseReturnValue:
    """Ask, remind or remove one."""
    row = or_404(cycle_by_slug(db.session(), cycle))
    referee = or_404(referee_of(db.session(), or_404(_mine(row)), referee_id))
    if referee.revoked_at is not None:
        return _back(row)
    session, user, now, name = db.session(), actor(), datetime.now(UTC), referee.name
    try:
        if act == "ask":
            if referees.ask(session, referee, actor=user, now=now):
                flash_message(f"{name} gets a mail with a link of their own.")
            else:
                flash_message(f"{name} was asked already and has a link of their own. No second mail was sent.", "info")
        elif act == "remind":
            if referees.remind(session, referee, actor=user, now=now):
                flash_message(f"{name} gets a reminder with a new link; the old one no longer works.")
            else:
                explanation = rules.why_not_remind(referee, now) or ""
                flash_message(f"{name} was reminded already. No second mail was sent. {explanation}".rstrip(), "info")
        else:
            referees.remove(session, referee, actor=user, now=now)
            flash_message(f"{name} is not on your list any more.")
    except MoveRefused as refusal:
        session.rollback()
        return _page(row, RefereeForm(formdata=None), str(refusal)), CONFLICT
    return _back(row)


def _mine(cycle: Cycle) -> Application | None:
    return application_of(db.session(), actor(), cycle)


def _back(cycle: Cycle) -> ResponseReturnValue:
    return redirect(url_for("applications.referees", cycle=cycle.slug))


def _page(cycle: Cycle, form: RefereeForm, refusal: str = "") -> str:
    application, now = _mine(cycle), datetime.now(UTC)
    rows = _rows(referees_of(db.session(), application), now) if application else []
    against = rules.why_not_change(application, now) if application else None
    return render_template(
        "applications/referees.html",
        cycle=cycle,
        person=actor(),
        rows=rows,
        form=form,
        refusal=refusal,
        against=against,
        so_far=_so_far(rows),
        most=rules.MOST_REFEREES,
        until=rules.letters_until(cycle),
        remind_days=rules.REMIND_EVERY.days,
    )


def _rows(named: Sequence[Referee], now: datetime) -> list[RefereeRow]:
    return [
        RefereeRow(
            referee,
            *_state(referee),
            why_not_ask=rules.why_not_ask(referee, now),
            why_not_remind=rules.why_not_remind(referee, now),
            why_not_remove=rules.why_not_remove(referee),
        )
        for referee in named
    ]


def _so_far(rows: Sequence[RefereeRow]) -> str:
    """How many letters have arrived and how many people were asked, in words that end a sentence."""
    received, waiting = (sum(row.state == state for row in rows) for state in ("received", "asked"))
    if not received:
        return f"{counted(waiting, 'person has', 'people have') if waiting else 'nobody has'} been asked so far"
    arrived = f"{received} {'has' if received == 1 else 'have'} arrived"
    more = f", and {counted(waiting, 'more person has', 'more people have')} been asked" if waiting else ""
    return arrived + more


def _state(referee: Referee) -> tuple[str, datetime | None]:
    if referee.received_at is not None:
        return "received", referee.received_at
    if referee.declined_at is not None:
        return "declined", referee.declined_at
    if referee.token_hash is not None:
        return "asked", referee.invited_at
    return "named", None
