"""Fields and schemas shared by all operations."""

from __future__ import annotations

import base64
import binascii
import json
import unicodedata
from functools import partial
from typing import TYPE_CHECKING, Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from portal.api.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    T = TypeVar("T")
    Column = str | fields.Field[Any] | type[Schema] | list[type[Schema]]


LONGEST_SLUG = 120  # characters
MOST_AT_ONCE = 100
USUAL_AT_ONCE = 25


class StrictSchema(Schema):
    """An input schema: unknown fields are errors."""

    class Meta:
        """Marshmallow's settings."""

        unknown = RAISE


class Text(fields.String):
    """A string that can be stored: no NUL, no lone surrogates."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:  # noqa: ANN401  (as in the library)
        text = super()._deserialize(value, attr, data, **kwargs)
        if "\0" in text or any(unicodedata.category(character) == "Cs" for character in text):
            raise ValidationError("This holds characters that cannot be stored.")
        return text


def text(most: int, *, least: int = 0, description: str = "", **more: Any) -> Text:  # noqa: ANN401  (of the field)
    """A string of `least` to `most` characters."""
    length = validate.Length(min=least or None, max=most)
    return Text(validate=length, metadata={"description": description} if description else {}, **more)


def described(description: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401  (of JSON Schema)
    """The metadata that documents a field."""
    return {"description": description, **more}


KINDS: dict[str, Callable[..., fields.Field[Any]]] = {
    "texts": fields.String,
    "integers": fields.Integer,
    "floats": fields.Float,
    "booleans": fields.Boolean,
    "moments": fields.AwareDateTime,
    "lists": partial(fields.List, fields.String),
}


def answer_schema(name: str, meaning: str, /, *, base: type[Schema] = Schema, **columns: Column) -> type[Schema]:
    """A schema of answers, called `name` in the document.

    Args:
        name: Its name.
        meaning: What it describes.
        base: A schema whose fields it has as well.
        columns: Under each key of `KINDS`, the names of fields of that kind, separated by spaces: each is in every
            answer, and those that end with ? may be null. Under any other name, that field: a schema for what is
            nested, in brackets for a list of them.
    """
    declared: dict[str, fields.Field[Any]] = {}
    for column, value in columns.items():
        if isinstance(value, str):
            for field in value.split():
                declared[field.removesuffix("?")] = KINDS[column](required=True, allow_none=field.endswith("?"))
        elif isinstance(value, list):
            declared[column] = fields.List(fields.Nested(value[0]), required=True)
        else:
            declared[column] = value if isinstance(value, fields.Field) else fields.Nested(value, required=True)
    schema = base.from_dict(declared, name=name)
    schema.__doc__ = meaning
    return schema


class PageArguments(StrictSchema):
    """Which part of a list."""

    limit = fields.Integer(
        load_default=USUAL_AT_ONCE,
        validate=validate.Range(min=1, max=MOST_AT_ONCE),
        metadata=described("How many at once."),
    )
    cursor = Text(
        load_default="",
        validate=validate.Length(max=400),
        metadata=described("“next” of the answer before; left out for the beginning."),
    )


class ProblemError(Schema):
    """What is wrong with one field."""

    pointer = fields.String(
        required=True, metadata=described("A JSON pointer into the body, or the name of a parameter.")
    )
    detail = fields.String(required=True)


class ProblemSchema(Schema):
    """Problem details (RFC 9457)."""

    type = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    detail = fields.String(required=True, metadata=described("A sentence for people: what is against it."))
    errors = fields.List(fields.Nested(ProblemError))


def part_after(items: Sequence[T], cursor: str, limit: int, key: Callable[[T], str]) -> tuple[Sequence[T], str | None]:
    """The part of `items` after the cursor, and the cursor of the next part.

    A cursor contains the previous item and its index: if the item is gone, the list continues from the index.

    Raises:
        Problem: 422, it is not a cursor of this list.
    """
    start = 0
    if cursor:
        name, number = _place_in(cursor)
        start = next((index + 1 for index, item in enumerate(items) if key(item) == name), max(0, number))
    part = items[start : start + limit]
    if not part or start + limit >= len(items):
        return part, None
    place = json.dumps([key(part[-1]), start + len(part) - 1])
    return part, base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")


def _place_in(cursor: str) -> tuple[str, int]:
    try:
        place = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        place = None
    if isinstance(place, list) and [type(value) for value in place] == [str, int]:
        return place[0], place[1]
    raise Problem(422, errors=(("cursor", "This is no cursor of this list."),))
