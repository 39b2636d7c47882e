"""A portal that is served below a path of its host, as gunicorn does with SCRIPT_NAME: nothing leads out of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest
from flask.testing import FlaskClient

from portal.db import db
from portal.labs.service import create_lab
from portal.seeding.records import LabRecord
from tests.accounts.mailbox import follow, link_to, register, sign_in
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.test import TestResponse

    from tests.conftest import Settings
    from tests.people import Person

PREFIX = "/phd"


class ClientBelow(FlaskClient):
    """A browser of a portal that is served below `PREFIX`; addresses are given without it."""

    def open(self, *arguments: Any, **options: Any) -> TestResponse:  # noqa: ANN401  (as in the class above)
        return super().open(*arguments, environ_overrides={"SCRIPT_NAME": PREFIX}, **options)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings | {"PORTAL_BASE_URL": f"http://localhost:8000{PREFIX}"}


@pytest.fixture
def below(app: Flask) -> FlaskClient:
    app.test_client_class = ClientBelow
    return app.test_client()


@pytest.mark.parametrize("asked_for", ["/reviews/?lab=a%26b", "/accounts/tokens/new"])
def test_who_was_asked_to_sign_in_comes_back_to_the_page(below: FlaskClient, professor: Person, asked_for: str) -> None:
    path, _, query = (below.get(asked_for).location or "").partition("?")
    assert path == f"{PREFIX}/accounts/login"
    kept = parse_qs(query)["next"][0]
    assert sign_in(below, professor.email, next=kept).location == PREFIX + asked_for


def test_the_way_in_from_a_public_page_leads_back_to_it(below: FlaskClient) -> None:
    assert f'href="{PREFIX}/accounts/login?next={PREFIX}/labs/"' in below.get("/labs/").text
    assert f'href="{PREFIX}/accounts/login"' in below.get("/").text


def test_who_registers_goes_on_to_the_page_that_they_asked_for(app: Flask, below: FlaskClient) -> None:
    register(below, "mei@example.edu", next=f"{PREFIX}/me/labs")
    link = link_to(app, "mei@example.edu", "/confirm/").removeprefix(PREFIX)
    assert follow(below, link).location == f"{PREFIX}/me/labs"


def test_a_link_that_needs_its_owner_leads_through_the_sign_in(app: Flask, below: FlaskClient, admin: Person) -> None:
    submit(admin.sign_in(), "/accounts/change-email", {"email": "ada@example.edu"})
    link = link_to(app, "ada@example.edu", "/change-email/").removeprefix(PREFIX)
    assert below.get(link).location == f"{PREFIX}/accounts/login?next={PREFIX}{link}"


def test_signing_out_leads_to_the_home_page(below: FlaskClient, professor: Person) -> None:
    sign_in(below, professor.email)
    assert submit(below, "/accounts/logout", {}, page="/accounts/").location == f"{PREFIX}/"


def test_a_browser_that_has_signed_in_is_known_again(below: FlaskClient, professor: Person) -> None:
    sign_in(below, professor.email)
    assert below.get_cookie("known_device", path=f"{PREFIX}/accounts") is not None


def test_who_shares_with_a_lab_stays_on_the_page(app: Flask, below: FlaskClient, applicant: Person) -> None:
    with app.app_context():
        lab = LabRecord("loom-lab", "Loom Lab", interests="Weaving.")
        create_lab(db.session(), lab, author=None, reason="x", now=datetime.now(UTC))
        db.session.commit()
    sign_in(below, applicant.email)
    page = below.get("/me/matches/loom-lab").text
    wanted = f'name="next" value="{PREFIX}/me/matches/loom-lab"'
    form = {"act": "share", "next": f"{PREFIX}/me/matches/loom-lab"}
    assert wanted in page
    assert submit(below, "/me/labs/loom-lab", form, page="/me/matches/loom-lab").location == form["next"]
