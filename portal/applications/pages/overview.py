"""/me/: what is stated so far, the status of the application, and the next step."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import render_template

from portal.applications.cycles import applications_of, next_to_open, open_cycles, zone_of
from portal.applications.drafting.invitations import open_invitations
from portal.applications.queries import interests_of, resume_of, share_count, stated_in
from portal.applications.status.standing import standing_of
from portal.applications.steps import application_step, next_step, steps_of
from portal.db import db
from portal.moments import format_in_zone
from portal.web.access import actor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import Cycle


def overview() -> ResponseReturnValue:
    """The steps, done and open; what waits for an answer comes first."""
    session, user, now = db.session(), actor(), datetime.now(UTC)
    *needed, sharing = steps_of(
        stated_in(interests_of(session, user)), resume_of(session, user), share_count(session, user)
    )
    standings = [
        (application, standing_of(session, application, now)) for application in applications_of(session, user)
    ]
    newest = standings[0] if standings else (None, None)
    cycles = open_cycles(session, now)
    when_open = "" if standings else _when_open(session, cycles, now)
    apply_step = application_step(newest[0], newest[1], when_open, cycles)
    # Whoever cannot apply yet can share meanwhile.
    to_do = [*needed, apply_step] if standings or cycles else [*needed, sharing]
    applied_in = {application.cycle_id for application, _ in standings}
    waiting = [(application, standing) for application, standing in standings if standing.act]
    return render_template(
        "applications/overview.html",
        steps=[*needed, apply_step, sharing],
        applied=newest[0] if apply_step.done else None,
        applying=apply_step,
        standing=newest[1],
        others=[entry for entry in standings[1:] if entry not in waiting],
        # Where nothing is under way any more, one may begin anew elsewhere.
        again=[]
        if any(standing.whose for _, standing in standings)
        else [cycle for cycle in cycles if cycle.id not in applied_in],
        next_step=next_step(to_do),
        waiting=waiting,
        invitations=open_invitations(session, user),
        zone=zone_of([application for application, _ in standings], cycles),
        display_name=user.display_name,
    )


def _when_open(session: Session, cycles: Sequence[Cycle], now: datetime) -> str:
    """Until when one can apply in the open cycle with the nearest deadline, or when the next one opens."""
    if cycles:
        until = format_in_zone(cycles[0].deadline_at, cycles[0].zone)
        return f"{cycles[0].name} is open until {until}: choose labs, put them in order, say why, and submit."
    cycle = next_to_open(session, now)
    if cycle is None:
        return "No cycle is open, and none is announced yet."
    return f"No cycle is open now. {cycle.name} opens on {format_in_zone(cycle.opens_at, cycle.zone)}."
