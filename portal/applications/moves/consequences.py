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
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from portal.applications.moves.rules import Case
    from portal.applications.states import Move


TIME_TO_COMPLETE = timedelta(days=7)  # at least; closing the cycle ends it


class Follow(Protocol):
    """Makes a move that follows from another one; `portal.applications.moves.service` passes it in."""

    def __call__(self, name: str, case: Case) -> None:
        """Make the move of that name."""


def after_move(session: Session, move: Move, case: Case, record: MoveRecord, follow: Follow) -> None:
    """Carry out what follows from a move that was just written, except telling people of it."""
    if move.subject == "application":
        _after_application(session, move.name, case, follow)
    else:
        _after_choice(session, move.name, case, record, follow)


def _after_application(session: Session, name: str, case: Case, follow: Follow) -> None:
    application = case.application
    if name in SUBMITTING:
        keep_submission(session, application, case.now)
    # Who was asked for more may have changed the labs, and never submitted that: what is checked again is what was.
    if name in {"restore", "reconsider", "take_back_request"}:
        bring_back(session, application, now=case.now)
    if name in {"withdraw", "mark_ineligible", "close"}:
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
    """Close every open choice of the application except `kept_open`, also those declined without a release."""
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
    """The place in the lab's order of a choice whose decline is taken back: the one before, or the last one."""
    given_up = session.scalar(select(Decision.preference).where(Decision.choice_id == choice.id, IS_STAGED))
    if given_up is None:
        return _next_preference(session, case, choice) if choice.state == "ranked" else None
    is_taken = session.scalar(_in_order(case, choice).where(Choice.preference == given_up).limit(1)) is not None
    return _next_preference(session, case, choice) if is_taken else given_up


def _next_preference(session: Session, case: Case, choice: Choice) -> int:
    last = session.scalar(_in_order(case, choice).order_by(Choice.preference.desc()).limit(1))
    return (last or 0) + 1


def _in_order(case: Case, choice: Choice) -> Select[int | None]:
    """The places in the lab's order that are taken."""
    return select(Choice.preference).where(
        Choice.lab_id == choice.lab_id,
        Choice.application.has(cycle_id=case.application.cycle_id),
        Choice.preference.is_not(None),
    )


def tell_of_move(session: Session, move: Move, case: Case, record: MoveRecord) -> None:
    """Write the news and mails of a move."""
    if (kind := _TO_APPLICANT.get(move.name)) is not None:
        application, cycle = case.application, case.application.cycle
        mail.tell(
            session,
            application.applicant,
            kind,
            {"cycle": cycle.name} | _facts(session, move.name, case, record),
            now=case.now,
            path=application_path(application),
            dedupe=f"application:{application.id}:move:{record.id}",
        )
    match move.subject, move.name:
        case "application", "mark_eligible":
            for choice in by_lab(case.application.choices):
                _tell_professors(session, case, choice, "new_choices", f"new:{record.id}")
        case "choice", "accept" | "decline_offer":
            _tell_professors(session, case, case.of_choice, "offer_answered", f"answered:{record.id}")
            mail.cancel(session, f"choice:{case.of_choice.id}:offer")
        case "choice", "expire":
            tell_offer_lapsed(session, case.of_choice, now=case.now)
        case "choice", "close":
            if record.from_state == "offered" and case.of_choice.offer_reply_by_at is not None:
                tell_offer_lapsed(session, case.of_choice, now=case.now)
        case _:
            pass


def tell_offer_lapsed(session: Session, choice: Choice, *, now: datetime) -> None:
    """Tell the lab that a released offer ended without an answer, not why or whose. Withdraws the reminder of it."""
    lab, cycle = choice.lab, choice.application.cycle
    mail.cancel(session, f"choice:{choice.id}:offer")
    for professor in professors_of(session, lab.id, choice.application.applicant):
        mail.tell(
            session,
            professor,
            "offer_lapsed",
            {"cycle": cycle.name, "lab": lab.name},
            now=now,
            path=f"/reviews/{lab.slug}/board?cycle={cycle.slug}",
            # Not of the choice: what is said of that is withdrawn when it is erased.
            dedupe=f"offer-lapsed:{choice.id}",
        )


def _tell_professors(session: Session, case: Case, choice: Choice, kind: str, dedupe: str) -> None:
    """Tell whoever reads for the lab of a choice."""
    lab = choice.lab
    context = {"cycle": case.application.cycle.name, "lab": lab.name}
    path = f"/reviews/{lab.slug}/choices/{choice.id}"
    if case.readers is None:
        readers = professors_of(session, lab.id, case.application.applicant)
    else:
        readers = case.readers.get(choice.id, ())
    for professor in readers:
        dedupe_of_choice = f"choice:{choice.id}:{dedupe}"
        mail.tell(session, professor, kind, context, now=case.now, path=path, dedupe=dedupe_of_choice)


def _facts(session: Session, name: str, case: Case, record: MoveRecord) -> dict[str, object]:
    """What the mail to the applicant about a move says besides the cycle."""
    application, cycle = case.application, case.application.cycle
    match name:
        case "submit" | "complete":
            labs = select(Lab.name).join(Choice, Choice.lab_id == Lab.id).where(Choice.application_id == application.id)
            return {
                "zone": cycle.zone,
                "code": application.receipt or "",
                "labs": list(session.scalars(labs.order_by(Choice.position))),
                "deadline_at": cycle.deadline_at.isoformat(),
            }
        case "ask_for_more":
            until = max(cycle.deadline_at, case.now + TIME_TO_COMPLETE)
            return {"zone": cycle.zone, "missing": record.message, "until": until.isoformat()}
        case "take_back_request" | "mark_ineligible":
            return {"reason": record.message}
        case "invite_to_interview":
            return {"lab": case.of_choice.lab.name}
        case "expire":
            return {"zone": cycle.zone, "until": (case.of_choice.offer_reply_by_at or case.now).isoformat()}
        case _:
            return {}


_TO_APPLICANT = {
    "submit": "application_submitted",
    "complete": "application_submitted",
    "withdraw": "application_withdrawn",
    "ask_for_more": "application_incomplete",
    "take_back_request": "application_request_taken_back",
    "mark_eligible": "application_eligible",
    "mark_ineligible": "application_ineligible",
    "invite_to_interview": "interview_invited",
    "release": "decision_released",
    "expire": "offer_expired",
}
"""By name of a move: the kind of the mail to the applicant."""
