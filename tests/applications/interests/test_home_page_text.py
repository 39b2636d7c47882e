"""What a visitor writes on the home page comes along into their interests, if they ask for it."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.applications.interests.service import Stated, with_text
from portal.matching import Topic
from portal.web.messages import BOUND, UNBOUND
from tests.accounts.mailbox import follow, link_to
from tests.applications.interests_form import PAGE, control, filled, opened
from tests.people import PASSWORD, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
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


def register_with_text(client: FlaskClient, text: str = TOPIC) -> str:
    """Press “Register with this text”; the address that it leads to."""
    place = take(client, text).headers["Location"]
    assert place.startswith("/accounts/register?text=")
    assert "Your text comes along" in client.get(place).text
    return place


def on_from(client: FlaskClient, page: str) -> dict[str, str]:
    """The hidden number of the text on a page to register or sign in on."""
    return {"text": control(client.get(page).text, "text").partition('value="')[2].rstrip('">')}


def sign_in(client: FlaskClient, person: Person, *, page: str = "/accounts/login", **more: str) -> None:
    answer = submit(client, page, {"email": person.email, "password": person.password, **more})
    assert answer.status_code == 302


def sign_in_page(register: str) -> str:
    return register.replace("register", "login")


def kept_by(client: FlaskClient) -> dict[str, object]:
    with client.session_transaction() as session:
        return dict(session)


def test_a_visitor_finds_the_text_in_the_form_once_they_are_signed_in_and_saves_it(
    applicant: Person, client: FlaskClient, stored: Callable[[], Stated]
) -> None:
    page = sign_in_page(register_with_text(client))
    assert page in client.get(page.replace("login", "register")).text, "the sign-in page is one link away"
    sign_in(client, applicant, page=page, **on_from(client, page))
    assert client.get("/accounts/landing").headers["Location"] == PAGE
    found = client.get(PAGE).text
    assert (NOTE in found, f'value="{TOPIC}"' in control(found, "topics-0-text")) == (True, True)
    assert stored() == Stated(), "nothing is saved by opening a page"
    submit(client, PAGE, filled((TOPIC, "1"), ("LLM serving", "2"), **opened(client)))
    assert stored().topics == (Topic(TOPIC, 1.0), Topic("LLM serving", 2.0))
    saved = client.get(PAGE).text
    assert ("Your interests are saved." in saved, NOTE in saved, "pending_text" in kept_by(client)) == (
        True,
        False,
        False,
    )


def test_a_form_with_a_mistake_keeps_the_text(
    applicant: Person, client: FlaskClient, stored: Callable[[], Stated]
) -> None:
    page = sign_in_page(register_with_text(client))
    sign_in(client, applicant, page=page, **on_from(client, page))
    refused = submit(client, PAGE, filled((TOPIC, "heavy"), **opened(client)))
    assert (refused.status_code, 'value="heavy"' in control(refused.text, "topics-0-weight")) == (422, True)
    assert f'value="{TOPIC}"' in control(refused.text, "topics-0-text")
    assert stored() == Stated()


def test_a_text_that_is_taken_out_is_gone(applicant: Person, client: FlaskClient) -> None:
    page = sign_in_page(register_with_text(client))
    sign_in(client, applicant, page=page, **on_from(client, page))
    submit(client, PAGE, filled(("LLM serving", "2"), **opened(client)))
    assert (TOPIC in client.get(PAGE).text, "pending_text" in kept_by(client)) == (False, False)


def test_who_registers_with_the_text_finds_it_after_the_mail(app: Flask, client: FlaskClient) -> None:
    page = register_with_text(client)
    address = {"email": "mei@example.edu", "password": PASSWORD}
    submit(client, page, {**address, "password_confirm": PASSWORD, **on_from(client, page)})
    follow(client, link_to(app, "mei@example.edu", "/confirm/"))
    assert NOTE in client.get(PAGE).text


@pytest.mark.parametrize("way", ["the link in the head", "another address", "registered by another"])
def test_somebody_else_at_the_same_computer_is_not_offered_the_text(
    way: str, applicant: Person, person: Callable[..., Person], client: FlaskClient
) -> None:
    page = sign_in_page(register_with_text(client))
    other = person("applicant")
    if way == "another address":
        # Its owner gave up halfway, such as with a wrong password.
        submit(client, page, {"email": other.email, "password": "wrong", **on_from(client, page)})
    if way == "registered by another":
        register = page.replace("login", "register")
        new = {"email": "mei@example.edu", "password": PASSWORD, "password_confirm": PASSWORD}
        submit(client, register, {**new, **on_from(client, register)})
    sign_in(client, applicant)
    found = client.get(PAGE).text
    assert (NOTE in found, TOPIC in found) == (False, False)
    assert "pending_text" not in kept_by(client)


def test_the_text_goes_with_who_signs_out(applicant: Person, client: FlaskClient) -> None:
    page = sign_in_page(register_with_text(client))
    sign_in(client, applicant, page=page, **on_from(client, page))
    submit(client, "/accounts/logout", {}, page="/accounts/")
    assert "pending_text" not in kept_by(client)


def test_a_text_that_was_added_goes_with_who_signs_out_before_saving(me: FlaskClient) -> None:
    take(me, TOPIC)
    submit(me, "/accounts/sign-out-everywhere", {}, page="/accounts/")
    assert "pending_text" not in kept_by(me)


def test_the_number_of_another_text_binds_nothing(applicant: Person, client: FlaskClient) -> None:
    register_with_text(client)
    sign_in(client, applicant, text="AAAAAAAAAAAA")
    assert NOTE not in client.get(PAGE).text


def test_who_is_signed_in_finds_the_text_until_the_interests_are_saved(
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
    assert "This text is too long to be taken to your interests." in response.text
    assert TOO_LONG in response.text
    assert "Your text comes along" not in client.get("/accounts/register").text


def test_no_text_asks_for_one(client: FlaskClient) -> None:
    assert "Write what you want to work on" in take(client, " ").text


@pytest.mark.parametrize(("step", "kept"), [("not bound", UNBOUND), ("bound", BOUND)])
def test_a_text_waits_for_a_short_while(step: str, kept: timedelta, applicant: Person, client: FlaskClient) -> None:
    page = sign_in_page(register_with_text(client))
    number = on_from(client, page)
    if step == "bound":
        sign_in(client, applicant, page=page, **number)
    with client.session_transaction() as session:
        session["pending_text"]["at"] = (datetime.now(UTC) - kept - timedelta(minutes=1)).isoformat()
        session.modified = True
    if step == "not bound":
        assert "Your text comes along" not in client.get(page).text
        sign_in(client, applicant, page=page, **number)
    assert NOTE not in client.get(PAGE).text


def test_a_text_that_an_older_version_let_wait_is_let_go(me: FlaskClient) -> None:
    with me.session_transaction() as session:
        session["pending_text"] = {"text": TOPIC, "at": datetime.now(UTC).isoformat()}
    found = me.get(PAGE).text
    assert (NOTE in found, TOPIC in found) == (False, False)


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
