"""The audit log: who did what to which object, with the values before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.models import AuditEntry

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User


def record(
    session: Session,
    *,
    actor: User | str | None,
    act: str,
    object_type: str,
    object_key: str,
    now: datetime,
    before: Any = None,  # noqa: ANN401  (any JSON value)
    after: Any = None,  # noqa: ANN401  (any JSON value)
) -> None:
    """Add one entry to the log, in the transaction of `session`.

    `actor` is a person, or the name of what acts by itself; None is the command line.
    """
    person = None if isinstance(actor, str) else actor
    session.add(
        AuditEntry(
            at=now,
            actor_id=person.id if person else None,
            actor_label=person.email if person else str(actor or "command line"),
            act=act,
            object_type=object_type,
            object_key=object_key,
            before=before,
            after=after,
        )
    )
