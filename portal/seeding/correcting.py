"""Applies corrections to a lab: values at paths, and systems that only a person can name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from portal.seeding.changes import Change, MergeError, apply
from portal.seeding.names import slug, unique
from portal.seeding.pages import Problem, SeedError, excerpt
from portal.seeding.records import LabRecord, Origin, SystemRecord
from portal.seeding.snapshots import COLLECTIONS, SnapshotError
from portal.seeding.system_names import squeeze

if TYPE_CHECKING:
    from portal.seeding.corrections import Corrections, NamedSystem, SetValue

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
