"""One transaction per request: the one place that commits."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import g
from sqlalchemy.exc import DBAPIError

from portal.db import db
from portal.web.impersonation.requests import impersonating, roll_back_and_count

if TYPE_CHECKING:
    from flask import Flask, Response


def init_transaction(app: Flask) -> None:
    """Commit after a successful response; roll back after any other, and always during an impersonation.

    A commit that fails becomes an error page, so that no page claims that something was saved which was not.
    """

    def finish(response: Response) -> Response:
        impersonation = impersonating()
        if impersonation is not None:
            roll_back_and_count(impersonation, response.status_code)
        elif response.status_code < HTTPStatus.BAD_REQUEST:
            _commit()
        else:
            db.session.rollback()
        return response

    app.after_request(finish)


def is_unsure() -> bool:
    """Whether the connection was lost during this request's commit, so that nobody knows whether it was saved."""
    return bool(g.get("commit_is_unsure"))


def _commit() -> None:
    db.session.flush()
    try:
        db.session.commit()
    except DBAPIError as error:
        g.commit_is_unsure = error.connection_invalidated
        raise
