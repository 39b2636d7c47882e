"""Decides which changes of a profile wait for an administrator's approval. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.admin.profiles.restoring import restored
from portal.seeding.changes import Change, diff

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from portal.seeding.records import LabRecord

# The group of each part of a profile, by the names of `portal.config.EDIT_GROUPS`.
GROUPS: Mapping[str, str] = {
    **dict.fromkeys(("name", "leader", "leader_title", "institution", "department", "place", "homepage"), "identity"),
    **dict.fromkeys(
        ("about", "interests", "recruiting", "recruiting_focus", "contact", "topics", "hardware", "figures"), "texts"
    ),
    "members": "people",
    "works": "works",
    "systems": "systems",
    "activities": "activities",
    "openings": "openings",
}


@dataclass(frozen=True, slots=True)
class Parts:
    """An edit in two parts: the profile to save at once, and the changes that wait for approval."""

    at_once: LabRecord
    waiting: tuple[Change, ...]


def parts_of(before: LabRecord, after: LabRecord, groups: Collection[str]) -> Parts:
    """Split the edit from `before` to `after`; the changes in `groups` wait."""
    if not groups:
        return Parts(after, ())
    waiting = tuple(
        change for change in diff(before, after) if not change.is_origin and group_of(change.path) in groups
    )
    at_once = after
    for change in waiting:
        at_once = restored(at_once, before, change.path)
    return Parts(at_once, waiting)


def group_of(path: str) -> str:
    """The group that a place of a profile belongs to.

    Raises:
        KeyError: A profile has no such place.
    """
    return GROUPS[path.partition("/")[0]]
