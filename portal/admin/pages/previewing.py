"""Before saving: how the edit in a form would move the lab's rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import current_app, request

from portal.admin.profiles.disputes import merge
from portal.applications.interests.service import last_interests
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.live_index.state import IndexPreparing
from portal.labs.queries import profile_of
from portal.labs.rank_preview import LEAST, MOST_INTERESTS, rank_preview, sample_queries

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.admin.forms import SavingForm
    from portal.admin.pages.saving import Start
    from portal.labs.rank_preview import RankPreview
    from portal.models import Lab
    from portal.seeding.records import LabRecord


@dataclass(frozen=True, slots=True)
class PreviewShown:
    """A preview for a page; `result` is None while the index is being built."""

    result: RankPreview | None
    least: int = LEAST
    most: int = MOST_INTERESTS


def asks_for_preview() -> bool:
    """Whether a form was sent to see ranks rather than to save."""
    return "preview" in request.form


def preview_of(lab: Lab, form: SavingForm, start: Start, edited: Callable[[], LabRecord]) -> PreviewShown | None:
    """The lab's ranks with the edit in the form merged with what others saved since; None if the form is not valid.

    Nothing is saved, and no reason is needed yet.
    """
    form.base.data = str(start.number)
    form.validate_on_submit()
    form.reason.errors = []
    if form.errors:
        return None
    session = db.session()
    merged_record = merge(start.record, edited(), profile_of(session, lab)).merged
    try:
        labs = live_index(current_app).current(session)
        result = rank_preview(labs, merged_record, sample_queries(), last_interests(session, MOST_INTERESTS))
    except IndexPreparing:
        return PreviewShown(None)
    return PreviewShown(result)
