"""The look through every page for links and forms that lead nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.app import create_app
from tests.page_links import dead_ends, links_looked_through

if TYPE_CHECKING:
    from flask import Flask

    from tests.conftest import Settings


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ('<a class="x" href="/labs/?page=2">', 0),
        ('<a href="https://example.org/nowhere">', 0),
        ('<a href="#main">', 0),
        ('<a href="?page=2">', 1),
        ('<a href="/nowhere">', 1),
        ('<form method="get">', 1),
        ('<form action="/labs/" method="get">', 0),
        ('<form class="x" method="post">', 1),
        ('<form method="post"><input disabled name="q"><button disabled>Save</button></form>', 0),
        ('<form method="post"><input disabled name="q"><button>Save</button></form>', 1),
        ('<form method="post" action="/accounts/name">', 0),
        ('<form method="post" action="/labs/">', 1),
        ('<button type="submit" formaction="/about">', 1),
    ],
)
def test_what_leads_nowhere_from_an_address_that_takes_only_forms(app: Flask, page: str, found: int) -> None:
    with app.test_request_context("/admin/outbox/retry", method="POST"):
        assert len(list(dead_ends(app, page, set()))) == found


def test_a_page_may_lead_to_itself(app: Flask) -> None:
    with app.test_request_context("/labs/?q=x"):
        assert list(dead_ends(app, '<a href="?page=2"><form><a href="../systems/">', set())) == []


def test_a_test_fails_that_saw_a_dead_link(settings: Settings) -> None:
    app = create_app(settings)
    app.view_functions["labs.about"] = lambda: '<a href="/nowhere">'
    with pytest.raises(AssertionError, match="nothing takes this there"), links_looked_through(app):
        app.test_client().get("/about")
