"""The manifest of a backup: what its parts hold and how their cells are written."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast, get_args

from sqlalchemy import JSON, BigInteger, Boolean, Date, DateTime, Double, Float, Integer, LargeBinary, String, Text

from portal.db import UtcDateTime

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.types import TypeEngine


T = TypeVar("T")

Kind: TypeAlias = Literal["text", "integer", "number", "boolean", "moment", "day", "json", "bytes"]
Cell: TypeAlias = str | int | float | bool | None
KINDS: tuple[Kind, ...] = get_args(Kind)

# How a column is read and written. JSON passes through as the stored text: parsed and serialised again, it might
# differ.
TYPES: dict[Kind, TypeEngine[Any]] = {
    "text": Text(),
    "integer": BigInteger(),
    "number": Double(),
    "boolean": Boolean(),
    "moment": UtcDateTime(),
    "day": Date(),
    "json": Text(),
    "bytes": LargeBinary(),
}


class UnknownKindError(TypeError):
    """A column holds a kind of value that archives do not support."""


def kind_of(column_type: TypeEngine[Any]) -> Kind:
    """The kind of the values in a column of this type.

    Raises:
        UnknownKindError: Archives do not support this type.
    """
    kinds: tuple[tuple[type[TypeEngine[Any]], Kind], ...] = (
        (JSON, "json"),
        (Boolean, "boolean"),
        (Integer, "integer"),
        (Float, "number"),
        (DateTime, "moment"),
        (UtcDateTime, "moment"),
        (Date, "day"),
        (LargeBinary, "bytes"),
        (String, "text"),
    )
    for supported, kind in kinds:
        if isinstance(column_type, supported):
            return kind
    raise UnknownKindError(f"Archives have no kind for {column_type!r}")


def to_cell(kind: Kind, value: Any) -> Cell:  # noqa: ANN401  (what a database gives)
    """The value as written in an archive; None stays None."""
    if value is None:
        return None
    if kind == "json":
        # SQLite stores a JSON number as a number.
        return value if isinstance(value, str) else json.dumps(value)
    if kind in {"moment", "day"}:
        return str(value.isoformat())
    if kind == "bytes":
        return base64.b64encode(value).decode()
    cell: Cell = value
    return cell


def from_cell(kind: Kind, cell: object) -> Any:  # noqa: ANN401  (what a database takes)
    """The value that `to_cell` wrote.

    Raises:
        ValueError: `to_cell` cannot have written this cell.
    """
    if cell is None:
        return None
    return _READ[kind](cell)


def _of(kind: type[T], value: object, holds: Callable[[T], bool] = lambda _value: True) -> T:
    """The value, if it is of this very type (true is no number) and so on; otherwise a ValueError, the one kind of
    error for all that is wrong in an archive.
    """
    if type(value) is not kind or not holds(value):
        raise ValueError(f"not a {kind.__name__} as backups have it")
    return value


def _text(cell: object) -> str:
    text = _of(str, cell)
    if not text.isascii():
        text.encode()  # no database stores a lone surrogate; the error is a ValueError
    return text


def _whole(cell: object) -> int:
    return _of(int, cell, lambda number: -(2**63) <= number < 2**63)


def _number(cell: object) -> float:
    return float(_of(int, cell) if isinstance(cell, int) else _of(float, cell))


def _truth(cell: object) -> bool:
    return _of(bool, cell)


def _moment(cell: object) -> datetime:
    moment = datetime.fromisoformat(_text(cell))
    if moment.tzinfo is None:
        raise ValueError("a point in time without its zone")
    return moment.astimezone(UTC)


def _json(cell: object) -> str:
    json.loads(_text(cell))
    return _text(cell)


_READ: dict[Kind, Callable[[object], Any]] = {
    "text": _text,
    "integer": _whole,
    "number": _number,
    "boolean": _truth,
    "moment": _moment,
    "day": lambda cell: date.fromisoformat(_text(cell)),
    "json": _json,
    "bytes": lambda cell: base64.b64decode(_text(cell), validate=True),
}

FORMAT = "phd-portal-backup"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
LARGEST_MANIFEST = 256 * 1024 * 1024
LARGEST_PIECE = 256 * 1024 * 1024
"""Limit on the bytes of one row or one file, which is what is held in memory at a time. Uploads have at most 100 MB."""

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LONGEST_KEY = 1_000
_LONGEST_WORD = 100
_LONGEST_NAME = 240  # bytes; folders allow 255, and a file that is being written has a longer name
_UNFINISHED = re.compile(r".*#\d+")  # how the store names a file that is being written, which it does not list


class ArchiveError(Exception):
    """An archive cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class TablePart:
    """The rows of a table in the order of its primary key: a JSON list on each line, with a cell for each column."""

    name: str
    columns: tuple[tuple[str, Kind], ...]
    rows: int
    size: int
    sha256: str

    @property
    def entry(self) -> str:
        """Its name in the archive."""
        return f"tables/{self.name}.jsonl"


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file of the store, by its key."""

    key: str
    size: int
    sha256: str

    @property
    def entry(self) -> str:
        """Its name in the archive."""
        return f"files/{self.key}"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an archive holds.

    `revision` is the migration that the tables are at. `sequences` has the last id given by each table that never gives
    one twice. `missing` lists the keys of files that rows refer to but the store did not have.
    """

    portal_version: str
    revision: str
    made_at: datetime
    database: str
    tables: tuple[TablePart, ...]
    sequences: dict[str, int] = field(default_factory=dict)
    files: tuple[FilePart, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """How many rows there are in all tables."""
        return sum(part.rows for part in self.tables)

    @property
    def parts(self) -> tuple[TablePart | FilePart, ...]:
        """All parts except the manifest itself."""
        return (*self.tables, *self.files)

    def to_json(self) -> bytes:
        """The manifest as written in the archive."""
        data = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(self)}
        return json.dumps({**data, "made_at": self.made_at.isoformat()}, indent=1).encode()


def read_manifest(data: bytes) -> Manifest:
    """The manifest that `Manifest.to_json` wrote, with every value checked.

    Raises:
        ArchiveError: It is not a manifest, or one of a newer version of the portal.
    """
    try:
        parsed = json.loads(data.decode())
    except (ValueError, RecursionError):
        raise ArchiveError("Its manifest cannot be read.") from None
    if not isinstance(parsed, dict) or parsed.get("format") != FORMAT:
        raise ArchiveError("It was not made by portal backup.")
    if parsed.get("format_version") != FORMAT_VERSION:
        raise ArchiveError(
            f"It is written in format {str(parsed.get('format_version'))[:20]}, and this version of the portal reads "
            f"format {FORMAT_VERSION}. Restore it with the version that made it, or a newer one."
        )
    try:
        return _manifest(parsed)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ArchiveError("Its manifest is not one that portal backup writes.") from None


def is_safe_key(key: str) -> bool:
    """Whether this key is safe to store a file under: names separated by /, none of which leads elsewhere."""
    if len(key) > _LONGEST_KEY or not key.isprintable() or "\\" in key:
        return False
    return all(
        name not in {"", ".", ".."}
        and len(name.encode(errors="replace")) <= _LONGEST_NAME
        and _UNFINISHED.fullmatch(name) is None
        for name in key.split("/")
    )


def _manifest(parsed: dict[str, Any]) -> Manifest:
    manifest = Manifest(
        portal_version=_short(parsed["portal_version"]),
        revision=_short(parsed["revision"]),
        made_at=datetime.fromisoformat(parsed["made_at"]),
        database=_short(parsed["database"]),
        tables=tuple(_table(part) for part in parsed["tables"]),
        sequences={_identifier(name): _count(last) for name, last in parsed["sequences"].items()},
        files=tuple(_file(part) for part in parsed["files"]),
        missing=tuple(_key(key) for key in parsed["missing"]),
    )
    entries = {part.entry.casefold() for part in manifest.parts}
    if len(entries) != len(manifest.parts) or manifest.made_at.tzinfo is None:
        raise ValueError("two parts have the same name, or the time has no zone")
    folders = {str(folder) for entry in entries for folder in PurePosixPath(entry).parents}
    if entries & folders:
        raise ValueError("a file that is also a folder")
    return manifest


def _table(part: dict[str, Any]) -> TablePart:
    columns = tuple((_identifier(name), _kind(kind)) for name, kind in part["columns"])
    if len({name for name, _ in columns}) != len(columns):
        raise ValueError("two columns have the same name")
    return TablePart(
        _identifier(part["name"]), columns, _count(part["rows"]), _count(part["size"]), _digest(part["sha256"])
    )


def _file(part: dict[str, Any]) -> FilePart:
    size = _count(part["size"])
    if size > LARGEST_PIECE:
        raise ValueError("a file that is too large")
    return FilePart(_key(part["key"]), size, _digest(part["sha256"]))


def _short(value: object) -> str:
    return _of(str, value, lambda text: text.isprintable() and 0 < len(text) <= _LONGEST_WORD)


def _identifier(value: object) -> str:
    return _of(str, value, lambda text: _NAME.fullmatch(text) is not None)


def _kind(value: object) -> Kind:
    return KINDS[KINDS.index(cast("Kind", value))]  # the error of one that is none of them is a ValueError


def _key(value: object) -> str:
    return _of(str, value, is_safe_key)


def _count(value: object) -> int:
    return _of(int, value, lambda number: 0 <= number < 2**63)


def _digest(value: object) -> str:
    return _of(str, value, lambda text: _SHA256.fullmatch(text) is not None)
