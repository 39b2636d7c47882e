"""Static files travel compressed; pages do not: they hold secrets beside what a stranger can put into the address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import request
from flask_compress import Compress
from werkzeug.wsgi import FileWrapper

if TYPE_CHECKING:
    from flask import Flask, Response

compress = Compress()

COMPRESSED = ("text/css", "text/javascript", "application/javascript", "image/svg+xml")


def init_compression(app: Flask) -> None:
    """Compress the static files of `app`."""
    app.config["COMPRESS_MIMETYPES"] = list(COMPRESSED)
    compress.init_app(app)

    def read_file(response: Response) -> Response:
        """Read a style sheet or script at once, and close it.

        Of a stream, Flask-Compress would leave the file open, and not offer gzip. This hook was registered after
        its own and so runs before it.
        """
        wrapper = request.environ.get("wsgi.file_wrapper", FileWrapper)
        stream = response.response
        if response.mimetype in COMPRESSED and isinstance(wrapper, type) and isinstance(stream, wrapper):
            response.direct_passthrough = False
            response.make_sequence()
            stream.close()  # type: ignore[union-attr]  # PEP 3333 promises that the wrapper can be closed
        return response

    app.after_request(read_file)
