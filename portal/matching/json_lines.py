"""Reads JSON lines. A bad line is reported with its number, and does not keep the others from being read."""

from __future__ import annotations

import codecs
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from portal.matching.records import Topic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class LineError(ValueError):
    """A line is invalid; the message says why."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A bad line: its number, counted from 1, and the reason."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one line, with a getter for each kind of value."""

    data: Mapping[str, Any]

    def only(self, *names: str) -> None:
        """Refuse unknown fields.

        Raises:
            LineError: with the unknown fields and the known ones.
        """
        unknown = sorted(self.data.keys() - set(names))
        if unknown:
            raise LineError(f"unknown field {', '.join(map(printable, unknown))}; known here: {', '.join(names)}")

    def text(self, name: str, default: str | None = None) -> str:
        """A text; required unless there is a `default`.

        Raises:
            LineError: it is missing or not a text.
        """
        value = self.data.get(name, default)
        if not isinstance(value, str):
            raise LineError(f'"{name}" must be a text' if name in self.data else f'"{name}" is missing')
        return value

    def key(self, name: str) -> str:
        """A text that is not blank.

        Raises:
            LineError: it is missing, not a text, or blank.
        """
        value = self.text(name)
        if not value.strip():
            raise LineError(f'"{name}" is empty')
        return value

    def texts(self, name: str, *, needed: bool = False) -> tuple[str, ...]:
        """A list of texts that are not blank, without duplicates; empty if it is optional and missing.

        Raises:
            LineError: it is not such a list, or is required and missing.
        """
        value = self.data.get(name, None if needed else [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise LineError(f'"{name}" must be a list of texts' if name in self.data else f'"{name}" is missing')
        if not all(item.strip() for item in value):
            raise LineError(f'"{name}" has an empty text')
        if len(set(value)) != len(value):
            raise LineError(f'"{name}" has the same text twice')
        return tuple(value)

    def objects(self, name: str) -> tuple[Fields, ...]:
        """An optional list of objects.

        Raises:
            LineError: it is something else.
        """
        value = self.data.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise LineError(f'"{name}" must be a list of objects')
        return tuple(map(Fields, value))

    def number(self, name: str, least: float, most: float) -> float:
        """A number from `least` to `most`.

        Raises:
            LineError: it is missing, not a number, or out of range.
        """
        value = self.data.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            range_in_words = f"from {least:g} to {most:g}" if math.isfinite(most) else f"of {least:g} or more"
            raise LineError(f'"{name}" must be a number {range_in_words}')
        return float(value)

    def topics(self, name: str) -> tuple[Topic, ...]:
        """An optional list of topics, each a text or `{"text": …, "weight": …}`.

        Raises:
            LineError: it is something else.
        """
        value = self.data.get(name, [])
        if not isinstance(value, list):
            raise LineError(f'"{name}" must be a list of topics')
        return tuple(_topic(item, name) for item in value)


def _topic(value: object, name: str) -> Topic:
    if isinstance(value, str):
        return Topic(value)
    if not isinstance(value, dict):
        raise LineError(f'a topic in "{name}" is a text or an object with "text" and "weight"')
    fields = Fields(value)
    fields.only("text", "weight")
    weight = fields.number("weight", 0, 1e6) if "weight" in value else 1.0
    return Topic(fields.text("text"), weight)


def objects(lines: Iterable[bytes]) -> Iterator[tuple[int, Fields | LineError]]:
    """The number of every line that is not blank, and its fields or the reason why it is invalid."""
    for line_number, line in enumerate(lines, start=1):
        content = line.removeprefix(codecs.BOM_UTF8) if line_number == 1 else line
        if content.strip():
            try:
                yield line_number, _parsed(content)
            except LineError as error:
                yield line_number, error


def _parsed(line: bytes) -> Fields:
    try:
        value = json.loads(line.decode(), object_pairs_hook=_without_repeats)
    except UnicodeDecodeError:
        raise LineError("this is not UTF-8") from None
    except RecursionError:
        raise LineError("this is nested too deeply") from None
    except LineError:
        raise
    # json raises its own kind of ValueError, and a plain one for numbers with thousands of digits.
    except ValueError as error:
        raise LineError(f"this is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise LineError("this is not a JSON object")
    return Fields(value)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise LineError("a field is given twice")
    return fields


def printable(text: str, most: int = 80) -> str:
    """`text` on one line and safe for a terminal: unprintable characters become spaces, long texts end with "…"."""
    line = " ".join("".join(character if character.isprintable() else " " for character in text[: 4 * most]).split())
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[: most - 1]}…"
