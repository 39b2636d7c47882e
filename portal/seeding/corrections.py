"""Hand-written facts that no page states, each with its value, the reason and the source.

The file is TOML. `[[set]]` sets a value at a path of a lab's profile; `[[system]]` names a system of a lab and the
works that are its evidence. Entries about labs or works that are not among the pages have no effect.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.seeding.changes import Change, MergeError, apply
from portal.seeding.names import slug, unique
from portal.seeding.pages import Problem, SeedError, excerpt
from portal.seeding.records import LabRecord, Origin, SystemRecord
from portal.seeding.snapshots import COLLECTIONS, SnapshotError
from portal.seeding.systems import squeeze

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


_FIELD_PARTS = 3


def apply_values(record: LabRecord, corrections: Corrections) -> tuple[LabRecord, list[Problem]]:
    """The lab with the corrected values; corrections of items that it lacks become questions.

    Raises:
        SeedError: A value does not fit its field.
    """
    problems: list[Problem] = []
    for correction in corrections.values:
        if correction.lab != record.key:
            continue
        try:
            corrected = apply(record, [Change(correction.path, "changed", None, correction.value)])
        except MergeError as error:
            quoted = excerpt(f"{correction.path} = {correction.value}")
            problems.append(Problem("question", corrections.file, correction.line, quoted, f"does not apply: {error}"))
            continue
        except SnapshotError as error:
            raise SeedError(f"{corrections.file}, line {correction.line}: {error}") from error
        record = _with_origin(_renamed(record, corrected, correction), correction, corrections.file)
    return record, problems


def _renamed(old: LabRecord, new: LabRecord, correction: SetValue) -> LabRecord:
    """A member's new name also replaces the old one in activities."""
    parts = correction.path.split("/")
    if parts[0] != "members" or parts[-1] != "name":
        return new
    before = {member.key: member.name for member in old.members}
    after = {before[member.key]: member.name for member in new.members}
    activities = tuple(replace(item, person=after.get(item.person, item.person)) for item in new.activities)
    return replace(new, activities=activities)


def _with_origin(record: LabRecord, correction: SetValue, file: str) -> LabRecord:
    origin = Origin(file, correction.line)
    parts = correction.path.split("/")
    if parts[0] not in COLLECTIONS:
        other_origins = tuple(pair for pair in record.origins if pair[0] != parts[0])
        return replace(record, origins=(*other_origins, (parts[0], origin)))
    if len(parts) != _FIELD_PARTS:
        return record
    path = f"{parts[0]}/{parts[1]}/origins"
    item_origins = next(item.origins for item in _items(record, parts[0]) if item.key == parts[1])
    return apply(
        record, [Change(path, "changed", None, [{"page": o.page, "line": o.line} for o in (*item_origins, origin)])]
    )


def _items(record: LabRecord, name: str) -> tuple[SystemRecord, ...]:
    items: tuple[SystemRecord, ...] = getattr(record, name)
    return items


def add_named_systems(record: LabRecord, corrections: Corrections) -> tuple[LabRecord, list[Problem]]:
    """The lab with the named systems; a system that was found already gets the works and texts that it lacks."""
    problems: list[Problem] = []
    systems = list(record.systems)
    for named in corrections.systems:
        if named.lab != record.key:
            continue
        works = {work.key for work in record.works}
        missing = [key for key in named.works if key not in works]
        if missing:
            quoted = f"{named.name}: {', '.join(missing)}"
            problems.append(
                Problem("question", corrections.file, named.line, quoted, "the lab has no work of that key")
            )
        evidence = tuple(key for key in named.works if key in works)
        origin = Origin(corrections.file, named.line)
        at = next((index for index, old in enumerate(systems) if squeeze(old.name) == squeeze(named.name)), None)
        if at is None:
            key = unique(slug(named.name), [system.key for system in systems])
            systems.append(SystemRecord(key, named.name, named.description, named.url, evidence, (origin,)))
        else:
            systems[at] = _completed(systems[at], named, evidence, origin)
    return replace(record, systems=tuple(systems)), problems


def _completed(
    system: SystemRecord, correction: NamedSystem, evidence: tuple[str, ...], origin: Origin
) -> SystemRecord:
    return replace(
        system,
        name=correction.name,
        description=system.description or correction.description,
        url=system.url or correction.url,
        works=tuple(dict.fromkeys([*evidence, *system.works])),
        origins=(*system.origins, origin),
    )
