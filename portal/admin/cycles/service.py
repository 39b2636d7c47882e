"""The one writer of cycles, and the job that tells applicants of a new deadline. The caller commits."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import joinedload

from portal import audit, mail
from portal.admin.cycles.forms import LISTS, CycleValues, values_of
from portal.admin.cycles.rules import (
    why_not_change,
    why_not_close,
    why_not_deadline,
    why_not_earlier,
    why_not_most_choices,
    why_not_questions,
    why_not_remove_questions,
    why_not_reply_by,
    why_not_rubric,
)
from portal.admin.people.service import hold_admins
from portal.admin.rules import NotAllowed, ensure_allowed
from portal.applications.cycles import application_path
from portal.applications.locks import Refusal, lock_applications
from portal.applications.moves.service import Made, cases_of_applications, conclude, perform_locked
from portal.applications.referees.service import extend_links
from portal.applications.states import move_named
from portal.db import lock_row
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job, start
from portal.models import Application, Choice, Cycle
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress
    from portal.models import User


BATCH_SIZE = 500  # applications that are closed together
TELL = "tell a new deadline"
EDITABLE = ("draft", "submitted", "incomplete")
"""States of applications that a deadline still matters to."""
AT_ONCE = 100  # applicants between two looks at the deadline


class StaleCycle(Exception):
    """The cycle was saved by somebody else since the form was opened. Nothing was written."""


MOST_DOCUMENTS = 6


def create_cycle(session: Session, values: CycleValues, *, actor: User, now: datetime) -> Cycle:
    """Create a cycle. If an open one has the same name and values, as after a second click, that one is returned.

    Side effect: as of `hold_admins`, so that cycles are made one by one.

    Raises:
        NotAllowed: Its dates or questions are not possible.
    """
    _ensure_possible(values)
    hold_admins(session)
    for existing in session.scalars(select(Cycle).where(Cycle.name == values.name, Cycle.closed_at.is_(None))):
        if values_of(existing) == values:
            return existing
    cycle = Cycle(slug=_free_slug(session, values.name), created_at=now, version=1)
    _write(cycle, values)
    session.add(cycle)
    session.flush()
    _record(session, cycle, "cycle.create", actor, now, before=None)
    return cycle


def save_cycle(
    session: Session, cycle: Cycle, values: CycleValues, *, base: int, actor: User, now: datetime
) -> Mailing | None:
    """Change a cycle; `base` is the version the form was opened with. Equal values change nothing.

    Returns the job that tells applicants of another deadline; None where there is nobody to tell.

    Side effects: locks the cycle until the transaction ends, so that what is checked stays so; a later deadline
    extends the links of referees; a job tells another deadline to whoever can still edit an application; another reply
    date applies to choices without a reply.

    Raises:
        NotAllowed: Applicants relied on what would change, or the dates are not possible.
        StaleCycle: Somebody else saved it meanwhile.
    """
    lock_row(session, Cycle.version, cycle.id)
    session.refresh(cycle)
    current = values_of(cycle)
    if values == current:  # also the same form, sent in the same moment
        return None
    _ensure_possible(values)
    ensure_allowed(why_not_change(cycle))
    if cycle.version != base:
        raise StaleCycle
    ensure_allowed(why_not_remove_questions(session, cycle, values), "questions")
    ensure_allowed(why_not_most_choices(session, cycle, values), "most_choices")
    ensure_allowed(why_not_earlier(session, cycle, values, now), "deadline_at")
    if values.rubric != current.rubric:
        ensure_allowed(why_not_rubric(session, cycle))
    before, previous_reply_by, previous_deadline = _as_json(current), cycle.reply_by_at, cycle.deadline_at
    cycle.version = base + 1
    _write(cycle, values)
    session.flush()
    extend_links(session, cycle)
    moved = cycle.deadline_at != previous_deadline
    telling = begin_telling(session, cycle, by=actor, now=now) if moved else None
    if cycle.reply_by_at != previous_reply_by:
        _update_reply_dates(session, cycle)
    _record(session, cycle, "cycle.change", actor, now, before=before)
    return telling


def _ensure_possible(values: CycleValues) -> None:
    ensure_allowed(why_not_deadline(values), "deadline_at")
    ensure_allowed(why_not_reply_by(values), "reply_by_at")
    ensure_allowed(why_not_questions(values), "questions")
    too_many = len(values.documents) > MOST_DOCUMENTS
    ensure_allowed(f"A cycle asks for {MOST_DOCUMENTS} documents at most." if too_many else None, "documents")


def _update_reply_dates(session: Session, cycle: Cycle) -> None:
    """Set the reply date of choices that wait for a reply to that of the cycle."""
    application_ids = select(Application.id).where(Application.cycle_id == cycle.id)
    is_waiting = (
        (Choice.replied_at.is_(None)) & Choice.reply_by_at.is_not(None) & Choice.application_id.in_(application_ids)
    )
    statement = update(Choice).where(is_waiting).values(reply_by_at=cycle.reply_by_at)
    session.execute(statement.execution_options(synchronize_session=False))


def close_cycle(session: Session, cycle: Cycle, *, actor: User, now: datetime) -> None:
    """End a cycle: its eligible applications close, and nothing in it changes any more. Those that are not eligible
    keep their state and its reason: a closed application is read by the labs that it chose.

    Side effect: locks the cycle until the transaction ends, so that nothing is submitted to it meanwhile.

    Raises:
        NotAllowed: Somebody still waits for something.
    """
    lock_row(session, Cycle.version, cycle.id)
    session.refresh(cycle)
    ensure_allowed(why_not_close(session, cycle))
    application_ids = session.scalars(
        select(Application.id)
        .where(Application.cycle_id == cycle.id, Application.state == "eligible")
        .order_by(Application.id)
    ).all()
    for first in range(0, len(application_ids), BATCH_SIZE):
        try:
            _close_applications(session, application_ids[first : first + BATCH_SIZE], now)
        except Refusal as refusal:
            raise NotAllowed(str(refusal)) from None
    cycle.closed_at = now
    session.flush()
    _record(session, cycle, "cycle.close", actor, now, before=None)


def _close_applications(session: Session, application_ids: Sequence[int], now: datetime) -> None:
    """Close these applications, with as many statements as one of them would take."""
    lock_applications(session, application_ids)
    close, made = move_named("application", "close"), list[Made]()
    for case in cases_of_applications(session, application_ids, None, "system", now):
        perform_locked(session, close, case, later=made)
    conclude(session, made)


def _write(cycle: Cycle, values: CycleValues) -> None:
    for name, value in asdict(values).items():
        setattr(cycle, name, list(value) if name in LISTS else value)


def _record(
    session: Session, cycle: Cycle, act: str, actor: User, now: datetime, *, before: dict[str, Any] | None
) -> None:
    after = _as_json(values_of(cycle))
    audit.record(session, actor, act, "cycle", cycle.slug, now, before=before, after=after)


def _as_json(values: CycleValues) -> dict[str, Any]:
    return {
        name: value.isoformat() if hasattr(value, "isoformat") else list(value) if name in LISTS else value
        for name, value in asdict(values).items()
    }


def _free_slug(session: Session, name: str) -> str:
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", ascii_name).strip("-")[:80] or "cycle"
    taken = set(session.scalars(select(Cycle.slug).where(Cycle.slug.startswith(stem, autoescape=True))))
    return next(
        slug for slug in (stem, *(f"{stem}-{number}" for number in range(2, len(taken) + 3))) if slug not in taken
    )


def begin_telling(session: Session, cycle: Cycle, *, by: User, now: datetime) -> Mailing | None:
    """Start the job for everybody in whose application something can still be changed; None if there is nobody."""
    applicants = session.scalar(select(func.count(Application.id)).where(*_to_tell(cycle.id, now))) or 0
    if not applicants:
        return None
    title = f"Tell {counted(applicants, 'applicant', 'applicants')} the new deadline of {cycle.name}"
    arguments = {
        "cycle": cycle.id,
        "version": cycle.version,
        "deadline_at": cycle.deadline_at.isoformat(),
        "moved_at": now.isoformat(),
    }
    started = start(session, TELL, title, arguments, by=by, now=now, about=f"/admin/cycles/{cycle.slug}")
    return Mailing(applicants, started.id)


@job(TELL)
def tell_deadline(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Tell everybody in the order of their applications, each once, also where a try before was killed.

    Once the deadline has moved again it ends: another job tells that one.
    """
    deadline_at, moved_at = (datetime.fromisoformat(arguments[name]) for name in ("deadline_at", "moved_at"))
    to_tell = _to_tell(int(arguments["cycle"]), moved_at)
    total = session.scalar(select(func.count(Application.id)).where(*to_tell)) or 0
    done = last = 0
    while True:
        cycle = session.get(Cycle, int(arguments["cycle"]), populate_existing=True)
        if cycle is None:
            raise JobRefused("This cycle is not there any more.")
        if cycle.deadline_at != deadline_at:
            raise JobRefused(
                "The deadline has moved again since; whoever was not told of this one is told of that one."
            )
        following = select(Application).where(*to_tell, Application.id > last).order_by(Application.id).limit(AT_ONCE)
        applications = session.scalars(following.options(joinedload(Application.applicant))).all()
        if not applications:
            break
        with mail.together(session):
            for application in applications:
                _tell(session, cycle, application, int(arguments["version"]))
        done, last = done + len(applications), applications[-1].id
        progress.step(done, max(done, total), f"Writing the mails about {cycle.name}")
    text = f"{counted(done, 'applicant is', 'applicants are')} told the new deadline by mail."
    return Outcome(text, f"/admin/cycles/{cycle.slug}", "See the cycle")


def _to_tell(cycle_id: int, moved_at: datetime) -> tuple[ColumnElement[bool], ...]:
    """The conditions on `Application` of who is told. Who began later has seen the new deadline."""
    return (
        Application.cycle_id == cycle_id,
        Application.state.in_(EDITABLE),
        Application.created_at <= moved_at,
    )


def _tell(session: Session, cycle: Cycle, application: Application, version: int) -> None:
    mail.tell(
        session,
        application.applicant,
        "deadline_moved",
        {"cycle": cycle.name, "zone": cycle.zone, "deadline_at": cycle.deadline_at.isoformat()},
        now=datetime.now(UTC),
        path=application_path(application),
        dedupe=f"application:{application.id}:deadline:{version}",
    )


@dataclass(frozen=True, slots=True)
class Mailing:
    """How many applicants are told something, and the number of the job that tells them."""

    applicants: int
    job_id: int
