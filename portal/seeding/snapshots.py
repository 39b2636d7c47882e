"""`LabRecord` ↔ JSON, for revisions and for exchange between processes.

The JSON mirrors the dataclasses of `portal.seeding.records`; pairs are lists of two. Parsing is strict about what is
given (an unknown field, a wrong type or a repeated key is refused, with its path) and lenient about what is missing (a
newer field gets its default, so old snapshots load).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from itertools import repeat
from types import NoneType
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from portal.seeding.records import LabRecord

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Loader: TypeAlias = Callable[["Json"], object]

SCHEMA = 1
COLLECTIONS = ("members", "works", "systems", "activities", "openings")


class SnapshotError(ValueError):
    """The JSON is not a lab profile; the message has the path and what is wrong there."""


def to_json(record: LabRecord) -> dict[str, Json]:
    """The record as JSON-serialisable data, with its format version under "schema"."""
    return {"schema": SCHEMA, **_dump_fields(record)}


def from_json(data: Mapping[str, Json]) -> LabRecord:
    """The record in `data`, as written by this or an earlier `to_json`.

    Raises:
        SnapshotError: An unknown field (the known ones are listed), a value of the wrong type, a missing required
            field, a key that is empty, contains "/" or is repeated, or a newer schema.
    """
    schema = data.get("schema", SCHEMA)
    if schema != SCHEMA:
        raise SnapshotError(f"schema {schema!r} is not known; known: {SCHEMA}")
    try:
        record = _loader(LabRecord)({name: value for name, value in data.items() if name != "schema"})
    except _Misfit as misfit:
        raise SnapshotError(f"{'/'.join(('lab', *reversed(misfit.places)))}: {misfit}") from None
    if not isinstance(record, LabRecord):  # pragma: no cover - the loader builds what it is asked for
        raise SnapshotError("lab: not a lab profile")
    _check_keys(record)
    return record


def _dump_fields(value: object) -> dict[str, Json]:
    if not is_dataclass(value):
        raise SnapshotError(f"{type(value).__name__} is not part of a lab profile")
    return {item.name: dumped(getattr(value, item.name)) for item in fields(value)}


def dumped(value: object) -> Json:
    """A part of a record as JSON-serialisable data."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, tuple):
        return [dumped(item) for item in value]
    return _dump_fields(value)


class _Misfit(Exception):
    """A value that does not fit; `places` is its path from the inside out."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.places: list[str] = []


@cache
def _loader(kind: Any) -> Loader:  # noqa: ANN401 - a type form: class, Literal, tuple[…]
    """A function from JSON to the annotated type `kind`. Cached: a lab may have thousands of works."""
    if isinstance(kind, type) and is_dataclass(kind):
        return _dataclass_loader(kind)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is tuple:
        return _tuple_loader([_loader(part) for part in parts if part is not Ellipsis], is_list=parts[-1] is Ellipsis)

    def load(value: Json) -> object:
        if origin is Literal:
            if value not in parts:
                raise _Misfit(f"{value!r} is not known; known: {', '.join(map(str, parts))}")
        elif value is not None or NoneType not in parts:
            expected = parts[0] if parts else kind
            # bool is a subclass of int, but True is not a number of seats.
            if type(value) is not expected:
                raise _Misfit(f"expected {expected.__name__}, got {type(value).__name__}")
        return value

    return load


def _tuple_loader(loaders: Sequence[Loader], *, is_list: bool) -> Loader:
    def load(value: Json) -> object:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise _Misfit(f"expected a list, got {type(value).__name__}")
        if not is_list and len(value) != len(loaders):
            raise _Misfit(f"expected a list of {len(loaders)}, got {len(value)}")
        loaded: list[object] = []
        try:
            for item, load_item in zip(value, repeat(loaders[0]) if is_list else loaders, strict=False):
                loaded.append(load_item(item))
        except _Misfit as misfit:
            misfit.places.append(str(len(loaded)))
            raise
        return tuple(loaded)

    return load


def _dataclass_loader(kind: type[Any]) -> Loader:
    fields_by_name = {item.name: item for item in fields(kind)}
    required = {
        name for name, item in fields_by_name.items() if item.default is MISSING and item.default_factory is MISSING
    }
    hints = get_type_hints(kind)
    loaders = {name: _loader(hints[name]) for name in fields_by_name}

    def load(value: Json) -> object:
        if not isinstance(value, Mapping):
            raise _Misfit(f"expected an object, got {type(value).__name__}")
        if not value.keys() <= fields_by_name.keys():
            raise _Misfit(
                f"unknown {', '.join(sorted(value.keys() - fields_by_name.keys()))}; known: {', '.join(fields_by_name)}"
            )
        if not required <= value.keys():
            raise _Misfit(
                f"missing {', '.join(name for name in fields_by_name if name in required and name not in value)}"
            )
        loaded: dict[str, object] = {}
        name = ""
        try:
            for name, part in value.items():
                loaded[name] = loaders[name](part)
        except _Misfit as misfit:
            misfit.places.append(name)
            raise
        return kind(**loaded)

    return load


def _check_keys(record: LabRecord) -> None:
    for name in COLLECTIONS:
        used: set[str] = set()
        for item in getattr(record, name):
            if not item.key or "/" in item.key:
                raise SnapshotError(f'{name}: the key {item.key!r} is empty or holds a "/"')
            if item.key in used:
                raise SnapshotError(f"{name}: the key {item.key!r} is used twice")
            used.add(item.key)
