"""Autosave, and two tabs that change the same interests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from portal.applications.interests.forms import fingerprint
from portal.applications.interests.rules import Stated
from portal.matching import Topic
from tests.applications.interests_form import PAGE, control, filled, opened
from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.testing import FlaskClient

JSON = {"Accept": "application/json"}
pytestmark = pytest.mark.usefixtures("labs")


def test_autosave_answers_with_the_version_to_go_on_from(me: FlaskClient, stored: Callable[[], Stated]) -> None:
    token = csrf_token(me, PAGE)
    first = me.post(PAGE, data=filled(("que", "1"), csrf_token=token), headers=JSON)
    assert first.status_code == 200
    fields = first.get_json()["fields"]
    assert fields == {"version": "1", "opened_with": fingerprint(Stated((Topic("que", 1.0),)))}
    second = me.post(PAGE, data=filled(("queues", "1"), csrf_token=token) | fields, headers=JSON)
    assert second.get_json()["fields"]["version"] == "2"
    assert stored().topics == (Topic("queues", 1.0),)
    assert "Your interests are saved." not in me.get(PAGE).text


def test_autosave_says_which_field_is_wrong(me: FlaskClient) -> None:
    token = csrf_token(me, PAGE)
    sent = filled(("queues", "heavy"), statement="x" * 4_001, csrf_token=token)
    answer = me.post(PAGE, data=sent, headers=JSON)
    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == {"statement", "topics-0-weight"}
    assert answer.get_json()["error"]["reason"].startswith("The statement may have 4,000 characters")


def test_autosave_of_a_stale_page_says_so_and_saves_nothing(me: FlaskClient, stored: Callable[[], Stated]) -> None:
    submit(me, PAGE, filled(("queues", "1")))
    token = csrf_token(me, PAGE)
    answer = me.post(PAGE, data=filled(("stacks", "1"), csrf_token=token), headers=JSON)
    assert answer.status_code == 409
    assert answer.get_json()["error"]["reason"].startswith("Your interests were changed in another tab")
    assert stored().topics == (Topic("queues", 1.0),)


def test_autosave_without_a_session_is_refused(client: FlaskClient) -> None:
    assert client.post(PAGE, data=filled(("queues", "1")), headers=JSON).status_code == 400


def test_a_stale_save_shows_both_versions_and_saves_what_is_chosen(
    me: FlaskClient, stored: Callable[[], Stated]
) -> None:
    submit(me, PAGE, filled(("queues", "1"), statement="From the first tab."))
    conflict = submit(me, PAGE, filled(("stacks", "2"), statement="From the second tab."))
    assert conflict.status_code == 409
    for text in ("queues (weight 1)", "stacks (weight 2)", "From the first tab.", "From the second tab."):
        assert text in conflict.text
    assert 'value="1"' in control(conflict.text, "version")
    assert stored().statement == "From the first tab."

    chosen = {"take-topics": "mine", "take-statement": "theirs"}
    again = submit(me, PAGE, filled(("stacks", "2"), statement="From the second tab.", version=1) | chosen)
    assert again.status_code == 302
    assert stored() == Stated((Topic("stacks", 2.0),), "From the first tab.")


def test_tabs_that_change_different_parts_are_joined(me: FlaskClient, stored: Callable[[], Stated]) -> None:
    submit(me, PAGE, filled(("queues", "1"), statement="Before."))
    tab = opened(me)
    submit(me, PAGE, filled(("stacks", "1"), statement="Before.") | opened(me))
    assert submit(me, PAGE, filled(("queues", "1"), statement="After.") | tab).status_code == 302
    assert stored() == Stated((Topic("stacks", 1.0),), "After.")
    assert "Kept as saved in another tab or on another device: topics." in me.get(PAGE).text


def test_autosave_does_not_join_behind_the_readers_back(me: FlaskClient, stored: Callable[[], Stated]) -> None:
    submit(me, PAGE, filled(("queues", "1"), statement="Before."))
    tab = opened(me) | {"csrf_token": csrf_token(me, PAGE)}
    submit(me, PAGE, filled(("stacks", "1"), statement="Before.") | opened(me))
    assert me.post(PAGE, data=filled(("queues", "1"), statement="After.") | tab, headers=JSON).status_code == 409
    assert stored().statement == "Before."


def test_a_choice_counts_only_for_the_versions_that_were_shown(me: FlaskClient, stored: Callable[[], Stated]) -> None:
    tab = opened(me)
    submit(me, PAGE, filled(statement="First.") | opened(me))
    assert submit(me, PAGE, filled(statement="Mine.") | tab).status_code == 409
    submit(me, PAGE, filled(statement="Third.") | opened(me))
    chosen = {**tab, "version": "1", "take-statement": "mine"}
    answer = submit(me, PAGE, filled(statement="Mine.") | chosen)
    assert answer.status_code == 409
    assert "Third." in answer.text
    assert stored().statement == "Third."


def test_the_choice_between_two_versions_survives_another_button(me: FlaskClient) -> None:
    submit(me, PAGE, filled(("queues", "1"), statement="First."))
    chosen = {"take-topics": "theirs", "take-statement": "mine"}
    for button in ({"add_topic": ""}, {"statement": "y" * 4_001}):
        answer = submit(me, PAGE, filled(("stacks", "2"), statement="Second.", version=1) | chosen | button)
        assert "Changed in another tab" in answer.text
        assert "stays-below" not in answer.text  # it would cover one of the versions on a phone
        theirs = re.search(r'name="take-topics" value="theirs"[^>]*>', answer.text)
        assert theirs is not None
        assert "checked" in theirs.group()


def test_the_same_form_twice_is_no_conflict(me: FlaskClient) -> None:
    sent = filled(("queues", "1"))
    assert [submit(me, PAGE, sent).status_code for _ in range(2)] == [302, 302]
