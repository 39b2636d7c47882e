"""The one writer of applications: start, save, submit, reopen. The caller commits.

States change through `portal.applications.moves.service.perform` alone; this module prepares and completes those moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.applications.content.choosing import Draft, draft_of, write_choices
from portal.applications.content.match_records import keep_records
from portal.applications.content.rules import why_not_draft, why_not_save
from portal.applications.cycles import application_of, last_submission
from portal.applications.locks import lock_person
from portal.applications.moves.rules import why_not_apply
from portal.applications.moves.service import MoveRefused, locked_application, perform
from portal.labs.live_index.labs import IndexPreparing
from portal.models import Application

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.labs.live_index.live import IndexedLabs
    from portal.models import Cycle, MoveRecord, User


class StaleApplication(Exception):
    """The application was saved elsewhere since the form was opened. Nothing was written; `stored` is what is saved."""

    def __init__(self, stored: Application) -> None:
        super().__init__(f"version {stored.version} was saved meanwhile")
        self.stored = stored


def start_application(session: Session, user: User, cycle: Cycle, *, now: datetime) -> Application:
    """The applicant's application in a cycle; a new draft if there is none.

    Raises:
        MoveRefused: The cycle takes no applications.
    """
    application = application_of(session, user, cycle)
    if application is not None:
        return application
    reason = why_not_apply(cycle, now)
    if reason is not None:
        raise MoveRefused(reason)
    lock_person(session, user)
    application = application_of(session, user, cycle)
    if application is None:
        application = Application(
            cycle_id=cycle.id, applicant_id=user.id, state="draft", state_since=now, answers={}, created_at=now
        )
        session.add(application)
        session.flush()
    return application


def save_draft(session: Session, application: Application, draft: Draft, *, base: int, now: datetime) -> Application:
    """Save what the form holds; `base` is the version the form was opened with. Saving the same again changes nothing.

    Raises:
        StaleApplication: Something else has been saved since.
        MoveRefused: The application cannot be edited now, or a rule refuses its content.
    """
    application = locked_application(session, application)
    stored = draft_of(application)
    if draft == stored:
        return application
    reason = why_not_save(application, now, choices_change=draft.labs != stored.labs)
    reason = reason or why_not_draft(session, application.cycle, draft, stored)
    if reason is not None:
        raise MoveRefused(reason)
    if application.version != base:
        raise StaleApplication(application)
    application.answers = dict(draft.answers)
    application.version = base + 1
    write_choices(session, application, draft.labs, now=now)
    return application


def locked_to_submit(session: Session, application: Application) -> Application:
    """The application, locked with what its applicant states and handed in: a submission refers to the resume's file,
    which would be deleted if the resume were replaced meanwhile.

    Raises:
        ApplicationGone: It was erased after it was read.
    """
    lock_person(session, application.applicant)
    return locked_application(session, application)


def submit(
    session: Session, labs: IndexedLabs | None, application: Application, *, actor: User, now: datetime
) -> MoveRecord:
    """Submit a draft, or an application that was incomplete. Submitting again is refused as already done.

    Side effects: the locks of `locked_to_submit`; the move, the submission, the receipt, and the match records; while
    there is no index, these are computed later (`portal.applications.clock`).

    Raises:
        AlreadyMoved: It is submitted already.
        MoveRefused: It is not complete, or it is too late.
    """
    application = locked_to_submit(session, application)
    name = "complete" if application.state == "incomplete" else "submit"
    record = perform(session, name, application, actor=actor, capacity="applicant", now=now)
    submission = last_submission(session, application)
    if labs is not None and submission is not None:
        try:
            keep_records(session, labs, submission, application.choices, now=now)
        except IndexPreparing:
            return record
    return record
