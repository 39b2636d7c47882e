"""Two edits of one concept: what only one side changed is taken, and what both changed is told. Pure."""

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
    """Both edits in one entry, with mine where they disagree; `disputed` are the fields where they do."""

    concept: Concept
    disputed: tuple[Field, ...]


def merge_concepts(base: Concept, mine: Concept, theirs: Concept) -> ConceptMerge:
    """Take the changes of both sides since `base`. Of lists, each side's phrases come in and go out."""
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
    """What two snapshots of an entry differ in: (label, before, after), as texts."""
    return [
        (label, said_before, said_after)
        for name, label in LABELS.items()
        for said_before, said_after in ((_text(name, before or {}), _text(name, after)),)
        if said_before != said_after
    ]


def _both(base: tuple[str, ...], mine: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    kept = [phrase for phrase in theirs if phrase in mine or phrase not in base]
    return (*kept, *(phrase for phrase in mine if phrase not in base and phrase not in kept))


def _text(name: str, snapshot: Mapping[str, Any]) -> str:
    value = snapshot.get(name, "")
    if isinstance(value, list):
        return "\n".join(value)
    if isinstance(value, float | int):
        return f"{value:g}"
    return STATES.get(value, value) if name == "state" else str(value)
