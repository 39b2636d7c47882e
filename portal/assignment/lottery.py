"""The published rule that breaks ties: a number for each applicant, derived from the seed, the same at every lab."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.assignment.records import Lab, Market


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
