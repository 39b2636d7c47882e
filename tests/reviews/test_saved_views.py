"""Filters of a queue that a reviewer saves under a name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.db import db
from portal.models import SavedView
from portal.reviews.queue.saved_views import LONGEST_NAME, LONGEST_QUERY, MOST_VIEWS
from tests.reviews.cards import send

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from tests.reviews.desk import Desk


@pytest.fixture
def client(desk: Desk) -> FlaskClient:
    return desk.leader.sign_in()


def post(client: FlaskClient, desk: Desk, path: str = "", **data: str) -> str:
    """Send a form of the views; what the page says after it."""
    answer = send(client, f"{desk.address}/views{path}", data)
    assert answer.status_code == 302
    return client.get(answer.location).text


def kept(desk: Desk) -> dict[str, str]:
    own = select(SavedView).where(SavedView.lab_id == desk.admission.labs[desk.name])
    return {view.name: view.query for view in db.session.scalars(own.order_by(SavedView.id))}


def number_of(name: str) -> int:
    return db.session.scalars(select(SavedView.id).where(SavedView.name == name).order_by(SavedView.id.desc())).all()[0]


def test_a_view_is_saved_with_what_filters_alone_and_replaced_under_its_name(desk: Desk, client: FlaskClient) -> None:
    desk.people("Ada")
    said = post(client, desk, name=" To  read ", query="state=in_review&sort=newest&page=7&made=up")
    assert "The view “To read” is saved." in said
    assert kept(desk) == {"To read": "state=in_review&sort=newest"}
    assert f'href="{desk.address}/?state=in_review&amp;sort=newest">To read</a>' in said
    post(client, desk, name="To read", query="sort=mean")
    assert kept(desk) == {"To read": "sort=mean"}


@pytest.mark.parametrize(
    ("name", "query", "why"),
    [
        (" \u200b ", "sort=mean", "Give the view a name."),
        ("n" * (LONGEST_NAME + 1), "sort=mean", "Keep the name to 100 characters; this one has 101."),
        ("Wei", f"q={'李' * 150}", "too long to be kept"),
    ],
)
def test_a_view_that_cannot_be_kept_says_why(desk: Desk, client: FlaskClient, name: str, query: str, why: str) -> None:
    desk.people("Ada")
    assert why in post(client, desk, name=name, query=query)
    assert kept(desk) == {}


def test_a_text_in_chinese_is_kept_up_to_what_the_table_holds(desk: Desk, client: FlaskClient) -> None:
    """PostgreSQL would fail on a longer one; each of its letters takes nine characters of an address."""
    post(client, desk, name="Wei", query=f"q={'李' * 110}")
    assert [len(query) for query in kept(desk).values()] == [len("q=") + 9 * 110]
    assert len("q=") + 9 * 110 <= LONGEST_QUERY


def test_one_view_more_than_can_be_kept_is_refused(desk: Desk, client: FlaskClient) -> None:
    desk.people("Ada")
    lab, reader = desk.admission.labs[desk.name], desk.leader.id
    now = desk.admission.now
    db.session.add_all(
        SavedView(lab_id=lab, reviewer_id=reader, name=f"View {number}", query="", created_at=now)
        for number in range(MOST_VIEWS)
    )
    db.session.commit()
    assert "You keep 50 views of this queue already." in post(client, desk, name="One more", query="")
    assert "is saved" in post(client, desk, name="View 7", query="sort=mean")
    assert (len(kept(desk)), kept(desk)["View 7"]) == (MOST_VIEWS, "sort=mean")


def test_a_view_is_renamed_to_a_name_that_no_other_has(desk: Desk, client: FlaskClient) -> None:
    desk.people("Ada")
    for name in ("Mine", "Others"):
        post(client, desk, name=name, query="sort=mean")
    path = f"/{number_of('Mine')}/rename"
    assert "Another view is called “Others” already." in post(client, desk, path, name="Others")
    assert "Give the view a name." in post(client, desk, path, name=" ")
    assert "The view is now called “Best”." in post(client, desk, path, name="Best")
    assert list(kept(desk)) == ["Best", "Others"]


def test_a_view_that_was_deleted_can_be_had_again_and_its_number_is_nobody_elses(
    desk: Desk, client: FlaskClient
) -> None:
    desk.people("Ada")
    post(client, desk, name="Mine", query="sort=mean")
    number = number_of("Mine")
    said = post(client, desk, f"/{number}/delete")
    assert ("The view “Mine” is deleted." in said, kept(desk)) == (True, {})
    undo = dict(
        re.findall(r'name="(name|query)" value="([^"]*)"', said.partition("is deleted.")[2].partition("</form>")[0])
    )
    assert "The view “Mine” is saved." in post(client, desk, **undo)
    assert number_of("Mine") > number
    assert "it was deleted" in post(client, desk, f"/{number}/delete")
    assert kept(desk) == {"Mine": "sort=mean"}


def test_nobody_sees_or_changes_the_views_of_a_colleague(desk: Desk, client: FlaskClient) -> None:
    desk.people("Ada")
    post(client, desk, name="Zz of the leader", query="sort=mean")
    number, colleague = number_of("Zz of the leader"), desk.reviewer.sign_in()
    assert "Zz of the leader" not in colleague.get(f"{desk.address}/").text
    assert send(colleague, f"{desk.address}/views/{number}/rename", {"name": "Taken"}).status_code == 404
    assert "it was deleted" in post(colleague, desk, f"/{number}/delete")
    assert kept(desk) == {"Zz of the leader": "sort=mean"}
