"""Small random markets, and what is true of them by trying everything."""

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
    """Markets with ties, people whom no lab or only some labs take, empty lists, labs without seats."""
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
    """Every way to give people labs of their lists that take them, within the seats."""
    takes = {name: {one for group in lab.order for one in group} for name, lab in market.labs.items()}
    options = [[None, *(lab for lab in labs if one in takes[lab])] for one, labs in market.applicants.items()]
    for got in product(*options):
        if all(got.count(lab) <= market.labs[lab].seats for lab in market.labs):
            yield dict(zip(market.applicants, got, strict=True))


def is_stable(market: Market, seed: str, got: Matching) -> bool:
    """Whether no applicant and lab would both rather have each other; ties broken by the published rule."""
    for one, labs in market.applicants.items():
        for lab in labs:
            if lab == got[one]:
                break
            order = strict_order(market, seed, lab)
            inside = [order.index(other) for other, held in got.items() if held == lab]
            free = len(inside) < market.labs[lab].seats
            if one in order and (free or any(order.index(one) < place for place in inside)):
                return False
    return True


def strict_order(market: Market, seed: str, lab: str) -> list[str]:
    """A lab's order with ties broken, as docs/assignment.md says it in words."""
    return [
        one
        for group in market.labs[lab].order
        for one in sorted(group, key=lambda name: sha256(seed.encode() + b"\n" + name.encode()).hexdigest())
    ]


def best_stable(market: Market, seed: str) -> Matching:
    """The stable way that everybody likes at least as much as any other stable way."""
    ranks = {one: {lab: rank for rank, lab in enumerate([*labs, None])} for one, labs in market.applicants.items()}
    stable = [got for got in feasible(market) if is_stable(market, seed, got)]
    [best] = [
        got
        for got in stable
        if all(ranks[one][got[one]] <= ranks[one][other[one]] for other in stable for one in ranks)
    ]
    return best


def as_data(market: Market, seed: str) -> dict[str, Any]:
    """The certificate of a market, parsed, to be changed by a test."""
    data: dict[str, Any] = json.loads(certificate(solve(market, seed)))
    return data


def sealed(data: dict[str, Any]) -> bytes:
    """A changed certificate whose digest fits again: somebody who forges one would see to that."""
    rest = {name: part for name, part in data.items() if name != "digest"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return json.dumps(rest | {"digest": f"sha256:{sha256(canonical.encode()).hexdigest()}"}).encode()
