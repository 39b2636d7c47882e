"""JSON from an archive, parsed only if it fits into memory: two bytes of it can become an object of sixty bytes."""

from __future__ import annotations

import json
from typing import Any

MOST_MARKS = 4_000_000
"""Limit on commas and opening brackets, and so on the number of values: about 500 MB of memory at worst. The manifest
of a million files stays below it.
"""
_MARKS = (",", "[", "{")


def parse(text: str) -> Any:  # noqa: ANN401  (what JSON holds)
    """The value of a JSON text.

    Raises:
        ValueError: It is not JSON, or has too many values.
        RecursionError: It is nested too deeply.
    """
    if not fits(text):
        raise ValueError("too many values")
    return json.loads(text)


def fits(text: str) -> bool:
    """Whether the text is short of the limit on values, so that `parse` accepts it."""
    return sum(map(text.count, _MARKS)) <= MOST_MARKS
