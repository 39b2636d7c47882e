"""The value of a BibTeX field or macro → its text, with macros filled in."""

from __future__ import annotations

import re

from portal.seeding.pages import excerpt

_BARE = re.compile(r"[^\s{}\"#,]+")
_JOINT = re.compile(r"\s*#\s*")
VALUE_LIMIT = 200_000
PARTS_LIMIT = 1000


class BrokenValue(ValueError):
    """A value of a field that cannot be read."""


def read_value(raw: str, macros: dict[str, str]) -> tuple[str, list[str]]:
    """The text of a value (strings, numbers and macros joined by "#"), and its macros that are not defined.

    Raises:
        BrokenValue: Braces or quotation marks are not closed, or something follows the value.
    """
    if len(raw) > VALUE_LIMIT:
        raise BrokenValue(f"it has {len(raw):,} characters; at most {VALUE_LIMIT:,} can be read")
    parts: list[str] = []
    unknown: list[str] = []
    size = 0
    position = len(raw) - len(raw.lstrip())
    while position < len(raw):
        part, position = _part(raw, position, macros, unknown)
        parts.append(part)
        size += len(part)
        if size > VALUE_LIMIT or len(parts) > PARTS_LIMIT:
            raise BrokenValue(f"it is made of more than {VALUE_LIMIT:,} characters or {PARTS_LIMIT:,} parts")
        joint = _JOINT.match(raw, position)
        if joint is None:
            rest = raw[position : position + VALUE_LIMIT].lstrip()
            if rest:
                raise BrokenValue(f"a comma is missing before “{excerpt(rest)[:40]}”")
            break
        position = joint.end()
    return "".join(parts), unknown


def _part(raw: str, position: int, macros: dict[str, str], unknown: list[str]) -> tuple[str, int]:
    """The text of the part of a value that starts at a position, and where it ends."""
    if raw[position] in '{"':
        end = (_closing_brace if raw[position] == "{" else _closing_quote)(raw, position)
        return raw[position + 1 : end], end + 1
    bare = _BARE.match(raw, position)
    if bare is None:
        raise BrokenValue(f"“{excerpt(raw[position:])[:40]}” is unexpected")
    return _of_bare(bare[0], macros, unknown), bare.end()


def _of_bare(word: str, macros: dict[str, str], unknown: list[str]) -> str:
    if word.isdigit():
        return word
    value = macros.get(word.lower())
    if value is None:
        unknown.append(word[:60])
        return word
    return value


def _closing_brace(raw: str, start: int) -> int:
    depth = 0
    position = start
    while position < len(raw):
        character = raw[position]
        if character == "\\":
            position += 1
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if not depth:
                return position
        position += 1
    raise BrokenValue("a closing brace “}” is missing")


def _closing_quote(raw: str, start: int) -> int:
    """The quotation mark that ends a value: the first outside braces that is followed by the end or by "#"."""
    depth = 0
    last = -1
    for position in range(start + 1, len(raw)):
        character = raw[position]
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
        elif character == '"' and depth <= 0 and raw[position - 1] != "\\":
            last = position
            if re.match(r"\s*(?:$|#)", raw[position + 1 : position + 200]):
                return position
    if last < 0:
        raise BrokenValue("a closing quotation mark is missing")
    return last
