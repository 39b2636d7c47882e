"""Pages opened by a secret link: they stand alone, and nothing stores them or learns their URL."""

from __future__ import annotations

from typing import Any

from flask import Response, make_response, render_template

from portal.web.navigation import Navigation

BAD_REQUEST, NOT_FOUND, GONE = 400, 404, 410
OUT_OF_DATE = (
    "This page was out of date and nothing was sent yet. What you wrote is still here: check it and send it again."
)
# These pages treat everybody as signed out.
ALONE = Navigation((), (), (), "")


def page_alone(template: str, status: int = 200, **values: Any) -> Response:  # noqa: ANN401  (values of a template)
    """A page without a way to the rest of the portal."""
    return alone(make_response(render_template(template, navigation=lambda: ALONE, **values), status))


def closed_page(template: str, *, known: bool, **values: Any) -> Response:  # noqa: ANN401  (values of a template)
    """The page for every link that does not work; only its status tells a link that was `known` from any other."""
    return page_alone(template, GONE if known else NOT_FOUND, **values)


def alone(response: Response) -> Response:
    """Keep a page opened by a secret out of caches, search engines and the referrer of its links."""
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    response.headers["Cache-Control"] = "private, no-store"
    return response
