"""`portal …`: Flask's command group with the portal's own commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask.cli import FlaskGroup

if TYPE_CHECKING:
    from flask import Flask


def _app_for_commands() -> Flask:
    from portal.app import create_app

    return create_app(serving=False)


group = FlaskGroup(
    name="portal",
    help="The recruiting and lab-matching portal.",
    create_app=_app_for_commands,
    add_version_option=False,
)


def register(app: Flask) -> None:
    """Add the commands that need the application to `app`, so that `flask --app portal …` has them too."""
