"""Hand-written facts that no page states, each with its value, the reason and the source, and how they are applied.

The file is TOML. `[[set]]` sets a value at a path of a lab's profile; `[[system]]` names a system of a lab and the
works that are its evidence. Entries about labs or works that are not among the pages have no effect.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from portal.seeding.changes import Change, MergeError, apply
from portal.seeding.names import slug, unique
from portal.seeding.pages import Problem, SeedError, excerpt
from portal.seeding.records import LabRecord, Origin, SystemRecord
from portal.seeding.snapshots import COLLECTIONS, SnapshotError
from portal.seeding.systems import squeeze

if TYPE_CHECKING:
    from portal.seeding.snapshots import Json

_FIELDS = {
    "set": ("lab", "path", "value", "why", "source"),
    "system": ("lab", "name", "works", "description", "url", "why", "source"),
}
_OPTIONAL = ("description", "url")
_HEADER = re.compile(r"^\s*\[\[\s*(set|system)\s*\]\]", re.MULTILINE)
_FIELD_PARTS = 3


@dataclass(frozen=True, slots=True)
class SetValue:
    """A value for a path ("works/<key>/title") of the lab with the key `lab`."""

    lab: str
    path: str
    value: Json
    line: int


@dataclass(frozen=True, slots=True)
class NamedSystem:
    """A system of a lab under its authors' name; `works` are keys of works, the main evidence first."""

    lab: str
    name: str
    works: tuple[str, ...]
    description: str
    url: str
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
    unknown = sorted(set(data) - set(_FIELDS))
    if unknown:
        raise SeedError(f"{file}: unknown table {', '.join(unknown)}; known: {', '.join(_FIELDS)}")
    values: list[SetValue] = []
    systems: list[NamedSystem] = []
    for table in _FIELDS:
        entries = data.get(table, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise SeedError(f"{file}: {table} must be written as [[{table}]]")
        headers = (match for match in _HEADER.finditer(text) if match[1] == table)
        lines = (text.count("\n", 0, match.start(1)) + 1 for match in headers)
        for entry, line in zip(entries, lines, strict=True):
            said = _checked(f"{file}, line {line}", table, entry)
            if table == "set":
                values.append(SetValue(said["lab"], said["path"], entry["value"], line))
            else:
                works = tuple(map(str, entry["works"]))
                systems.append(NamedSystem(said["lab"], said["name"], works, said["description"], said["url"], line))
    return Corrections(file, tuple(values), tuple(systems))


def _checked(where: str, table: str, entry: dict[str, Json]) -> dict[str, str]:
    """The texts of an entry that has all that it needs, and nothing else."""
    known = _FIELDS[table]
    unknown = sorted(set(entry) - set(known))
    if unknown:
        raise SeedError(f"{where}: unknown {', '.join(unknown)}; known: {', '.join(known)}")
    missing = [name for name in known if name not in _OPTIONAL and not entry.get(name) and entry.get(name) != 0]
    if missing:
        raise SeedError(f"{where}: missing {', '.join(missing)}")
    if table == "system" and not isinstance(entry["works"], list):
        raise SeedError(f"{where}: works must be a list of keys")
    texts: dict[str, str] = {}
    for name in known:
        value = entry.get(name, "")
        if name not in ("value", "works"):
            if not isinstance(value, str):
                raise SeedError(f"{where}: {name} must be a text")
            texts[name] = value
    return texts


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
        record = _with_origin(_renamed(record, corrected), correction.path, Origin(corrections.file, correction.line))
    return record, problems


def _renamed(old: LabRecord, new: LabRecord) -> LabRecord:
    """A member's new name also replaces the old one in activities."""
    names = {member.key: member.name for member in old.members}
    after = {names[member.key]: member.name for member in new.members}
    activities = tuple(replace(item, person=after.get(item.person, item.person)) for item in new.activities)
    return replace(new, activities=activities)


def _with_origin(record: LabRecord, path: str, origin: Origin) -> LabRecord:
    name, *parts = path.split("/")
    if name not in COLLECTIONS:
        return replace(record, origins=(*(pair for pair in record.origins if pair[0] != name), (name, origin)))
    if len(parts) != _FIELD_PARTS - 1:
        return record
    items: Any = tuple(
        replace(item, origins=(*item.origins, origin)) if item.key == parts[0] else item
        for item in getattr(record, name)
    )
    changed: dict[str, Any] = {name: items}
    return replace(record, **changed)


def add_named_systems(record: LabRecord, corrections: Corrections) -> tuple[LabRecord, list[Problem]]:
    """The lab with the named systems; a system that was found already gets the works and texts that it lacks."""
    problems: list[Problem] = []
    systems = list(record.systems)
    works = {work.key for work in record.works}
    for named in corrections.systems:
        if named.lab != record.key:
            continue
        missing = [key for key in named.works if key not in works]
        if missing:
            quoted = f"{named.name}: {', '.join(missing)}"
            reason = "the lab has no work of that key"
            problems.append(Problem("question", corrections.file, named.line, quoted, reason))
        at = next(
            (index for index, old in enumerate(systems) if squeeze(old.name) == squeeze(named.name)), len(systems)
        )
        if at == len(systems):
            systems.append(SystemRecord(unique(slug(named.name), [system.key for system in systems]), named.name))
        found = systems[at]
        systems[at] = replace(
            found,
            name=named.name,
            description=found.description or named.description,
            url=found.url or named.url,
            works=tuple(dict.fromkeys([*(key for key in named.works if key in works), *found.works])),
            origins=(*found.origins, Origin(corrections.file, named.line)),
        )
    return replace(record, systems=tuple(systems)), problems
