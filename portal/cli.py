"""`portal …`: Flask's command group with the portal's own commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask.cli import FlaskGroup

from portal import create_app
from portal.accounts.cli import create_admin, reset_two_step
from portal.labs.rank_command import rank
from portal.labs.seed_command import seed

if TYPE_CHECKING:
    import click
    from flask import Flask


def _app_for_commands() -> Flask:
    return create_app(serving=False)


class _PortalGroup(FlaskGroup):
    """Flask's group with `demo`, which builds an application of its own. It is imported when it is asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        """All commands, `demo` first."""
        return ["demo", *super().list_commands(context)]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """A command by its name."""
        if name == "demo":
            from portal.demo import demo

            return demo
        return super().get_command(context, name)


group = _PortalGroup(
    name="portal",
    help="The recruiting and lab-matching portal.",
    create_app=_app_for_commands,
    add_version_option=False,
)


def register(app: Flask) -> None:
    """Add the commands that need the application to `app`, so that `flask --app portal …` has them too."""
    for command in (seed, rank, create_admin, reset_two_step):
        app.cli.add_command(command)
