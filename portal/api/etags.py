"""ETags: what was read is what is changed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from flask import jsonify, request

from portal.api.problems import Problem

if TYPE_CHECKING:
    from flask import Response

DIGITS = 20  # of a digest


def etag_of(body: Any, version: int | None = None) -> str:  # noqa: ANN401  (JSON)
    """The tag of an answer; `version` stands at its beginning where there is something to edit."""
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:DIGITS]
    return digest if version is None else f"{version}-{digest}"


def tagged(body: Any, version: int | None = None, status: int = 200) -> Response:  # noqa: ANN401  (JSON)
    """An answer with its ETag; without a body where the reader has it already."""
    response = jsonify(body)
    response.status_code = status
    response.set_etag(etag_of(body, version))
    if request.method in {"GET", "HEAD"}:
        response.make_conditional(request)
    return response


def ensure_matches(version: int) -> None:
    """Go on if the change was made to what is saved.

    Raises:
        Problem: 428, no If-Match was sent; 412, something else was saved since.
    """
    if "If-Match" not in request.headers:
        raise Problem(428)
    sent = request.if_match
    tags = {tag.partition("-")[0] for tag in sent.as_set()}
    if not sent.star_tag and str(version) not in tags:
        raise Problem(412)
