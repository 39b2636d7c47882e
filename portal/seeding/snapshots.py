"""`LabRecord` ↔ JSON: what a revision stores and what travels between processes.

The JSON mirrors the dataclasses of `portal.seeding.records` field by field; pairs are lists of two. Reading
is strict about what it is given (an unknown field, a wrong type, a key used twice: refused, with the place)
and lenient about what is missing (a field added later has its default, so old snapshots load).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from portal.seeding.records import LabRecord

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

SCHEMA = 1
COLLECTIONS = ("members", "works", "systems", "activities", "openings")


class SnapshotError(ValueError):
    """The JSON is not a lab profile; the message names the place and what is wrong there."""


def to_json(record: LabRecord) -> dict[str, Json]:
    """The record as JSON-able data, with the version of its form under "schema"."""
    return {"schema": SCHEMA, **_dump_fields(record)}


def from_json(data: Mapping[str, Json]) -> LabRecord:
    """The record in `data`, as `to_json` wrote it now or in the past.

    Raises:
        SnapshotError: an unknown field (the known ones are listed), a value of a wrong type, a missing
            required field, a key that is empty, holds a "/" or is used twice, or a newer schema.
    """
    schema = data.get("schema", SCHEMA)
    if schema != SCHEMA:
        raise SnapshotError(f"schema {schema!r} is not known; known: {SCHEMA}")
    record = _load(LabRecord, {name: value for name, value in data.items() if name != "schema"}, "lab")
    if not isinstance(record, LabRecord):  # pragma: no cover - _load builds what it is asked for
        raise SnapshotError("lab: not a lab profile")
    _check_keys(record)
    return record


def _dump_fields(value: object) -> dict[str, Json]:
    if not is_dataclass(value):
        raise SnapshotError(f"{type(value).__name__} is no part of a lab profile")
    return {item.name: _dump(getattr(value, item.name)) for item in fields(value)}


def _dump(value: object) -> Json:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, tuple):
        return [_dump(item) for item in value]
    return _dump_fields(value)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _load(kind: Any, value: Json, place: str) -> object:  # noqa: ANN401 - a type form: class, Literal, tuple[…]
    """`value` as the annotated type `kind`; `place` names it in errors."""
    if isinstance(kind, type) and is_dataclass(kind):
        return _load_dataclass(kind, value, place)
    origin = get_origin(kind)
    if origin is tuple:
        return _load_tuple(get_args(kind), value, place)
    if origin is Literal:
        if value not in get_args(kind):
            known = ", ".join(map(str, get_args(kind)))
            raise SnapshotError(f"{place}: {value!r} is not known; known: {known}")
        return value
    if origin in (Union, UnionType):
        if value is None and NoneType in get_args(kind):
            return None
        (kind,) = (part for part in get_args(kind) if part is not NoneType)
    # bool is a subclass of int: True is no number of seats.
    if type(value) is not kind:
        raise SnapshotError(f"{place}: expected {kind.__name__}, got {type(value).__name__}")
    return value


def _load_dataclass(kind: type, value: Json, place: str) -> object:
    if not isinstance(value, Mapping):
        raise SnapshotError(f"{place}: expected an object, got {type(value).__name__}")
    known = {item.name: item for item in fields(kind)}
    unknown = sorted(set(value) - set(known))
    if unknown:
        raise SnapshotError(f"{place}: unknown {', '.join(unknown)}; known: {', '.join(known)}")
    required = (name for name, item in known.items() if item.default is MISSING and item.default_factory is MISSING)
    missing = [name for name in required if name not in value]
    if missing:
        raise SnapshotError(f"{place}: missing {', '.join(missing)}")
    hints = _hints(kind)
    return kind(**{name: _load(hints[name], part, f"{place}/{name}") for name, part in value.items()})


def _load_tuple(parts: tuple[Any, ...], value: Json, place: str) -> object:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise SnapshotError(f"{place}: expected a list, got {type(value).__name__}")
    if len(parts) == 2 and parts[1] is Ellipsis:  # noqa: PLR2004 - tuple[X, ...]
        return tuple(_load(parts[0], item, f"{place}/{number}") for number, item in enumerate(value))
    if len(value) != len(parts):
        raise SnapshotError(f"{place}: expected a list of {len(parts)}, got {len(value)}")
    return tuple(_load(part, item, place) for part, item in zip(parts, value, strict=True))


def _check_keys(record: LabRecord) -> None:
    for name, items in (
        ("members", record.members),
        ("works", record.works),
        ("systems", record.systems),
        ("activities", record.activities),
        ("openings", record.openings),
    ):
        seen: set[str] = set()
        for item in items:
            if not item.key or "/" in item.key:
                raise SnapshotError(f'{name}: the key {item.key!r} is empty or holds a "/"')
            if item.key in seen:
                raise SnapshotError(f"{name}: the key {item.key!r} is used twice")
            seen.add(item.key)
