"""The groups of applicants of a cycle that an announcement can go to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import and_, exists, func, select

from portal.applications.states import OPEN_APPLICATION
from portal.models import Application, Choice, User
from portal.models.announcement import ANNOUNCED_TO

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.models import Cycle

_ACCEPTED = exists().where(Choice.application_id == Application.id, Choice.state == "accepted")
_CONDITIONS: Mapping[str, ColumnElement[bool]] = {
    "everybody": Application.state != "withdrawn",
    "not_submitted": and_(Application.state == "draft", Application.submissions == 0),
    # An application that is being edited again counts as it was submitted.
    "considered": and_(Application.state.in_(OPEN_APPLICATION), Application.submissions > 0),
    "accepted": _ACCEPTED,
}
LABELS: Mapping[str, str] = {
    "everybody": "Everybody who has begun or submitted an application, and not withdrawn it",
    "not_submitted": "Those who have begun an application, and never submitted it",
    "considered": "Those who have submitted an application that is still considered",
    "accepted": "Those who have accepted an offer",
}


@dataclass(frozen=True, slots=True)
class Group:
    """A group, in words, and how many applicants are in it now."""

    name: str
    label: str
    count: int


def groups_of(session: Session, cycle: Cycle) -> Sequence[Group]:
    """All groups of a cycle with their sizes, as of now."""
    return [Group(name, LABELS[name], count_of(session, cycle, name)) for name in ANNOUNCED_TO]


def count_of(session: Session, cycle: Cycle, name: str) -> int:
    """How many applicants are in a group now."""
    return session.scalar(select(func.count()).select_from(applications_in(cycle, name).subquery())) or 0


def applications_in(cycle: Cycle, name: str) -> Select[int]:
    """The ids of the applications whose applicants are in a group, without suspended accounts."""
    return (
        select(Application.id)
        .join(User, User.id == Application.applicant_id)
        .where(Application.cycle_id == cycle.id, User.active.is_(True), _CONDITIONS[name])
    )
