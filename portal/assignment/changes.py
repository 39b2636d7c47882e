"""The differences between two rounds, in input and outcome. With other seats, this answers "what if"."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from portal.assignment.solver import solve, unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from portal.assignment.records import Market, Round


class Step(StrEnum):
    """How an applicant's move compares on their own list in the later round."""

    JOINED = "joined"
    LEFT = "left"
    PLACED = "placed"
    UNPLACED = "unplaced"
    BETTER = "better"
    WORSE = "worse"
    OTHER = "other"  # the earlier lab is no longer on the list


@dataclass(frozen=True, slots=True)
class Move:
    """An applicant whose lab changes; None is no lab."""

    applicant: str
    before: str | None
    after: str | None
    step: Step


@dataclass(frozen=True, slots=True)
class SeatChange:
    """A lab in both rounds whose number of seats changes."""

    lab: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The effect of other numbers of seats: who moves, and how many would be placed."""

    seats: tuple[SeatChange, ...]
    moves: tuple[Move, ...]
    placed_before: int
    placed_after: int


@dataclass(frozen=True, slots=True)
class Changes:
    """The differences between two rounds.

    `lists` names the applicants who ranked the labs differently, `orders` the labs that ranked the applicants
    differently. Both compare only applicants and labs that are in both rounds, so that arrivals and departures are not
    reported twice. `moves` includes arrivals and departures.
    """

    seeds: tuple[str, str] | None
    new_applicants: tuple[str, ...]
    gone_applicants: tuple[str, ...]
    new_labs: tuple[str, ...]
    gone_labs: tuple[str, ...]
    seats: tuple[SeatChange, ...]
    lists: tuple[str, ...]
    orders: tuple[str, ...]
    moves: tuple[Move, ...]
    placed_before: int
    placed_after: int

    @property
    def same_input(self) -> bool:
        """Whether both rounds had the same lists, seats and seed."""
        parts = (self.new_applicants, self.gone_applicants, self.new_labs, self.gone_labs)
        return self.seeds is None and not any((*parts, self.seats, self.lists, self.orders))


def compare(old: Round, new: Round) -> Changes:
    """The differences from `old` to `new`, in the order of the names."""
    before, after = old.market, new.market
    return Changes(
        seeds=None if old.seed == new.seed else (old.seed, new.seed),
        new_applicants=tuple(sorted(after.applicants.keys() - before.applicants)),
        gone_applicants=tuple(sorted(before.applicants.keys() - after.applicants)),
        new_labs=tuple(sorted(after.labs.keys() - before.labs)),
        gone_labs=tuple(sorted(before.labs.keys() - after.labs)),
        seats=_seat_changes(before, after),
        lists=_changed_lists(before, after),
        orders=_changed_orders(before, after),
        moves=_moves(old, new),
        placed_before=len(old.lab_of),
        placed_after=len(new.lab_of),
    )


def what_if(computed: Round, seats: Mapping[str, int], tick: Callable[[int], object] = unseen) -> WhatIf:
    """Who would move if these labs had other numbers of seats. `tick` is as in `solve`.

    Raises:
        UnknownName: A lab is not in the market.
        MarketError: Seats are negative.
    """
    recomputed = solve(computed.market.with_seats(seats), computed.seed, tick)
    changed = _seat_changes(computed.market, recomputed.market)
    return WhatIf(changed, _moves(computed, recomputed), len(computed.lab_of), len(recomputed.lab_of))


def _seat_changes(before: Market, after: Market) -> tuple[SeatChange, ...]:
    pairs = ((lab, before.labs[lab].seats, after.labs[lab].seats) for lab in sorted(before.labs.keys() & after.labs))
    return tuple(SeatChange(lab, old, new) for lab, old, new in pairs if old != new)


def _changed_lists(before: Market, after: Market) -> tuple[str, ...]:
    labs_in_both = before.labs.keys() & after.labs
    applicants = sorted(before.applicants.keys() & after.applicants)
    return tuple(
        applicant
        for applicant in applicants
        if _only_of(before.applicants[applicant], labs_in_both) != _only_of(after.applicants[applicant], labs_in_both)
    )


def _changed_orders(before: Market, after: Market) -> tuple[str, ...]:
    applicants = before.applicants.keys() & after.applicants

    def order(market: Market, lab: str) -> list[list[str]]:
        groups = (_only_of(group, applicants) for group in market.labs[lab].order)
        return [group for group in groups if group]

    return tuple(lab for lab in sorted(before.labs.keys() & after.labs) if order(before, lab) != order(after, lab))


def _only_of(names: Sequence[str], permitted: Collection[str]) -> list[str]:
    return [name for name in names if name in permitted]


def _moves(old: Round, new: Round) -> tuple[Move, ...]:
    moves = []
    for applicant in sorted(old.market.applicants.keys() | new.market.applicants):
        before, after = old.lab_of.get(applicant), new.lab_of.get(applicant)
        if applicant not in old.market.applicants:
            moves.append(Move(applicant, None, after, Step.JOINED))
        elif applicant not in new.market.applicants:
            moves.append(Move(applicant, before, None, Step.LEFT))
        elif before != after:
            moves.append(Move(applicant, before, after, _step(new.market.applicants[applicant], before, after)))
    return tuple(moves)


def _step(choices: Sequence[str], before: str | None, after: str | None) -> Step:
    """How the lab after a move compares with the one before, on the applicant's list."""
    if before is None:
        return Step.PLACED
    if after is None:
        return Step.UNPLACED
    if before not in choices:
        return Step.OTHER
    return Step.BETTER if choices.index(after) < choices.index(before) else Step.WORSE
