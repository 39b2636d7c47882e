"""The latest acts on the administrators' first page: acts of one kind in a row by one person are one line.

What applicants do with their own accounts and applications is one line for all of them: in the days before a deadline
it would fill the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.accounts.service import REGISTER
from portal.admin.audit_log.filters import AuditFilter
from portal.admin.audit_log.queries import audit_rows
from portal.admin.audit_log.words import acts_in_words
from portal.applications.states import MOVES
from portal.models import AuditEntry, User

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from sqlalchemy import Row
    from sqlalchemy.orm import Session

    from portal.admin.audit_log.queries import AuditRow

TAIL = 8  # lines
MOST_READ = 1_000  # entries, from the newest on
THROUGH = " through "  # between the address and the token in the label of an actor
_OF_APPLICANTS = {
    *(REGISTER, "referee.ask", "referee.remind", "referee.remove", "interview.pick", "interview.give_back"),
    *(f"{move.subject}.{move.name}" for move in MOVES if "applicant" in move.actors),
}
_NEWEST = (
    select(AuditEntry.id, AuditEntry.at, AuditEntry.actor_id, AuditEntry.actor_label, AuditEntry.act)
    .order_by(AuditEntry.id.desc())
    .limit(MOST_READ)
)


@dataclass(frozen=True, slots=True)
class LatestAct:
    """An act, or `times` of one kind in a row: the newest entry, the act in words, the name of who did it, and the
    filter of the audit log that lists them all.
    """

    newest: AuditRow
    words: str
    who: str
    times: int
    filter: Mapping[str, str]


def latest_acts(session: Session) -> list[LatestAct]:
    """The last `TAIL` acts, newest first, with acts of one kind in a row by one person as one. Of a very long row the
    newest `MOST_READ` are counted.
    """
    entries = session.execute(_NEWEST).all()
    groups = [list(group) for _, group in groupby(entries, key=_kind)][:TAIL]
    first = session.scalars(select(AuditEntry).where(AuditEntry.id.in_([group[0].id for group in groups])))
    rows = audit_rows(session, sorted(first, key=lambda entry: -entry.id))
    who = _names(session, [group[0] for group in groups])
    return [_latest_act(row, group, who[group[0].id]) for row, group in zip(rows, groups, strict=True)]


def _names(session: Session, entries: Sequence[Row[*tuple[Any, ...]]]) -> dict[int, str]:
    """Who did it, by the id of the entry: their name, and the token they used, if any; else as the log has it."""
    ids = {entry.actor_id for entry in entries}
    names = dict(session.execute(select(User.id, User.name).where(User.id.in_(ids), User.name != "")).all())
    by_entry = {}
    for entry in entries:
        _, through, token = entry.actor_label.partition(THROUGH)
        name = names.get(entry.actor_id)
        by_entry[entry.id] = f"{name}{through}{token}" if name else entry.actor_label
    return by_entry


def _latest_act(newest: AuditRow, entries: Sequence[Row[*tuple[Any, ...]]], name: str) -> LatestAct:
    days = sorted(f"{entry.at:%Y-%m-%d}" for entry in entries)
    people = {entry.actor_label for entry in entries}
    shown = AuditFilter(act=newest.act, person=newest.actor if len(people) == 1 else "", since=days[0], until=days[-1])
    who = name if len(people) == 1 else f"{len(people):,} people"
    return LatestAct(newest, acts_in_words(newest.act, len(entries)), who, len(entries), shown.query())


def _kind(entry: Row[*tuple[Any, ...]]) -> tuple[str, ...]:
    """What entries of one line have in common."""
    return (entry.act,) if entry.act in _OF_APPLICANTS else (entry.act, str(entry.actor_id), entry.actor_label)
