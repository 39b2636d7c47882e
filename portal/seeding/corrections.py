"""Hand-written facts that no page states, each with its value, the reason and the source, and how they are applied.

The file is TOML. `[[set]]` sets a value at a path of a lab's profile; `[[system]]` names a system of a lab and the
works that are its evidence. Entries about labs or works that are not among the pages have no effect.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from portal.seeding.merging import Change, MergeError, apply
from portal.seeding.names import slug, unique
from portal.seeding.pages import Problem, SeedError, excerpt
from portal.seeding.records import LabRecord, Origin, SystemRecord
from portal.seeding.snapshots import COLLECTIONS, SnapshotError
from portal.seeding.systems import squeeze

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIELDS = {
    "set": ("lab", "path", "value", "why", "source"),
    "system": ("lab", "name", "works", "description", "url", "why", "source"),
}
_OPTIONAL = ("description", "url")
_HEADER = re.compile(r"^\s*\[\[\s*(set|system)\s*\]\]", re.MULTILINE)
_FIELD_PARTS = 3


@dataclass(frozen=True, slots=True)
class Correction:
    """An entry of the file: its line, and its fields by name."""

    line: int
    said: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Corrections:
    """All corrections of one file, in order: values to set, and systems to name."""

    file: str = ""
    values: tuple[Correction, ...] = ()
    systems: tuple[Correction, ...] = ()


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
    found: dict[str, list[Correction]] = {table: [] for table in _FIELDS}
    for table, entries in data.items():
        if not isinstance(entries, list):
            raise SeedError(f"{file}: {table} must be written as [[{table}]]")
        headers = (match for match in _HEADER.finditer(text) if match[1] == table)
        for entry, header in zip(entries, headers, strict=True):
            line = text.count("\n", 0, header.start(1)) + 1
            found[table].append(Correction(line, _checked(f"{file}, line {line}", _FIELDS[table], entry)))
    return Corrections(file, tuple(found["set"]), tuple(found["system"]))


def _checked(where: str, known: tuple[str, ...], entry: dict[str, Any]) -> dict[str, Any]:
    """An entry that has all that it needs, and nothing else."""
    unknown = sorted(set(entry) - set(known))
    missing = [name for name in known if name not in _OPTIONAL and entry.get(name) in (None, "", [])]
    if unknown or missing:
        wrong = (
            f"unknown {', '.join(unknown)}; known: {', '.join(known)}" if unknown else f"missing {', '.join(missing)}"
        )
        raise SeedError(f"{where}: {wrong}")
    for name in known:
        kind, what = (list, "a list of keys") if name == "works" else (str, "a text")
        if name != "value" and not isinstance(entry.get(name, ""), kind):
            raise SeedError(f"{where}: {name} must be {what}")
    return dict.fromkeys(_OPTIONAL, "") | entry


def apply_values(record: LabRecord, corrections: Corrections) -> tuple[LabRecord, list[Problem]]:
    """The lab with the corrected values; corrections of items that it lacks become questions.

    Raises:
        SeedError: A value does not fit its field.
    """
    problems: list[Problem] = []
    for correction in corrections.values:
        path, value = correction.said["path"], correction.said["value"]
        if correction.said["lab"] != record.key:
            continue
        try:
            corrected = apply(record, [Change(path, "changed", None, value)])
        except MergeError as error:
            quoted, reason = excerpt(f"{path} = {value}"), f"does not apply: {error}"
            problems.append(Problem("question", corrections.file, correction.line, quoted, reason))
            continue
        except SnapshotError as error:
            raise SeedError(f"{corrections.file}, line {correction.line}: {error}") from error
        record = _with_origin(_renamed(record, corrected), path, Origin(corrections.file, correction.line))
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
    for correction in corrections.systems:
        said, name = correction.said, correction.said["name"]
        if said["lab"] != record.key:
            continue
        missing = [key for key in said["works"] if key not in works]
        if missing:
            quoted, reason = f"{name}: {', '.join(missing)}", "the lab has no work of that key"
            problems.append(Problem("question", corrections.file, correction.line, quoted, reason))
        same = (index for index, old in enumerate(systems) if squeeze(old.name) == squeeze(name))
        at = next(same, len(systems))
        if at == len(systems):
            systems.append(SystemRecord(unique(slug(name), [system.key for system in systems]), name))
        found = systems[at]
        systems[at] = replace(
            found,
            name=name,
            description=found.description or said["description"],
            url=found.url or said["url"],
            works=tuple(dict.fromkeys([*(key for key in said["works"] if key in works), *found.works])),
            origins=(*found.origins, Origin(corrections.file, correction.line)),
        )
    return replace(record, systems=tuple(systems)), problems
