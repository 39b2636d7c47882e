"""Every address of the room × every role, and every form without its token."""

from __future__ import annotations

from typing import TYPE_CHECKING

import html5lib
import pytest

from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

PAGES = (
    "/me/",
    "/me/interests",
    "/me/interests/suggest",
    "/me/resume",
    "/me/resume/text",
    "/me/resume/file",
    "/me/resume/delete",
    "/me/matches",
    "/me/matches/serving-lab",
    "/me/labs",
    "/me/application/fall/",
    "/me/application/fall/deadline.ics",
    "/me/application/fall/documents/transcript",
    "/me/application/fall/submit",
    "/me/application/fall/receipt",
    "/me/application/fall/withdraw",
    "/me/application/fall/interview",
    "/me/application/fall/referees",
    "/me/application/fall/labs/serving-lab/match",
    "/me/application/fall/labs/serving-lab/accept",
    "/me/compare",
    "/me/export",
    "/me/erase",
    "/me/delete-account",
    "/me/erased",
)
FORMS = (
    "/me/interests",
    "/me/resume",
    "/me/resume/text",
    "/me/resume/delete",
    "/me/matches/weights",
    "/me/labs/serving-lab",
    "/me/application/fall/",
    "/me/application/fall/submit",
    "/me/application/fall/edit",
    "/me/application/fall/restore",
    "/me/application/fall/withdraw",
    "/me/application/fall/interview",
    "/me/application/fall/referees",
    "/me/application/fall/referees/1/remove",
    "/me/application/fall/labs/serving-lab/accept",
    "/me/invitations/1",
    "/me/erase",
    "/me/delete-account",
)
WITHOUT_CYCLE = [page for page in PAGES if not page.startswith("/me/application/fall/")]
ARGUMENTS = {
    "slug": "serving-lab",
    "cycle": "fall",
    "key": "transcript",
    "any(accept, decline):answer": "accept",
    "int:referee_id": "1",
    "int:invitation_id": "1",
}
pytestmark = pytest.mark.usefixtures("labs")


def example(rule: str) -> str:
    """An address that a rule takes."""
    for name, value in ARGUMENTS.items():
        rule = rule.replace(f"<{name}>", value)
    return rule


def test_these_are_all_addresses_of_the_room(app: Flask) -> None:
    rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint.startswith("applications.")]
    reads = {example(rule.rule) for rule in rules if "GET" in (rule.methods or ())}
    writes = {example(rule.rule) for rule in rules if "POST" in (rule.methods or ())}
    assert reads == set(PAGES)
    assert writes == set(FORMS)


@pytest.mark.parametrize("page", PAGES)
def test_a_visitor_is_sent_to_sign_in(client: FlaskClient, page: str) -> None:
    answer = client.get(page)
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/accounts/login?next=")


@pytest.mark.parametrize("role", ["professor", "admin"])
def test_other_roles_are_refused_with_the_reason(person: Callable[..., Person], role: str) -> None:
    other = person(role).sign_in()
    token = csrf_token(other, "/")
    for page in PAGES:
        answer = other.get(page)
        assert (page, answer.status_code, "ask an administrator for that role" in answer.text) == (page, 403, True)
    for form in FORMS:
        assert (form, other.post(form, data={"csrf_token": token}).status_code) == (form, 403)


@pytest.mark.parametrize("page", WITHOUT_CYCLE)
def test_an_applicant_opens_all_of_them(me: FlaskClient, page: str) -> None:
    none_yet = {"/me/resume/text": 302, "/me/resume/delete": 302, "/me/resume/file": 404, "/me/erased": 302}
    assert me.get(page).status_code == none_yet.get(page, 200)


def test_every_page_is_valid_html_with_a_title_of_its_own(me: FlaskClient) -> None:
    sent = {"topics-0-text": "LLM serving", "topics-1-text": "<b>&", "place-values": "Berlin", "statement": "</p>"}
    submit(me, "/me/interests", sent)
    submit(me, "/me/resume", {"text": "Mei Lin\n\nI wrote a scheduler in 2024.", "use": "text"})
    submit(me, "/me/labs/serving-lab", {"act": "share"}, page="/me/interests")
    pages = [
        me.get(page).text
        for page in WITHOUT_CYCLE
        if page not in {"/me/export", "/me/interests/suggest", "/me/resume/file", "/me/erased"}
    ]
    pages.append(submit(me, "/me/interests", {"topics-0-text": "x" * 999, "statement": "y" * 9_999}).text)
    pages.append(submit(me, "/me/interests", {"topics-0-text": "other"}).text)
    pages.append(submit(me, "/me/resume", {"use": "text"}).text)
    for page in pages:
        html5lib.HTMLParser(strict=True).parse(page)
    titles = [page.partition("<title>")[2].partition("</title>")[0] for page in pages[:-3]]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("form", FORMS)
def test_no_form_works_without_its_token(me: FlaskClient, form: str) -> None:
    assert me.post(form, data={"sure": "yes", "act": "share"}).status_code == 400


@pytest.mark.parametrize("form", FORMS)
def test_a_visitor_cannot_send_a_form(client: FlaskClient, form: str) -> None:
    token = csrf_token(client, "/accounts/login")
    assert client.post(form, data={"csrf_token": token}).status_code == 403
