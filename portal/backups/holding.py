"""Stopping what a restored portal would do by itself: mails and jobs that waited when the backup was made may have been
sent and done since.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select, update

from portal.backups.database import shapes_of

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection, TableClause

HELD_MAIL = "It was waiting when the backup of {made_at:%Y-%m-%d %H:%M} UTC was made, and may have been sent since."
HELD_JOB = (
    "It was under way when the backup of {made_at:%Y-%m-%d %H:%M} UTC was made. Start it once more if you need it."
)
AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Held:
    """How many mails, jobs and releases of decisions were stopped."""

    mails: int = 0
    jobs: int = 0
    releases: int = 0


def hold_back(connection: Connection, *, made_at: datetime, now: datetime) -> Held:
    """Stop waiting mails, unfinished jobs and approved releases of decisions, in the transaction of the connection.

    An administrator can retry each mail, start a job again, and approve a release again.

    Returns: How many of each were stopped.
    """
    tables = _tables(connection)
    mails, jobs, releases = tables.get("outbox_mail"), tables.get("job"), tables.get("release")
    return Held(
        _update_state(
            connection,
            mails,
            ("waiting", "sending"),
            {"state": "dead", "lease_until": None, "error": HELD_MAIL.format(made_at=made_at)},
        ),
        _update_state(
            connection,
            jobs,
            ("waiting", "running"),
            {"state": "cancelled", "finished_at": now, "error": HELD_JOB.format(made_at=made_at)},
        ),
        _update_state(connection, releases, ("approved",), {"state": "held", "held_at": now, "held_by_id": None}),
    )


def end_sessions(connection: Connection) -> int:
    """End all sessions, in the transaction of the connection: sessions that were ended after the backup, for example by
    a new password, would be valid again.

    Returns: How many accounts there are.
    """
    people = _tables(connection)["user_account"]
    change = update(people).where(people.c.id == bindparam("user_id")).values(fs_uniquifier=bindparam("fresh"))
    user_ids = connection.scalars(select(people.c.id)).all()
    for start in range(0, len(user_ids), AT_ONCE):
        batch = user_ids[start : start + AT_ONCE]
        connection.execute(change, [{"user_id": user_id, "fresh": uuid.uuid4().hex} for user_id in batch])
    return len(user_ids)


def revoke_tokens(connection: Connection, *, now: datetime) -> int:
    """Revoke all API tokens that could be used, in the transaction of the connection: tokens that were revoked after
    the backup would be valid again.

    Returns: How many they are.
    """
    tokens = _tables(connection).get("api_token")
    if tokens is None:
        return 0
    usable = update(tokens).where(tokens.c.revoked_at.is_(None), tokens.c.expires_at > now)
    return connection.execute(usable.values(revoked_at=now)).rowcount


def _tables(connection: Connection) -> dict[str, TableClause]:
    """The tables as they are, possibly those of an older version."""
    return {shape.name: shape.clause for shape in shapes_of(connection)}


def _update_state(
    connection: Connection, table: TableClause | None, states: tuple[str, ...], values: dict[str, Any]
) -> int:
    if table is None:
        return 0
    return connection.execute(update(table).where(table.c.state.in_(states)).values(values)).rowcount
