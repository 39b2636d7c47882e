"""Concepts as text: the TOML to download, and pasted or uploaded TOML, read entry by entry."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.labs.concepts.rules import problems, tidied
from portal.matching import Concept, ConceptError, read_concepts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HEAD = """\
# Plain words and the terms the field uses for them: the concepts in use.
#
# When a query has one of the `plain` phrases (in any inflection), the `terms` are added to it and shown as added. Their
# weight is that of the plain words times `strength` (over 0, at most 1; under 0.5 only beside a stronger phrase). `why`
# and `added_by` are required. Brackets contain alternatives: "(open|free) models" is "open models" and "free models".
"""
MOST_CHARACTERS = 1_500_000
MOST_ENTRIES = 4_000
_TABLE = re.compile(r"^[ \t]*\[\[[ \t]*concept[ \t]*\]\]", re.MULTILINE)
_PLACE = re.compile(r"^concept 1(?: is|:) ?")


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One entry of a pasted file: its position and line, and either its concept or what is wrong with it.

    `position` counts from 1; `line` is 0 if unknown. `concept` is None exactly when there are `problems`.
    """

    position: int
    line: int
    concept: Concept | None
    problems: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Where the entry is in the file, in words."""
        return f"Entry {self.position}, line {self.line}" if self.line else f"Entry {self.position}"


def write_concepts(concepts: Iterable[Concept]) -> str:
    """The concepts as a concept file; the inverse of `read_concepts`."""
    return "\n".join([HEAD, *map(_as_table, concepts)])


def read_entries(text: str) -> Sequence[FileEntry]:
    """The entries of a concept file. Each is parsed by itself, so that one bad entry does not hide the others.

    Raises:
        ConceptError: The text as a whole is not a concept file; the message says where and why.
    """
    if len(text) > MOST_CHARACTERS:
        raise ConceptError(f"The text is {len(text):,} characters long; at most {MOST_CHARACTERS:,} fit. Split it.")
    try:
        tables = _tables(text)
    except (ValueError, RecursionError) as error:  # a number with thousands of digits, or brackets nested too deeply
        raise ConceptError(_in_words(error)) from None
    if len(tables) > MOST_ENTRIES:
        raise ConceptError(f"The text has {len(tables):,} entries; at most {MOST_ENTRIES:,} fit in one file. Split it.")
    lines = [text.count("\n", 0, match.start()) + 1 for match in _TABLE.finditer(text)]
    if len(lines) != len(tables):  # the header also occurs inside a string, or the list is written differently
        lines = [0] * len(tables)
    return [
        _read_entry(position, *located_table)
        for position, located_table in enumerate(zip(lines, tables, strict=True), start=1)
    ]


def _tables(text: str) -> list[dict[str, object]]:
    document = tomllib.loads(text)
    tables = document.get("concept")
    if document.keys() == {"concept"} and isinstance(tables, list) and all(isinstance(table, dict) for table in tables):
        return tables
    if not read_concepts(text):
        raise ConceptError("The text has no [[concept]] table.")
    raise ConceptError("The text has something other than [[concept]] tables.")


def _read_entry(position: int, line: int, table: dict[str, object]) -> FileEntry:
    try:
        (concept,) = read_concepts("[[concept]]\n" + "".join(f"{_value(k)} = {_value(v)}\n" for k, v in table.items()))
    except ConceptError as error:
        return FileEntry(position, line, None, (_PLACE.sub("", str(error)),))
    concept = tidied(concept)
    problem_texts = tuple(problem.text for problem in problems(concept))
    return FileEntry(position, line, None if problem_texts else concept, problem_texts)


def _as_table(concept: Concept) -> str:
    fields = {
        "plain": list(concept.plain),
        "terms": list(concept.terms),
        "why": concept.why,
        "added_by": concept.added_by,
        "strength": concept.strength,
    }
    return "[[concept]]\n" + "".join(f"{name} = {_value(value)}\n" for name, value in fields.items())


def _value(value: object) -> str:
    """A value as TOML on one line; dates, which are not allowed in entries, as strings."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_value(key)} = {_value(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    # TOML has JSON's escapes, and also requires one for DEL.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _in_words(error: Exception) -> str:
    if isinstance(error, ConceptError):
        return str(error)
    if isinstance(error, tomllib.TOMLDecodeError):
        return f"This is not valid TOML: {error}"
    return "This is not a concept file: it nests lists too deeply." if isinstance(error, RecursionError) else f"{error}"
