from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from portal.applications.forms import fingerprint
from portal.applications.interests.forms import parts_of
from portal.applications.interests.service import Stated, interests_of
from portal.matching import Topic
from portal.models import User
from tests.applications.interests_form import PAGE, control, filled, opened
from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.testing import FlaskClient
    from sqlalchemy.orm import Session

    from tests.people import Person

pytestmark = pytest.mark.usefixtures("labs")


def test_an_empty_form_offers_one_topic(me: FlaskClient) -> None:
    page = me.get(PAGE)
    assert page.status_code == 200
    assert 'name="topics-0-text"' in page.text
    assert 'name="topics-1-text"' not in page.text
    assert "Up to 4,000 characters" in page.text


def test_everything_stated_is_saved_and_shown_again(me: FlaskClient, stored: Callable[[], Stated]) -> None:
    sent = filled(
        ("LLM serving", "2.5"),
        ("大模型推理", ""),
        ("", "9"),
        ("queues", "0,5"),
        statement="I like\r\nqueues.",
        discoverable="y",
        **{"hardware-values": ["GPU", "NPU"], "place-values": "Berlin"},
    )
    assert submit(me, PAGE, sent).headers["Location"] == PAGE
    assert stored() == Stated(
        (Topic("LLM serving", 2.5), Topic("大模型推理", 1.0), Topic("queues", 0.5)),
        "I like\nqueues.",
        {"hardware": ("GPU", "NPU"), "place": ("Berlin",)},
        discoverable=True,
    )
    page = me.get(PAGE).text
    assert "Your interests are saved." in page
    assert 'value="大模型推理"' in control(page, "topics-1-text")
    assert 'value="0.5"' in control(page, "topics-2-weight")
    assert "I like\nqueues." in page
    assert " checked" in control(page, "discoverable")
    assert 'name="topics-3-text"' in page


def test_saving_can_lead_on_to_the_matches(me: FlaskClient) -> None:
    sent = filled(("LLM serving", "1"), then="matches")
    assert submit(me, PAGE, sent).headers["Location"] == "/me/matches"


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ({"statement": "y" * 4_001}, "The statement may have 4,000 characters; this one has 4,001."),
        ({"topics-0-text": "y" * 201}, "A topic may have 200 characters; this one has 201."),
        ({"topics-0-text": "queues", "topics-0-weight": "heavy"}, "Give a number from 0 to 5, such as 2.5."),
        ({"topics-0-text": "queues", "topics-0-weight": "-1"}, "Give a number from 0 to 5, such as 2.5."),
        ({"topics-0-text": "queues", "topics-0-weight": "nan"}, "Give a number from 0 to 5, such as 2.5."),
        ({"topics-0-text": "queues", "topics-1-text": "Queues"}, "“Queues” is there twice."),
        ({"hardware-values": "abacus"}, "No lab states “abacus”."),
    ],
)
def test_what_cannot_be_saved_is_refused_beside_its_field_and_kept(
    me: FlaskClient, stored: Callable[[], Stated], sent: dict[str, str], error: str
) -> None:
    kept = {"topics-7-text": "kept topic", "topics-7-weight": "3"}
    answer = submit(me, PAGE, kept | sent)
    assert answer.status_code == 422
    page = html.unescape(answer.text)
    assert f'<p class="field-error">{error}' in page
    assert "kept topic" in page
    for value in sent.values():
        assert value in page
    assert stored() == Stated()


def test_a_statement_of_4000_characters_is_saved_however_its_lines_end(
    me: FlaskClient, stored: Callable[[], Stated]
) -> None:
    text = "字" * 1_999 + "\r\n" + "y" * 2_000
    assert submit(me, PAGE, filled(statement=text)).status_code == 302
    assert len(stored().statement) == 4_000


def test_a_thirteenth_topic_is_refused_where_it_stands(me: FlaskClient) -> None:
    answer = submit(me, PAGE, filled(*((f"topic {number}", "1") for number in range(13))))
    assert answer.status_code == 422
    assert "You can state 12 topics, and this is one more." in answer.text
    assert 'value="topic 12"' in control(answer.text, "topics-12-text")
    assert 'aria-invalid="true"' in control(answer.text, "topics-12-text")
    assert "aria-invalid" not in control(answer.text, "topics-11-text")


def test_a_row_is_added_and_everything_typed_stays_unsaved(me: FlaskClient, stored: Callable[[], Stated]) -> None:
    answer = submit(me, PAGE, filled(("queues", "3"), statement="Typed.", discoverable="y", add_topic=""))
    assert answer.status_code == 200
    assert 'value="queues"' in control(answer.text, "topics-0-text")
    assert 'value="3"' in control(answer.text, "topics-0-weight")
    assert 'name="topics-1-text"' in answer.text
    assert "Typed." in answer.text
    assert " checked" in control(answer.text, "discoverable")
    assert stored() == Stated()


def test_a_suggested_topic_fills_the_empty_row(me: FlaskClient) -> None:
    answer = submit(me, PAGE, filled(("queues", "3"), ("", "1"), add_topic="GPU scheduling"))
    assert 'value="GPU scheduling"' in control(answer.text, "topics-1-text")
    assert 'name="topics-2-text"' not in answer.text


def test_a_row_is_removed_and_the_others_stay(me: FlaskClient) -> None:
    sent = filled(("one", "1"), ("two", "2"), ("three", "3"), statement="Typed.", remove_topic="1")
    answer = submit(me, PAGE, sent)
    assert 'value="one"' in control(answer.text, "topics-0-text")
    assert 'value="three"' in control(answer.text, "topics-1-text")
    assert 'value="3"' in control(answer.text, "topics-1-weight")
    assert 'name="topics-2-text"' not in answer.text
    assert "Typed." in answer.text


@pytest.mark.parametrize(
    "name", ["topics-²-text", "topics-" + "9" * 5_000 + "-text", "topics--text", "topics-x", "topics"]
)
def test_field_names_that_no_form_of_ours_has_are_passed_over(
    me: FlaskClient, stored: Callable[[], Stated], name: str
) -> None:
    assert submit(me, PAGE, filled(("queues", "1"), **{name: "hostile"})).status_code == 302
    assert stored().topics == (Topic("queues", 1.0),)
    assert submit(me, PAGE, {name: "hostile", "add_topic": "x"}).status_code == 200


@pytest.mark.parametrize("version", ["", "x", "-1", "9" * 40, "²", "1.5"])
def test_a_version_that_is_none_counts_as_never_saved(me: FlaskClient, version: str) -> None:
    assert submit(me, PAGE, filled(("queues", "1"), version=0)).status_code == 302
    assert submit(me, PAGE, filled(("stacks", "1")) | {"version": version}).status_code == 409


def test_markup_in_what_is_typed_is_shown_as_text(me: FlaskClient) -> None:
    hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    submit(me, PAGE, filled((hostile, "1"), statement=f"</textarea>{hostile}"))
    for page in (me.get(PAGE).text, me.get("/me/matches").text):
        assert "<script>alert" not in page
        assert "<img src=x" not in page


def test_a_form_without_its_token_comes_back_with_what_was_typed(me: FlaskClient, stored: Callable[[], Stated]) -> None:
    answer = me.post(PAGE, data=filled(("queues", "3"), statement="Typed.", discoverable="y"))
    assert answer.status_code == 400
    assert "Nothing was saved yet." in answer.text
    assert 'value="queues"' in control(answer.text, "topics-0-text")
    assert "Typed." in answer.text
    assert " checked" not in control(answer.text, "discoverable")
    assert stored() == Stated()
    again = filled(
        ("queues", "3"),
        statement="Typed.",
        csrf_token=re.findall(r'name="csrf_token"[^>]*value="([^"]+)"', answer.text)[-1],
    )
    assert me.post(PAGE, data=again).status_code == 302
    assert stored().statement == "Typed."


def test_a_value_that_no_lab_states_any_more_is_kept_and_marked(
    me: FlaskClient, session: Session, applicant: Person, stored: Callable[[], Stated]
) -> None:
    submit(me, PAGE, filled(**{"hardware-values": ["GPU"]}))
    interests = interests_of(session, session.get_one(User, applicant.id))
    assert interests is not None
    interests.facets = {"hardware": ["GPU", "transputer"]}
    session.commit()
    assert "transputer (no lab states this now)" in me.get(PAGE).text
    sent = filled(("queues", "1"), version=1, **{"hardware-values": ["transputer"]})
    assert submit(me, PAGE, sent).status_code == 302
    assert stored().facets == {"hardware": ("transputer",)}


def test_only_values_that_labs_state_can_be_wanted(me: FlaskClient, stored: Callable[[], Stated]) -> None:
    submit(me, PAGE, filled(**{"hardware-values": ["GPU", "phones"]}))
    assert stored().facets == {"hardware": ("GPU", "phones")}
    answer = submit(me, PAGE, filled(version=1, **{"hardware-values": ["fones"]}))
    assert answer.status_code == 422
    assert "No lab states “fones”." in html.unescape(answer.text)


def test_topics_are_suggested_from_what_labs_publish(me: FlaskClient) -> None:
    suggestions = me.get(f"{PAGE}/suggest?q=feder").get_json()["suggestions"]
    assert "federated learning" in [suggestion.casefold() for suggestion in suggestions]
    assert me.get(f"{PAGE}/suggest?q=").get_json() == {"suggestions": []}
    assert me.get(f"{PAGE}/suggest?q={'x' * 5_000}").get_json() == {"suggestions": []}


def test_the_topics_of_the_labs_are_listed_without_scripts(me: FlaskClient) -> None:
    page = me.get(PAGE).text
    assert '<option value="federated learning">' in page
    assert 'name="add_topic" value="federated learning"' in page


def test_the_enter_key_saves_and_does_nothing_else(me: FlaskClient) -> None:
    page = me.get("/me/interests").text
    first = re.search(r'class="interests-form".*?(<button[^>]*>)(.*?)</button>', page, re.DOTALL)
    assert first is not None
    assert (first[2], "name=" in first[1]) == ("Save interests", False)
    assert 'tabindex="-1" aria-hidden="true"' in first[1]


JSON = {"Accept": "application/json"}


def test_autosave_answers_with_the_version_to_go_on_from(me: FlaskClient, stored: Callable[[], Stated]) -> None:
    token = csrf_token(me, PAGE)
    first = me.post(PAGE, data=filled(("que", "1"), csrf_token=token), headers=JSON)
    assert first.status_code == 200
    fields = first.get_json()["fields"]
    assert fields == {"version": "1", "opened_with": fingerprint(parts_of(Stated((Topic("que", 1.0),))))}
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


def test_a_stale_save_shows_both_versions_and_saves_once_it_is_sent_again(
    me: FlaskClient, stored: Callable[[], Stated]
) -> None:
    submit(me, PAGE, filled(("queues", "1"), statement="From the first tab."))
    conflict = submit(me, PAGE, filled(("stacks", "2"), statement="From the second tab."))
    assert conflict.status_code == 409
    for text in ("queues (weight 1)", 'value="stacks"', "From the first tab.", "From the second tab."):
        assert text in conflict.text
    assert 'value="1"' in control(conflict.text, "version")
    assert stored().statement == "From the first tab."

    assert "stays-below" not in conflict.text  # it would cover one of the versions on a phone
    again = submit(me, PAGE, filled(("stacks", "2"), statement="From the second tab.") | opened_in(conflict.text))
    assert again.status_code == 302
    assert stored() == Stated((Topic("stacks", 2.0),), "From the second tab.")


def opened_in(page: str) -> dict[str, str]:
    """What the form on a page was opened with."""
    found = {name: control(page, name).partition('value="')[2].rstrip('">') for name in ("version", "opened_with")}
    return {name: html.unescape(value) for name, value in found.items()}


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


def test_what_is_sent_again_counts_only_against_the_version_that_was_shown(
    me: FlaskClient, stored: Callable[[], Stated]
) -> None:
    tab = opened(me)
    submit(me, PAGE, filled(statement="First.") | opened(me))
    conflict = submit(me, PAGE, filled(statement="Mine.") | tab)
    submit(me, PAGE, filled(statement="Third.") | opened(me))
    answer = submit(me, PAGE, filled(statement="Mine.") | opened_in(conflict.text))
    assert (answer.status_code, "Third." in answer.text, stored().statement) == (409, True, "Third.")


def test_the_same_form_twice_is_no_conflict(me: FlaskClient) -> None:
    sent = filled(("queues", "1"))
    assert [submit(me, PAGE, sent).status_code for _ in range(2)] == [302, 302]
