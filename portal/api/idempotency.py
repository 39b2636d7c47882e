"""Requests sent twice, and changes meanwhile: Idempotency-Key, ETag and If-Match."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from flask import jsonify, request
from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError

from portal.api.problems import Problem
from portal.jobs.registry import clockwork
from portal.models import ApiAnswer

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from flask import Response
    from sqlalchemy.orm import Session

    from portal.models import User


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


HEADER = "Idempotency-Key"
LONGEST_KEY = 64  # characters
LIFETIME = timedelta(hours=24)


def once(session: Session, user: User, now: datetime, make: Callable[[], dict[str, Any]]) -> Response:
    """The response of `make`, or the stored one if this key was sent before.

    Only successes are stored: a refusal wrote nothing and may be retried with the same key.

    Raises:
        Problem: 422, the key is malformed, or was sent with another request.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return jsonify(make())
    if not 1 <= len(key) <= LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise Problem(422, errors=((HEADER, f"Use 1 to {LONGEST_KEY} ASCII characters."),))
    session.execute(delete(ApiAnswer).where(ApiAnswer.user_id == user.id, ApiAnswer.created_at < now - LIFETIME))
    digest = _digest()
    stored = _stored(session, user, key) or _reserved(session, user, key, digest, now)
    if stored is None:
        stored = _stored(session, user, key)
        if stored is None:
            raise Problem(409, "The same request is being answered just now. Send it again in a moment.")
    if stored.request_digest != digest:
        raise Problem(422, errors=((HEADER, "This key was sent with another request."),))
    if stored.status:
        response = jsonify(stored.body)
        response.headers["Idempotency-Replayed"] = "true"
        return response
    stored.body = make()
    stored.status = 200
    return jsonify(stored.body)


@clockwork("forget answers of the API", every=timedelta(hours=1))
def forget_answers(session: Session, now: datetime) -> None:
    """Delete expired responses, since they contain what people wrote."""
    session.execute(delete(ApiAnswer).where(ApiAnswer.created_at < now - LIFETIME))


def _reserved(session: Session, user: User, key: str, digest: str, now: datetime) -> ApiAnswer | None:
    """A new row for the response; None if the same request was quicker."""
    row = ApiAnswer(user_id=user.id, key=key, request_digest=digest, status=0, body={}, created_at=now)
    try:
        with session.begin_nested():
            session.add(row)
    except IntegrityError:
        return None
    return row


def _stored(session: Session, user: User, key: str) -> ApiAnswer | None:
    return session.scalar(select(ApiAnswer).where(ApiAnswer.user_id == user.id, ApiAnswer.key == key))


def _digest() -> str:
    parts = (request.method.encode(), request.full_path.encode(), request.get_data(cache=True))
    return hashlib.sha256(b"\n".join(parts)).hexdigest()
