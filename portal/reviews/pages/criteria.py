"""The criteria in the scorecard form."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from flask import current_app
from markupsafe import Markup

if TYPE_CHECKING:
    from portal.reviews.scorecards.rubric import Criterion


@lru_cache(maxsize=1024)
def criterion_field(criterion: Criterion, value: int | None, *, explained: bool) -> Markup:
    """The form fields of one criterion. Cached by its arguments: the many small values rarely change."""
    template = current_app.jinja_env.get_template("reviews/_criterion.html")
    return Markup(template.render(criterion=criterion, value=value, explained=explained))  # noqa: S704  (it escapes)
