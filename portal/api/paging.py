"""Cursors, which mark the place in a list. They are not secret, and a client can make up one."""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, Any

from portal.api.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    T = TypeVar("T")


def cursor_for(place: list[Any]) -> str:
    """The cursor of the part after `place`."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def place_of(cursor: str, kinds: tuple[type, ...]) -> list[Any] | None:
    """The values in a cursor, of these types; None for the beginning.

    Raises:
        Problem: 422, it is not a cursor of this list.
    """
    if not cursor:
        return None
    try:
        place = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        place = None
    if isinstance(place, list) and len(place) == len(kinds) and all(map(_is, place, kinds)):
        return place
    raise Problem(422, errors=(("cursor", "This is no cursor of this list."),))


def part_after(items: Sequence[T], cursor: str, limit: int, key: Callable[[T], str]) -> tuple[Sequence[T], str | None]:
    """The part of `items` after the cursor, and the cursor of the next part.

    A cursor contains the previous item and its index: if the item is gone, the list continues from the index.
    """
    place = place_of(cursor, (str, int))
    start = 0
    if place is not None:
        name, number = place
        start = next((index + 1 for index, item in enumerate(items) if key(item) == name), max(0, number))
    part = items[start : start + limit]
    has_more = start + limit < len(items)
    return part, cursor_for([key(part[-1]), start + len(part) - 1]) if has_more and part else None


def _is(value: object, kind: type) -> bool:
    return type(value) is kind
