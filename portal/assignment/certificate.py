"""Rounds as certificates in JSON, always written in the same way."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from portal.assignment.rounds import Lab, Market, Round, lottery_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

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
