"""Fields that carry a list's state come back in an address only as what lists know, and never at length."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from portal.db import db
from portal.web.paging import LIST_FIELDS, list_state
from tests.admission import Admission, add_admission
from tests.people import PASSWORD, csrf_token
from tests.test_roles_and_routes import address, rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask

    from tests.people import Person

LONG = "9" * 60_000
ALL = {**dict.fromkeys(LIST_FIELDS, LONG), "applicant": LONG, "queue": urlencode(dict.fromkeys(LIST_FIELDS, LONG))}
LONGEST = 2_000  # characters; the longest list of an address with all fields is far shorter


def test_the_state_of_a_list_is_what_lists_know_on_one_line_of_bounded_length() -> None:
    sent = {"q": " two\r\n\u202e words ", "page": LONG, "show": "", "sort": "name", "then": "x", "csrf_token": "secret"}
    assert list_state(sent) == {"q": "two words", "page": "999999", "sort": "name"}
    assert list_state(sent, "q", "show") == {"q": "two words"}
    assert len(urlencode(list_state(ALL))) < LONGEST


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A cycle whose deadline has passed, with an application that lacks something and a choice under review."""
    with app.app_context():
        yield add_admission(app, now=datetime.now(UTC) - timedelta(days=40))
        db.session.remove()


def test_no_redirect_repeats_at_length_what_a_form_says_of_its_list(admission: Admission) -> None:
    admission.add_lab("Systems")
    application = admission.eligible(admission.add_applicant(), "Systems")
    choice = admission.choice(application, "Systems")
    admission.session.commit()
    cycle, board = f"/admin/cycles/{admission.cycle.slug}", "/reviews/systems/board"
    every = {**ALL, "cycle": admission.cycle.slug}
    for person, path, sent in (
        (admission.admin, "/admin/outbox/retry", every),
        (admission.admin, f"{cycle}/applications/mark", every),
        (admission.admin, f"{cycle}/missing/remind", every),
        (admission.admin, f"{cycle}/missing/remind", {**every, "confirmed": "yes"}),
        (admission.leaders["Systems"], f"{board}/preview", every),
        (admission.leaders["Systems"], f"{board}/preview", {**every, "applicant": str(choice.id)}),
        (admission.leaders["Systems"], f"{board}/do", {**every, "move": "shortlist", "choice": f"{choice.id}.1"}),
    ):
        client = person.sign_in()
        answer = client.post(path, data={"csrf_token": csrf_token(client, "/accounts/"), **sent})
        assert (path, answer.status_code) == (path, 302)
        assert (path, len(answer.location) < LONGEST) == (path, True)


@pytest.mark.parametrize("role", ["applicant", "professor", "admin"])
def test_no_route_does(app: Flask, person: Callable[..., Person], role: str) -> None:
    client = person(role).sign_in()
    token = csrf_token(client, "/accounts/")
    for rule in rules(app, "POST"):
        if "out" not in rule.rule:  # signing out ends the walk
            answer = client.post(address(rule), data={"csrf_token": token, "next": f"/{LONG}", **ALL})
            assert (rule.rule, len(answer.headers.get("Location", "")) < LONGEST) == (rule.rule, True)


def test_signing_in_goes_on_to_no_address_without_end(app: Flask, applicant: Person) -> None:
    client = app.test_client()
    sent = {"csrf_token": csrf_token(client, "/accounts/login"), "email": applicant.email, "password": PASSWORD}
    answer = client.post("/accounts/login", data={**sent, "next": f"/labs/?q={LONG}"})
    assert (answer.status_code, answer.location) == (302, "/accounts/landing")
    asked = app.test_client().get(f"/me/?q={LONG}")
    assert (asked.status_code, asked.location) == (302, "/accounts/login?next=/me/")
