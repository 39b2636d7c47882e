"""Small random markets, and their stable matchings found by trying every assignment."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import product
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from portal.assignment import Lab, Market, certificate, solve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import DrawFn

PEOPLE = ("an", "bo", "cy", "吴 🎓", "seats", "order", 'e"\n', "f=1")
LABS = ("systems", "theory", "an", "実験室", "labs")
SEEDS = st.sampled_from(["", "1 March: 4 8 15 16 23 42", "é\n"])

Matching = dict[str, str | None]


@st.composite
def markets(draw: DrawFn, people: int = len(PEOPLE), labs: int = len(LABS), least: int = 0) -> Market:
    """Markets with ties, applicants whom no lab or only some labs accept, empty lists, and labs without seats."""
    applicants = PEOPLE[: draw(st.integers(least, people))]
    places = LABS[: draw(st.integers(least, labs))]
    return Market(
        {name: draw(_cut(places)) for name in applicants},
        {name: Lab(draw(st.integers(0, 3)), draw(_groups(applicants))) for name in places},
    )


@st.composite
def _cut(draw: DrawFn, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(draw(st.permutations(names))[: draw(st.integers(0, len(names)))])


@st.composite
def _groups(draw: DrawFn, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    groups: list[list[str]] = []
    for name in draw(_cut(names)):
        if not groups or draw(st.booleans()):
            groups.append([])
        groups[-1].append(name)
    return tuple(map(tuple, groups))


def feasible(market: Market) -> Iterator[Matching]:
    """Every assignment of applicants to labs that are on their lists and accept them, within the seats."""
    accepted_by = {name: {applicant for group in lab.order for applicant in group} for name, lab in market.labs.items()}
    options = [
        [None, *(lab for lab in labs if applicant in accepted_by[lab])] for applicant, labs in market.applicants.items()
    ]
    for assigned in product(*options):
        if all(assigned.count(lab) <= market.labs[lab].seats for lab in market.labs):
            yield dict(zip(market.applicants, assigned, strict=True))


def is_stable(market: Market, seed: str, matching: Matching) -> bool:
    """Whether no applicant and lab would both prefer each other, with ties broken by the published rule."""
    for applicant, labs in market.applicants.items():
        for lab in labs:
            if lab == matching[applicant]:
                break
            order = strict_order(market, seed, lab)
            admitted = [order.index(other) for other, lab_of_other in matching.items() if lab_of_other == lab]
            free = len(admitted) < market.labs[lab].seats
            if applicant in order and (free or any(order.index(applicant) < place for place in admitted)):
                return False
    return True


def strict_order(market: Market, seed: str, lab: str) -> list[str]:
    """A lab's order with ties broken by the rule in docs/assignment.md."""
    return [
        applicant
        for group in market.labs[lab].order
        for applicant in sorted(group, key=lambda name: sha256(seed.encode() + b"\n" + name.encode()).hexdigest())
    ]


def best_stable(market: Market, seed: str) -> Matching:
    """The stable matching that every applicant likes at least as much as any other stable matching."""
    ranks = {
        applicant: {lab: rank for rank, lab in enumerate([*labs, None])}
        for applicant, labs in market.applicants.items()
    }
    stable = [matching for matching in feasible(market) if is_stable(market, seed, matching)]
    [best] = [
        matching
        for matching in stable
        if all(
            ranks[applicant][matching[applicant]] <= ranks[applicant][other[applicant]]
            for other in stable
            for applicant in ranks
        )
    ]
    return best


def as_data(market: Market, seed: str) -> dict[str, Any]:
    """The certificate of a market, parsed, to be changed by a test."""
    data: dict[str, Any] = json.loads(certificate(solve(market, seed)))
    return data


def sealed(data: dict[str, Any]) -> bytes:
    """A changed certificate with its digest recomputed, as a forger would do."""
    rest = {name: part for name, part in data.items() if name != "digest"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return json.dumps(rest | {"digest": f"sha256:{sha256(canonical.encode()).hexdigest()}"}).encode()
