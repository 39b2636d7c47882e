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
from portal.seeding.pages import Note, SeedError, excerpt
from portal.seeding.records import COLLECTIONS, LabRecord, Origin, SnapshotError, SystemRecord
from portal.seeding.systems import squeeze

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIELDS = {
    "set": ("lab", "path", "value", "why", "source"),
    "system": ("lab", "name", "works", "description", "url", "why", "source"),
}
_OPTIONAL = ("description", "url")
_HEADER = re.compile(r"^\s*\[\[\s*(set|system)\s*\]\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Corrections:
    """All corrections of one file, in order: values to set, and systems to name; each has its fields and "line"."""

    file: str = ""
    values: tuple[Mapping[str, Any], ...] = ()
    systems: tuple[Mapping[str, Any], ...] = ()

    def question(self, said: Mapping[str, Any], text: str, reason: str) -> Note:
        """A note that a correction does not apply."""
        return Note("question", said["line"], excerpt(text), reason, page=self.file)


def parse_corrections(file: str, text: str) -> Corrections:
    """The corrections in a TOML text; a SeedError says what is unknown, missing or no TOML."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SeedError(f"{file}: not TOML: {error}") from error
    unknown = sorted(set(data) - set(_FIELDS))
    if unknown:
        raise SeedError(f"{file}: unknown table {', '.join(unknown)}; known: {', '.join(_FIELDS)}")
    found: dict[str, list[Mapping[str, Any]]] = {table: [] for table in _FIELDS}
    for table, entries in data.items():
        if not isinstance(entries, list):
            raise SeedError(f"{file}: {table} must be written as [[{table}]]")
        headers = (match for match in _HEADER.finditer(text) if match[1] == table)
        for entry, header in zip(entries, headers, strict=True):
            line = text.count("\n", 0, header.start(1)) + 1
            wrong = _why_wrong(_FIELDS[table], entry)
            if wrong:
                raise SeedError(f"{file}, line {line}: {wrong}")
            found[table].append({**dict.fromkeys(_OPTIONAL, ""), **entry, "line": line})
    return Corrections(file, tuple(found["set"]), tuple(found["system"]))


def _why_wrong(known: tuple[str, ...], entry: dict[str, Any]) -> str:
    """What is wrong with an entry that does not have all that it needs, and nothing else."""
    unknown = sorted(set(entry) - set(known))
    if unknown:
        return f"unknown {', '.join(unknown)}; known: {', '.join(known)}"
    missing = [name for name in known if name not in _OPTIONAL and entry.get(name) in (None, "", [])]
    if missing:
        return f"missing {', '.join(missing)}"
    for name in (name for name in known if name != "value"):
        kind, what = (list, "a list of keys") if name == "works" else (str, "a text")
        if not isinstance(entry.get(name, ""), kind):
            return f"{name} must be {what}"
    return ""


def apply_values(record: LabRecord, corrections: Corrections, notes: list[Note]) -> LabRecord:
    """The lab with the corrected values; corrections of items that it lacks are noted as questions.

    A value that does not fit its field raises a SeedError.
    """
    for said in corrections.values:
        path, value = said["path"], said["value"]
        if said["lab"] != record.key:
            continue
        try:
            corrected = apply(record, [Change(path, "changed", None, value)])
        except MergeError as error:
            notes.append(corrections.question(said, f"{path} = {value}", f"does not apply: {error}"))
            continue
        except SnapshotError as error:
            raise SeedError(f"{corrections.file}, line {said['line']}: {error}") from error
        record = _with_origin(_renamed(record, corrected), path, Origin(corrections.file, said["line"]))
    return record


def _renamed(old: LabRecord, new: LabRecord) -> LabRecord:
    """A member's new name also replaces the old one in activities."""
    names = {member.key: member.name for member in old.members}
    after = {names[member.key]: member.name for member in new.members}
    activities = tuple(replace(item, person=after.get(item.person, item.person)) for item in new.activities)
    return replace(new, activities=activities)


def _with_origin(record: LabRecord, path: str, origin: Origin) -> LabRecord:
    name, _, rest = path.partition("/")
    changed: dict[str, Any] = {"origins": (*(pair for pair in record.origins if pair[0] != name), (name, origin))}
    if name in COLLECTIONS:
        items = getattr(record, name)
        key = rest.partition("/")[0]
        changed = {name: tuple(replace(i, origins=(*i.origins, origin)) if i.key == key else i for i in items)}
    return replace(record, **changed)


def add_named_systems(record: LabRecord, corrections: Corrections, notes: list[Note]) -> LabRecord:
    """The lab with the named systems; a system that was found already gets the works and texts that it lacks."""
    systems = list(record.systems)
    works = {work.key for work in record.works}
    for said in corrections.systems:
        name = said["name"]
        if said["lab"] != record.key:
            continue
        missing = [key for key in said["works"] if key not in works]
        if missing:
            reason = "the lab has no work of that key"
            notes.append(corrections.question(said, f"{name}: {', '.join(missing)}", reason))
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
            origins=(*found.origins, Origin(corrections.file, said["line"])),
        )
    return replace(record, systems=tuple(systems))
