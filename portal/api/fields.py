"""Fields and schemas shared by all operations."""

from __future__ import annotations

import unicodedata
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate

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
