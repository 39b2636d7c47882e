"""Static files travel compressed; pages do not: they hold secrets beside what a stranger can put into the address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import request
from flask_compress import Compress
from werkzeug.wsgi import FileWrapper

if TYPE_CHECKING:
    from flask import Flask, Response

compress = Compress()


def init_compression(app: Flask) -> None:
    """Compress the static files of `app`."""
    app.config["COMPRESS_MIMETYPES"] = ["text/css", "text/javascript", "application/javascript", "image/svg+xml"]
    compress.init_app(app)

    def close_file(response: Response) -> Response:
        # Flask-Compress puts its own stream in place of the file's and leaves the file open. This hook was
        # registered after its own and so runs before it. PEP 3333 promises that the wrapper can be closed.
        wrapper = request.environ.get("wsgi.file_wrapper", FileWrapper)
        if isinstance(wrapper, type) and isinstance(response.response, wrapper):
            response.call_on_close(response.response.close)  # type: ignore[union-attr]
        return response

    app.after_request(close_file)
