"""Hand-written facts that no page states, each with its value, the reason and the source.

The file is TOML. `[[set]]` sets a value at a path of a lab's profile; `[[system]]` names a system of a lab and the
works that are its evidence. Entries about labs or works that are not among the pages have no effect.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.seeding.pages import SeedError

if TYPE_CHECKING:
    from portal.seeding.snapshots import Json

_SET_FIELDS = ("lab", "path", "value", "why", "source")
_SYSTEM_FIELDS = ("lab", "name", "works", "description", "url", "why", "source")
_SYSTEM_REQUIRED = ("lab", "name", "works", "why", "source")
_HEADER = re.compile(r"^\s*\[\[\s*(set|system)\s*\]\]")


@dataclass(frozen=True, slots=True)
class SetValue:
    """A value for a path ("works/<key>/title") of the lab with the key `lab`."""

    lab: str
    path: str
    value: Json
    why: str
    source: str
    line: int


@dataclass(frozen=True, slots=True)
class NamedSystem:
    """A system of a lab under its authors' name; `works` are keys of works, the main evidence first."""

    lab: str
    name: str
    works: tuple[str, ...]
    description: str
    url: str
    why: str
    source: str
    line: int


@dataclass(frozen=True, slots=True)
class Corrections:
    """All corrections of one file, in order."""

    file: str = ""
    values: tuple[SetValue, ...] = ()
    systems: tuple[NamedSystem, ...] = ()


def parse_corrections(file: str, text: str) -> Corrections:
    """The corrections in a TOML text.

    Raises:
        SeedError: It is not TOML, has an unknown table or field, or an entry lacks its reason or source.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SeedError(f"{file}: not TOML: {error}") from error
    unknown = sorted(set(data) - {"set", "system"})
    if unknown:
        raise SeedError(f"{file}: unknown table {', '.join(unknown)}; known: set, system")
    lines: dict[str, list[int]] = {"set": [], "system": []}
    for line_number, header_line in enumerate(text.splitlines(), start=1):
        match = _HEADER.match(header_line)
        if match:
            lines[match[1]].append(line_number)
    values = [
        _set_value(file, entry, header_line)
        for entry, header_line in zip(_tables(file, data, "set"), lines["set"], strict=True)
    ]
    systems = [
        _system(file, entry, header_line)
        for entry, header_line in zip(_tables(file, data, "system"), lines["system"], strict=True)
    ]
    return Corrections(file, tuple(values), tuple(systems))


def _tables(file: str, data: dict[str, object], name: str) -> list[dict[str, Json]]:
    tables = data.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(entry, dict) for entry in tables):
        raise SeedError(f"{file}: {name} must be written as [[{name}]]")
    return tables


def _check(
    file: str, line: int, entry: dict[str, Json], known_fields: tuple[str, ...], required: tuple[str, ...]
) -> None:
    unknown = sorted(set(entry) - set(known_fields))
    if unknown:
        raise SeedError(f"{file}, line {line}: unknown {', '.join(unknown)}; known: {', '.join(known_fields)}")
    missing = [name for name in required if not entry.get(name) and entry.get(name) != 0]
    if missing:
        raise SeedError(f"{file}, line {line}: missing {', '.join(missing)}")


def _set_value(file: str, entry: dict[str, Json], line: int) -> SetValue:
    _check(file, line, entry, _SET_FIELDS, _SET_FIELDS)
    text = _texts(file, line, entry, ("lab", "path", "why", "source"))
    return SetValue(text["lab"], text["path"], entry["value"], text["why"], text["source"], line)


def _system(file: str, entry: dict[str, Json], line: int) -> NamedSystem:
    _check(file, line, entry, _SYSTEM_FIELDS, _SYSTEM_REQUIRED)
    text = _texts(
        file, line, {"description": "", "url": "", **entry}, ("lab", "name", "description", "url", "why", "source")
    )
    works = entry["works"]
    if not isinstance(works, list):
        raise SeedError(f"{file}, line {line}: works must be a list of keys")
    return NamedSystem(
        lab=text["lab"],
        name=text["name"],
        works=tuple(map(str, works)),
        description=text["description"],
        url=text["url"],
        why=text["why"],
        source=text["source"],
        line=line,
    )


def _texts(file: str, line: int, entry: dict[str, Json], names: tuple[str, ...]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for name in names:
        value = entry[name]
        if not isinstance(value, str):
            raise SeedError(f"{file}, line {line}: {name} must be a text")
        texts[name] = value
    return texts
