"""An assignment round: applicants’ lists, labs’ orders, seats, their outcome, and its certificate in JSON.

It is computed by applicant-proposing deferred acceptance (Gale and Shapley 1962), one applicant at a time (McVitie and
Wilson 1971). The outcome is the applicant-optimal stable matching; it does not depend on the order of proposals.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from heapq import heappush, heapreplace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class MarketError(ValueError):
    """The lists are inconsistent; `problems` has a sentence for each error."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


@dataclass(frozen=True, slots=True)
class Lab:
    """A lab's seats and the applicants it would accept, in groups from best to last, with ties within a group.

    Applicants in no group are not acceptable to the lab.
    """

    seats: int
    order: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        # The order within a group is meaningless: equal orders compare equal.
        object.__setattr__(self, "order", tuple(tuple(sorted(group)) for group in self.order if group))


@dataclass(frozen=True)
class Market:
    """Applicants with their lists of labs, best first, and labs with their orders and seats. Names are opaque.

    Raises:
        MarketError: A list repeats a name or contains an unknown one, seats are not a whole number from 0, or a name is
            empty or cannot be encoded as UTF-8.
    """

    applicants: Mapping[str, tuple[str, ...]]
    labs: Mapping[str, Lab]

    def __post_init__(self) -> None:
        object.__setattr__(self, "applicants", {name: tuple(choices) for name, choices in self.applicants.items()})
        object.__setattr__(self, "labs", dict(self.labs))
        problems = [*_of_names(self), *_of_choices(self), *_of_orders(self)]
        if problems:
            raise MarketError(problems)

    def with_seats(self, seats: Mapping[str, int]) -> Market:
        """The same lists with other numbers of seats at the given labs.

        Raises:
            MarketError: Seats are negative.
        """
        changed = {name: Lab(seats.get(name, lab.seats), lab.order) for name, lab in self.labs.items()}
        return Market(self.applicants, changed)


def lottery_number(seed: str, applicant: str) -> str:
    r"""The applicant's lottery number, in hexadecimal; smaller ones come first.

    It is the SHA-256 of the seed, a line feed and the applicant's name in UTF-8, so that anybody can compute it:
    `printf '%s\n%s' SEED NAME | sha256sum`.
    """
    return sha256(f"{seed}\n{applicant}".encode()).hexdigest()


def lottery_numbers(market: Market, seed: str) -> dict[str, str]:
    """Everybody's lottery number."""
    return {applicant: lottery_number(seed, applicant) for applicant in market.applicants}


def places(lab: Lab, numbers: Mapping[str, str]) -> dict[str, int]:
    """The position of each applicant in the lab's order, from 1, with ties broken by lottery numbers."""
    # Names decide between equal numbers, which do not occur in practice, so that the order is total.
    strict = (
        applicant
        for group in lab.order
        for applicant in sorted(group, key=lambda applicant: (numbers[applicant], applicant))
    )
    return {applicant: place for place, applicant in enumerate(strict, 1)}


@dataclass(frozen=True)
class Round:
    """A market, the published seed of its lottery, and the lab of everybody who was assigned one."""

    market: Market
    seed: str
    lab_of: Mapping[str, str]

    @cached_property
    def admitted(self) -> Mapping[str, frozenset[str]]:
        """Who was assigned to each lab."""
        admitted: dict[str, set[str]] = {lab: set() for lab in self.market.labs}
        for applicant, lab in self.lab_of.items():
            admitted[lab].add(applicant)
        return {lab: frozenset(applicants) for lab, applicants in admitted.items()}

    def places_at(self, lab: str) -> Mapping[str, int]:
        """The place of each applicant in a lab's order, from 1, with ties broken by the lottery. Computed once."""
        if lab not in self._places:
            self._places[lab] = places(self.market.labs[lab], self._drawn)
        return self._places[lab]

    @cached_property
    def _drawn(self) -> Mapping[str, str]:
        return lottery_numbers(self.market, self.seed)

    @cached_property
    def _places(self) -> dict[str, Mapping[str, int]]:
        return {}

    def by_choice(self) -> Mapping[int, int]:
        """How many got their first choice (1), second (2) and so on."""
        choices = self.market.applicants
        counts = Counter(choices[applicant].index(lab) + 1 for applicant, lab in self.lab_of.items())
        return dict(sorted(counts.items()))


def solve(market: Market, seed: str) -> Round:
    """Assign applicants to labs, breaking ties in the labs' orders by the lottery of `seed`.

    Takes O(n log n) for n entries in all lists.

    Raises:
        MarketError: The seed cannot be encoded as UTF-8.
    """
    if not is_text(seed):
        raise MarketError(["The seed cannot be written as UTF-8."])
    numbers = lottery_numbers(market, seed)
    place_at = {name: places(lab, numbers) for name, lab in market.labs.items()}
    # Each lab holds its best proposals so far in a heap of (negative position, name), the worst on top.
    proposals_at: dict[str, list[tuple[int, str]]] = {name: [] for name in market.labs}
    remaining = {applicant: iter(choices) for applicant, choices in market.applicants.items()}
    for entering in market.applicants:
        applicant: str | None = entering
        while applicant is not None:
            lab_name = next(remaining[applicant], None)
            if lab_name is None:
                break
            place = place_at[lab_name].get(applicant)
            if place is None:
                continue
            proposals = proposals_at[lab_name]
            if len(proposals) < market.labs[lab_name].seats:
                heappush(proposals, (-place, applicant))
                applicant = None
            elif proposals and place < -proposals[0][0]:
                applicant = heapreplace(proposals, (-place, applicant))[1]
    return Round(
        market, seed, {applicant: lab for lab, proposals in proposals_at.items() for _, applicant in proposals}
    )


def is_text(name: str) -> bool:
    """Whether a name can be encoded as UTF-8; a lone surrogate cannot and has no lottery number."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _of_names(market: Market) -> Iterator[str]:
    for kind, names in (("applicant", market.applicants), ("lab", market.labs)):
        for name in names:
            if not name:
                yield f"The name of an {kind} is empty." if kind == "applicant" else "The name of a lab is empty."
            elif not is_text(name):
                yield f"The name of the {kind} {name!r} cannot be written as UTF-8."


def _of_choices(market: Market) -> Iterator[str]:
    for applicant, choices in market.applicants.items():
        for lab, times in Counter(choices).items():
            if times > 1:
                yield f"The list of “{applicant}” has the lab “{lab}” {times} times."
            if lab not in market.labs:
                yield f"The list of “{applicant}” has the lab “{lab}”, which is not in the market."


def _of_orders(market: Market) -> Iterator[str]:
    for name, lab in market.labs.items():
        if isinstance(lab.seats, bool) or not isinstance(lab.seats, int) or lab.seats < 0:
            yield f"The lab “{name}” has {lab.seats!r} seats; it takes a whole number from 0."
        for applicant, times in Counter(applicant for group in lab.order for applicant in group).items():
            if times > 1:
                yield f"The order of the lab “{name}” has “{applicant}” {times} times."
            if applicant not in market.applicants:
                yield f"The order of the lab “{name}” has “{applicant}”, who is not in the market."


CERTIFICATE = "portal-assignment-certificate/1"
TIE_BREAK = "one-lottery-sha256"


def certificate(computed: Round) -> str:
    """The round as a certificate that `portal/assignment/verify.py` can check: JSON with a line per name.

    It contains everybody's lists and places, so only people who may see these may have it.
    """
    data: dict[str, Any] = {
        "format": CERTIFICATE,
        "tie_break": TIE_BREAK,
        "seed": computed.seed,
        "market": _as_data(computed.market),
        "lottery": lottery_numbers(computed.market, computed.seed),
        "assignment": {applicant: computed.lab_of.get(applicant) for applicant in computed.market.applicants},
    }
    return _in_lines(data | {"digest": _digest(data)}) + "\n"


def lists_digest(market: Market) -> str:
    """The SHA-256 of lists, orders and seats, for publication before the seed is drawn."""
    return _digest(_as_data(market))


def read_round(content: str) -> Round:
    """The round in a certificate that `certificate` wrote. Whether another one is right is the checker's to say."""
    data = json.loads(content)
    market = Market(
        data["market"]["applicants"],
        {name: Lab(lab["seats"], lab["order"]) for name, lab in data["market"]["labs"].items()},
    )
    assigned = {applicant: lab for applicant, lab in data["assignment"].items() if lab is not None}
    return Round(market, data["seed"], assigned)


def _as_data(market: Market) -> dict[str, Any]:
    labs = {name: {"seats": lab.seats, "order": lab.order} for name, lab in market.labs.items()}
    return {"applicants": dict(market.applicants), "labs": labs}


def _digest(data: Mapping[str, Any]) -> str:
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return f"sha256:{sha256(canonical.encode()).hexdigest()}"


def _in_lines(value: object, levels: int = 3) -> str:
    """JSON sorted by name, with a line for each name down to this depth, so that two files can be compared by line."""
    if not isinstance(value, dict) or not levels or not value:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    margin = " " * (3 - levels)
    lines = (
        f"{margin} {json.dumps(name, ensure_ascii=False)}: {_in_lines(value[name], levels - 1)}"
        for name in sorted(value)
    )
    return "{\n" + ",\n".join(lines) + f"\n{margin}}}"
