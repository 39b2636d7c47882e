"""Why somebody did not get a lab: a record for programs and a sentence for the person, without naming others."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from portal.assignment.records import quoted, require_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.assignment.records import Round


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
