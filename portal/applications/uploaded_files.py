"""Downloads of files that people uploaded: to be saved, never to be opened in the page."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from flask import abort, current_app

from portal.applications.files import file_store
from portal.web.downloads import download
from portal.web.headers import UPLOADED_FILE_POLICY

if TYPE_CHECKING:
    from flask import Response

logger = logging.getLogger(__name__)

MEDIA_TYPES = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "txt": "text/plain; charset=utf-8",
}


def uploaded_file(key: str, kind: str, name: str) -> Response:
    """A download of the file stored under `key`, named `name`, sandboxed in the browser; 404 if the file is missing."""
    try:
        data = file_store(current_app).get(key)
    except FileNotFoundError:
        logger.exception("The file kept as %s is missing", key)
        abort(404)
    response = download(data, name, MEDIA_TYPES.get(kind, "application/octet-stream"))
    response.headers["Content-Security-Policy"] = UPLOADED_FILE_POLICY
    return response
