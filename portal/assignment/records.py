"""The data of an assignment round: applicants' lists, labs' orders, seats, and the outcome."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

MOST_PROBLEMS = 20  # problems listed in one message


class MarketError(ValueError):
    """The lists are inconsistent; `problems` has a sentence for each error."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        more = len(self.problems) - MOST_PROBLEMS
        rest = [f"… and {more:,} more."] if more > 0 else []
        super().__init__("\n".join([*self.problems[:MOST_PROBLEMS], *rest]))


class UnknownName(LookupError):
    """A name that the market does not contain; the message is a sentence."""


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
            UnknownName: A lab is not in the market.
            MarketError: Seats are negative.
        """
        for lab in seats:
            require_name(lab, self.labs, "lab")
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


def quoted(name: str) -> str:
    """A name for a sentence, with characters escaped that a terminal would not print or would interpret."""
    safe = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in name)
    return f"“{safe}”"


def require_name(name: str, names: Collection[str], kind: str) -> str:
    """`name`, if it is among the names.

    Raises:
        UnknownName: It is not; the message lists similar names, or all if there are few.
    """
    if name in names:
        return name
    from difflib import get_close_matches

    names_in_order = sorted(names)
    most_listed = 8
    similar = (
        names_in_order
        if len(names_in_order) <= most_listed
        else get_close_matches(name, names_in_order, most_listed, cutoff=0.5)
    )
    hint = f" Known are: {', '.join(map(quoted, similar))}." if similar else ""
    more = f" There are {len(names_in_order):,}." if len(names_in_order) > len(similar) else ""
    raise UnknownName(f"There is no {kind} {quoted(name)}.{hint}{more}")


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
                yield f"The name of the {kind} {quoted(name)} cannot be written as UTF-8."


def _of_choices(market: Market) -> Iterator[str]:
    for applicant, choices in market.applicants.items():
        for lab, times in Counter(choices).items():
            if times > 1:
                yield f"The list of {quoted(applicant)} has the lab {quoted(lab)} {times} times."
            if lab not in market.labs:
                yield f"The list of {quoted(applicant)} has the lab {quoted(lab)}, which is not in the market."


def _of_orders(market: Market) -> Iterator[str]:
    for name, lab in market.labs.items():
        if isinstance(lab.seats, bool) or not isinstance(lab.seats, int) or lab.seats < 0:
            yield f"The lab {quoted(name)} has {lab.seats!r} seats; it takes a whole number from 0."
        for applicant, times in Counter(applicant for group in lab.order for applicant in group).items():
            if times > 1:
                yield f"The order of the lab {quoted(name)} has {quoted(applicant)} {times} times."
            if applicant not in market.applicants:
                yield f"The order of the lab {quoted(name)} has {quoted(applicant)}, who is not in the market."
