"""Why a cycle cannot be saved or closed: a sentence, or None."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.applications.cycles import count_staged
from portal.models import Application, Choice, Cycle, Scorecard
from portal.moments import told_deadline
from portal.web.templating import counted

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.admin.cycles.forms import CycleValues

LEAST_NOTICE = timedelta(days=7)  # before a deadline that was moved to an earlier date
MOST_QUESTIONS = 20
LONGEST_QUESTION = 300  # characters
UNCHECKED = ("submitted", "incomplete")


def why_not_deadline(values: CycleValues) -> str | None:
    """A cycle opens, then its deadline passes."""
    later = values.deadline_at > values.opens_at
    return None if later else "The deadline comes after the opening. Give a later deadline."


def why_not_reply_by(values: CycleValues) -> str | None:
    """Replies are due after the deadline."""
    later = values.reply_by_at > values.deadline_at
    return None if later else "Replies are due after the deadline. Give a later date for replies."


def why_not_questions(values: CycleValues) -> str | None:
    """The form has a limited number of questions, and each is of limited length."""
    if len(values.questions) > MOST_QUESTIONS:
        return f"The form takes {MOST_QUESTIONS} questions; these are {len(values.questions)}. Take some out."
    long = next((question["text"] for question in values.questions if len(question["text"]) > LONGEST_QUESTION), None)
    return f"A question may have {LONGEST_QUESTION} characters. Shorten “{long[:60]}…”." if long else None


def why_not_change(cycle: Cycle) -> str | None:
    """A closed cycle stays as it is."""
    return f"{cycle.name} is closed; nothing in it can be changed any more." if cycle.closed_at is not None else None


def why_not_remove_questions(session: Session, cycle: Cycle, values: CycleValues) -> str | None:
    """Questions that applicants answered stay."""
    answered = _answered_questions(session, cycle) - {question["key"] for question in values.questions}
    removed = next((question["text"] for question in cycle.questions if question["key"] in answered), None)
    if removed is None:
        return None
    return (
        f"Applicants have answered “{removed}” already. Keep the question; you can make it optional. If you only "
        "reworded questions, each in its line, say so below."
    )


def why_not_most_choices(session: Session, cycle: Cycle, values: CycleValues) -> str | None:
    """Applicants can keep the labs that they chose."""
    most_chosen = (
        session.scalar(
            select(func.max(Choice.position))
            .join(Application, Application.id == Choice.application_id)
            .where(Application.cycle_id == cycle.id)
        )
        or 0
    )
    if values.most_choices >= most_chosen:
        return None
    return f"An applicant has chosen {most_chosen} labs already, so it cannot be fewer than {most_chosen}."


def why_not_earlier(session: Session, cycle: Cycle, values: CycleValues, now: datetime) -> str | None:
    """A deadline that applicants were told moves to a later date, or to one that leaves them some days."""
    if values.deadline_at >= cycle.deadline_at or values.deadline_at >= now + LEAST_NOTICE:
        return None
    submitted = _count(session, cycle, Application.submissions > 0)
    if not submitted:
        return None
    return (
        f"{counted(submitted, 'applicant was', 'applicants were')} told that the deadline is "
        f"{told_deadline(cycle.deadline_at, cycle.zone)}. "
        f"It can be moved to a later date, or to one that is at least {LEAST_NOTICE.days} days from now."
    )


def why_not_rubric(session: Session, cycle: Cycle) -> str | None:
    """The texts of the scorecard stay once a scorecard is locked: its points were given for these texts."""
    locked = session.scalar(
        select(Scorecard.id)
        .join(Choice, Choice.id == Scorecard.choice_id)
        .join(Application, Application.id == Choice.application_id)
        .where(Application.cycle_id == cycle.id, Scorecard.locked_at.is_not(None))
        .limit(1)
    )
    if locked is None:
        return None
    return (
        "A scorecard of this cycle is locked, and points can be compared only while they mean the same, so the texts "
        "stay."
    )


def why_not_close(session: Session, cycle: Cycle) -> str | None:
    """A cycle can be closed once applications are checked, decisions released and offers answered."""
    if cycle.closed_at is not None:
        return f"{cycle.name} is closed already."
    unchecked = _count(session, cycle, Application.state.in_(UNCHECKED))
    if unchecked:
        waiting_ones = counted(unchecked, "submitted application is", "submitted applications are")
        return f"{waiting_ones} not checked yet. Mark {'it' if unchecked == 1 else 'each'} as eligible or not first."
    reopened = _count(session, cycle, Application.state == "draft", Application.submissions > 0)
    if reopened:
        return (
            f"{counted(reopened, 'submitted application is', 'submitted applications are')} open for changes. What was "
            "submitted counts: wait until the deadline has passed and it is brought back, then mark each as eligible "
            "or not."
        )
    staged = count_staged(session, cycle)
    if staged:
        subject = counted(staged, "decision waits for its", "decisions wait for their")
        return f"{subject} release. Release first, or let the labs take back what they decided."
    waiting = _count(
        session,
        cycle,
        Application.state == "eligible",
        Application.choices.any(Choice.state.not_in(("declined", "declined_by_applicant", "expired", "closed"))),
    )
    if waiting:
        people = counted(waiting, "applicant still waits", "applicants still wait")
        return f"{people} for a lab’s decision, or for an offer to be answered."
    return None


def _count(session: Session, cycle: Cycle, *where: object) -> int:
    statement = select(func.count()).select_from(Application).where(Application.cycle_id == cycle.id, *where)  # type: ignore[arg-type]  # clauses
    return session.scalar(statement) or 0


def _answered_questions(session: Session, cycle: Cycle) -> set[str]:
    answers = session.scalars(select(Application.answers).where(Application.cycle_id == cycle.id))
    return {key for answer in answers for key, text in answer.items() if str(text).strip()}
