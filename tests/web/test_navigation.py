from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from portal.db import db
from portal.web.navigation import navigation_for
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person


def _labels(*roles: str) -> list[str]:
    return [link.label for link in navigation_for(roles, "Mei" if roles else "", "/").sections]


def test_a_visitor_is_offered_the_public_pages_and_a_way_in() -> None:
    navigation = navigation_for((), "", "/")
    assert [link.label for link in navigation.sections] == ["Labs", "Systems", "About"]
    assert [(link.label, link.href) for link in navigation.account] == [
        ("Sign in", "/accounts/login"),
        ("Register", "/accounts/register"),
    ]


@pytest.mark.parametrize(
    ("path", "sign_in", "register"),
    [
        ("/", "/accounts/login", "/accounts/register"),
        ("/systems/?q=a%26b", "/accounts/login?next=/systems/%3Fq%3Da%2526b", "/accounts/register"),
        (f"/labs/?q={'x' * 200}", "/accounts/login?next=/labs/", "/accounts/register"),
        ("/nowhere", "/accounts/login", "/accounts/register"),
        ("/accounts/login?next=/me/", "/accounts/login?next=/me/", "/accounts/register?next=/me/"),
        ("/accounts/login?next=//elsewhere.example", "/accounts/login", "/accounts/register"),
    ],
)
def test_who_signs_in_comes_back_to_the_page_that_they_read_or_asked_for(
    client: FlaskClient, path: str, sign_in: str, register: str
) -> None:
    page = client.get(path).text
    assert f'<a href="{sign_in}"' in page
    assert f'<a href="{register}"' in page


def test_signing_in_from_a_page_leads_back_to_it(client: FlaskClient, applicant: Person) -> None:
    link = re.search(r'href="(/accounts/login[^"]*)"', client.get("/systems/?q=a%26b").text)
    assert link is not None
    kept = re.search(r'name="next"[^>]*value="([^"]*)"', client.get(link[1]).text)
    assert kept is not None
    data = {"email": applicant.email, "password": applicant.password, "next": unescape(kept[1])}
    assert submit(client, "/accounts/login", data, page=link[1]).location == "/systems/?q=a%26b"


@pytest.mark.parametrize(
    ("roles", "labels"),
    [
        (("applicant",), ["Interests", "Resume", "Matches", "Shortlist", "Application", "Labs", "Systems", "About"]),
        (("professor",), ["Reviews", "Labs", "Systems", "About"]),
        (("admin",), ["Admin", "Labs", "Systems", "About"]),
        (("admin", "professor"), ["Reviews", "Admin", "Labs", "Systems", "About"]),
    ],
)
def test_everybody_is_offered_what_their_roles_open(roles: tuple[str, ...], labels: list[str]) -> None:
    assert _labels(*roles) == labels


@pytest.mark.parametrize(
    ("roles", "links"),
    [
        (("applicant",), ["News /accounts/news", "Your account /accounts/"]),
        (("professor",), ["News /accounts/news", "Your account /accounts/"]),
    ],
)
def test_the_account_menu_leads_to_what_belongs_to_the_person(roles: tuple[str, ...], links: list[str]) -> None:
    assert [f"{link.label} {link.href}" for link in navigation_for(roles, "Mei Lin", "/").menu] == links


def test_a_visitor_has_no_account_menu() -> None:
    assert navigation_for((), "", "/").menu == ()


def test_somebody_who_is_signed_in_is_not_asked_to_sign_in() -> None:
    assert navigation_for(("applicant",), "Mei Lin", "/").account == ()


@pytest.mark.parametrize(
    ("path", "marked"),
    [
        ("/me/interests", []),
        ("/accounts/news", ["News"]),
        ("/accounts/tokens", ["Your account"]),
        ("/me/delete-account", ["Your account"]),
    ],
)
def test_the_menu_marks_no_page_above_one_that_has_a_link_of_its_own(path: str, marked: list[str]) -> None:
    menu = navigation_for(("applicant",), "Mei", path).menu
    assert [link.label for link in menu if link.current] == marked


@pytest.mark.parametrize(
    ("path", "label", "current"),
    [
        ("/labs/", "Labs", "page"),
        ("/labs/relaxed-system-lab", "Labs", "true"),
        ("/systems/", "Systems", "page"),
        ("/about", "About", "page"),
    ],
)
def test_the_link_of_this_page_and_of_its_section_is_marked(path: str, label: str, current: str) -> None:
    links = navigation_for((), "", path).sections
    assert {link.label: link.current for link in links if link.current} == {label: current}


def test_comparing_labs_belongs_to_the_matches() -> None:
    links = navigation_for(("applicant",), "Mei", "/me/compare").sections
    assert [(link.label, link.current) for link in links if link.current] == [("Matches", "true")]


@pytest.mark.parametrize(("role", "marked"), [("admin", ["Admin"]), ("professor", [])])
def test_the_page_of_a_job_belongs_to_the_administrators_pages(role: str, marked: list[str]) -> None:
    links = navigation_for((role,), "Mei Lin", "/jobs/7").sections
    assert [link.label for link in links if link.current] == marked


def test_a_longer_name_is_not_taken_for_a_page_below() -> None:
    assert [link.current for link in navigation_for((), "", "/about-us").sections] == [None, None, None]


def test_below_a_prefix_every_link_carries_it() -> None:
    assert {link.href for link in navigation_for((), "", "/", "/phd").sections} == {
        "/phd/labs/",
        "/phd/systems/",
        "/phd/about",
    }


def test_the_head_of_a_page_follows_the_role(client: FlaskClient, applicant: Person) -> None:
    assert 'href="/me/matches"' not in client.get("/about").text
    page = applicant.sign_in().get("/about").text
    assert 'href="/me/matches"' in page
    assert "Sign out" in page


@pytest.mark.sqlite
def test_an_error_page_is_shown_even_when_the_database_does_not_answer(app: Flask, applicant: Person) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    client = applicant.sign_in()
    with app.app_context():
        db.session.execute(text("ALTER TABLE user_account RENAME TO elsewhere"))
        db.session.commit()
    response = client.get("/about")
    assert response.status_code == 503
    assert "cannot get at its data just now" in response.text
    assert "Sign in" in response.text


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_that_was_chosen_is_drawn_by_the_server(client: FlaskClient, theme: str) -> None:
    client.set_cookie("theme", theme)
    assert f'<html lang="en" data-bs-theme="{theme}">' in client.get("/about").text


@pytest.mark.parametrize("value", ["", "purple", '"><script>'])
def test_anything_else_in_the_theme_cookie_means_the_system_s(client: FlaskClient, value: str) -> None:
    client.set_cookie("theme", value)
    assert '<html lang="en">' in client.get("/about").text
