"""Summarises a revision's changes in one line for the history.

Works on the stored snapshots without parsing them: a history page reads many, each perhaps with thousands of works.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.admin.profiles.wording import DEGREE_LABELS, PROFILE_LABELS, SECTIONS, Section

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_NAMES = 2
NAME_LENGTH = 80  # characters


def change_in_short(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> str:
    """One line about the changes from one snapshot to the next; `old` is None for the first."""
    parts = [] if old is not None else ["Created the profile"]
    before = old or {}
    texts = [label for name, label in PROFILE_LABELS.items() if before.get(name, _nothing(new, name)) != new.get(name)]
    if texts and old is not None:
        parts.append(f"Texts: {', '.join(texts)}")
    for section in SECTIONS.values():
        parts += _collection_in_short(section, before.get(section.name, []), new.get(section.name, []))
    if parts:
        return "; ".join(parts)
    return "Where facts are from" if _sources(before) != _sources(new) else "Nothing"


def _sources(snapshot: Mapping[str, Any]) -> list[Any]:
    items = (item for section in SECTIONS for item in snapshot.get(section, []))
    return [snapshot.get("origins"), *(item.get("origins") for item in items)]


def _nothing(snapshot: Mapping[str, Any], name: str) -> object:
    """The empty value of a field, for snapshots from before the field existed."""
    return [] if isinstance(snapshot.get(name), list) else ""


def _collection_in_short(section: Section, old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[str]:
    before = {item["key"]: item for item in old}
    after = {item["key"]: item for item in new}
    groups = {
        "added": [item for key, item in after.items() if key not in before],
        "changed": [item for key, item in after.items() if key in before and _facts(item) != _facts(before[key])],
        "removed": [item for key, item in before.items() if key not in after],
    }
    parts = [_counted(section, items, verb) for verb, items in groups.items() if items]
    if [key for key in before if key in after] != [key for key in after if key in before]:
        parts.append(f"{section.title} in another order")
    return parts


def _facts(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name != "origins"}


def _counted(section: Section, items: list[dict[str, Any]], verb: str) -> str:
    noun = section.one if len(items) == 1 else section.many
    names = ", ".join(_name(item) for item in items) if len(items) <= MOST_NAMES else ""
    return f"{len(items):,} {noun} {verb}{f' ({names})' if names else ''}"


def _name(item: dict[str, Any]) -> str:
    degree = str(item.get("degree") or "")
    name = str(item.get("name") or item.get("title") or DEGREE_LABELS.get(degree, degree) or "without a title")
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 1]}…"
