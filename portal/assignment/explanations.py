"""Why somebody did not get a lab, and what differs between two rounds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from portal.assignment.rounds import solve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.assignment.rounds import Round


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

    `got_choice` is the position on the applicant's list of the lab that they got. For a full lab, `place` is the
    applicant's position in its order and `last_place` that of whoever got its last seat, both from 1 and with ties
    broken by the lottery; `drawn` counts the seats that went by lottery to applicants whom it ranks equal.
    """

    why: Why
    got_choice: int = 0
    place: int = 0
    last_place: int = 0
    drawn: int = 0

    @property
    def sentence(self) -> str:
        """The reason in a few words, for administrators."""
        match self.why:
            case Why.FULL:
                by_lot = f"; {self.drawn:,} {'seat' if self.drawn == 1 else 'seats'} drawn by lot" if self.drawn else ""
                return f"Full: last seat to place {self.last_place:,}, this is place {self.place:,}{by_lot}"
            case Why.GOT_BETTER:
                return f"Got choice {self.got_choice} instead"
        return {
            Why.ASSIGNED: "Got it",
            Why.NOT_LISTED: "Not on their list",
            Why.NO_SEATS: "No seats",
            Why.NOT_ACCEPTABLE: "Not ranked by the lab",
        }[self.why]


def why_not(computed: Round, applicant: str, lab: str) -> Reason:
    """Why `applicant` did not get `lab` in a round, or that they did.

    Raises:
        NotStable: This pair blocks the round.
    """
    choices, wanted = computed.market.applicants[applicant], computed.market.labs[lab]
    got = computed.lab_of.get(applicant)
    got_choice = choices.index(got) + 1 if got is not None else 0
    if got == lab:
        return Reason(Why.ASSIGNED, got_choice)
    if lab not in choices:
        return Reason(Why.NOT_LISTED, got_choice)
    if 0 < got_choice <= choices.index(lab):
        return Reason(Why.GOT_BETTER, got_choice)
    if not wanted.seats:
        return Reason(Why.NO_SEATS, got_choice)
    place_of = computed.places_at(lab)
    if applicant not in place_of:
        return Reason(Why.NOT_ACCEPTABLE, got_choice)
    place, admitted = place_of[applicant], computed.admitted[lab]
    last = max((place_of[other] for other in admitted), default=0)
    if len(admitted) < wanted.seats or place < last:
        raise NotStable(f"“{applicant}” and the lab “{lab}” would both prefer each other.")
    equals = next(group for group in wanted.order if applicant in group)
    return Reason(Why.FULL, got_choice, place, last, drawn=len(admitted.intersection(equals)))


class Move(NamedTuple):
    """An applicant whose lab changes (None is no lab), and how the later one compares on their own later list."""

    applicant: str
    before: str | None
    after: str | None
    step: str


class Changes(NamedTuple):
    """The differences between two rounds, in the order of the names: labs with other numbers of seats (before, after),
    who moves, arrivals and departures included, and how many are placed.
    """

    seats: tuple[tuple[str, int, int], ...]
    moves: tuple[Move, ...]
    placed_before: int
    placed_after: int


def compare(old: Round, new: Round) -> Changes:
    """The differences from `old` to `new`."""
    labs = sorted(old.market.labs.keys() & new.market.labs)
    seats = [(lab, old.market.labs[lab].seats, new.market.labs[lab].seats) for lab in labs]
    people = sorted(old.market.applicants.keys() | new.market.applicants)
    moves = [_move(old, new, applicant) for applicant in people]
    return Changes(
        tuple((lab, before, after) for lab, before, after in seats if before != after),
        tuple(move for move in moves if move is not None),
        len(old.lab_of),
        len(new.lab_of),
    )


def what_if(computed: Round, seats: Mapping[str, int]) -> Changes:
    """What would change if these labs had other numbers of seats.

    Raises:
        MarketError: Seats are negative.
    """
    return compare(computed, solve(computed.market.with_seats(seats), computed.seed))


def _move(old: Round, new: Round, applicant: str) -> Move | None:
    before, after = old.lab_of.get(applicant), new.lab_of.get(applicant)
    if applicant not in old.market.applicants:
        return Move(applicant, None, after, "new")
    if applicant not in new.market.applicants:
        return Move(applicant, before, None, "gone")
    return (
        Move(applicant, before, after, _step(new.market.applicants[applicant], before, after))
        if (before != after)
        else None
    )


def _step(choices: Sequence[str], before: str | None, after: str | None) -> str:
    if before is None:
        return "placed"
    if after is None:
        return "no longer placed"
    if before not in choices:
        return "the earlier lab left their list"
    return "higher on their list" if choices.index(after) < choices.index(before) else "lower on their list"
