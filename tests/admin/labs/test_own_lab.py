"""Leaders keep the profile of their own lab on the administrators' pages, and of no other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.labs.service import attach_professor
from portal.models import User
from tests.admin.desk import NOW, PROFILE, Desk, store
from tests.admin.labs.test_merging import fields_of
from tests.admin.test_access import VALUES
from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from portal.seeding.records import LabRecord
    from tests.people import Person

HOME = "/reviews/relaxed-lab/profile"


def attach(app: Flask, who: Person, slug: str, position: str) -> None:
    with app.app_context():
        lab, user = lab_by_slug(db.session(), slug), db.session.get(User, who.id)
        assert lab is not None
        assert user is not None
        attach_professor(db.session(), lab, user, position, author=None, now=NOW)
        db.session.commit()


@pytest.fixture
def professor(app: Flask, person: Callable[..., Person], lab: LabRecord) -> Desk:
    """The leader of the lab at work on its profile."""
    leader = person("professor")
    attach(app, leader, lab.key, "leader")
    return Desk(app, leader.sign_in(), leader.email)


def addresses(app: Flask, method: str) -> list[str]:
    """Every address of the own lab's profile that takes `method`."""
    with app.test_request_context():
        urls = app.url_map.bind("localhost")
        return [
            urls.build(rule.endpoint, {name: VALUES.get(name, 1) for name in rule.arguments})
            for rule in app.url_map.iter_rules()
            if rule.endpoint.startswith("own_lab.") and method in (rule.methods or set())
        ]


def test_every_page_of_the_profile_opens_for_its_leader(app: Flask, professor: Desk) -> None:
    opened = {url: professor.client.get(url).status_code for url in addresses(app, "GET")}
    assert opened == dict.fromkeys(opened, 200)
    assert len(opened) >= 8
    page = professor.client.get(HOME).text
    assert "/admin/" not in page
    assert 'href="/reviews/relaxed-lab/profile/edit"' in page


@pytest.mark.parametrize("who", ["reviewer", "other leader", "admin", "applicant"])
def test_nobody_else_opens_or_sends_any_of_it(app: Flask, desk: Desk, person: Callable[..., Person], who: str) -> None:
    store(app, replace(PROFILE, key="other", name="Other Lab"))
    one = person({"admin": "admin", "applicant": "applicant"}.get(who, "professor"))
    if who == "reviewer":
        attach(app, one, PROFILE.key, "reviewer")
    if who == "other leader":
        attach(app, one, "other", "leader")
    client = one.sign_in()
    token = csrf_token(client, "/accounts/name")
    for url in addresses(app, "GET"):
        response = client.get(url)
        assert (url, response.status_code) == (url, 403)
        assert PROFILE.about not in response.text
    sent = {"csrf_token": token, "reason": "x", "base": "1", "about": "Mine.", "remove-reason": "x", "remove-base": "1"}
    for url in addresses(app, "POST"):
        assert (url, client.post(url, data=sent).status_code) == (url, 403)
    assert desk.profile() == PROFILE


def test_a_leader_edits_adds_removes_and_undoes(professor: Desk) -> None:
    edit = professor.post(f"{HOME}/edit", {"about": "We work.", "base": 1, "reason": "It is so"})
    assert (edit.status_code, edit.location) == (302, HOME)
    assert "This is revision 2." in professor.client.get(HOME).text
    item = f"{HOME}/works/hexgen"
    removed = professor.post(f"{item}/remove", {"remove-base": 2, "remove-reason": "Not ours"}, page=item)
    assert removed.location == f"{HOME}/works"
    assert f'action="{HOME}/history/3/undo"' in professor.client.get(removed.location).text
    undo = professor.post(f"{HOME}/history/3/undo", {"undo-reason": "Ours"}, page=f"{HOME}/history/3")
    assert undo.location == f"{HOME}/history"
    assert professor.profile().works == PROFILE.works
    assert professor.profile().about == "We work."


def test_a_leader_and_an_administrator_at_once_merge(desk: Desk, professor: Desk) -> None:
    desk.post("/admin/labs/relaxed-lab/edit", {"about": "By the office.", "base": 1, "reason": "Office"})
    page = professor.post(f"{HOME}/edit", {"contact": "Call us.", "base": 1, "reason": "Lab"})
    assert page.status_code == 409
    assert f'action="{HOME}/merge"' in page.text
    assert professor.client.post(f"{HOME}/merge", data=fields_of(page.text, f"{HOME}/merge")).status_code == 302
    assert (professor.profile().about, professor.profile().contact) == ("By the office.", "Call us.")


def test_the_list_of_labs_leads_to_the_profile_of_those_one_leads(
    app: Flask, professor: Desk, person: Callable[..., Person]
) -> None:
    store(app, replace(PROFILE, key="other", name="Other Lab"))
    both = person("professor")
    attach(app, both, PROFILE.key, "leader")
    attach(app, both, "other", "reviewer")
    page = both.sign_in().get("/reviews/").text
    assert (f'href="{HOME}">Confirm or edit' in page, "/reviews/other/profile" in page) == (True, False)
    assert "Profile" not in both.sign_in().get("/reviews/other/").text.split("section-nav")[1].split("</nav>")[0]
    assert "Profile •" in professor.client.get("/reviews/relaxed-lab/").text
