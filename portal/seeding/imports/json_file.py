"""Parses untrusted JSON, with type-checked access to its values."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from portal.seeding.imports.imported import ImportRefused

if TYPE_CHECKING:
    from portal.seeding.snapshots import Json

_LONGEST_LINE = 5000


def looks_like_json(text: str) -> bool:
    """Whether a text begins like a JSON object or list."""
    return bool(re.match(r"\s*(?:\{\s*[\"}]|\[\s*[\[\]{\"\d-])", text))


def load_json(filename: str, text: str) -> Json:
    """The JSON of a text: one value, or one object per line, of which a broken one stays a text.

    Raises:
        ImportRefused: It is not JSON, cut off, or nested too deeply.
    """
    try:
        return _loaded(text)
    except RecursionError:
        raise ImportRefused(f"{filename}: the JSON is nested too deeply to be read") from None
    except ValueError as error:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) > 1 and all(re.match(r'\s*\{"', line) for line in lines[:2]):
            return [_line(line) for line in lines]
        place = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else "a number too long"
        raise ImportRefused(f"{filename}: the JSON is broken ({place}); download or export it again") from None


def _loaded(text: str) -> Json:
    value: Json = json.loads(text, parse_constant=lambda _name: None)  # NaN and Infinity are read as null
    return value


def _line(line: str) -> Json:
    try:
        return _loaded(line)
    except (ValueError, RecursionError):
        return line[:_LONGEST_LINE]  # the caller reports it as a problem


def obj(value: object) -> dict[str, Json]:
    """`value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Json]:
    """`value` if it is a JSON list, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """`value` if it is a text, else ""."""
    return value if isinstance(value, str) else ""


def number(value: object) -> int | None:
    """`value` if it is a whole number of at most nine digits (also as a string), else None."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    digits = str(value).strip() if isinstance(value, str) else str(value) if abs(value) < 10**9 else ""
    return int(digits) if re.fullmatch(r"-?\d{1,9}", digits, re.ASCII) else None


def year_of(value: object) -> int | None:
    """`value` as a year between 1500 and 2100, else None."""
    year = number(value)
    return year if year is not None and 1500 <= year <= 2100 else None  # noqa: PLR2004
