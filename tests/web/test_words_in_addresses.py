"""No fixed address hides that of a lab, a cycle or anything else whose name people choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from werkzeug.routing import AnyConverter, Map, PathConverter, Rule, UnicodeConverter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask


def _parts(rule: Rule) -> list[str]:
    return rule.rule.strip("/").split("/")


def _names_like_fixed_parts(rule: Rule, others: list[Rule]) -> Iterator[dict[str, str | int]]:
    """Values for an address of `rule` in which a name is a word that stands there in another rule."""
    converters = rule._converters
    if any(isinstance(converter, PathConverter) for converter in converters.values()):
        return  # files of the portal's own
    words = {name for name, converter in converters.items() if isinstance(converter, UnicodeConverter)}
    plain: dict[str, str | int] = {
        name: "x" if name in words else next(iter(converter.items)) if isinstance(converter, AnyConverter) else 1
        for name, converter in converters.items()
    }
    for position, part in enumerate(_parts(rule)):
        name = part.strip("<>").partition(":")[2] or part.strip("<>")
        if not part.startswith("<") or name not in words:
            continue
        for fixed in {other[position] for other in map(_parts, others) if position < len(other)}:
            if not fixed.startswith("<"):
                yield {**plain, name: fixed}


def hidden(routes: Map) -> list[str]:
    """Addresses with a name in them that lead elsewhere, and where."""
    adapter = routes.bind("portal.example")
    rules = list(routes.iter_rules())
    found = []
    for rule in rules:
        for values in _names_like_fixed_parts(rule, rules):
            methods = (rule.methods or set()) - {"HEAD", "OPTIONS"}
            address = adapter.build(rule.endpoint, values, method=min(methods))
            for method in methods:
                endpoint, _ = adapter.match(address, method=method)
                if endpoint != rule.endpoint:
                    found.append(f"{method} {address}: {endpoint}, not {rule.endpoint}")
    return found


def test_no_name_is_hidden_by_a_fixed_address(app: Flask) -> None:
    assert hidden(app.url_map) == []


def test_an_address_that_hides_a_name_is_found() -> None:
    routes = Map(
        [
            Rule("/labs/<slug>", endpoint="lab", methods=["GET"]),
            Rule("/labs/compare", endpoint="compare", methods=["GET"]),
            Rule("/labs/weights", endpoint="weights", methods=["POST"]),
        ]
    )
    assert hidden(routes) == ["GET /labs/compare: compare, not lab"]
