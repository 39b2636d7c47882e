"""The kinds of values that tables hold, and how each is written in an archive, the same for every database."""

from __future__ import annotations

import base64
import json
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from sqlalchemy import JSON, BigInteger, Boolean, Date, DateTime, Double, Float, Integer, LargeBinary, String, Text

from portal.backups.bounded_json import parse
from portal.db import UtcDateTime

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.types import TypeEngine

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


def _text(cell: object) -> str:
    if not isinstance(cell, str):
        raise ValueError("not a text")  # noqa: TRY004  (one kind of error for all that is wrong in an archive)
    if not cell.isascii():
        cell.encode()  # no database stores a lone surrogate; the error is a ValueError
    return cell


def _whole(cell: object) -> int:
    if isinstance(cell, bool) or not isinstance(cell, int) or not -(2**63) <= cell < 2**63:
        raise ValueError("not a whole number of 64 bits")
    return cell


def _number(cell: object) -> float:
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        raise ValueError("not a number")  # noqa: TRY004  (as above)
    return float(cell)


def _truth(cell: object) -> bool:
    if not isinstance(cell, bool):
        raise ValueError("neither true nor false")  # noqa: TRY004  (as above)
    return cell


def _moment(cell: object) -> datetime:
    moment = datetime.fromisoformat(_text(cell))
    if moment.tzinfo is None:
        raise ValueError("a point in time without its zone")
    return moment.astimezone(UTC)


def _json(cell: object) -> str:
    parse(_text(cell))
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
