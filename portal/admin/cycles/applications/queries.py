"""The applications of a cycle: the list, narrowed, sorted, in pages and as a file; and what the page of one needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func, or_, select
from sqlalchemy.orm import joinedload

from portal.admin.lab_choice import is_meant_by, labs_on_offer
from portal.admin.searching import is_applicant_found_by
from portal.applications.states import APPLICATION_LABELS, CHOICE_LABELS, READ_BY_LABS
from portal.applications.submissions import GONE
from portal.models import Application, Choice, Conflict, Lab, LabProfessor, MoveRecord, User
from portal.models.user import called
from portal.web.csv_cells import csv_file
from portal.web.paging import PER_PAGE, Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.models import Cycle, Submission


SORTS = ("submitted", "name", "state")
HEADER = ("Applicant", "E-mail", "State", "In this state since (UTC)", "Submitted (UTC)", "Receipt", "Labs, by name")
BATCH_SIZE = 500  # applications whose labs are read in one statement


@dataclass(frozen=True, slots=True)
class ApplicationList:
    """Filter and order of a cycle's list of applications. Empty values narrow nothing; `lab` is a slug, or words of a
    lab's name.
    """

    state: str = ""
    lab: str = ""
    search: str = ""
    sort: str = "submitted"
    descending: bool = False

    def query(self) -> dict[str, str]:
        """Filter and order as query parameters."""
        order = "descending" if self.descending else ""
        values = {"state": self.state, "lab": self.lab, "q": self.search, "sort": self.sort, "order": order}
        return {name: value for name, value in values.items() if value}

    @classmethod
    def read(cls, values: Mapping[str, str], search: str) -> ApplicationList:
        """The list from the query parameters in `values`; unknown values are ignored."""
        state, sort = values.get("state", ""), values.get("sort", "")
        return cls(
            state if state in APPLICATION_LABELS else "",
            values.get("lab", ""),
            search,
            sort if sort in SORTS else SORTS[0],
            values.get("order") == "descending",
        )


@dataclass(frozen=True, slots=True)
class ApplicationRow:
    """An application in a list: the applicant, its state, and the chosen labs by name, not in the applicant's order."""

    id: int
    name: str
    email: str
    state: str
    state_since: datetime
    submitted_at: datetime | None
    receipt: str | None
    labs: tuple[str, ...]


def applications_page(
    session: Session, cycle: Cycle, filters: ApplicationList, *, number: int, per_page: int = PER_PAGE
) -> Page[ApplicationRow]:
    """One page of the list."""
    shown, page, total = cut_to_page(session, _listed(session, cycle, filters), number, per_page)
    return Page(_rows(session, shown), page, total, per_page)


def every_application(session: Session, cycle: Cycle, filters: ApplicationList) -> Sequence[ApplicationRow]:
    """The rows of all pages of the list."""
    return _rows(session, _listed(session, cycle, filters))


def applications_csv(rows: Iterable[ApplicationRow]) -> bytes:
    """Applications as a CSV file."""
    return csv_file([HEADER, *map(_cells, rows)])


def chosen_in(session: Session, cycle: Cycle) -> Sequence[tuple[str, str]] | None:
    """Slug and name of the labs that applications of a cycle choose, by name; None if they are too many for a list."""
    chosen = (
        select(Choice.lab_id)
        .join(Application, Application.id == Choice.application_id)
        .where(Application.cycle_id == cycle.id)
    )
    return labs_on_offer(session, Lab.id.in_(chosen))


def _listed(
    session: Session, cycle: Cycle, filters: ApplicationList
) -> Select[int, str, str, str, datetime, datetime | None, str | None]:
    """The list as columns of a row, not mapped objects, which take three times as long."""
    conditions: list[ColumnElement[bool]] = [Application.cycle_id == cycle.id]
    if filters.state:
        conditions.append(Application.state == filters.state)
    if filters.lab:
        choosing = (
            select(Choice.application_id).join(Lab, Lab.id == Choice.lab_id).where(is_meant_by(session, filters.lab))
        )
        conditions.append(Application.id.in_(choosing))
    if filters.search:
        conditions.append(is_applicant_found_by(session, filters.search))
    columns = select(
        Application.id,
        User.name,
        User.email,
        Application.state,
        Application.state_since,
        Application.submitted_at,
        Application.receipt,
    )
    listed = columns.join(User, User.id == Application.applicant_id).where(*conditions)
    return listed.order_by(*_order(filters))


def _order(filters: ApplicationList) -> Sequence[ColumnElement[Any]]:
    """The order of the list. Sorted by submission in either direction, unsubmitted applications come last."""
    match filters.sort:
        case "name":
            key: ColumnElement[Any] = func.lower(func.coalesce(func.nullif(User.name, ""), User.email))
        case "state":
            ranks = {state: rank for rank, state in enumerate(APPLICATION_LABELS)}
            key = case(ranks, value=Application.state)
        case _:
            key = Application.submitted_at.expression
    unsubmitted_last = (Application.submitted_at.is_(None),) if filters.sort == "submitted" else ()
    return (
        *unsubmitted_last,
        key.desc() if filters.descending else key.asc(),
        Application.submitted_at,
        Application.id,
    )


def _rows(
    session: Session, statement: Select[int, str, str, str, datetime, datetime | None, str | None]
) -> list[ApplicationRow]:
    rows = session.execute(statement).all()
    labs = _labs_of(session, [row[0] for row in rows])
    return [
        ApplicationRow(
            application_id,
            called(name, email),
            email,
            state,
            since,
            submitted_at,
            receipt,
            labs.get(application_id, ()),
        )
        for application_id, name, email, state, since, submitted_at, receipt in rows
    ]


def _labs_of(session: Session, applications: Sequence[int]) -> dict[int, tuple[str, ...]]:
    labs: dict[int, tuple[str, ...]] = {}
    for start in range(0, len(applications), BATCH_SIZE):
        chosen = session.execute(
            select(Choice.application_id, Lab.name)
            .join(Lab, Lab.id == Choice.lab_id)
            .where(Choice.application_id.in_(applications[start : start + BATCH_SIZE]))
            .order_by(Lab.name)
        )
        for application_id, name in chosen:
            labs[application_id] = (*labs.get(application_id, ()), name)
    return labs


def _cells(row: ApplicationRow) -> Iterable[str]:
    return (
        row.name,
        row.email,
        APPLICATION_LABELS[row.state],
        _moment(row.state_since),
        _moment(row.submitted_at),
        row.receipt or "",
        "; ".join(row.labs),
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
