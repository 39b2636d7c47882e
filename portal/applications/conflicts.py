"""Two tabs that change the same interests: merged part by part, and shown side by side where both changed a part."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.applications.conflicting_parts import Difference
from portal.applications.facet_names import value_in_words
from portal.applications.stated import PARTS, Part, Stated, differing_parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.applications.conflicting_parts import Side

FOUND_BY_OTHERS = "Other labs may find me, too"
LABELS: dict[Part, str] = {
    "topics": "Topics",
    "statement": "Statement",
    "facets": "What the lab should have",
    "discoverable": "Whether other labs may find you",
}


@dataclass(frozen=True, slots=True)
class Merged:
    """What to save, the parts that were changed elsewhere and stay changed, and the parts that both sides changed."""

    stated: Stated
    from_elsewhere: tuple[Part, ...] = ()
    conflicting: tuple[Part, ...] = ()


def fingerprint(stated: Stated) -> str:
    """What a form remembers of the interests that it was opened with: a digest of each part, in their order."""
    return ".".join(_digest(stated, part) for part in PARTS)


def merge(mine: Stated, theirs: Stated, opened_with: str, chosen: Mapping[Part, Side]) -> Merged:
    """Join what a form says with what is saved by now.

    A part that only one side changed since the form was opened is taken from that side. A part that both changed
    is in conflict, and stays mine, unless it is in `chosen`. Where `opened_with` is no `fingerprint`, every part
    counts as changed by both.
    """
    opened_digests = opened_with.split(".")
    merged = replace(mine, resume_weight=theirs.resume_weight)
    from_elsewhere: list[Part] = []
    conflicting: list[Part] = []
    for part in differing_parts(merged, theirs):
        opened_digest = opened_digests[PARTS.index(part)] if len(opened_digests) == len(PARTS) else ""
        side = chosen.get(part) or _only_changed_by(opened_digest, _digest(mine, part), _digest(theirs, part))
        if side == "theirs":
            merged = merged.with_part_of(theirs, part)
            from_elsewhere.append(part)
        elif side is None:
            conflicting.append(part)
    return Merged(merged, tuple(from_elsewhere), tuple(conflicting))


def differences(mine: Stated, theirs: Stated, parts: tuple[Part, ...]) -> list[Difference]:
    """Both versions of `parts` as text."""
    return [Difference(part, LABELS[part], _as_text(mine, part), _as_text(theirs, part)) for part in parts]


def choices_in(sent: Mapping[str, str]) -> dict[Part, Side]:
    """The side that a person chose for each part of which they saw both versions."""
    chosen: dict[Part, Side] = {}
    for part in PARTS:
        match sent.get(f"take-{part}"):
            case "mine":
                chosen[part] = "mine"
            case "theirs":
                chosen[part] = "theirs"
            case _:
                pass
    return chosen


def in_words(parts: tuple[Part, ...]) -> str:
    """The parts as a list in a sentence."""
    return ", ".join(LABELS[part][0].lower() + LABELS[part][1:] for part in parts)


def _only_changed_by(before: str, mine: str, theirs: str) -> Side | None:
    if mine == before:
        return "theirs"
    return "mine" if theirs == before else None


def _digest(stated: Stated, part: Part) -> str:
    match part:
        case "topics":
            value: object = [(topic.text, topic.weight) for topic in stated.topics]
        case "statement":
            value = stated.statement
        case "facets":
            value = sorted((name, list(values)) for name, values in stated.facets.items())
        case "discoverable":
            value = stated.discoverable
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def _as_text(stated: Stated, part: Part) -> str:
    match part:
        case "topics":
            text = "\n".join(f"{topic.text} (weight {topic.weight:g})" for topic in stated.topics)
        case "statement":
            text = stated.statement
        case "facets":
            text = "\n".join(
                f"{facet.capitalize()}: {', '.join(value_in_words(facet, value) for value in values)}"
                for facet, values in stated.facets.items()
            )
        case "discoverable":
            text = FOUND_BY_OTHERS if stated.discoverable else "Only labs I share with or apply to can see me"
    return text or "Nothing"
