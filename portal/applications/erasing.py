"""Erasing what an applicant submitted: applications with everything attached to them, invitations, news and mails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, select, update

from portal import mail
from portal.applications.files import remove_once_committed
from portal.applications.interviews.freeing import free_time_ahead
from portal.applications.locks import lock_person
from portal.applications.moves.letters import application_path, tell_offer_lapsed
from portal.applications.sweep import is_named
from portal.db import lock_row
from portal.mail.kinds import KINDS
from portal.models import (
    ApiAnswer,
    Application,
    Choice,
    InterviewSlot,
    Invitation,
    Notification,
    OutboxMail,
    Referee,
    Submission,
)
from portal.models.user import APPLICANT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User
    from portal.storage import FileStore

OWN_KINDS = tuple(kind.name for kind in KINDS.values() if APPLICANT in kind.audience)
"""Kinds of mail that applicants get: they are erased with what they report."""


@dataclass(frozen=True, slots=True)
class Erased:
    """How much was deleted."""

    applications: int
    choices: int
    referees: int
    files: int
    invitations: int


def erase_applications(session: Session, files: FileStore, user: User, *, now: datetime) -> Erased:
    """Delete all applications of somebody, with invitations, news, mails and stored API answers. The caller commits.

    Side effects: interview times become free again and offers lapse, of which their labs are told; waiting mails are
    cancelled, and files submitted or sent by referees are deleted once the transaction commits.
    """
    application_ids = list(session.scalars(select(Application.id).where(Application.applicant_id == user.id)))
    _lock_applications(session, application_ids)
    choice_ids = list(
        session.scalars(select(Choice.id).where(Choice.application_id.in_(application_ids)).order_by(Choice.lab_id))
    )
    referee_ids = list(session.scalars(select(Referee.id).where(Referee.application_id.in_(application_ids))))
    invitation_ids = list(session.scalars(select(Invitation.id).where(Invitation.applicant_id == user.id)))
    keys = _file_keys(session, application_ids)
    _tell_labs(session, choice_ids, now)
    _forget_reasons(session, choice_ids)
    _forget_mail(session, user, application_ids, choice_ids, referee_ids, invitation_ids)
    for table, ids in ((Application, application_ids), (Invitation, invitation_ids)):
        session.execute(delete(table).where(table.id.in_(ids)).execution_options(synchronize_session=False))
    session.execute(delete(ApiAnswer).where(ApiAnswer.user_id == user.id))
    session.expire_all()
    _remove_files(session, files, keys)
    return Erased(len(application_ids), len(choice_ids), len(referee_ids), len(keys), len(invitation_ids))


def erase_application(session: Session, files: FileStore, application: Application, *, now: datetime) -> None:
    """Delete one application with everything attached to it, and the news about it. The caller commits.

    Side effects as in `erase_applications`; whatever else the applicant has stays, with its files.
    """
    application_id, path = application.id, application_path(application)
    lock_person(session, application.applicant)
    _lock_applications(session, [application_id])
    choice_ids = list(
        session.scalars(select(Choice.id).where(Choice.application_id == application_id).order_by(Choice.lab_id))
    )
    referee_ids = list(session.scalars(select(Referee.id).where(Referee.application_id == application_id)))
    keys = _file_keys(session, [application_id])
    _tell_labs(session, choice_ids, now)
    _forget_reasons(session, choice_ids)
    _take_back_mail(session, {"application": [application_id], "choice": choice_ids, "referee": referee_ids})
    news = delete(Notification).where(
        Notification.user_id == application.applicant_id,
        (Notification.path == path) | Notification.path.startswith(f"{path}/", autoescape=True),
    )
    session.execute(news.execution_options(synchronize_session=False))
    session.execute(
        delete(Application).where(Application.id == application_id).execution_options(synchronize_session=False)
    )
    session.expire_all()
    _remove_files(session, files, keys)


def _tell_labs(session: Session, choice_ids: Sequence[int], now: datetime) -> None:
    """Free the times of interviews, and tell the labs of these and of offers that were not answered."""
    for choice_id in choice_ids:
        choice = session.get_one(Choice, choice_id)
        free_time_ahead(session, choice, now=now)
        if choice.state == "offered" and choice.shown_state == "offered":
            tell_offer_lapsed(session, choice, now=now)


def _lock_applications(session: Session, application_ids: Sequence[int]) -> None:
    """Keep anything from being added to them until they are gone, such as a letter whose file nobody would delete."""
    for application_id in sorted(application_ids):
        lock_row(session, Application.version, application_id)


def _file_keys(session: Session, application_ids: list[int]) -> set[str]:
    return {
        key
        for column, application_column in (
            (Submission.storage_key, Submission.application_id),
            (Referee.storage_key, Referee.application_id),
        )
        for key in session.scalars(select(column).where(application_column.in_(application_ids), column != ""))
    }


def _remove_files(session: Session, files: FileStore, keys: Iterable[str]) -> None:
    """Remove files once the transaction is committed, except those of other rows: one resume may be submitted in
    several cycles, and be the present one besides.
    """
    for key in sorted(keys):
        if not is_named(session, key):
            remove_once_committed(session, files, key)


def _forget_mail(
    session: Session,
    user: User,
    application_ids: list[int],
    choice_ids: list[int],
    referee_ids: list[int],
    invitation_ids: list[int],
) -> None:
    """Cancel waiting mails about them to anybody, and delete the person's own news."""
    _take_back_mail(
        session,
        {"application": application_ids, "choice": choice_ids, "referee": referee_ids, "invitation": invitation_ids},
    )
    for table in (OutboxMail, Notification):
        query = delete(table).where(table.user_id == user.id, table.kind.in_(OWN_KINDS))
        if table is OutboxMail:
            query = query.where(OutboxMail.state != "sending")
        session.execute(query.execution_options(synchronize_session=False))


def _forget_reasons(session: Session, choice_ids: Sequence[int]) -> None:
    """The reason of a cancelled interview is about its applicant."""
    statement = update(InterviewSlot).where(InterviewSlot.cancelled_choice_id.in_(choice_ids)).values(cancel_reason="")
    session.execute(statement.execution_options(synchronize_session=False))


def _take_back_mail(session: Session, about: Mapping[str, Sequence[int]]) -> None:
    for kind, ids in about.items():
        for object_id in ids:
            mail.cancel(session, f"{kind}:{object_id}")
