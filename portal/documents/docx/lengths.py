"""Lengths of a Word document in points. Runs in the reading child only."""

from __future__ import annotations

import re

EMU_PER_POINT = 12_700
TWIPS_PER_POINT = 20
_LENGTH = re.compile(r"(-?\d*\.?\d+)(pt|in|cm|mm|px|pc|pi)?")
_POINTS = {"pt": 1.0, "in": 72.0, "cm": 28.35, "mm": 2.835, "px": 0.75, "pc": 12.0, "pi": 12.0, None: 0.75}
# No length of a document is more; what is cannot be reckoned with.
MOST_POINTS = 1e6


def of_twips(value: str | None) -> float:
    """A length in twentieths of a point, or with a unit; 0 where there is none."""
    number, unit = _parsed(value)
    return number / TWIPS_PER_POINT if unit is None else number * _POINTS[unit]


def of_emu(value: str | None) -> float:
    """A length of the newer drawing language; 0 where there is none."""
    return _parsed(value)[0] / EMU_PER_POINT


def of_style(value: str | None) -> float | None:
    """A length of the older drawing language, whose plain numbers are pixels; None where it cannot be told."""
    match = _LENGTH.fullmatch((value or "").strip())
    return None if match is None else _bounded(float(match[1])) * _POINTS[match[2]]


def _parsed(value: str | None) -> tuple[float, str | None]:
    match = _LENGTH.fullmatch((value or "").strip())
    return (0.0, None) if match is None else (_bounded(float(match[1])), match[2])


def _bounded(number: float) -> float:
    return max(-MOST_POINTS * EMU_PER_POINT, min(number, MOST_POINTS * EMU_PER_POINT))
