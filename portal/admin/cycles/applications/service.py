"""Acts on many applications of a cycle: one move of each, and the job that reminds of what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from portal import audit
from portal.admin.cycles.service import Mailing
from portal.applications.locks import Refusal, lock_applications
from portal.applications.missing import lacking, remind_of_lacking
from portal.applications.moves.rules import is_done, why_not_act_as
from portal.applications.moves.service import AlreadyMoved, Made, cases_of_applications, conclude, perform_locked
from portal.applications.states import move_named
from portal.db import lock_row
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job, start
from portal.models import Application, AuditEntry, Cycle, MoveRecord
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.states import Move
    from portal.jobs.progress import Progress
    from portal.models import User

REMIND = "remind of what is missing"
ACT = "cycle.remind_of_missing"
AT_ONCE = 100  # applicants between two steps
UNDONE_BY = {"mark_eligible": "reconsider", "mark_ineligible": "reconsider", "ask_for_more": "take_back_request"}
"""The moves that administrators make of many applications, and those that take them back."""
BY_MISTAKE = "This was asked for by mistake."


@dataclass(frozen=True, slots=True)
class Marked:
    """How many applications moved, had moved already, or were erased meanwhile; and which could not move, and why."""

    moved: int
    already: int
    erased: int
    refused: Sequence[tuple[Application, str]]


def mark_all(
    session: Session, move: Move, application_ids: Iterable[int], *, actor: User, now: datetime, message: str = ""
) -> Marked:
    """Have an administrator move each of these applications, by ascending id. The caller commits.

    One that is refused, has moved already or was erased meanwhile does not stop the others.

    Side effects: those of `portal.applications.moves.service.perform` for each. All applications are locked before the
    first one moves, in the usual order, and people are told after the last one has moved.
    """
    ids = sorted(set(application_ids))
    if not ids:
        return Marked(0, 0, 0, ())
    session.flush()
    lock_row(session, Application.version, ids[0])  # on SQLite, which has no locks of rows, the whole database
    lock_applications(session, ids)
    cases = cases_of_applications(session, ids, actor, "admin", now)
    made: list[Made] = []
    moved, refused, already = 0, [], 0
    for case in cases:
        if is_done(session, move, case) and why_not_act_as(session, case) is None:
            already += 1
            continue
        try:
            perform_locked(session, move, case, message, later=made)
        except AlreadyMoved:
            already += 1
        except Refusal as refusal:
            refused.append((case.application, str(refusal)))
        else:
            moved += 1
    conclude(session, made)
    return Marked(moved, already, len(ids) - len(cases), refused)


def marked_at(session: Session, name: str, application_ids: Collection[int], *, by: User) -> datetime | None:
    """When somebody last made this move of any of these applications; None if never."""
    own = (MoveRecord.actor_id == by.id, MoveRecord.move == name, MoveRecord.choice_id.is_(None))
    return session.scalar(select(func.max(MoveRecord.at)).where(*own, MoveRecord.application_id.in_(application_ids)))


def undo_marks(session: Session, cycle: Cycle, name: str, at: datetime, *, actor: User, now: datetime) -> Marked | None:
    """Take back the move that `actor` made of several applications at time `at`, except where another one followed;
    None if there is none to take back. The caller commits. Side effects: those of `mark_all`.
    """
    made = (MoveRecord.actor_id == actor.id, MoveRecord.move == name, MoveRecord.at == at)
    own = select(MoveRecord.application_id).where(*made, MoveRecord.choice_id.is_(None))
    of_cycle = own.join(Application, Application.id == MoveRecord.application_id)
    ids = session.scalars(of_cycle.where(Application.cycle_id == cycle.id).order_by(Application.id)).all()
    if not ids or name not in UNDONE_BY:
        return None
    lock_row(session, Application.version, ids[0])
    lock_applications(session, ids)
    newest = (
        select(func.max(MoveRecord.id))
        .where(MoveRecord.application_id.in_(ids), MoveRecord.choice_id.is_(None))
        .group_by(MoveRecord.application_id)
    )
    last = session.scalars(own.where(MoveRecord.id.in_(newest))).all()
    back = move_named("application", UNDONE_BY[name])
    return mark_all(session, back, last, actor=actor, now=now, message=BY_MISTAKE if back.message else "")


def begin_reminding(
    session: Session, cycle: Cycle, application_ids: Collection[int], *, by: User, now: datetime
) -> Mailing | None:
    """Start the job for those of these applications that lack something; None if none does. The caller commits.

    Side effect: an audit entry with their numbers, which is where the job reads them: they may be too many for it.
    """
    chosen = [entry.application_id for entry in lacking(session, cycle) if entry.application_id in application_ids]
    if not chosen:
        return None
    entry = audit.record(session, by, ACT, "cycle", cycle.slug, now, after={"applications": chosen})
    session.flush()
    title = f"Remind {counted(len(chosen), 'applicant', 'applicants')} of what is missing in {cycle.name}"
    arguments = {"cycle": cycle.id, "entry": entry.id}
    started = start(session, REMIND, title, arguments, by=by, now=now, about=f"/admin/cycles/{cycle.slug}/missing")
    return Mailing(len(chosen), started.id)


@job(REMIND)
def remind_of_missing(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Remind those who still lack something, each once, also where a try before was killed."""
    cycle, entry = session.get(Cycle, int(arguments["cycle"])), session.get(AuditEntry, int(arguments["entry"]))
    if cycle is None or entry is None:
        raise JobRefused("This cycle is not there any more.")
    chosen = frozenset(entry.after["applications"])
    reminded = [one for one in lacking(session, cycle) if one.application_id in chosen]
    for first in range(0, len(reminded), AT_ONCE):
        remind_of_lacking(session, cycle, reminded[first : first + AT_ONCE], asked_at=entry.at)
        done = min(first + AT_ONCE, len(reminded))
        progress.step(done, len(reminded), f"Writing the reminders about {cycle.name}")
    text = f"{counted(len(reminded), 'applicant is', 'applicants are')} reminded; at most once a day each."
    return Outcome(text, f"/admin/cycles/{cycle.slug}/missing", "See what is missing")
