"""/me/: what is stated so far, the status of the application, and the next step."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import render_template

from portal.applications.application.invitations import open_invitations
from portal.applications.cycles import applications_of, next_to_open, open_cycles, zone_of
from portal.applications.interests.service import interests_of, resume_of, stated_in
from portal.applications.sharing import share_count
from portal.applications.status import standing_of
from portal.db import db
from portal.moments import format_in_zone
from portal.web.access import actor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.applications.interests.rules import Stated
    from portal.applications.status import Standing
    from portal.models import Application, Cycle, Resume


ADD_RESUME = "Add your resume"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its subject, what to do, whether it is done, what there is so far, where to do it, its link's words.

    `values` are those of the address. An optional step is one that an application does not need.
    """

    subject: str
    title: str
    done: bool
    so_far: str
    endpoint: str
    action: str
    values: Mapping[str, str] = field(default_factory=dict)
    is_optional: bool = False


def steps_of(stated: Stated, resume: Resume | None, shares: int) -> list[Step]:
    """The steps beside an application, in the order one usually takes them: those it needs, then sharing."""
    return [_interests(stated), _resume(resume), _sharing(shares)]


def application_step(
    application: Application | None, standing: Standing | None, when_open: str, cycles: Sequence[Cycle]
) -> Step:
    """The step of applying: the newest application and how it stands or, without one, when one can apply.

    `cycles` are the open ones. Where there is only one, the step leads straight to its form.
    """
    subject, title = "Application", "Apply to the labs you choose"
    if application is None or standing is None:
        if len(cycles) == 1:
            values = {"cycle": cycles[0].slug}
            return Step(subject, title, False, when_open, "applications.application", "Start your application", values)
        return Step(subject, title, False, when_open, "applications.applications", "See the cycles")
    so_far = f"{application.cycle.name}: {standing.label.lower()}. {standing.next}"
    done = application.state != "draft" or application.submissions > 0
    return Step(subject, title, done, so_far, "applications.applications", standing.act or "See where it stands")


def next_step(steps: Sequence[Step]) -> Step | None:
    """The first step that is not done; None when all are."""
    return next((step for step in steps if not step.done), None)


def _interests(stated: Stated) -> Step:
    topics = len(stated.topics)
    parts = [f"{topics} {'topic' if topics == 1 else 'topics'}"] if topics else []
    if stated.statement:
        parts.append(f"a statement of {len(stated.statement):,} characters")
    return Step(
        subject="Interests",
        title="Say what you want to work on",
        done=bool(parts),
        so_far=f"You stated {' and '.join(parts)}." if parts else "Nothing is stated yet.",
        endpoint="applications.interests",
        action="Change your interests" if parts else "State your interests",
    )


def _resume(resume: Resume | None) -> Step:
    if resume is None:
        so_far = "None yet. Matching works without one, but is more precise with one."
        return Step("Resume", ADD_RESUME, False, so_far, "applications.resume", "Add a resume")
    source = resume.filename or "the text you pasted"
    if resume.confirmed_at is None:
        so_far = f"We read {source}. It counts once you have looked at the text and confirmed it."
        check = "Check the text of your resume"
        return Step("Resume", check, False, so_far, "applications.resume_text", check)
    so_far = f"You confirmed what was read from {resume.filename}." if resume.filename else "You confirmed its text."
    return Step("Resume", ADD_RESUME, True, so_far, "applications.resume_text", "See your resume")


def _sharing(shares: int) -> Step:
    subject, title = "Labs you share with", "Share your interests with labs you like"
    if not shares:
        so_far = (
            "You do not share with any lab yet. The professors of a lab you share with can read your interests and "
            "your confirmed resume. It is not an application, and you can stop at any time."
        )
        return Step(subject, title, False, so_far, "applications.matches", "See which labs match", is_optional=True)
    readers = "1 lab: its" if shares == 1 else f"{shares} labs: their"
    so_far = f"You share with {readers} professors can read your interests and your confirmed resume."
    return Step(subject, title, True, so_far, "applications.labs", "See the labs you share with")


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
