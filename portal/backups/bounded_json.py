"""JSON of an archive, parsed only if it fits into memory: two bytes can become an object of sixty."""

from __future__ import annotations

import json
from typing import Any

MOST_MARKS = 4_000_000
"""Limit on commas and opening brackets, and so on values: about 500 MB at worst. A manifest of a million files fits."""
_MARKS = (",", "[", "{")


def parse(text: str) -> Any:  # noqa: ANN401  (what JSON holds)
    """The value of a JSON text.

    Raises:
        ValueError: It is no JSON, or has too many values.
        RecursionError: It is nested too deeply.
    """
    if not fits(text):
        raise ValueError("too many values")
    return json.loads(text)


def fits(text: str) -> bool:
    """Whether `parse` accepts as many values as this may hold."""
    return sum(map(text.count, _MARKS)) <= MOST_MARKS
