"""Parses untrusted JSON: within limits, salvaging what is intact, with type-checked access."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.seeding.imports.imported import ImportRefused
from portal.seeding.texts import first_sentence

if TYPE_CHECKING:
    from portal.seeding.snapshots import Json

_LIST_OF_OBJECTS = re.compile(r"\[\s*\{")
_BETWEEN = re.compile(r"[\s,;]*")
_COMMA = re.compile(r"\s*,\s*")
_LONGEST_HEAD = 5000


@dataclass(frozen=True, slots=True)
class JsonFile:
    """The content of a JSON file; `cut_at` is the line where it breaks off (0: it is complete)."""

    value: Json
    cut_at: int = 0
    why: str = ""


def looks_like_json(text: str) -> bool:
    """Whether a text begins like a JSON object or list."""
    return bool(re.match(r"\s*(?:\{\s*[\"}]|\[\s*[\[\]{\"\d-])", text))


def load_json(filename: str, text: str) -> JsonFile:
    """The JSON of a text: one value, one value per line, or the intact objects of a truncated list.

    Raises:
        ImportRefused: It is not JSON, or nested too deeply.
    """
    try:
        return JsonFile(json.loads(text, parse_constant=_nothing))
    except RecursionError:
        raise ImportRefused(f"{filename}: the JSON is nested too deeply to be read") from None
    except ValueError as error:
        lines = _json_lines(text)
        if lines is not None:
            return JsonFile(lines)
        salvaged = _values(text) or _salvaged(text, error)
        if salvaged is not None:
            return salvaged
        place = (
            f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else first_sentence(error)
        )
        raise ImportRefused(f"{filename}: the JSON is broken ({place}); download or export it again") from None


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
    """`value` if it is a whole number of reasonable size (also as a string), else None."""
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,9}\s*", value):
        value = int(value)
    if isinstance(value, float) and value == value // 1:
        value = int(value) if abs(value) < 1e9 else None  # noqa: PLR2004 - no count of works is larger
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**9 else None


def year_of(value: object) -> int | None:
    """`value` as a year between 1500 and 2100, else None."""
    year = number(value)
    return year if year is not None and 1500 <= year <= 2100 else None  # noqa: PLR2004


def _nothing(_name: str) -> None:
    """NaN and Infinity are read as null."""


def _json_lines(text: str) -> list[Json] | None:
    """The objects of a file with one per line, or None if it is not one."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or not all(line.lstrip().startswith("{") for line in lines[:2]):  # noqa: PLR2004
        return None
    values: list[Json] = []
    for line in lines:
        try:
            values.append(json.loads(line, parse_constant=_nothing))
        except (ValueError, RecursionError):
            if not values:
                return None
            values.append(line[:_LONGEST_HEAD])  # not an object: the caller reports it as a problem
    return values


def _values(text: str) -> JsonFile | None:
    """Concatenated values, such as several pages of responses; None if not even one is intact."""
    decoder = json.JSONDecoder(parse_constant=_nothing)
    values: list[Json] = []
    position = 0
    cut_at, why = 0, ""
    while position < len(text) and not cut_at:
        position = _BETWEEN.match(text, position).end()  # type: ignore[union-attr]  # it matches nothing, too
        if position == len(text):
            break
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            cut_at, why = text.count("\n", 0, position) + 1, first_sentence(error)
            salvaged = _salvaged(text[position:], ValueError(why))
            if salvaged is not None:
                value, cut_at = {"results": salvaged.value}, cut_at + salvaged.cut_at - 1
                values.append(value)
            break
        values.append(value)
    whole = [value for value in values if isinstance(value, dict | list)]
    return JsonFile([part for value in whole for part in _parts(value)], cut_at, why) if len(whole) > 1 else None


def _parts(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _salvaged(text: str, error: ValueError) -> JsonFile | None:
    """The objects of the first list in a text, up to the error."""
    start = _LIST_OF_OBJECTS.search(text, 0, _LONGEST_HEAD)
    if start is None:
        return None
    decoder = json.JSONDecoder(parse_constant=_nothing)
    values: list[Json] = []
    position = start.end() - 1
    try:
        while position < len(text):
            value, position = decoder.raw_decode(text, position)
            values.append(value)
            comma = _COMMA.match(text, position)
            if comma is None:
                break
            position = comma.end()
    except (ValueError, RecursionError):
        pass
    if not values:
        return None
    message = error.msg if isinstance(error, json.JSONDecodeError) else first_sentence(error)
    return JsonFile(values, text.count("\n", 0, position) + 1, message)
