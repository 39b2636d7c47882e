"""What follows from a move, in the same transaction: other choices close, decisions are released, people are told.

No mail says more than its reader may see after signing in: decisions and their messages appear on pages only. The texts
are in templates/mail/.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from sqlalchemy import select, update

from portal import mail
from portal.applications.cycles import IS_STAGED, application_path
from portal.applications.interviews.service import free_time_ahead
from portal.applications.people import professors_of
from portal.applications.states import OPEN_CHOICE, SUBMITTING
from portal.applications.submissions import bring_back, by_lab, keep_submission
from portal.models import Choice, Decision, Lab, MoveRecord
from portal.moments import end_of_day

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.moves.rules import Case
    from portal.applications.states import Move


CLOSING_CHOICES = frozenset({"withdraw", "mark_ineligible"})
TIME_TO_COMPLETE = timedelta(days=7)  # at least; closing the cycle ends it
CHOICE_PATH = "/reviews/{slug}/choices/{id}"
BOARD_PATH = "/reviews/{slug}/board?cycle={cycle}"


class Follow(Protocol):
    """Makes a move that follows from another one; `portal.applications.moves.service` passes it in."""

    def __call__(self, name: str, case: Case) -> None:
        """Make the move of that name."""


def after_move(session: Session, move: Move, case: Case, record: MoveRecord, follow: Follow) -> None:
    """Carry out what follows from a move that was just written, except telling people of it."""
    name = move.name
    if move.subject == "application":
        _after_application(session, name, case, follow)
    else:
        _after_choice(session, name, case, record, follow)


def _after_application(session: Session, name: str, case: Case, follow: Follow) -> None:
    application = case.application
    if name in SUBMITTING:
        keep_submission(session, application, case.now)
    # Who was asked for more may have changed the labs, and never submitted that: what is checked again is what was.
    if name in {"restore", "reconsider", "take_back_request"}:
        bring_back(session, application, now=case.now)
    if name in CLOSING_CHOICES or name == "close":
        close_choices(case, follow)
    if name == "mark_eligible":
        for choice in application.choices:
            choice.reply_by_at = application.cycle.reply_by_at
    if name == "reconsider":
        for choice in by_lab(application.choices):
            if choice.state == "closed":
                follow("reopen", _by_the_portal(case, choice))


def _after_choice(session: Session, name: str, case: Case, record: MoveRecord, follow: Follow) -> None:
    choice = case.of_choice
    match name:
        case "take_back_offer" | "take_back_decline" | "take_back_waitlist":
            if name == "take_back_decline":
                choice.preference = _place_again(session, case, choice)
            take_back_staged(session, choice, case.now)
        case "release":
            _release(session, case, choice)
        case "rank":
            choice.preference = _next_preference(session, case, choice)
        case "take_off_ranking" | "close" | "drop_decline" | "decline":
            choice.preference = None
        case "invite_to_interview":
            choice.replied_at = choice.replied_at or case.now
        case "accept":
            close_choices(case, follow, kept_open=choice)
            follow("close", _by_the_portal(case, None))
    if name in {"close", "drop_decline"}:
        _end(session, case, record)


def _end(session: Session, case: Case, record: MoveRecord) -> None:
    """End what was arranged for a choice that is closed; what the case says there is not needs no statement."""
    choice = case.of_choice
    if case.slots is None or choice.id in case.slots:
        free_time_ahead(session, choice, now=case.now)
    if case.staged is None or choice.id in case.staged:
        take_back_staged(session, choice, case.now)
    record.shown_at = case.now
    if choice.replied_at is None:
        choice.reply_by_at = None  # nobody waits for a reply any more


def close_choices(case: Case, follow: Follow, kept_open: Choice | None = None) -> None:
    """Close every open choice of the application except `kept_open`.

    That includes choices that a lab declined without a release: nobody is left to release the decision to.
    """
    for choice in by_lab(case.application.choices):
        if choice is not kept_open and choice.shown_state in OPEN_CHOICE and choice.state in {*OPEN_CHOICE, "declined"}:
            name = "drop_decline" if choice.state == "declined" else "close"
            follow(name, _by_the_portal(case, choice))


def _by_the_portal(case: Case, choice: Choice | None) -> Case:
    """The case of a move that the portal makes of the same application, with what has been read for the first one."""
    return replace(case, choice=choice, actor=None, capacity="system")


def take_back_staged(session: Session, choice: Choice, now: datetime) -> None:
    """Mark decisions that were never released as taken back: nobody was told of them."""
    session.execute(update(Decision).where(Decision.choice_id == choice.id, IS_STAGED).values(taken_back_at=now))


def _release(session: Session, case: Case, choice: Choice) -> None:
    decision = session.scalars(select(Decision).where(Decision.choice_id == choice.id, IS_STAGED)).one()
    decision.released_at = case.now
    decision.released_by_id = case.actor.id if case.actor else None
    choice.released_at = case.now
    choice.replied_at = choice.replied_at or case.now
    choice.offer_reply_by_at = (
        end_of_day(case.now, case.application.cycle.zone, days_later=decision.reply_days)
        if decision.reply_days
        else None
    )
    choice.shown_state = choice.state
    choice.shown_since = case.now
    if decision.kind == "decline":
        free_time_ahead(session, choice, now=case.now)
    staging_record = session.scalars(
        select(MoveRecord)
        .where(MoveRecord.choice_id == choice.id, MoveRecord.move == decision.kind)
        .order_by(MoveRecord.id.desc())
        .limit(1)
    ).one()
    staging_record.shown_at = case.now


def _place_again(session: Session, case: Case, choice: Choice) -> int | None:
    """The place in the lab's order of a choice whose decline is taken back: the one that the decline gave up, or the
    last one if the order was saved without it meanwhile. None if it had no place.
    """
    given_up = session.scalar(select(Decision.preference).where(Decision.choice_id == choice.id, IS_STAGED))
    if given_up is None:
        return _next_preference(session, case, choice) if choice.state == "ranked" else None
    in_order = select(Choice.id).where(
        Choice.lab_id == choice.lab_id,
        Choice.application.has(cycle_id=case.application.cycle_id),
        Choice.preference == given_up,
    )
    is_taken = session.scalar(in_order.limit(1)) is not None
    return _next_preference(session, case, choice) if is_taken else given_up


def _next_preference(session: Session, case: Case, choice: Choice) -> int:
    last = session.scalar(
        select(Choice.preference)
        .where(
            Choice.lab_id == choice.lab_id,
            Choice.application.has(cycle_id=case.application.cycle_id),
            Choice.preference.is_not(None),
        )
        .order_by(Choice.preference.desc())
        .limit(1)
    )
    return (last or 0) + 1


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
