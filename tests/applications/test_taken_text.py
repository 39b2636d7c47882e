"""What a visitor writes on the home page comes along into their interests, if they ask for it."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.applications.stated import Stated
from portal.applications.taken_text import with_text
from portal.matching import Topic
from portal.web.taken_along import KEPT
from tests.applications.interests_form import PAGE, control, filled, opened
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.people import Person

pytestmark = pytest.mark.usefixtures("labs")

TOPIC = "decentralized training"
LONG = "I would like to find out how far a language model can be trained on machines that belong to different people."
NOTE = "What you wrote on the home page is in your interests below."
random.seed(11)
TOO_LONG = " ".join(str(random.random()) for _ in range(400))  # noqa: S311  (nothing secret: it must not compress)


def take(client: FlaskClient, text: str) -> TestResponse:
    return submit(client, "/", {"q": text, "then": "interests"})


def test_a_visitor_finds_the_text_in_their_interests_once_they_are_signed_in(
    applicant: Person, client: FlaskClient, stored: Callable[[], Stated]
) -> None:
    response = take(client, TOPIC)
    assert response.headers["Location"] == "/accounts/register"
    assert "Your text comes along" in client.get("/accounts/register").text
    submit(client, "/accounts/login", {"email": applicant.email, "password": applicant.password})
    page = client.get(PAGE).text
    assert NOTE in page
    assert f'value="{TOPIC}"' in control(page, "topics-0-text")
    assert stored() == Stated(), "nothing is saved before its owner saves it"


def test_the_text_waits_until_the_interests_are_saved_and_no_longer(
    me: FlaskClient, stored: Callable[[], Stated]
) -> None:
    assert take(me, TOPIC).headers["Location"] == "/me/interests"
    assert NOTE in me.get(PAGE).text
    assert NOTE in me.get(PAGE).text
    submit(me, PAGE, filled((TOPIC, "1")))
    assert stored().topics == (Topic(TOPIC, 1.0),)
    assert NOTE not in me.get(PAGE).text


def test_the_text_stands_beside_what_is_saved_and_replaces_nothing(
    me: FlaskClient, stored: Callable[[], Stated]
) -> None:
    submit(me, PAGE, filled(("LLM serving", "2"), statement="I like queues."))
    take(me, LONG)
    page = me.get(PAGE).text
    assert 'value="LLM serving"' in control(page, "topics-0-text")
    assert f"I like queues.\n\n{LONG}" in page
    both = filled(("LLM serving", "2"), statement=f"I like queues.\n\n{LONG}", **opened(me))
    submit(me, PAGE, both)
    assert stored().statement == f"I like queues.\n\n{LONG}"


def test_a_text_that_a_browser_would_not_keep_is_refused_beside_its_box_and_stays_there(client: FlaskClient) -> None:
    response = take(client, TOO_LONG)
    assert response.status_code == 200
    assert "This is too long to be taken along." in response.text
    assert TOO_LONG in response.text
    assert "Your text comes along" not in client.get("/accounts/register").text


def test_no_text_asks_for_one(client: FlaskClient) -> None:
    assert "Write what you want to work on" in take(client, " ").text


def test_a_text_from_days_ago_does_not_come_along(me: FlaskClient) -> None:
    take(me, TOPIC)
    with me.session_transaction() as session:
        session["taken_along"]["at"] = (datetime.now(UTC) - KEPT - timedelta(minutes=1)).isoformat()
        session.modified = True
    assert NOTE not in me.get(PAGE).text


@pytest.mark.parametrize(
    ("stated", "text", "then"),
    [
        (Stated(), "LLM\r\nserving", Stated(statement="LLM\nserving")),
        (Stated(), LONG, Stated(statement=LONG)),
        (Stated(), "大模型推理", Stated((Topic("大模型推理"),))),
        (Stated((Topic("LLM serving", 2.0),)), "llm  Serving", Stated((Topic("LLM serving", 2.0),))),
        (Stated(statement=f"So far.\n\n{LONG}"), LONG, Stated(statement=f"So far.\n\n{LONG}")),
        (
            Stated(tuple(Topic(str(number)) for number in range(12))),
            "one more",
            Stated(tuple(Topic(str(number)) for number in range(12)), "one more"),
        ),
        (Stated(), "y" * 201, Stated(statement="y" * 201)),
    ],
)
def test_few_words_are_a_topic_and_more_are_part_of_the_statement(stated: Stated, text: str, then: Stated) -> None:
    assert with_text(stated, text) == then
