"""The interests form as a browser sends it, and its controls as a reader sees them."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask.testing import FlaskClient

PAGE = "/me/interests"


def filled(*topics: tuple[str, str], version: Any = 0, **rest: Any) -> dict[str, Any]:  # noqa: ANN401
    """The form with these topics (text and weight, as typed)."""
    rows: dict[str, Any] = {"version": str(version)}
    for number, (text, weight) in enumerate(topics):
        rows[f"topics-{number}-text"] = text
        rows[f"topics-{number}-weight"] = weight
    return rows | rest


def control(page: str, name: str) -> str:
    """The tag of the control with this name."""
    found = re.search(rf'<(?:input|textarea)[^>]*name="{re.escape(name)}"[^>]*>', page)
    assert found is not None, f"no control {name}"
    return found.group()


def opened(me: FlaskClient) -> dict[str, str]:
    """The hidden fields of a page that is opened now."""
    page = me.get(PAGE).text
    names = ("version", "opened_with")
    return {name: html.unescape(control(page, name).partition('value="')[2].rstrip('">')) for name in names}
