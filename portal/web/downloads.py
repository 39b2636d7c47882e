"""Responses that a browser saves as a file."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import quote

from flask import Response

if TYPE_CHECKING:
    from collections.abc import Iterable

CSV = "text/csv; charset=utf-8"


def download(body: str | bytes | Iterable[str], name: str, media_type: str) -> Response:
    """A file that is saved as `name` and cached nowhere; content produced piece by piece is streamed.

    Downloads of other people's personal data must be recorded (`portal.web.recorded_downloads`).
    """
    response = Response(body, content_type=media_type)
    response.headers.set("Content-Disposition", "attachment", **_names(name))
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _names(name: str) -> dict[str, str]:
    """The name as the header's parameters, which hold ASCII alone (RFC 6266): servers send no header with other
    characters, and fail. Browsers take the encoded name, and the plain one where they do not know it.
    """
    if name.isascii():
        return {"filename": name}
    stem, dot, ending = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().rpartition(".")
    return {"filename": f"{stem.strip() or 'file'}{dot}{ending}", "filename*": f"UTF-8''{quote(name, safe='')}"}
