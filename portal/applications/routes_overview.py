"""/me/: what is stated so far and the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import render_template

from portal.applications.queries import interests_of, named_lab_count, resume_of, stated_in
from portal.applications.steps import next_step, steps_of
from portal.db import db
from portal.web.access import actor

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def overview() -> ResponseReturnValue:
    """The steps, done and open."""
    user = actor()
    steps = steps_of(
        stated_in(interests_of(db.session(), user)), resume_of(db.session(), user), named_lab_count(db.session(), user)
    )
    return render_template(
        "applications/overview.html", steps=steps, next_step=next_step(steps), display_name=user.display_name
    )
