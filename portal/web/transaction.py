"""One transaction per request: the one place that commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.db import db
from portal.web.seeing import finish_look, seeing

if TYPE_CHECKING:
    from flask import Flask, Response

FIRST_FAILURE = 400


def init_transaction(app: Flask) -> None:
    """Commit after a request that was answered with success, roll back after one that was not.

    Who sees the portal as somebody else writes nothing, whatever the answer.
    A failing commit becomes a 500: the person is never told that something was saved which was not.
    """

    def finish(response: Response) -> Response:
        if seeing() is not None:
            finish_look(response.status_code)
        elif response.status_code < FIRST_FAILURE:
            db.session.commit()
        else:
            db.session.rollback()
        return response

    app.after_request(finish)
