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
OFFER = "You wrote this on the home page before you signed in:"
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


def test_a_visitor_is_offered_the_text_once_they_are_signed_in_and_adds_it(
    applicant: Person, client: FlaskClient, stored: Callable[[], Stated]
) -> None:
    page = sign_in_page(register_with_text(client))
    assert page in client.get(page.replace("login", "register")).text, "the sign-in page is one link away"
    sign_in(client, applicant, page=page, **on_from(client, page))
    assert client.get("/accounts/landing").headers["Location"] == PAGE
    offered = client.get(PAGE).text
    assert (OFFER in offered, f"{TOPIC}</blockquote>" in offered) == (True, True)
    assert 'value=""' in control(offered, "topics-0-text"), "nothing is put into the form without a press"
    assert "data-not-saved" not in offered, "nothing is saved by a script without a press"
    assert stored() == Stated(), "nothing is saved before its owner adds it"
    added = submit(client, PAGE, filled(("LLM serving", "2"), pending_text="add", **opened(client)))
    assert added.headers["Location"] == PAGE
    assert stored().topics == (Topic("LLM serving", 2.0), Topic(TOPIC, 1.0))
    saved = client.get(PAGE).text
    assert ("Your interests are saved." in saved, NOTE in saved, OFFER in saved) == (True, False, False)
    assert "pending_text" not in kept_by(client)


def test_a_text_that_is_added_to_a_form_with_a_mistake_waits_in_the_form(
    applicant: Person, client: FlaskClient, stored: Callable[[], Stated]
) -> None:
    page = sign_in_page(register_with_text(client))
    sign_in(client, applicant, page=page, **on_from(client, page))
    refused = submit(client, PAGE, filled(("LLM serving", "heavy"), pending_text="add", **opened(client)))
    assert refused.status_code == 422
    assert (NOTE in refused.text, OFFER in refused.text) == (True, False)
    assert 'value="heavy"' in control(refused.text, "topics-0-weight")
    assert f'value="{TOPIC}"' in control(refused.text, "topics-1-text")
    assert stored() == Stated()
    submit(client, PAGE, filled(("LLM serving", "2"), (TOPIC, "1")))
    assert stored().topics == (Topic("LLM serving", 2.0), Topic(TOPIC, 1.0))
    assert NOTE not in client.get(PAGE).text


def kept_by(client: FlaskClient) -> dict[str, object]:
    with client.session_transaction() as session:
        return dict(session)


def test_a_text_that_is_declined_is_gone_and_what_was_typed_stays(applicant: Person, client: FlaskClient) -> None:
    page = sign_in_page(register_with_text(client))
    sign_in(client, applicant, page=page, **on_from(client, page))
    answer = submit(client, PAGE, filled(("LLM serving", "2"), pending_text="leave", **opened(client))).text
    assert 'value="LLM serving"' in control(answer, "topics-0-text")
    assert (OFFER in answer, TOPIC in answer, "pending_text" in kept_by(client)) == (False, False, False)


def test_saving_something_else_answers_no_offer(
    applicant: Person, client: FlaskClient, stored: Callable[[], Stated]
) -> None:
    page = sign_in_page(register_with_text(client))
    sign_in(client, applicant, page=page, **on_from(client, page))
    submit(client, PAGE, filled(("LLM serving", "2")))
    assert stored().topics == (Topic("LLM serving", 2.0),)
    assert OFFER in client.get(PAGE).text


def test_a_long_text_is_added_to_the_statement_as_it_is_typed(
    applicant: Person, client: FlaskClient, stored: Callable[[], Stated]
) -> None:
    page = sign_in_page(register_with_text(client, LONG))
    sign_in(client, applicant, page=page, **on_from(client, page))
    submit(client, PAGE, filled(statement="I like queues.", pending_text="add", **opened(client)))
    assert stored().statement == f"I like queues.\n\n{LONG}"


@pytest.mark.parametrize(
    ("text", "then"),
    [(TOPIC, Stated(topics=(Topic(TOPIC, 1.0),))), (f"{LONG}\nNow.", Stated(statement=f"{LONG}\nNow."))],
)
def test_a_text_is_added_even_if_its_page_was_left_open_for_long(
    applicant: Person, client: FlaskClient, stored: Callable[[], Stated], text: str, then: Stated
) -> None:
    page = sign_in_page(register_with_text(client, text))
    sign_in(client, applicant, page=page, **on_from(client, page))
    offered = control(client.get(PAGE).text, "offered_text").partition('value="')[2].rstrip('">')
    with client.session_transaction() as session:
        session["pending_text"]["at"] = (datetime.now(UTC) - BOUND - timedelta(minutes=1)).isoformat()
        session.modified = True
    assert (OFFER in client.get(PAGE).text, offered) == (False, text)
    sent = offered.replace("\n", "\r\n")  # as a browser sends it
    submit(client, PAGE, filled(pending_text="add", offered_text=sent, **opened(client)))
    assert stored() == then


def test_who_registers_with_the_text_finds_it_after_the_mail(app: Flask, client: FlaskClient) -> None:
    page = register_with_text(client)
    address = {"email": "mei@example.edu", "password": PASSWORD}
    submit(client, page, {**address, "password_confirm": PASSWORD, **on_from(client, page)})
    follow(client, link_to(app, "mei@example.edu", "/confirm/"))
    assert OFFER in client.get(PAGE).text


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
    assert (OFFER in found, NOTE in found, TOPIC in found) == (False, False, False)
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
    assert OFFER not in client.get(PAGE).text


def test_who_is_signed_in_has_pressed_already_and_finds_the_text_until_the_interests_are_saved(
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
    assert OFFER not in client.get(PAGE).text


def test_a_text_that_an_older_version_let_wait_is_let_go(me: FlaskClient) -> None:
    with me.session_transaction() as session:
        session["pending_text"] = {"text": TOPIC, "at": datetime.now(UTC).isoformat()}
    found = me.get(PAGE).text
    assert (OFFER in found, NOTE in found, TOPIC in found) == (False, False, False)


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
