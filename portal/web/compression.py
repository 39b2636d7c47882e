"""Compression of static files. Pages are not compressed: they hold secrets beside text that a stranger can put into the
URL, and the compressed length would leak them.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import request
from flask_compress import Compress
from werkzeug.wsgi import FileWrapper

from portal.web.assets import served_assets

if TYPE_CHECKING:
    from flask import Flask, Request, Response


class CompressedFiles(dict[str, bytes]):
    """A cache of compressed files, by file and encoding. It is never emptied: all static files together are small."""

    def set(self, key: str, content: bytes) -> None:
        """Store the compressed content of a file."""
        self[key] = content


class WholeFiles(Compress):
    """Flask-Compress without parts of files: a range is one of the file as it is, and would be compressed by itself."""

    def after_request(self, response: Response | None) -> Response:
        """Compress a response, unless it is a part of a file."""
        if response is not None and response.status_code == HTTPStatus.PARTIAL_CONTENT:
            response.vary.add("Accept-Encoding")
            return response
        return super().after_request(response)


compress = WholeFiles()
COMPRESSED = ("text/css", "text/javascript", "application/javascript", "image/svg+xml")


def init_compression(app: Flask) -> None:
    """Compress the static files of `app`."""
    app.config["COMPRESS_MIMETYPES"] = list(COMPRESSED)
    app.config["COMPRESS_CACHE_BACKEND"] = CompressedFiles
    app.config["COMPRESS_CACHE_KEY"] = _cache_key
    compress.init_app(app)

    def read_file(response: Response) -> Response:
        """Read a style sheet or script into memory, and close the file.

        Flask-Compress would leave a streamed file open and not offer gzip. This hook is registered after its own, and
        therefore runs before it.
        """
        wrapper = request.environ.get("wsgi.file_wrapper", FileWrapper)
        stream = response.response
        if response.mimetype in COMPRESSED and isinstance(wrapper, type) and isinstance(stream, wrapper):
            response.direct_passthrough = False
            response.make_sequence()
            stream.close()  # type: ignore[union-attr]  # PEP 3333 promises that the wrapper can be closed
        return response

    app.after_request(read_file)


def _cache_key(asked: Request) -> str:
    """The file that was requested, without the version in its URL: strangers could fill the cache with made-up ones."""
    view_args = asked.view_args or {}
    kind = "bootstrap" if asked.blueprint == "bootstrap" else "own"
    return f"{served_assets().version};{kind};{view_args.get('filename', '')}"
