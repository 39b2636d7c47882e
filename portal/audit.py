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
    actor: User | None,
    act: str,
    object_type: str,
    object_key: str,
    now: datetime,
    before: Any = None,  # noqa: ANN401  (any JSON value)
    after: Any = None,  # noqa: ANN401  (any JSON value)
) -> None:
    """Add one entry to the log, in the transaction of `session`. `actor` is None for the command line."""
    session.add(
        AuditEntry(
            at=now,
            actor_id=actor.id if actor else None,
            actor_label=actor.email if actor else "command line",
            act=act,
            object_type=object_type,
            object_key=object_key,
            before=before,
            after=after,
        )
    )
