"""Applicant-proposing deferred acceptance (Gale and Shapley 1962), one applicant at a time (McVitie and Wilson
1971).

The outcome is the applicant-optimal stable matching; it does not depend on the order of proposals.
"""

from __future__ import annotations

from heapq import heappush, heapreplace
from typing import TYPE_CHECKING

from portal.assignment.records import MarketError, Round, is_text, lottery_numbers, places

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.assignment.records import Market


def unseen(_: int) -> None:
    """The `tick` of a run without a progress display."""


def steps(market: Market) -> int:
    """How many times `solve` calls `tick`: once for each lab and each applicant."""
    return len(market.labs) + len(market.applicants)


def solve(market: Market, seed: str, tick: Callable[[int], object] = unseen) -> Round:
    """Assign applicants to labs, breaking ties in the labs' orders by the lottery of `seed`.

    Takes O(n log n) for n entries in all lists. `tick` is called with 1 after each of `steps`.

    Raises:
        MarketError: The seed cannot be encoded as UTF-8.
    """
    if not is_text(seed):
        raise MarketError(["The seed cannot be written as UTF-8."])
    place_at = _orders(market, seed, tick)
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
        tick(1)
    return Round(
        market, seed, {applicant: lab for lab, proposals in proposals_at.items() for _, applicant in proposals}
    )


def _orders(market: Market, seed: str, tick: Callable[[int], object]) -> dict[str, dict[str, int]]:
    """Everybody's position in the order of each lab."""
    numbers = lottery_numbers(market, seed)
    orders: dict[str, dict[str, int]] = {}
    for name, lab in market.labs.items():
        orders[name] = places(lab, numbers)
        tick(1)
    return orders
