"""Why somebody did not get a lab, and what differs between two rounds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from portal.assignment.records import quoted, require_name
from portal.assignment.solver import solve, unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from portal.assignment.records import Market, Round


class Why(StrEnum):
    """The kinds of reasons, in the order in which they are checked; those that depend on others come last."""

    ASSIGNED = "assigned"
    NOT_LISTED = "not listed"
    GOT_BETTER = "got better"
    NO_SEATS = "no seats"
    NOT_ACCEPTABLE = "not acceptable"
    FULL = "full"


class NotStable(ValueError):
    """No reason exists: the applicant and the lab would both prefer each other."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an applicant did not get a lab.

    `choice` is the lab's position on the applicant's list; `got` is the lab that they got, `got_choice` its position.
    For a full lab, `place` is the applicant's position in its order and `last_place` that of whoever got its last seat,
    both from 1 and with ties broken by the lottery. `higher` counts the seats that went to applicants whom the lab
    ranks higher, `drawn` those that went by lottery to applicants whom it ranks equal.
    """

    why: Why
    lab: str
    seats: int
    choice: int | None = None
    got: str | None = None
    got_choice: int | None = None
    place: int | None = None
    last_place: int | None = None
    higher: int = 0
    drawn: int = 0

    @property
    def sentence(self) -> str:
        """The reason, addressed to the applicant."""
        lab = quoted(self.lab)
        match self.why:
            case Why.ASSIGNED:
                return f"You got {lab}, number {self.choice} on your list."
            case Why.NOT_LISTED:
                return f"{lab} is not on your list."
            case Why.GOT_BETTER:
                return (
                    f"You got {quoted(self.got or '')}, number {self.got_choice} on your list, which you ranked above "
                    f"{lab}, number {self.choice}."
                )
            case Why.NO_SEATS:
                return f"{lab} had no seats in this round."
            case Why.NOT_ACCEPTABLE:
                return f"{lab} did not put you on its list of applicants whom it would accept."
        return f"{lab} gave {self._seats()} to {self._ahead()}. {self._last()}"

    def _seats(self) -> str:
        return "its one seat" if self.seats == 1 else f"its {self.seats:,} seats"

    def _ahead(self) -> str:
        parts = []
        if self.higher:
            parts.append(f"{_people(self.higher)} whom it ranks above you")
        if self.drawn:
            smaller = "number is smaller" if self.drawn == 1 else "numbers are smaller"
            parts.append(f"{_people(self.drawn)} whom it ranks equal to you and whose lottery {smaller}")
        return ", and to ".join(parts)

    def _last(self) -> str:
        return (
            f"Its last seat went to the applicant in place {self.last_place:,} of its order, in which the lottery "
            f"breaks ties; you are in place {self.place:,}."
        )


def why_not(computed: Round, applicant: str, lab: str) -> Reason:
    """Why `applicant` did not get `lab` in a round, or that they did.

    Raises:
        UnknownName: The applicant or the lab is not in the market.
        NotStable: This pair blocks the round.
    """
    market = computed.market
    choices = market.applicants[require_name(applicant, market.applicants, "applicant")]
    requested = market.labs[require_name(lab, market.labs, "lab")]
    got = computed.lab_of.get(applicant)
    if lab not in choices:
        return Reason(Why.NOT_LISTED, lab, requested.seats, got=got)
    choice = choices.index(lab) + 1
    if got == lab:
        return Reason(Why.ASSIGNED, lab, requested.seats, choice, got, choice)
    if got is not None and (got_choice := choices.index(got) + 1) < choice:
        return Reason(Why.GOT_BETTER, lab, requested.seats, choice, got, got_choice)
    if not requested.seats:
        return Reason(Why.NO_SEATS, lab, 0, choice, got)
    place_of = computed.places_at(lab)
    if applicant not in place_of:
        return Reason(Why.NOT_ACCEPTABLE, lab, requested.seats, choice, got)
    place, admitted = place_of[applicant], computed.admitted[lab]
    last = max((place_of[other] for other in admitted), default=0)
    if len(admitted) < requested.seats or place < last:
        raise NotStable(f"{quoted(applicant)} and the lab {quoted(lab)} would both prefer each other.")
    own_group = _group_of(requested.order, applicant)
    drawn = sum(other in own_group for other in admitted)
    higher = len(admitted) - drawn
    return Reason(Why.FULL, lab, requested.seats, choice, got, place=place, last_place=last, higher=higher, drawn=drawn)


def _group_of(order: Sequence[Sequence[str]], applicant: str) -> frozenset[str]:
    return next(frozenset(group) for group in order if applicant in group)


def _people(count: int) -> str:
    return "one applicant" if count == 1 else f"{count:,} applicants"


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
