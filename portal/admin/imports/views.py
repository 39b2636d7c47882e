"""Proposals of an import as people read them; the profile is processed once for all proposals of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.admin.profiles.differences import item_fields, text_at
from portal.admin.profiles.merge_form import place_of
from portal.labs.imports.service import fitting, with_accepted
from portal.seeding.changes import MergeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.models import Lab, LabProposal
    from portal.seeding.records import LabRecord

AN_ITEM = 1  # slashes in its path


@dataclass(frozen=True, slots=True)
class ImportedChange:
    """One proposal: its place, why it is made, today's value and the file's, each as a text or as an item's fields.

    `fits` is False if the profile no longer has its place: it can only be refused.
    """

    id: int
    place: str
    why: str
    now_text: str
    now_fields: list[tuple[str, str]]
    file_text: str
    file_fields: list[tuple[str, str]]
    fits: bool


def views_of(lab: Lab, profile: LabRecord, rows: Sequence[LabProposal]) -> list[ImportedChange]:
    """The proposals, each beside the current value in the profile."""
    fits = list(rows)
    try:
        proposed_profile = with_accepted(lab, profile, fits)
    except MergeError:
        fits = fitting(lab, profile, rows)
        proposed_profile = with_accepted(lab, profile, fits)
    fitting_ids = {row.id for row in fits}
    return [
        _view(profile, proposed_profile if row.id in fitting_ids else profile, row, fits=row.id in fitting_ids)
        for row in rows
    ]


def _view(profile: LabRecord, proposed_profile: LabRecord, row: LabProposal, *, fits: bool) -> ImportedChange:
    is_item = row.path.count("/") == AN_ITEM
    return ImportedChange(
        id=row.id,
        place=place_of((profile, proposed_profile), row.path),
        why=row.why,
        now_text="" if is_item or not fits else text_at(profile, row.path),
        now_fields=item_fields(profile, row.path) if is_item else [],
        file_text="" if is_item or not fits else text_at(proposed_profile, row.path),
        file_fields=item_fields(proposed_profile, row.path) if is_item and fits else [],
        fits=fits,
    )
