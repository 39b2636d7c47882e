"""Responses that a browser saves as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Response

if TYPE_CHECKING:
    from collections.abc import Iterable

CSV = "text/csv; charset=utf-8"


def download(body: str | bytes | Iterable[str], name: str, media_type: str) -> Response:
    """A file that is saved as `name` and cached nowhere; content produced piece by piece is streamed.

    Downloads of other people's personal data must be recorded (`portal.web.recorded_downloads`).
    """
    response = Response(body, content_type=media_type)
    response.headers.set("Content-Disposition", "attachment", filename=name)
    response.headers["Cache-Control"] = "private, no-store"
    return response
