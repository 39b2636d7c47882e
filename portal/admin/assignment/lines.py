"""Rounds, reasons and changes as lines for a terminal, and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from portal.assignment import Step, lists_digest
from portal.assignment.records import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from portal.assignment import Changes, Move, Reason, Round, SeatChange, WhatIf

FIRST_CHOICES = 5  # have a line each in the summary
MOST_NAMES = 20  # on a line; JSON has them all
STEPS = {
    Step.JOINED: "is new",
    Step.LEFT: "is gone",
    Step.PLACED: "gets a place",
    Step.UNPLACED: "loses their place",
    Step.BETTER: "better for them",
    Step.WORSE: "worse for them",
    Step.OTHER: "the earlier lab is no longer on their list",
}


def as_json(record: WhatIf | Changes) -> str:
    """A record as JSON with the names of its fields."""
    return json.dumps(asdict(record), indent=2)


def reasons_as_json(reasons: Sequence[Reason]) -> str:
    """Reasons as JSON, each with its sentence."""
    return json.dumps([asdict(reason) | {"sentence": reason.sentence} for reason in reasons], indent=2)


def summary_lines(computed: Round) -> Iterator[str]:
    """How many applicants got a place, by their choice, with the seed and digest of the round."""
    applicants, placed = len(computed.market.applicants), len(computed.lab_of)
    seats = sum(lab.seats for lab in computed.market.labs.values())
    yield f"{placed:,} of {applicants:,} applicants have a place; {seats - placed:,} of {seats:,} seats are free."
    counts_by_choice = computed.by_choice()
    for choice in range(1, min(FIRST_CHOICES, max(counts_by_choice, default=0)) + 1):
        yield f"  number {choice} on their list: {counts_by_choice.get(choice, 0):,}"
    if further := sum(count for choice, count in counts_by_choice.items() if choice > FIRST_CHOICES):
        yield f"  further down: {further:,}"
    yield f"Seed: {quoted(computed.seed)}"
    yield f"Digest of lists, orders and seats: {lists_digest(computed.market)}"


def digest_of_certificate(text: str) -> str:
    """The line with the digest of a certificate."""
    return f"Digest of this certificate: {json.loads(text)['digest']}"


def reason_lines(reasons: Sequence[Reason]) -> list[str]:
    """The sentence of each reason, or a sentence that says that the list is empty."""
    return [reason.sentence for reason in reasons] or ["You have no labs on your list."]


def what_if_lines(outcome: WhatIf) -> Iterator[str]:
    """Which seats change and who moves."""
    yield from _seat_lines(outcome.seats)
    yield from _move_lines(outcome.moves, outcome.placed_before, outcome.placed_after)


def changes_lines(changes: Changes) -> Iterator[str]:
    """The differences between two rounds: of lists, seats and seed, and who moves."""
    if changes.same_input:
        yield "Lists, orders, seats and seed are the same."
    if changes.seeds is not None:
        yield f"Seed: {quoted(changes.seeds[0])} → {quoted(changes.seeds[1])}"
    yield from _names("New applicants", changes.new_applicants)
    yield from _names("Applicants who are gone", changes.gone_applicants)
    yield from _names("New labs", changes.new_labs)
    yield from _names("Labs that are gone", changes.gone_labs)
    yield from _names("Applicants whose lists changed", changes.lists)
    yield from _names("Labs whose orders changed", changes.orders)
    yield from _seat_lines(changes.seats)
    yield from _move_lines(changes.moves, changes.placed_before, changes.placed_after)


def _names(title: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
        yield f"{title} ({len(names):,}): {', '.join(map(quoted, names[:MOST_NAMES]))}{more}"


def _seat_lines(changes: Iterable[SeatChange]) -> Iterator[str]:
    for change in changes:
        yield f"Seats of {quoted(change.lab)}: {change.before:,} → {change.after:,}"


def _move_lines(moves: Sequence[Move], placed_before: int, placed_after: int) -> Iterator[str]:
    yield f"With a place: {placed_before:,} → {placed_after:,}"
    if not moves:
        yield "Nobody moves."
        return
    yield f"Who moves ({len(moves):,}):"
    for move in moves:
        yield f"  {quoted(move.applicant)}: {_lab(move.before)} → {_lab(move.after)}, {STEPS[move.step]}"


def _lab(name: str | None) -> str:
    return "no place" if name is None else quoted(name)
