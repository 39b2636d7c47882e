"""Markets and certificates as JSON. Serialisation is deterministic; parsing is strict."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from portal.assignment.records import Lab, Market, Round, is_text, lottery_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

MARKET = "portal-market/1"
CERTIFICATE = "portal-assignment-certificate/1"
TIE_BREAK = "one-lottery-sha256"


class FileRefused(ValueError):
    """A file is neither a market nor a certificate; the message says why."""


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


def read_market(content: bytes) -> tuple[Market, str | None]:
    """The market in a file, which may be a certificate, and its seed if it has one.

    Raises:
        FileRefused: It is not such a file.
        MarketError: Its lists contradict each other.
    """
    data = _parsed(content)
    if data.get("format") == CERTIFICATE:
        computed = _as_round(data)
        return computed.market, computed.seed
    if data.get("format") != MARKET:
        raise FileRefused(f'it is neither a market ("format": "{MARKET}") nor a certificate ("{CERTIFICATE}")')
    _only(data, "the file", needed=("format", "market"), other=("seed",))
    return _as_market(data["market"]), _seed(data) if "seed" in data else None


def read_round(content: bytes) -> Round:
    """The round in a certificate, without checking that it is right: that is the checker's task.

    Raises:
        FileRefused: It is not a certificate, or somebody unknown is assigned, or to a lab not on their list.
        MarketError: Its lists contradict each other.
    """
    data = _parsed(content)
    if data.get("format") != CERTIFICATE:
        raise FileRefused(f'it is not a certificate ("format": "{CERTIFICATE}")')
    return _as_round(data)


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


def _parsed(content: bytes) -> dict[str, Any]:
    try:
        data = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_without_repeats)
    except UnicodeDecodeError as error:
        raise FileRefused(f"it is not UTF-8 (at byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise FileRefused(f"it is not JSON ({error})") from None
    except RecursionError:
        raise FileRefused("it is nested too deeply") from None
    except ValueError as error:
        if isinstance(error, FileRefused):
            raise
        raise FileRefused(f"it is not JSON that can be read ({error})") from None
    if not isinstance(data, dict):
        raise FileRefused("it is not a JSON object")
    return data


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        [(repeated, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise FileRefused(f"it has the name {json.dumps(repeated)} twice in one object")
    return data


def _as_round(data: dict[str, Any]) -> Round:
    _only(
        data, "the certificate", ("format", "tie_break", "seed", "market", "lottery", "assignment", "digest"), other=()
    )
    market, seed, assignment = _as_market(data["market"]), _seed(data), data["assignment"]
    if data["tie_break"] != TIE_BREAK:
        raise FileRefused(f'tie_break must be "{TIE_BREAK}"')
    if not isinstance(assignment, dict):
        raise FileRefused("assignment must be an object")
    for applicant, lab in assignment.items():
        if applicant not in market.applicants:
            raise FileRefused(f"assignment has {json.dumps(applicant)}, who is not in the market")
        if lab is not None and lab not in market.applicants[applicant]:
            raise FileRefused(f"assignment gives {json.dumps(applicant)} a lab that is not on their list")
    return Round(market, seed, {applicant: lab for applicant, lab in assignment.items() if lab is not None})


def _seed(data: dict[str, Any]) -> str:
    seed = data["seed"]
    if not isinstance(seed, str) or not is_text(seed):
        raise FileRefused("seed must be a text")
    return seed


def _as_market(data: object) -> Market:
    parts = _only(data, "market", needed=("applicants", "labs"), other=())
    applicants, labs = (_only(parts[kind], f"market.{kind}") for kind in ("applicants", "labs"))
    return Market(
        {name: _texts(choices, f"the list of {json.dumps(name)}") for name, choices in applicants.items()},
        {name: _as_lab(lab, f"the lab {json.dumps(name)}") for name, lab in labs.items()},
    )


def _as_lab(data: object, where: str) -> Lab:
    parts = _only(data, where, needed=("seats", "order"), other=())
    seats, order = parts["seats"], parts["order"]
    if isinstance(seats, bool) or not isinstance(seats, int):
        raise FileRefused(f"the seats of {where} must be a whole number")
    if not isinstance(order, list):
        raise FileRefused(f"the order of {where} must be a list of groups, each a list of names")
    return Lab(seats, tuple(_texts(group, f"each group in the order of {where}") for group in order))


def _texts(data: object, where: str) -> tuple[str, ...]:
    if not isinstance(data, list) or not all(isinstance(item, str) for item in data):
        raise FileRefused(f"{where} must be a list of names")
    return tuple(data)


def _only(
    data: object, where: str, needed: tuple[str, ...] = (), other: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """The object, checked: it has all `needed` fields and no others but those of `other`; any others if that is None.

    Raises:
        FileRefused: It is not an object, lacks a field, or has an unknown one.
    """
    if not isinstance(data, dict):
        raise FileRefused(f"{where} must be an object")
    for name in needed:
        if name not in data:
            raise FileRefused(f"{where} lacks {name}")
    unknown = [] if other is None else sorted(data.keys() - {*needed, *other})
    if unknown:
        raise FileRefused(f"{where} has the unknown field {json.dumps(unknown[0])}")
    return data
