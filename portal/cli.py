"""`portal …`: Flask's command group with the portal's own commands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
from flask.cli import FlaskGroup
from sqlalchemy.exc import DatabaseError, OperationalError

from portal import create_app
from portal.accounts.cli import create_admin, reset_two_step
from portal.admin.assignment.command import assignment
from portal.admin.audit_log.command import audit
from portal.admin.bias.command import bias_audit
from portal.admin.imports.command import import_file
from portal.applications.states_command import states
from portal.applications.sweep_command import sweep_files
from portal.backups.backup_command import backup
from portal.backups.restore_command import restore
from portal.config import SettingsError
from portal.labs.commands.evaluate import evaluate
from portal.labs.commands.rank import rank
from portal.labs.commands.rank_pool import rank_pool
from portal.labs.commands.reindex import index_status, reindex
from portal.labs.commands.seed import seed
from portal.web.work_command import tick, work

if TYPE_CHECKING:
    from flask import Flask

# How SQLite says that it cannot write, and what psycopg calls it when the server cannot.
NO_ROOM = ("database or disk is full", "disk I/O error")
NO_ROOM_ON_POSTGRES = "DiskFull"
# How SQLite's message for a missing table or column begins, and what psycopg calls the error.
MISSING = ("no such table", "no such column")
MISSING_ON_POSTGRES = ("UndefinedTable", "UndefinedColumn")


def _app_for_commands() -> Flask:
    return create_app(serving=False)


class _PortalGroup(FlaskGroup):
    """Flask's group plus `demo`, which builds its own application and is imported only when asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        """All commands, `demo` first."""
        return ["demo", *super().list_commands(context)]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """A command by its name."""
        if name == "demo":
            from portal.demo import demo

            return demo
        return super().get_command(context, name)

    def main(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401  (click's own signature)
        """Run a command. A problem outside the portal ends it with a sentence instead of a traceback."""
        try:
            return super().main(*arguments, **options)
        except (SettingsError, OSError, DatabaseError) as error:
            reason = _what_to_mend(error)
            if reason is None:
                raise
        click.echo(f"Error: {reason}", err=True)
        sys.exit(1)


def _what_to_mend(error: SettingsError | OSError | DatabaseError) -> str | None:
    """What the person at the terminal can fix; None if the fault is in the portal."""
    if isinstance(error, SettingsError):
        return str(error)
    if isinstance(error, OSError):
        at = f"{error.filename}: " if error.filename else ""
        return f"{at}{error.strerror or error}"
    return _about_database(error)


def _about_database(error: DatabaseError) -> str | None:
    if _is_out_of_date(error):
        return "The database has no tables yet, or those of another version. Run portal db upgrade, then this again."
    message = " ".join(str(error.orig).split())
    if isinstance(error, OperationalError) and message in NO_ROOM:
        return f"The database cannot be written ({message}); its disk seems full. Make room, then run this again."
    if type(error.orig).__name__ == NO_ROOM_ON_POSTGRES:
        return "The disk of the database server is full. Make room there, then run this again."
    # Only these two kinds concern the database as a whole; the others concern one statement.
    if isinstance(error, OperationalError) or type(error) is DatabaseError:
        return f"The database cannot be used ({message}). Look at PORTAL_DATABASE_URL and PORTAL_INSTANCE."
    return None


def _is_out_of_date(error: DatabaseError) -> bool:
    """Whether a table or column is missing, because the migrations of this version have not been run."""
    on_sqlite = isinstance(error, OperationalError) and str(error.orig).startswith(MISSING)
    return on_sqlite or type(error.orig).__name__ in MISSING_ON_POSTGRES


group = _PortalGroup(
    name="portal",
    help="The recruiting and lab-matching portal.",
    create_app=_app_for_commands,
    add_version_option=False,
)
# It works on files, so it needs neither settings nor a database.
group.add_command(assignment)


def register(app: Flask) -> None:
    """Add the commands that need the application to `app`, so that `flask --app portal …` has them too."""
    for command in (
        seed,
        import_file,
        rank,
        rank_pool,
        evaluate,
        bias_audit,
        create_admin,
        reset_two_step,
        reindex,
        index_status,
        sweep_files,
        backup,
        restore,
        states,
        audit,
        work,
        tick,
    ):
        app.cli.add_command(command)
