"""Two people at one browser: what one of them left open is not saved for the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.models import User
from tests.accounts.mailbox import sign_in
from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from tests.people import Person


@pytest.mark.parametrize("remembered", [False, True])
def test_a_form_of_a_session_that_ended_elsewhere_is_not_saved_for_who_signs_in_next(
    app: Flask,
    person: Callable[..., Person],
    remembered: bool,  # noqa: FBT001
) -> None:
    one, other = person("applicant"), person("applicant")
    client = app.test_client()
    sign_in(client, one.email, remember="y")
    if remembered:
        client.delete_cookie("session")
    left_open = csrf_token(client, "/accounts/name")
    submit(one.sign_in(), "/accounts/sign-out-everywhere", {}, page="/accounts/")
    sign_in(client, other.email)
    answer = client.post("/accounts/name", data={"csrf_token": left_open, "name": "One"})
    with app.app_context():
        assert (answer.status_code, db.session.get_one(User, other.id).name) == (400, "")


def test_who_signs_in_again_goes_on_in_the_tabs_that_are_open(app: Flask, applicant: Person) -> None:
    client = app.test_client()
    sign_in(client, applicant.email)
    left_open = csrf_token(client, "/accounts/name")
    submit(applicant.sign_in(), "/accounts/sign-out-everywhere", {}, page="/accounts/")
    sign_in(client, applicant.email)
    assert client.post("/accounts/name", data={"csrf_token": left_open, "name": "Ada"}).status_code == 302


@pytest.mark.parametrize("way", ["logout", "sign-out-everywhere"])
def test_who_signs_out_leaves_no_pages_behind_the_button_back(applicant: Person, way: str) -> None:
    client = applicant.sign_in()
    assert "Clear-Site-Data" not in client.get("/accounts/").headers
    answer = submit(client, f"/accounts/{way}", {}, page="/accounts/")
    assert answer.headers["Clear-Site-Data"] == '"cache"'
