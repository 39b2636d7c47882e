"""Errors of the API as problem details (RFC 9457), for every error under /api/."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from flask import jsonify, request
from werkzeug.exceptions import HTTPException
from werkzeug.http import HTTP_STATUS_CODES

from portal.applications.locks import ApplicationGone, Refusal
from portal.db import db
from portal.labs.live_index.state import IndexPreparing
from portal.labs.ranking_pages import SECONDS_TO_RETRY, preparing
from portal.web.access import API, SAFE_METHODS, Refused, is_of_api
from portal.web.errors import (
    RETRY_AFTER,
    gone,
    headers_of,
    http_error,
    is_not_upgraded,
    is_out_of_service,
    is_unsure,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flask import Flask, Response
    from flask.typing import ResponseReturnValue

MEDIA_TYPE = "application/problem+json"

DEFAULT_DETAILS = {
    400: "The request could not be read: its body is not JSON, or a header is not as it should be.",
    401: "This needs a token: send it in a header, as in “Authorization: Bearer phd_…”.",
    403: "You may not do this.",
    404: "There is nothing at this address.",
    405: "This address does not take that method.",
    409: "This is not possible as things are.",
    412: "It was changed since you read it. Read it again, then send your change anew.",
    413: "The body is larger than we take.",
    415: "Send the body as application/json.",
    422: "Something in the request is not as it should be; the errors say what.",
    428: "Send If-Match with the ETag that you read, so that nobody’s change is lost.",
    429: "There were too many requests. Wait, then go on.",
    500: "Something failed on our side. Nothing of this request was saved.",
    503: "The portal cannot answer just now. Nothing of this request was saved; try again in a moment.",
}

NOT_UPGRADED = (
    "The portal is being upgraded: its database lacks tables of this version. Nothing of this request was saved; try "
    "again in a moment."
)
UNSURE = (
    "The connection to our data broke while this was being saved. It may have been saved or not: read it before you "
    "send it again, or send it again with the same Idempotency-Key."
)


class Problem(HTTPException):
    """A refusal with a sentence; `errors` are pairs of a JSON pointer (or a parameter's name) and a sentence."""

    def __init__(
        self,
        status: int,
        detail: str = "",
        *,
        errors: tuple[tuple[str, str], ...] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail or DEFAULT_DETAILS.get(status, ""))
        self.code = status
        self.errors = errors
        self.more_headers = dict(headers or {})


@contextmanager
def refusals() -> Iterator[None]:
    """Answer refusals by rules with 409 and their sentence."""
    try:
        yield
    except Refusal as refusal:
        raise Problem(409, str(refusal)) from None


def problem(
    status: int,
    detail: str = "",
    *,
    errors: tuple[tuple[str, str], ...] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A response that says what went wrong."""
    body: dict[str, Any] = {
        "type": f"{request.script_root}{API}v1/#problem-{status}",
        "title": HTTP_STATUS_CODES.get(status, "Error"),
        "status": status,
        "detail": detail or DEFAULT_DETAILS.get(status) or DEFAULT_DETAILS[status // 100 * 100],
    }
    if errors:
        body["errors"] = [{"pointer": pointer, "detail": message} for pointer, message in errors]
    response = jsonify(body)
    response.status_code = status
    response.content_type = MEDIA_TYPE
    response.headers.update(headers or {})
    return response


def _any_error(error: HTTPException) -> ResponseReturnValue:
    if not is_of_api():
        return http_error(error)
    db.session.rollback()
    status = error.code or 500
    if is_out_of_service(error):
        unsure = request.method not in SAFE_METHODS and is_unsure()
        detail = NOT_UPGRADED if is_not_upgraded(error) else UNSURE if unsure else ""
        return problem(503, detail, headers={"Retry-After": str(RETRY_AFTER)})
    if isinstance(error, Problem):
        return problem(status, error.description or "", errors=error.errors, headers=error.more_headers)
    messages = (getattr(error, "data", None) or {}).get("messages")
    if messages:
        return problem(status, errors=tuple(_flattened(messages)))
    return problem(status, (error.description or "") if isinstance(error, Refused) else "", headers=headers_of(error))


def _index_preparing(error: IndexPreparing) -> ResponseReturnValue:
    if not is_of_api():
        return preparing(error)
    db.session.rollback()
    message = "The portal is reading all labs to find what fits whom. That takes a few minutes at most."
    return problem(503, message, headers={"Retry-After": str(SECONDS_TO_RETRY)})


def _application_gone(error: ApplicationGone) -> ResponseReturnValue:
    if not is_of_api():
        return gone(str(error))
    db.session.rollback()
    return problem(404, str(error))


def _flattened(messages: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The errors of each field: a JSON pointer into the body, or the name of a parameter."""
    for location, messages_of_location in messages.items():
        for path, message in _leaves(messages_of_location, ()):
            if location == "json":
                yield "".join(f"/{part}" for part in path), message
            else:
                yield path[0] if path else location, message


def _leaves(messages: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:  # noqa: ANN401  (nested JSON)
    if isinstance(messages, dict):
        for key, inner in messages.items():
            step = () if key == "_schema" else (str(key).replace("~", "~0").replace("/", "~1"),)
            yield from _leaves(inner, (*path, *step))
    elif isinstance(messages, list):
        for message in messages:
            yield from _leaves(message, path)
    else:
        yield path, str(messages)


def init_problems(app: Flask) -> None:
    """Answer errors under /api/ with problem details; pages keep their own."""
    app.register_error_handler(HTTPException, _any_error)
    app.register_error_handler(IndexPreparing, _index_preparing)
    app.register_error_handler(ApplicationGone, _application_gone)
