"""The purpose of this instance: creates and migrates its tables, and keeps a demo out of production."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from flask import current_app
from flask_migrate import upgrade
from sqlalchemy import func, inspect, select

from portal.config import SettingsError
from portal.db import db
from portal.models import InstanceMark, User

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.config import Settings

DEMO = "demo"


def make_folder(settings: Settings) -> None:
    """Create the instance folder, readable by its owner only, unless it exists. Raises SettingsError if it cannot."""
    try:
        settings.instance.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SettingsError(
            f"PORTAL_INSTANCE: the folder {settings.instance} cannot be made ({error.strerror}). Name another one."
        ) from None


def bring_tables_up_to_date() -> None:
    """Run the pending migrations. Needs an application context."""
    upgrade()


def has_tables() -> bool:
    """Whether the database holds the portal's tables. Needs an application context."""
    return inspect(db.engine).has_table(InstanceMark.__tablename__)


def lacks_migrations(session: Session) -> bool:
    """Whether migrations of this version have not been run yet. Needs an application context.

    A database of a later version lacks none: while the portal is updated, old processes may go on with it.
    """
    known, newest = _migrations(current_app.extensions["migrate"].directory)
    present = set(MigrationContext.configure(session.connection()).get_current_heads())
    return present <= known and not newest <= present


@cache
def _migrations(folder: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names of all migrations of this version, and of the newest."""
    scripts = ScriptDirectory(folder)
    return frozenset(script.revision for script in scripts.walk_revisions()), frozenset(scripts.get_heads())


def is_demo(session: Session) -> bool:
    """Whether this is a demo, with made-up people and passwords."""
    return session.get(InstanceMark, DEMO) is not None


def mark_as_demo(session: Session, now: datetime) -> None:
    """Mark this instance for good as a demo, with made-up people and passwords."""
    if not is_demo(session):
        session.add(InstanceMark(name=DEMO, set_at=now))


def why_not_demo(session: Session) -> str | None:
    """Why demo people may not be added: the database has real accounts."""
    if is_demo(session) or not session.scalar(select(func.count(User.id))):
        return None
    return (
        "This database holds real accounts, so the demo does not touch it. Set PORTAL_INSTANCE to another folder "
        "to try the demo."
    )


def why_not_production(session: Session) -> str | None:
    """Why this database may not be served in production: its passwords are printed in terminals."""
    if not is_demo(session):
        return None
    return (
        "This database was made by the demo: its people are made up and its passwords known. Set PORTAL_INSTANCE or "
        "PORTAL_DATABASE_URL to another one, or PORTAL_MODE=demo to go on with the demo."
    )
