"""Every page of the administrators opens, says what is there and what is not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import html5lib
import pytest

from portal.seeding.records import LabRecord
from tests.admin.desk import store
from tests.admission import add_admission
from tests.people import add_person

if TYPE_CHECKING:
    from flask import Flask

    from tests.admin.desk import Desk
    from tests.people import Person

PAGES = [
    "/admin/",
    "/admin/labs/",
    "/admin/new-lab",
    "/admin/new-lab/empty",
    "/admin/labs/relaxed-lab",
    "/admin/labs/relaxed-lab/edit",
    *(f"/admin/labs/relaxed-lab/{name}" for name in ("members", "works", "systems", "activities", "openings")),
    *(f"/admin/labs/relaxed-lab/add/{name}" for name in ("members", "works", "systems", "activities", "openings")),
    "/admin/labs/relaxed-lab/members/ran-yan",
    "/admin/labs/relaxed-lab/works/flexgen",
    "/admin/labs/relaxed-lab/systems/flexgen",
    "/admin/labs/relaxed-lab/activities/course-1",
    "/admin/labs/relaxed-lab/openings/phd",
    "/admin/labs/relaxed-lab/history",
    "/admin/labs/relaxed-lab/history/1",
    "/admin/labs/relaxed-lab/history/compare",
    "/admin/questions",
    "/admin/people/",
    "/admin/people/1",
    "/admin/audit",
]


def test_every_page_opens_is_valid_html_and_has_a_title_of_its_own(desk: Desk) -> None:
    titles = []
    for url in PAGES:
        response = desk.client.get(url)
        assert (url, response.status_code) == (url, 200)
        html5lib.HTMLParser(strict=True).parse(response.text)
        assert " style=" not in response.text
        assert "<style" not in response.text
        titles.append(response.text.split("<title>")[1].split("</title>")[0])
    assert len(set(titles)) == len(titles)


def test_an_empty_portal_says_what_to_do(app: Flask, admin: Person) -> None:
    client = admin.sign_in()
    page = client.get("/admin/").text
    assert "Create the first lab" in page
    assert "Waiting for you" not in page
    assert "Create the first one" in client.get("/admin/labs/").text
    assert "None." in client.get("/admin/questions").text
    assert "There is no lab to attach anybody to yet." in client.get(f"/admin/people/{admin.id}").text
    store(app, LabRecord(key="bare", name="Bare"))
    assert client.get("/admin/labs/bare").text.count("<dt>") == 1
    assert "The people of this lab will be listed here." in client.get("/admin/labs/bare/members").text


def test_the_overview_counts_what_waits(desk: Desk) -> None:
    assert "1 question about profiles" in desk.client.get("/admin/").text


@pytest.mark.parametrize(
    "url",
    [
        "/admin/labs/no-such-lab",
        "/admin/labs/relaxed-lab/edits",
        "/admin/labs/relaxed-lab/members/nobody",
        "/admin/labs/relaxed-lab/add/persons",
        "/admin/labs/relaxed-lab/history/2",
        "/admin/labs/relaxed-lab/history/99999999999999999999",
        "/admin/people/99999",
        "/admin/people/99999999999999999999",
        "/admin/labs/relaxed-lab/imports/7",
    ],
)
def test_what_is_not_there_is_a_404(desk: Desk, url: str) -> None:
    assert desk.client.get(url).status_code == 404


@pytest.mark.parametrize("url", ["/admin/labs/", "/admin/people/", "/admin/audit", "/admin/labs/relaxed-lab/works"])
@pytest.mark.parametrize(
    "query",
    [
        "?q=%00%ff%27%25_",
        "?page=99999",
        "?page=-1&sort=nothing&order=up",
        "?role=x&act=y&person=%00",
        "?q=" + "a" * 5000,
    ],
)
def test_odd_addresses_never_fail(desk: Desk, url: str, query: str) -> None:
    assert desk.client.get(url + query).status_code == 200


def test_a_new_portal_says_the_first_steps_until_they_are_done(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app)
        client = admission.admin.sign_in()
        page = client.get("/admin/").text
        assert '<a href="/admin/new-lab">Create the first lab</a>' in page
        assert "There is a cycle." in page
        assert '<a href="/admin/people/invitations?role=admin">Invite a second administrator</a>' in page
        assert "Everything can be changed later." not in client.get("/admin/new-cycle").text
        labs = client.get("/admin/labs/").text
        assert ('role="search"' in labs, labs.count("/admin/new-lab")) == (False, 1)
        admission.add_lab("Systems")
        page = client.get("/admin/").text
        assert "First steps" not in page
        assert 'href="/admin/people/invitations?role=admin">Invite</a>' in page
        form = client.get("/admin/people/invitations?role=admin").text
        assert re.search(r'<input[^>]* checked[^>]* value="admin">', form) is not None
        add_person(app, "admin")
        assert "You are the only administrator" not in client.get("/admin/").text
        admission.session.delete(admission.cycle)
        admission.session.commit()
        page = client.get("/admin/").text
        assert "1 lab is there." in page
        assert '<a href="/admin/new-cycle">Create the first cycle</a>' in page
        assert "Everything can be changed later." in client.get("/admin/new-cycle").text
