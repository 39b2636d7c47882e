"""Who may open what, tried for every route there is, and no act without the form's token."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.admin.desk import PROFILE, Desk, store
from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from tests.people import Person

VALUES = {
    "slug": PROFILE.key,
    "collection": "members",
    "key": "ran-yan",
    "figure": "topics",
    "kind": "csv",
    "who": "applicant",
    "when": "open",
}


def routes(app: Flask, method: str) -> list[str]:
    """The address of every admin route that takes `method`, with values that exist."""
    with app.test_request_context():
        urls = app.url_map.bind("localhost")
        return [
            urls.build(rule.endpoint, {name: VALUES.get(name, 1) for name in rule.arguments})
            for rule in app.url_map.iter_rules()
            if rule.endpoint.startswith("admin.") and method in (rule.methods or set())
        ]


def state_of(desk: Desk) -> tuple[int, str]:
    return desk.revision_number(), repr(desk.profile())


def test_there_are_routes_to_try(app: Flask) -> None:
    assert len(routes(app, "GET")) > 30
    assert len(routes(app, "POST")) > 30


def test_visitors_are_sent_to_sign_in(app: Flask) -> None:
    store(app, PROFILE)
    client = app.test_client()
    for url in routes(app, "GET"):
        response = client.get(url)
        assert (url, response.status_code) == (url, 302)
        assert response.location.startswith("/accounts/login?next=")


@pytest.mark.parametrize("roles", [("applicant",), ("professor",), ("applicant", "professor"), ()])
def test_other_roles_are_refused_with_a_reason(
    app: Flask, desk: Desk, person: Callable[..., Person], roles: tuple[str, ...]
) -> None:
    client = person(*roles).sign_in()
    token = csrf_token(client, "/accounts/name")
    before = state_of(desk)
    for url in routes(app, "GET"):
        response = client.get(url)
        assert (url, response.status_code) == (url, 403)
        assert "This page is for administrators." in response.text
        assert "You are signed in as " in response.text
        assert PROFILE.name not in response.text
    for url in routes(app, "POST"):
        response = client.post(url, data={"csrf_token": token, "reason": "x", "base": "1"})
        assert (url, response.status_code) == (url, 403)
    assert state_of(desk) == before


def test_no_form_works_without_its_token(app: Flask, desk: Desk) -> None:
    before = state_of(desk)
    values = {"reason": "x", "base": "1", "remove-reason": "x", "remove-base": "1", "role": "admin", "name": "X"}
    for url in routes(app, "POST"):
        response = desk.client.post(url, data=values)
        assert (url, response.status_code) == (url, 400)
        assert "Your session expired" in response.text
    assert state_of(desk) == before
