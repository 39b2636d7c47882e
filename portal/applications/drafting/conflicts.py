"""Two tabs that change the same draft: joined part by part, and shown side by side where both changed a part.

The parts are the order of the labs, the reason for each lab, and the answer to each question.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.applications.conflicting_parts import Difference
from portal.applications.content.choosing import ChosenLab, Draft

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.applications.conflicting_parts import Side
    from portal.models import Cycle, Lab

ORDER = "order"
TAKE = "take-"
LONGEST_FINGERPRINT = 20_000  # characters; none of our forms writes more


@dataclass(frozen=True, slots=True)
class Merged:
    """What to save, the parts that were changed elsewhere and stay changed, and the parts that both sides changed."""

    draft: Draft
    from_elsewhere: tuple[str, ...] = ()
    conflicting: tuple[str, ...] = ()


def fingerprint(draft: Draft) -> str:
    """What a form remembers of the draft that it was opened with: a digest of each part that is not empty."""
    return json.dumps({part: _digest(value) for part, value in _parts(draft).items() if value}, ensure_ascii=False)


def merge(mine: Draft, theirs: Draft, opened_with: str, chosen: Mapping[str, Side]) -> Merged:
    """Join what a form says with what is saved by now.

    A part that only one side changed since the form was opened is taken from that side. A part that both changed
    is in conflict, and stays mine, unless it is in `chosen`. Where `opened_with` is no `fingerprint`, every part counts
    as changed by both. A reason written here for a lab that was removed elsewhere is in conflict, too; keeping the
    reason keeps the lab.
    """
    opened_digests = _read(opened_with)
    my_parts, their_parts = _parts(mine), _parts(theirs)
    joined: dict[str, str] = {}
    from_elsewhere: list[str] = []
    conflicting: list[str] = []
    for part in dict.fromkeys((*my_parts, *their_parts)):
        my_value, their_value = my_parts.get(part, ""), their_parts.get(part, "")
        joined[part] = my_value
        if my_value == their_value:
            continue
        side = chosen.get(part) or _only_changed_by(opened_digests, part, my_value, their_value)
        if side == "theirs":
            joined[part] = their_value
            from_elsewhere.append(part)
        elif side is None:
            conflicting.append(part)
    conflicting += _reasons_of_removed_labs(joined, mine, opened_digests or {}, (*chosen, *conflicting))
    return Merged(_draft(joined, mine, chosen), tuple(from_elsewhere), tuple(conflicting))


def differences(
    mine: Draft, theirs: Draft, parts: Sequence[str], cycle: Cycle, labs: Mapping[int, Lab]
) -> list[Difference]:
    """Both versions of `parts` as text."""
    return [
        Difference(part, _label(part, cycle, labs), _text(mine, part, labs), _text(theirs, part, labs))
        for part in parts
    ]


def chosen_in(sent: Mapping[str, str]) -> dict[str, Side]:
    """The side that a person chose for each part, if they saw both versions of it."""
    chosen: dict[str, Side] = {}
    for name, value in sent.items():
        if name.startswith(TAKE) and value in {"mine", "theirs"}:
            chosen[name.removeprefix(TAKE)] = "mine" if value == "mine" else "theirs"
    return chosen


def in_words(parts: Sequence[str], cycle: Cycle, labs: Mapping[int, Lab]) -> str:
    """The parts as a list within a sentence."""
    labels = (_label(part, cycle, labs) for part in parts)
    return "; ".join(label[0].lower() + label[1:] for label in labels)


def _parts(draft: Draft) -> dict[str, str]:
    parts = {ORDER: ",".join(str(chosen.lab_id) for chosen in draft.labs)}
    parts |= {f"reason:{chosen.lab_id}": chosen.reason for chosen in draft.labs}
    return parts | {f"answer:{key}": text for key, text in draft.answers.items() if text}


def _draft(parts: Mapping[str, str], mine: Draft, chosen: Mapping[str, Side]) -> Draft:
    order = [int(lab_id) for lab_id in parts[ORDER].split(",") if lab_id]
    kept_lab_ids = [lab.lab_id for lab in mine.labs if chosen.get(f"reason:{lab.lab_id}") == "mine"]
    order = list(dict.fromkeys((*order, *kept_lab_ids)))
    answers = {part.partition(":")[2]: text for part, text in parts.items() if part.startswith("answer:") and text}
    return Draft(tuple(ChosenLab(lab_id, parts.get(f"reason:{lab_id}", "")) for lab_id in order), answers)


def _reasons_of_removed_labs(
    joined: Mapping[str, str], mine: Draft, opened_digests: Mapping[str, str], decided: Sequence[str]
) -> list[str]:
    """The reasons that were written here for labs that have since been removed."""
    ordered_ids = joined[ORDER].split(",")
    reasons = {
        f"reason:{lab.lab_id}": lab.reason for lab in mine.labs if lab.reason and str(lab.lab_id) not in ordered_ids
    }
    return [part for part, text in reasons.items() if part not in decided and opened_digests.get(part) != _digest(text)]


def _only_changed_by(before: Mapping[str, str] | None, part: str, mine: str, theirs: str) -> Side | None:
    if before is None:
        return None
    opened_digest = before.get(part, "")
    if opened_digest == (_digest(mine) if mine else ""):
        return "theirs"
    return "mine" if opened_digest == (_digest(theirs) if theirs else "") else None


def _read(opened_with: str) -> dict[str, str] | None:
    if len(opened_with) > LONGEST_FINGERPRINT:
        return None
    try:
        digests = json.loads(opened_with)
    except (ValueError, RecursionError):
        return None
    if not isinstance(digests, dict):
        return None
    return {part: digest for part, digest in digests.items() if isinstance(digest, str)}


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()[:12]


def _label(part: str, cycle: Cycle, labs: Mapping[int, Lab]) -> str:
    kind, _, key = part.partition(":")
    if kind == ORDER:
        return "Labs and their order"
    if kind == "reason":
        lab = labs.get(int(key))
        return f"Reason for {lab.name if lab else 'a lab that is gone'}"
    return next((str(question["text"]) for question in cycle.questions if question["key"] == key), key)


def _text(draft: Draft, part: str, labs: Mapping[int, Lab]) -> str:
    if part == ORDER:
        names = (labs[chosen.lab_id].name if chosen.lab_id in labs else "?" for chosen in draft.labs)
        text = "\n".join(f"{place}. {name}" for place, name in enumerate(names, start=1))
    else:
        text = _parts(draft).get(part, "")
    return text or "Nothing"
