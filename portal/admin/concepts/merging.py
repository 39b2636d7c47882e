"""Merges two edits of one concept: takes what only one side changed, and lists what both changed. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.matching import Concept

LABELS: Mapping[str, str] = {
    "plain": "Plain words",
    "terms": "Terms of the field",
    "strength": "Strength",
    "why": "Why",
    "added_by": "Added by",
    "state": "State",
}
STATES: Mapping[str, str] = {"active": "In use", "retired": "Retired"}
Field = Literal["plain", "terms", "strength", "why"]
_FIELDS: tuple[Field, ...] = ("plain", "terms", "strength", "why")


@dataclass(frozen=True, slots=True)
class ConceptMerge:
    """Both edits merged; `disputed` are the fields that both changed differently, which have my value."""

    concept: Concept
    disputed: tuple[Field, ...]


def merge_concepts(base: Concept, mine: Concept, theirs: Concept) -> ConceptMerge:
    """Take the changes of both sides since `base`. In lists, phrases that either side added or removed are merged."""
    merged: dict[str, Any] = {}
    disputed: list[Field] = []
    for name in _FIELDS:
        old, own, saved = (getattr(side, name) for side in (base, mine, theirs))
        if name in {"plain", "terms"}:
            merged[name] = _both(old, own, saved)
        elif own == old:
            merged[name] = saved
        else:
            merged[name] = own
            if saved not in (old, own):
                disputed.append(name)
    return ConceptMerge(replace(theirs, **merged), tuple(disputed))


def changes(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The differences of two snapshots of an entry: (label, before, after), as texts."""
    return [
        (label, text_before, text_after)
        for name, label in LABELS.items()
        for text_before, text_after in ((_text(name, before or {}), _text(name, after)),)
        if text_before != text_after
    ]


def _both(base: tuple[str, ...], mine: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    remaining = [phrase for phrase in theirs if phrase in mine or phrase not in base]
    return (*remaining, *(phrase for phrase in mine if phrase not in base and phrase not in remaining))


def _text(name: str, snapshot: Mapping[str, Any]) -> str:
    value = snapshot.get(name, "")
    if isinstance(value, list):
        return "\n".join(value)
    if isinstance(value, float | int):
        return f"{value:g}"
    return STATES.get(value, value) if name == "state" else str(value)
