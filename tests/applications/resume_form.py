"""The resume form as a browser sends it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from portal.models import Resume

PAGE = "/me/resume"
TEXT = "/me/resume/text"
MEBIBYTE = 1024 * 1024
RESUME = "Mei Lin\nmei@example.edu\nUniversity of Vienna, 2024\n\nI built a scheduler for LLM serving on GPU clusters."


def upload(me: FlaskClient, data: bytes, name: str = "cv.txt", **rest: Any) -> TestResponse:  # noqa: ANN401
    return submit(me, PAGE, {"resume": (io.BytesIO(data), name), **rest})


def paste(me: FlaskClient, text: str) -> TestResponse:
    return submit(me, PAGE, {"text": text, "use": "text"})


def files_in(app: Flask) -> list[Path]:
    return [path for path in (app.config["PORTAL"].instance / "uploads").rglob("*") if path.is_file()]


def confirm(me: FlaskClient, resume: Resume) -> TestResponse:
    return submit(me, TEXT, {"sha256": resume.sha256})


def send_large(me: FlaskClient, **fields: bytes) -> TestResponse:
    """The form as a browser sends it; written here, because the client of the tests leaves large ones open."""
    edge = b"----edge"
    parts = {"csrf_token": csrf_token(me, PAGE).encode(), **fields}
    body = b"".join(
        b"--%s\r\nContent-Disposition: form-data; name=%s%s\r\n\r\n%s\r\n"
        % (edge, name.encode(), b"; filename=cv.txt" if name == "resume" else b"", value)
        for name, value in parts.items()
    )
    kind = f"multipart/form-data; boundary={edge.decode()}"
    return me.post(PAGE, data=b"%s--%s--\r\n" % (body, edge), content_type=kind)
