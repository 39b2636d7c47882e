"""Reads of releases, and of decisions that wait for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import func, null, select
from sqlalchemy.orm import contains_eager

from portal.admin.labs.queries import is_meant_by
from portal.applications.cycles import IS_STAGED
from portal.models import Application, Choice, Cycle, Decision, Job, Lab, Release, ReleaseItem, User
from portal.web.paging import Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import ColumnElement, Row, Select
    from sqlalchemy.orm import Session


JOB = "release decisions"
FIRST_PROBLEMS = 100  # named above the list of a release
OPEN = ("prepared", "approved", "held")
# A decision that could not be released waits again; one that is in an open release does not.
_IN_OPEN_RELEASES = (
    select(ReleaseItem.decision_id)
    .join(Release, Release.id == ReleaseItem.release_id)
    .where(Release.state.in_(OPEN), ReleaseItem.released_at.is_(None), ReleaseItem.problem == "")
)
_OF_DECISION = (Decision, User, Lab, Choice.application_id)
_OF_ITEM = (*_OF_DECISION, ReleaseItem)


class DecisionRow(NamedTuple):
    """A decision with its applicant, lab and application, and its item if it is in a release."""

    decision: Decision
    applicant: User
    lab: Lab
    application_id: int
    item: ReleaseItem | None


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a release: its decisions by kind, how many are released, how many could not be, and the first of
    these.
    """

    kinds: Mapping[str, int]
    out: int
    held_back: int
    problems: Sequence[DecisionRow]

    @property
    def total(self) -> int:
        """How many decisions it has."""
        return sum(self.kinds.values())


def to_approve(session: Session) -> Sequence[Row[*tuple[Any, ...]]]:
    """The releases that wait for approval, the oldest first, with how many decisions are still to be released."""
    decisions = func.count(ReleaseItem.decision_id).label("decisions")
    return session.execute(
        select(Release.id, Release.state, Release.prepared_by_id, Cycle.name, decisions)
        .join(Cycle, Cycle.id == Release.cycle_id)
        .join(ReleaseItem, ReleaseItem.release_id == Release.id)
        .where(Release.state.in_(("prepared", "held")), ReleaseItem.released_at.is_(None), ReleaseItem.problem == "")
        .group_by(Release.id, Cycle.name, Release.state, Release.prepared_by_id)
        .order_by(Release.id)
    ).all()


def waiting_in(session: Session, cycle: Cycle, *, lab: str = "", kind: str = "") -> list[ColumnElement[bool]]:
    """The conditions on the decisions of a cycle that wait and are in no open release: all, or those of one kind, or of
    the labs that `lab` means (a slug, or words of a name).
    """
    conditions = [Application.cycle_id == cycle.id, IS_STAGED, Decision.id.not_in(_IN_OPEN_RELEASES)]
    conditions += [is_meant_by(session, lab)] if lab else []
    return conditions + ([Decision.kind == kind] if kind else [])


def in_open_releases(session: Session) -> frozenset[int]:
    """The ids of the decisions that are still to be released by an open release."""
    return frozenset(session.scalars(_IN_OPEN_RELEASES))


def count_to_release(session: Session, cycle: Cycle) -> int:
    """How many decisions of a cycle wait and are in no open release."""
    return sum(waiting_kinds(session, waiting_in(session, cycle)).values())


def waiting_kinds(session: Session, waiting: Sequence[ColumnElement[bool]]) -> Mapping[str, int]:
    """How many decisions wait, by kind."""
    return _by_kind(session, _joined(Decision.kind, func.count()).where(*waiting))


def waiting_labs(session: Session, cycle: Cycle) -> Sequence[tuple[str, str, int]]:
    """The labs with waiting decisions, by name: slug, name, and how many."""
    by_lab = _joined(Lab.slug, Lab.name, func.count()).where(*waiting_in(session, cycle))
    rows = session.execute(by_lab.group_by(Lab.id, Lab.slug, Lab.name).order_by(Lab.name, Lab.id))
    return [(slug, name, count) for slug, name, count in rows]


def waiting_page(
    session: Session, waiting: Sequence[ColumnElement[bool]], *, number: int, per_page: int
) -> Page[DecisionRow]:
    """One page of the waiting decisions, by lab and kind."""
    waits = _joined(*_OF_DECISION, null()).where(*waiting)
    return _page(session, waits, number, per_page)


def waiting_decisions(
    session: Session, waiting: Sequence[ColumnElement[bool]], ids: Iterable[int] | None = None
) -> Sequence[Decision]:
    """The waiting decisions with their choices; only those with these `ids`, if given."""
    statement = _joined(Decision).options(contains_eager(Decision.choice)).where(*waiting)
    decisions = session.scalars(statement).all()
    wanted_ids = None if ids is None else frozenset(ids)
    return [decision for decision in decisions if wanted_ids is None or decision.id in wanted_ids]


def releases_page(session: Session, cycle: Cycle, number: int) -> Page[tuple[Release, int]]:
    """One page of the releases of a cycle, newest first, with how many decisions each has."""
    size = select(func.count(ReleaseItem.id)).where(ReleaseItem.release_id == Release.id).scalar_subquery()
    releases = select(Release, size).where(Release.cycle_id == cycle.id).order_by(Release.id.desc())
    shown, number, total = cut_to_page(session, releases, number)
    return Page([(release, count) for release, count in session.execute(shown)], number, total)


def newest_release(session: Session, cycle: Cycle) -> int:
    """The id of the newest release of a cycle; 0 if there is none."""
    return session.scalar(select(func.max(Release.id)).where(Release.cycle_id == cycle.id)) or 0


def release_page(session: Session, release: Release, *, number: int, per_page: int) -> Page[DecisionRow]:
    """One page of the decisions of a release, by lab and kind."""
    return _page(session, _of_release(release, *_OF_ITEM), number, per_page)


def job_of(session: Session, release: Release) -> Job | None:
    """The newest job that carries out a release, since its last approval; None if there is none."""
    if release.approved_at is None:
        return None
    since = select(Job).where(Job.kind == JOB, Job.created_at >= release.approved_at).order_by(Job.id.desc())
    return next((job for job in session.scalars(since) if job.arguments.get("release") == release.id), None)


def progress_of(session: Session, release: Release) -> Progress:
    """The progress of a release."""
    out = _of_release(release, func.count()).where(ReleaseItem.released_at.is_not(None))
    held_back = _of_release(release, func.count()).where(ReleaseItem.problem != "")
    problems = _of_release(release, *_OF_ITEM).where(ReleaseItem.problem != "")
    first = session.execute(_in_order(problems).limit(FIRST_PROBLEMS))
    return Progress(
        _by_kind(session, _of_release(release, Decision.kind, func.count())),
        session.scalar(out) or 0,
        session.scalar(held_back) or 0,
        [DecisionRow(*row) for row in first],
    )


def _joined(*columns: Any) -> Select[Any]:  # noqa: ANN401  (columns of any table)
    return (
        select(*columns)
        .select_from(Decision)
        .join(Choice, Choice.id == Decision.choice_id)
        .join(Application, Application.id == Choice.application_id)
        .join(User, User.id == Application.applicant_id)
        .join(Lab, Lab.id == Choice.lab_id)
    )


def _of_release(release: Release, *columns: Any) -> Select[Any]:  # noqa: ANN401  (columns of any table)
    items = _joined(*columns).join(ReleaseItem, ReleaseItem.decision_id == Decision.id)
    return items.where(ReleaseItem.release_id == release.id)


def _in_order(statement: Select[Any]) -> Select[Any]:
    return statement.order_by(Lab.name, Lab.id, Decision.kind.desc(), User.name, Decision.id)


def _page(session: Session, statement: Select[Any], number: int, per_page: int) -> Page[DecisionRow]:
    shown, number, total = cut_to_page(session, _in_order(statement), number, per_page)
    return Page([DecisionRow(*row) for row in session.execute(shown)], number, total, per_page)


def _by_kind(session: Session, statement: Select[Any]) -> dict[str, int]:
    return dict(session.execute(statement.group_by(Decision.kind)).all())
