"""The audit log: who did what to which object, with the values before and after, in a chain that shows tampering.

Entries are sealed when their transaction commits, one transaction at a time: a transaction locks the end of the chain
last of all, so that two transactions never wait for each other.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import event, inspect, select, update
from sqlalchemy.orm import Session

from portal.models import AuditEntry, AuditHead

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from portal.models import User

UNSEALED = "audit_entries_without_seal"  # in session.info until the commit
THROUGH = "audit_through"  # in session.info: what somebody acts through, such as "token “CI” (no. 3)"
LONGEST_LABEL = 255
HEAD_ID = 1
BATCH_SIZE = 1_000  # entries read at a time


def record(
    session: Session,
    actor: User | str | None,
    act: str,
    object_type: str,
    object_key: str,
    now: datetime,
    *,
    before: Any = None,  # noqa: ANN401  (any JSON value)
    after: Any = None,  # noqa: ANN401  (any JSON value)
) -> AuditEntry:
    """Add an entry to the log, in the transaction of `session`, and return it. `actor` is a person or the name of an
    automatic process; None is the command line.
    """
    person = None if isinstance(actor, str) else actor
    through = session.info.get(THROUGH, "") if person else ""
    label = person.email if person else str(actor or "command line")
    entry = AuditEntry(
        at=now,
        actor_id=person.id if person else None,
        actor_label=(f"{label} through {through}" if through else label)[:LONGEST_LABEL],
        act=act,
        object_type=object_type,
        object_key=object_key,
        before=_writable(before),
        after=_writable(after),
    )
    session.add(entry)
    session.info.setdefault(UNSEALED, []).append(entry)
    return entry


def _writable(value: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """The value with a question mark for each half of a surrogate pair, such as from a byte of a command line that is
    no UTF-8: a single one would keep the whole log from being shown or exported.
    """
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a check of the chain: how many entries it has, its last seal, and what is wrong, if anything."""

    entries: int
    seal: str
    wrong: str

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not self.wrong


def verify(session: Session, progress: Callable[[int], None] | None = None) -> Verdict:
    """Recompute every seal from the first entry on. Stops at the first mismatch. Writes nothing."""
    head = session.get(AuditHead, HEAD_ID)
    position, seal = 0, ""
    while True:
        entries = session.scalars(
            select(AuditEntry)
            .where(AuditEntry.position > position)
            .order_by(AuditEntry.position)
            .limit(BATCH_SIZE)
            .execution_options(populate_existing=True)
        ).all()
        if not entries:
            break
        for entry in entries:
            wrong = _what_is_wrong(entry, position, seal)
            if wrong:
                return Verdict(position, seal, wrong)
            position, seal = position + 1, entry.seal or ""
        if progress is not None:
            progress(position)
    if session.scalar(select(AuditEntry.id).where(AuditEntry.position.is_(None)).limit(1)) is not None:
        return Verdict(position, seal, "An entry has no place in the chain: it was not added by the portal.")
    if (head.position, head.seal) != (position, seal) if head else position:
        expected = head.position if head else 0
        return Verdict(position, seal, f"The log ends after entry {position}, but {expected} were written.")
    return Verdict(position, seal, "")


def _what_is_wrong(entry: AuditEntry, position: int, seal: str) -> str:
    if entry.position != position + 1:
        return f"Entry {position + 1} is missing."
    if entry.seal != seal_of(entry, seal):
        return f"Entry {entry.position} ({entry.act}, {entry.at:%Y-%m-%d %H:%M} UTC) is not what was written."
    return ""


def seal_of(entry: AuditEntry, before: str) -> str:
    """The seal of an entry after the seal `before`: SHA-256 (hexadecimal) of both as JSON with sorted keys. The account
    of the actor, which may be erased, is left out; the label stays.
    """
    sealed_values = [
        before,
        entry.position,
        entry.at.isoformat(),
        entry.actor_label,
        entry.act,
        entry.object_type,
        entry.object_key,
        entry.before,
        entry.after,
    ]
    return hashlib.sha256(json.dumps(sealed_values, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def _seal(session: Session) -> None:
    """Give the new entries of a session their numbers and seals. Locks the end of the chain until the commit."""
    if session.in_nested_transaction():
        return
    # Entries undone by a rollback are in no session any more.
    entries = [entry for entry in session.info.pop(UNSEALED, ()) if entry in session]
    if not entries:
        return
    session.flush()
    unsealed = [entry for entry in entries if inspect(entry).persistent and entry.seal is None]
    head = _locked_head(session)
    _read_again(session, unsealed)
    for entry in sorted(unsealed, key=lambda item: item.id):
        entry.position = head.position + 1
        entry.seal = seal_of(entry, head.seal)
        head.position, head.seal = entry.position, entry.seal
    session.flush()


def _read_again(session: Session, entries: Sequence[AuditEntry]) -> None:
    """Read new entries back from the database, so that the seal covers the same values as a later check."""
    numbers = [entry.id for entry in entries]
    for start in range(0, len(numbers), BATCH_SIZE):
        statement = select(AuditEntry).where(AuditEntry.id.in_(numbers[start : start + BATCH_SIZE]))
        session.scalars(statement.execution_options(populate_existing=True)).all()


def _locked_head(session: Session) -> AuditHead:
    """The end of the chain: locked by a no-op update, then read."""
    session.execute(
        update(AuditHead)
        .where(AuditHead.id == HEAD_ID)
        .values(position=AuditHead.position)
        .execution_options(synchronize_session=False)
    )
    return session.scalars(
        select(AuditHead).where(AuditHead.id == HEAD_ID).execution_options(populate_existing=True)
    ).one()


event.listen(Session, "before_commit", _seal)
