"""`portal …`: Flask's command group with the portal's own commands.

A command's module is imported when the command is asked for, and the application when the command needs it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from flask.cli import AppGroup, FlaskGroup

from portal import create_app

if TYPE_CHECKING:
    from flask import Flask


class Place(NamedTuple):
    """Where a command is defined, and the first sentence of its help."""

    module: str
    name: str
    help: str


# These work on files, or build an application of their own.
WITHOUT_APPLICATION = {
    "read-resume": Place("portal.documents.extraction", "read_resume", "Print what is read from a resume."),
    "demo": Place("portal.demo", "demo", "Run the portal with the seed labs and made-up people."),
}
OF_APPLICATION = {
    "audit": Place("portal.admin.system.audit_log.pages", "audit", "The log of every privileged act."),
    "backup": Place("portal.backups.backup", "backup", "Write database and uploaded files into one archive."),
    "bias-audit": Place(
        "portal.admin.system.bias_audit", "bias_audit", "Check that rankings do not depend on who somebody is."
    ),
    "concepts": Place("portal.labs.commands.concepts", "concepts", "Check a concept file."),
    "create-admin": Place("portal.accounts.cli", "create_admin", "Make somebody an administrator."),
    "evaluate": Place(
        "portal.labs.commands.evaluate", "evaluate", "Measure the ranking on judged queries and ratings."
    ),
    "import": Place("portal.admin.labs.imports.command", "import_file", "Propose changes to lab profiles from a file."),
    "merge-accounts": Place(
        "portal.admin.people.merging", "merge_accounts", "Merge the account OTHER into the account KEEP."
    ),
    "rank": Place("portal.labs.commands.rank", "rank", "Rank the labs for a text."),
    "rank-pool": Place(
        "portal.labs.commands.rank", "rank_pool", "Rank the labs for each query of a file, into another file."
    ),
    "reindex": Place("portal.labs.commands.rank", "reindex", "Fit the matcher's index anew and save it."),
    "reset-two-step": Place("portal.accounts.cli", "reset_two_step", "Turn two-step sign-in off for somebody."),
    "restore": Place("portal.backups.restore", "restore", "Restore a backup into an empty portal."),
    "seed": Place("portal.labs.seeding", "seed", "Read lab profiles from pages, show the plan and apply it."),
    "sweep-files": Place(
        "portal.applications.files", "sweep_files", "List or delete uploaded files that nothing refers to."
    ),
    "work": Place("portal.web.work", "work", "Deliver mail, run jobs and scheduled work until stopped."),
}
# These come with extensions of the application.
OF_EXTENSIONS = {
    "db": "Perform database migrations.",
    "limiter": "Flask-Limiter maintenance & utility commands",
    "openapi": "OpenAPI commands.",
}
OWN = WITHOUT_APPLICATION | OF_APPLICATION


def _app_for_commands() -> Flask:
    return create_app(serving=False)


class _PortalGroup(FlaskGroup):
    """Flask's group plus the portal's commands, which can be listed without importing any."""

    def list_commands(self, context: click.Context) -> list[str]:
        """All commands, `demo` first."""
        del context
        return sorted({*OWN, *OF_EXTENSIONS, *self.commands}, key=lambda name: (name != "demo", name))

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """A command by its name."""
        return _command(OWN[name]) if name in OWN else super().get_command(context, name)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, with a sentence on each."""
        helps = {name: place.help for name, place in OWN.items()} | OF_EXTENSIONS
        listed = {
            name: click.Command(name, help=helps[name]) if name in helps else self.commands[name]
            for name in self.list_commands(context)
        }
        width = formatter.width - 6 - max(map(len, listed))
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(width)) for name, command in listed.items()])

    def main(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401  (click's own signature)
        """Run a command. A problem outside the portal ends it with a sentence instead of a traceback."""
        try:
            return super().main(*arguments, **options)
        except Exception as error:
            from portal.outages import what_to_mend

            reason = what_to_mend(error)
            if reason is None:
                raise
        click.echo(f"Error: {reason}", err=True)
        sys.exit(1)


class _ApplicationGroup(AppGroup):
    """The commands of the application's extensions plus the portal's, which are imported when asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        """All commands that need the application."""
        return sorted({*OF_APPLICATION, *super().list_commands(context)})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """A command by its name."""
        return _command(OF_APPLICATION[name]) if name in OF_APPLICATION else super().get_command(context, name)


def _command(place: Place) -> click.Command:
    command: click.Command = getattr(import_module(place.module), place.name)
    return command


group = _PortalGroup(
    name="portal",
    help="The recruiting and lab-matching portal.",
    create_app=_app_for_commands,
    add_version_option=False,
    load_dotenv=False,
)
# Settings are environment variables: a file of them in the current folder must not change which portal is meant.
group.params = [option for option in group.params if option.name != "env_file"]


def register(app: Flask) -> None:
    """Add the commands that need the application to `app`, so that `flask --app portal …` has them too."""
    app.cli = _ApplicationGroup(app.cli.name, app.cli.commands)
