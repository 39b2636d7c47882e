"""Whom to notify of which move, and with which context; the texts are in templates/mail/.

No mail says more than its reader may see after signing in: decisions and their messages appear on pages only.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal import mail
from portal.applications.conflicts_of_interest import keeps_out
from portal.applications.content.choosing import by_lab
from portal.models import Application, Choice, Lab, LabProfessor, User

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.moves.rules import Case
    from portal.applications.states import Move
    from portal.models import MoveRecord

APPLICATION_PATH = "/me/application/{slug}"
TIME_TO_COMPLETE = timedelta(days=7)  # at least; closing the cycle ends it
CHOICE_PATH = "/reviews/{slug}/choices/{id}"
BOARD_PATH = "/reviews/{slug}/board?cycle={cycle}"


def application_path(application: Application) -> str:
    """The applicant's page of an application."""
    return APPLICATION_PATH.format(slug=application.cycle.slug)


def professors_of(session: Session, lab_id: int, about: User | None = None) -> Sequence[User]:
    """Who reads for a lab; for news `about` an applicant, without those excluded from that applicant's matters."""
    readers = (
        select(User)
        .join(LabProfessor, LabProfessor.user_id == User.id)
        .where(LabProfessor.lab_id == lab_id, User.active.is_(True))
        .order_by(User.id)
    )
    if about is not None:
        readers = readers.where(~keeps_out(User.id, about.id))
    return session.scalars(readers).all()


def readers_of(session: Session, application_ids: Collection[int]) -> Mapping[int, Sequence[User]]:
    """By choice of these applications: whom `professors_of` names for its lab and applicant. As many statements for
    many as for one.
    """
    pairs = session.execute(
        select(Choice.id, User.id)
        .join(Application, Application.id == Choice.application_id)
        .join(LabProfessor, LabProfessor.lab_id == Choice.lab_id)
        .join(User, User.id == LabProfessor.user_id)
        .where(
            Choice.application_id.in_(application_ids),
            User.active.is_(True),
            ~keeps_out(User.id, Application.applicant_id),
        )
        .order_by(Choice.id, User.id)
    ).all()
    statement = select(User).where(User.id.in_({user_id for _, user_id in pairs}))
    users = {user.id: user for user in session.scalars(statement)}
    readers: dict[int, list[User]] = {}
    for choice_id, user_id in pairs:
        readers.setdefault(choice_id, []).append(users[user_id])
    return readers


def tell_of_move(session: Session, move: Move, case: Case, record: MoveRecord) -> None:
    """Write the news and mails of a move."""
    tell = _TELLERS.get((move.subject, move.name))
    if tell is not None:
        tell(session, case, record)


def _submitted(session: Session, case: Case, record: MoveRecord) -> None:
    application, cycle = case.application, case.application.cycle
    labs = session.scalars(
        select(Lab.name)
        .join(Choice, Choice.lab_id == Lab.id)
        .where(Choice.application_id == application.id)
        .order_by(Choice.position)
    ).all()
    context = {
        "cycle": cycle.name,
        "zone": cycle.zone,
        "code": application.receipt or "",
        "labs": list(labs),
        "deadline_at": cycle.deadline_at.isoformat(),
    }
    _tell_applicant(session, case, record, "application_submitted", context)


def _withdrawn(session: Session, case: Case, record: MoveRecord) -> None:
    _tell_applicant(session, case, record, "application_withdrawn", {"cycle": case.application.cycle.name})


def _incomplete(session: Session, case: Case, record: MoveRecord) -> None:
    cycle = case.application.cycle
    context = {
        "cycle": cycle.name,
        "zone": cycle.zone,
        "missing": record.message,
        "until": max(cycle.deadline_at, case.now + TIME_TO_COMPLETE).isoformat(),
    }
    _tell_applicant(session, case, record, "application_incomplete", context)


def _request_taken_back(session: Session, case: Case, record: MoveRecord) -> None:
    context = {"cycle": case.application.cycle.name, "reason": record.message}
    _tell_applicant(session, case, record, "application_request_taken_back", context)


def _eligible(session: Session, case: Case, record: MoveRecord) -> None:
    _tell_applicant(session, case, record, "application_eligible", {"cycle": case.application.cycle.name})
    for choice in by_lab(case.application.choices):
        _tell_professors(session, case, choice, "new_choices", f"new:{record.id}")


def _ineligible(session: Session, case: Case, record: MoveRecord) -> None:
    context = {"cycle": case.application.cycle.name, "reason": record.message}
    _tell_applicant(session, case, record, "application_ineligible", context)


def _invited_to_interview(session: Session, case: Case, record: MoveRecord) -> None:
    context = {"cycle": case.application.cycle.name, "lab": case.of_choice.lab.name}
    _tell_applicant(session, case, record, "interview_invited", context)


def _released(session: Session, case: Case, record: MoveRecord) -> None:
    _tell_applicant(session, case, record, "decision_released", {"cycle": case.application.cycle.name})


def _answered(session: Session, case: Case, record: MoveRecord) -> None:
    choice = case.of_choice
    _tell_professors(session, case, choice, "offer_answered", f"answered:{record.id}")
    mail.cancel(session, f"choice:{choice.id}:offer")


def _closed(session: Session, case: Case, record: MoveRecord) -> None:
    choice = case.of_choice
    if record.from_state == "offered" and choice.offer_reply_by_at is not None:
        tell_offer_lapsed(session, choice, now=case.now)


def tell_offer_lapsed(session: Session, choice: Choice, *, now: datetime) -> None:
    """Tell whoever reads for the lab that a released offer ended without an answer; not why, nor whose it was. Side
    effect: withdraws the reminder of its applicant.
    """
    lab, cycle = choice.lab, choice.application.cycle
    mail.cancel(session, f"choice:{choice.id}:offer")
    for professor in professors_of(session, lab.id, choice.application.applicant):
        mail.tell(
            session,
            professor,
            "offer_lapsed",
            {"cycle": cycle.name, "lab": lab.name},
            now=now,
            path=BOARD_PATH.format(slug=lab.slug, cycle=cycle.slug),
            # Not of the choice: what is said of that is withdrawn when it is erased.
            dedupe=f"offer-lapsed:{choice.id}",
        )


def _expired(session: Session, case: Case, record: MoveRecord) -> None:
    choice, cycle = case.of_choice, case.application.cycle
    until = choice.offer_reply_by_at or case.now
    context = {"cycle": cycle.name, "zone": cycle.zone, "until": until.isoformat()}
    _tell_applicant(session, case, record, "offer_expired", context)
    tell_offer_lapsed(session, choice, now=case.now)


def _tell_professors(session: Session, case: Case, choice: Choice, kind: str, dedupe: str) -> None:
    """Tell whoever reads for the lab of a choice."""
    lab = choice.lab
    context = {"cycle": case.application.cycle.name, "lab": lab.name}
    path = CHOICE_PATH.format(slug=lab.slug, id=choice.id)
    if case.readers is None:
        readers = professors_of(session, lab.id, case.application.applicant)
    else:
        readers = case.readers.get(choice.id, ())
    for professor in readers:
        dedupe_of_choice = f"choice:{choice.id}:{dedupe}"
        mail.tell(session, professor, kind, context, now=case.now, path=path, dedupe=dedupe_of_choice)


def _tell_applicant(session: Session, case: Case, record: MoveRecord, kind: str, context: Mapping[str, object]) -> None:
    mail.tell(
        session,
        case.application.applicant,
        kind,
        context,
        now=case.now,
        path=application_path(case.application),
        dedupe=f"application:{case.application.id}:move:{record.id}",
    )


_TELLERS = {
    ("application", "submit"): _submitted,
    ("application", "complete"): _submitted,
    ("application", "withdraw"): _withdrawn,
    ("application", "ask_for_more"): _incomplete,
    ("application", "take_back_request"): _request_taken_back,
    ("application", "mark_eligible"): _eligible,
    ("application", "mark_ineligible"): _ineligible,
    ("choice", "invite_to_interview"): _invited_to_interview,
    ("choice", "release"): _released,
    ("choice", "accept"): _answered,
    ("choice", "decline_offer"): _answered,
    ("choice", "expire"): _expired,
    ("choice", "close"): _closed,
}
