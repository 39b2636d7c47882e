"""Why an application cannot be saved as it is: a reason, or None. A draft may be incomplete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.cycles import takes_no_applications
from portal.models import Choice, Lab
from portal.moments import format_in_zone

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.content.choosing import Draft
    from portal.models import Application, Cycle

LONGEST_REASON = 2_000  # characters
LONGEST_ANSWER = 4_000  # characters, unless the question says otherwise
IF_KEPT_FROM_IT = "If something on our side kept you from it, write to the administrators."
IF_IT_SHOULD = "If you were told that it takes some, ask the administrators."


def why_not_save(application: Application, now: datetime, *, choices_change: bool) -> str | None:
    """Why it cannot be saved at all: applications are edited as drafts until the deadline, or completed when asked
    to.
    """
    cycle = application.cycle
    if cycle.closed_at is not None:
        return f"{cycle.name} is closed."
    if application.state == "incomplete":
        if choices_change and now >= cycle.deadline_at:
            return "The deadline has passed: the labs and the reasons stay as they are. Add what is missing."
        return None
    if application.state != "draft":
        return "This application is not a draft. Open it for editing first, if the deadline allows."
    if now >= cycle.deadline_at:
        passed_on = format_in_zone(cycle.deadline_at, cycle.zone)
        return f"The deadline of {cycle.name} passed on {passed_on}. {IF_KEPT_FROM_IT}"
    return None


def why_not_draft(session: Session, cycle: Cycle, draft: Draft, stored: Draft) -> str | None:
    """The first reason why a draft with this content is refused. A lab that is `stored` already and takes no
    applications any more keeps nobody from saving the rest; submitting is refused (`labs_open`).
    """
    lab_ids = [lab.lab_id for lab in draft.labs]
    if len(set(lab_ids)) != len(lab_ids):
        return "A lab is chosen twice. Keep it once."
    if len(lab_ids) > cycle.most_choices:
        return f"You can choose {cycle.most_choices} labs in {cycle.name}; these are {len(lab_ids)}. Take some off."
    existing_ids = set(session.scalars(select(Lab.id).where(Lab.id.in_(lab_ids))))
    if set(lab_ids) - existing_ids:
        return "One of the labs is not in the portal any more. Remove it from your choices."
    added_ids = set(lab_ids) - {lab.lab_id for lab in stored.labs}
    closed_lab = session.scalars(
        select(Lab.name).where(takes_no_applications(cycle.id), Lab.id.in_(added_ids)).order_by(Lab.name)
    ).first()
    if closed_lab:
        return f"{closed_lab} takes no applications in {cycle.name}. Remove it from your choices. {IF_IT_SHOULD}"
    return next((reason for reason in map(why_not_reason, (lab.reason for lab in draft.labs)) if reason), None) or next(
        (reason for reason in (why_not_answer(cycle, key, text) for key, text in draft.answers.items()) if reason), None
    )


def why_not_chosen_labs(session: Session, application: Application) -> str | None:
    """Why the chosen labs cannot be submitted to: some take no applications in this cycle."""
    closed = session.scalars(
        select(Lab.name)
        .join(Choice, Choice.lab_id == Lab.id)
        .where(Choice.application_id == application.id, takes_no_applications(application.cycle_id))
        .order_by(Choice.position)
    ).all()
    if not closed:
        return None
    remove = "Remove it from your choices." if len(closed) == 1 else "Remove them from your choices."
    return f"No applications are taken in this cycle by: {', '.join(closed)}. {remove}"


def why_not_reason(text: str) -> str | None:
    """Why the reason for one lab is refused."""
    if len(text) > LONGEST_REASON:
        return f"A reason may have {LONGEST_REASON:,} characters; this one has {len(text):,}."
    return None


def why_not_answer(cycle: Cycle, key: str, text: str) -> str | None:
    """Why the answer to one question is refused."""
    question = next((question for question in cycle.questions if question["key"] == key), None)
    if question is None:
        return "The form has no such question."
    limit = int(question.get("most") or LONGEST_ANSWER)
    if len(text) > limit:
        return f"The answer to “{question['text']}” may have {limit:,} characters; this one has {len(text):,}."
    return None
