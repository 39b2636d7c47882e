"""Every role against every route: what is not for somebody is refused, and no form works without its token."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from werkzeug.routing import AnyConverter

from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.routing import BaseConverter, Rule

    from tests.people import Person

ROOMS = {"/me": "applicant", "/reviews": "professor", "/admin": "admin"}
ROLES = ("applicant", "professor", "admin")
UNAVAILABLE = "/workz"  # in tests, where no `portal work` runs
ARGUMENTS = {"UnicodeConverter": "no-such-thing", "ColumnInteger": "987654", "PathConverter": "no-such-file"}


def argument(converter: BaseConverter) -> str:
    """Something that the converter takes."""
    if isinstance(converter, AnyConverter):
        return min(converter.items)
    return ARGUMENTS[type(converter).__name__]


def address(rule: Rule) -> str:
    """An address that the rule takes; what it names does not exist."""
    parts = {name: argument(converter) for name, converter in rule._converters.items()}
    built = rule.build(parts)
    return built[1] if built else rule.rule


def role_for(url: str) -> str | None:
    """Whom an address is for; None for everybody."""
    return next((role for prefix, role in ROOMS.items() if url == prefix or url.startswith(prefix + "/")), None)


def rules(app: Flask, method: str) -> Iterator[Rule]:
    for rule in app.url_map.iter_rules():
        # The JSON interface knows no session and no form: tests/api asks each of its addresses in each role.
        if method in (rule.methods or ()) and not rule.rule.startswith(("/api/", UNAVAILABLE)):
            yield rule


def test_every_room_has_routes(app: Flask) -> None:
    rooms = {role_for(address(rule)) for rule in rules(app, "GET")}
    assert rooms == {None, *ROLES}


def test_a_visitor_is_sent_to_sign_in_and_brought_back(app: Flask, client: FlaskClient) -> None:
    for rule in rules(app, "GET"):
        url = address(rule)
        response = client.get(url)
        if role_for(url):
            assert (url, response.status_code) == (url, 302)
            assert response.headers["Location"].startswith("/accounts/login?next=")
        else:
            assert response.status_code < 500, url


@pytest.mark.parametrize("role", ROLES)
def test_a_role_opens_its_own_pages_and_is_refused_all_others(
    app: Flask, person: Callable[..., Person], role: str
) -> None:
    client = person(role).sign_in()
    for rule in rules(app, "GET"):
        url = address(rule)
        response = client.get(url)
        wanted = role_for(url)
        if wanted and wanted != role:
            assert (url, response.status_code) == (url, 403)
            assert "This page is for" in response.text
        else:
            assert response.status_code in {200, 301, 302, 304, 400, 404}, (url, response.status_code)


@pytest.mark.parametrize("role", [None, *ROLES])
def test_search_engines_may_list_what_everybody_reads_and_nothing_else(
    app: Flask, client: FlaskClient, person: Callable[..., Person], role: str | None
) -> None:
    reader = person(role).sign_in() if role else client
    listed, marks = set(), set()
    for url in map(address, rules(app, "GET")):
        answer = reader.get(url)
        if mark := answer.headers.get("X-Robots-Tag"):
            marks.add(mark)
            assert 'rel="canonical"' not in answer.text
        else:
            listed.add(url)
    # What is asked for does not exist below /labs/ and /cycles/; tests/labs/test_sitemap.py opens some that do.
    public = {"/", "/labs/", "/systems/", "/about", "/help/", "/robots.txt", "/sitemap.xml"}
    assert listed == public | ({"/me/matches"} if role in {None, "applicant"} else set())
    assert marks == {"noindex, nofollow"}


def test_a_person_without_any_role_is_refused_every_room(app: Flask, person: Callable[..., Person]) -> None:
    client = person().sign_in()
    statuses = {client.get(url).status_code for url in map(address, rules(app, "GET")) if role_for(url)}
    assert statuses == {403}


@pytest.mark.parametrize("role", [*ROLES, None])
def test_no_state_changing_form_works_without_its_token(
    app: Flask, client: FlaskClient, person: Callable[..., Person], role: str | None
) -> None:
    sender = person(role).sign_in() if role else client
    for rule in rules(app, "POST"):
        url = address(rule)
        assert (url, sender.post(url, data={"email": "x"}).status_code) == (url, 400)


@pytest.mark.parametrize("role", [*ROLES, None])
def test_a_good_token_does_not_open_another_room(
    app: Flask, client: FlaskClient, person: Callable[..., Person], role: str | None
) -> None:
    sender = person(role).sign_in() if role else client
    # The account page has forms for everybody who is signed in, the sign-in page for a visitor.
    token = csrf_token(sender, "/" if role else "/accounts/login")
    for rule in rules(app, "POST"):
        url = address(rule)
        wanted = role_for(url)
        if wanted and wanted != role:
            assert (url, sender.post(url, data={"csrf_token": token}).status_code) == (url, 403)
