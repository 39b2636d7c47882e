"""The applications of a cycle: the list, narrowed, sorted, in pages and as a file; and what the page of one needs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func, or_, select
from sqlalchemy.orm import contains_eager, defer, joinedload, selectinload

from portal.admin.labs.queries import is_meant_by, labs_on_offer
from portal.admin.searching import is_applicant_found_by
from portal.applications.states import APPLICATION_LABELS, CHOICE_LABELS, READ_BY_LABS
from portal.applications.submissions import GONE
from portal.models import Application, Choice, Conflict, Lab, LabProfessor, MoveRecord, User
from portal.models.user import called
from portal.web.downloads import csv_file
from portal.web.paging import PER_PAGE, Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.models import Cycle, Submission


SORTS = ("submitted", "name", "state")
HEADER = ("Applicant", "E-mail", "State", "In this state since (UTC)", "Submitted (UTC)", "Receipt", "Labs, by name")


def applications_page(
    session: Session, cycle: Cycle, asked: Mapping[str, str], *, number: int, per_page: int = PER_PAGE
) -> Page[Application]:
    """One page of the list that is asked for (see `list_request`), with applicants and chosen labs."""
    listed = _listed(session, cycle, asked, Application).options(
        defer(Application.answers),
        contains_eager(Application.applicant),
        selectinload(Application.choices).joinedload(Choice.lab),
    )
    shown, page, total = cut_to_page(session, listed, number, per_page)
    return Page(session.scalars(shown).all(), page, total, per_page)


def labs_by_name(application: Application) -> list[str]:
    """The names of the chosen labs, not in the applicant's order."""
    return sorted(choice.lab.name for choice in application.choices)


def applications_csv(session: Session, cycle: Cycle, asked: Mapping[str, str]) -> tuple[bytes, int]:
    """The applications on all pages of the list as a CSV file, and how many they are. Two statements."""
    chosen = (
        select(Choice.application_id, Lab.name)
        .join(Lab, Lab.id == Choice.lab_id)
        .join(Application, Application.id == Choice.application_id)
        .where(Application.cycle_id == cycle.id)
    )
    labs: dict[int, list[str]] = defaultdict(list)
    for application_id, lab in session.execute(chosen):
        labs[application_id].append(lab)
    who = (Application.id, User.name, User.email)
    columns = (*who, Application.state, Application.state_since, Application.submitted_at, Application.receipt)
    rows = [
        (
            called(name, email),
            email,
            APPLICATION_LABELS[state],
            _moment(since),
            _moment(submitted_at),
            receipt or "",
            "; ".join(sorted(labs[application_id])),
        )
        for application_id, name, email, state, since, submitted_at, receipt in session.execute(
            _listed(session, cycle, asked, *columns)
        )
    ]
    return csv_file([HEADER, *rows]), len(rows)


def chosen_in(session: Session, cycle: Cycle) -> Sequence[tuple[str, str]] | None:
    """Slug and name of the labs that applications of a cycle choose, by name; None if they are too many for a list."""
    chosen = (
        select(Choice.lab_id)
        .join(Application, Application.id == Choice.application_id)
        .where(Application.cycle_id == cycle.id)
    )
    return labs_on_offer(session, Lab.id.in_(chosen))


def _listed(session: Session, cycle: Cycle, asked: Mapping[str, str], *columns: Any) -> Select[Any]:  # noqa: ANN401  (columns of any table)
    conditions: list[ColumnElement[bool]] = [Application.cycle_id == cycle.id]
    if asked.get("state"):
        conditions.append(Application.state == asked["state"])
    if asked.get("lab"):
        choosing = select(Choice.application_id).join(Lab, Lab.id == Choice.lab_id)
        conditions.append(Application.id.in_(choosing.where(is_meant_by(session, asked["lab"]))))
    if asked.get("q"):
        conditions.append(is_applicant_found_by(session, asked["q"]))
    match asked.get("sort"):
        case "name":
            key: ColumnElement[Any] = func.lower(func.coalesce(func.nullif(User.name, ""), User.email))
        case "state":
            key = case({state: rank for rank, state in enumerate(APPLICATION_LABELS)}, value=Application.state)
        case _:
            key = Application.submitted_at.expression
    # Sorted by submission in either direction, unsubmitted applications come last.
    last = () if asked.get("sort") in {"name", "state"} else (Application.submitted_at.is_(None),)
    return (
        select(*columns)
        .select_from(Application)
        .join(User, User.id == Application.applicant_id)
        .where(*conditions)
        .order_by(*last, key.desc() if asked.get("order") else key.asc(), Application.submitted_at, Application.id)
    )


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M}" if at else ""


@dataclass(frozen=True, slots=True)
class SubmittedLab:
    """A lab chosen in a submission. `state` is the state of the choice in words, and `since` when it began; both are
    empty until the lab may read the application. `slug` is empty if the lab no longer exists.
    """

    name: str
    slug: str
    reason: str
    state: str
    since: datetime | None
    is_waiting: bool  # for its release: the applicant sees nothing of the state yet


@dataclass(frozen=True, slots=True)
class ToCheck:
    """How many other submitted applications of a cycle wait to be checked, and the id of the next one."""

    others: int
    next: int | None


def applications_in(session: Session, cycle: Cycle, ids: Sequence[int]) -> Sequence[Application]:
    """The applications of a cycle with these ids, in their order; others are left out."""
    statement = select(Application).where(Application.id.in_(ids), Application.cycle_id == cycle.id)
    found = {application.id: application for application in session.scalars(statement)}
    return [found[application_id] for application_id in ids if application_id in found]


def own_moves(session: Session, application: Application) -> Sequence[MoveRecord]:
    """The moves of an application itself, not of its choices, in their order."""
    moves = select(MoveRecord).where(MoveRecord.application_id == application.id, MoveRecord.choice_id.is_(None))
    return session.scalars(moves.order_by(MoveRecord.id)).all()


def chosen_labs(
    session: Session, application: Application, submission: Submission | None, reader: User
) -> Sequence[SubmittedLab]:
    """The labs of the last submission, in the applicant's order. In their own application, readers see the states that
    applicants see.
    """
    if submission is None:
        return ()
    submitted = sorted(submission.choices, key=lambda item: int(item["position"]))
    statement = select(Lab).where(Lab.id.in_([item["lab_id"] for item in submitted]))
    labs = {lab.id: lab for lab in session.scalars(statement)}
    is_readable = application.state in READ_BY_LABS
    choices = {item.lab_id: item for item in application.choices} if is_readable else {}
    is_own = application.applicant_id == reader.id
    rows = []
    for item in submitted:
        lab, choice = labs.get(item["lab_id"]), choices.get(item["lab_id"])
        state, since, is_waiting = "", None, False
        if choice is not None:
            state = CHOICE_LABELS[choice.shown_state if is_own else choice.state]
            since = choice.shown_since if is_own else choice.state_since
            if choice.listed_since:  # at the earliest, since the lab could read the application
                since = max(since, choice.listed_since)
            is_decided = choice.state in {"offered", "waitlisted", "declined"}
            is_waiting = not is_own and is_decided and choice.shown_state != choice.state
        name, slug = (lab.name, lab.slug) if lab else (GONE, "")
        rows.append(SubmittedLab(name, slug, item["reason"], state, since, is_waiting))
    return rows


def to_check(session: Session, application: Application) -> ToCheck:
    """The other waiting applications: their number, and the next by time of submission, wrapping around at the end."""
    waiting = (Application.cycle_id == application.cycle_id, Application.state == "submitted")
    others = (*waiting, Application.id != application.id)
    ordered = select(Application.id).where(*others).order_by(Application.submitted_at, Application.id).limit(1)
    count = session.scalar(select(func.count()).select_from(Application).where(*others)) or 0
    submitted_at = application.submitted_at
    if submitted_at is None or not count:
        return ToCheck(count, session.scalar(ordered))
    later = or_(
        Application.submitted_at > submitted_at,
        (Application.submitted_at == submitted_at) & (Application.id > application.id),
    )
    return ToCheck(count, session.scalar(ordered.where(later)) or session.scalar(ordered))


def declared_conflicts(session: Session, application: Application) -> Sequence[Conflict]:
    """The declared conflicts of interest with the applicant, the latest first."""
    return session.scalars(
        select(Conflict)
        .where(Conflict.applicant_id == application.applicant_id, Conflict.state == "declared")
        .options(joinedload(Conflict.reviewer), joinedload(Conflict.declared_by))
        .order_by(Conflict.changed_at.desc(), Conflict.id)
    ).all()


def readers_of(session: Session, application: Application) -> Sequence[User]:
    """The people who read the application for a lab and have declared no conflict; nobody while labs may not read it.

    Otherwise, the notice of a conflict would reveal to a professor that this applicant chose their lab.
    """
    if application.state not in READ_BY_LABS:
        return ()
    excluded = select(Conflict.reviewer_id).where(
        Conflict.applicant_id == application.applicant_id, Conflict.state == "declared"
    )
    readers = (
        select(LabProfessor.user_id)
        .join(Choice, Choice.lab_id == LabProfessor.lab_id)
        .where(Choice.application_id == application.id)
    )
    return session.scalars(
        select(User)
        .where(
            User.id.in_(readers),
            User.active.is_(True),
            User.id != application.applicant_id,
            User.id.not_in(excluded),
        )
        .order_by(User.name, User.id)
    ).all()
