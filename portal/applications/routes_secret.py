"""The addresses that a secret opens, without an account: a referee's letter, and a person's calendar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint

from portal.applications.pages.calendar import feed
from portal.applications.pages.letters import letter_page

if TYPE_CHECKING:
    from flask.blueprints import BlueprintSetupState

blueprint = Blueprint("secret", __name__)
blueprint.add_url_rule("/letters/<token>", "letter", letter_page, methods=["GET", "POST"])
blueprint.add_url_rule("/calendar/<token>.ics", "calendar", feed)


def _set_up(state: BlueprintSetupState) -> None:
    """Forms here send no referrer, which the usual check of tokens asks for; `LetterForm` checks the token alone."""
    state.app.extensions["csrf"].exempt(blueprint)


blueprint.record_once(_set_up)
