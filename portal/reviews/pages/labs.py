"""The labs that a professor reads for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import redirect, render_template, url_for

from portal.accounts.queries import labs_read_by
from portal.db import db
from portal.labs.pages.current import current_freshness
from portal.labs.profile_rules import leads
from portal.web.access import actor

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def labs() -> ResponseReturnValue:
    """The labs that the reader leads or reviews for; a single one is opened directly."""
    own_labs = labs_read_by(db.session(), actor())
    if len(own_labs) == 1:
        return redirect(url_for("reviews.queue", slug=own_labs[0].slug))
    person = actor()
    freshness = {lab.slug: current_freshness(lab) for lab in own_labs if leads(db.session(), person, lab)}
    return render_template("reviews/labs.html", labs=own_labs, freshness=freshness)
