"""ETags: a change applies only to what was read."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from flask import jsonify, request

from portal.api.problems import Problem

if TYPE_CHECKING:
    from flask import Response

DIGITS = 20  # characters of a digest


def etag_of(body: Any, version: int | None = None) -> str:  # noqa: ANN401  (JSON)
    """The ETag of a response; it begins with `version` if there is something to edit."""
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:DIGITS]
    return digest if version is None else f"{version}-{digest}"


def tagged(body: Any, version: int | None = None) -> Response:  # noqa: ANN401  (JSON)
    """A response with its ETag; 304 without a body if the client already has it."""
    response = jsonify(body)
    response.set_etag(etag_of(body, version))
    response.make_conditional(request)  # of a GET or HEAD
    return response


def ensure_matches(version: int) -> None:
    """Check that the change is based on the saved version.

    Raises:
        Problem: 428, there was no If-Match; 412, a newer version was saved.
    """
    if "If-Match" not in request.headers:
        raise Problem(428)
    sent = request.if_match
    tags = {tag.partition("-")[0] for tag in sent.as_set()}
    if not sent.star_tag and str(version) not in tags:
        raise Problem(412)
