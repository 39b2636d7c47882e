"""Trying an entry: what it would do is shown, nothing is saved; once it is saved an applicant's match shows it."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.matches.views import matches_for
from portal.matching import Query, Topic
from tests.admin.concepts import CARD, CARD_FORM, CHAT, CONCEPTS, OLD, in_use, reasons, store_concepts
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.admin.desk import Desk
    from tests.people import Person

NEW = {"plain": "rented computers", "terms": "decentralised training", "strength": "0.9", "why": "Machines of others."}
TEXT = "rented computers"


@pytest.fixture
def desk(desk: Desk) -> Desk:
    """An administrator, a lab and three concepts."""
    store_concepts(desk.app)
    return desk


def shown(page: str) -> str:
    """The result of a trial as words."""
    section = html.unescape(page).split('id="trial"')[1].split("</section>")[0]
    words = " ".join(re.sub(r"<[^>]+>", " ", section.split(">", 1)[1]).split())
    return words.replace("( ", "(").replace(" )", ")")


def test_a_new_entry_shows_the_labs_it_would_bring_and_saves_nothing(desk: Desk) -> None:
    response = desk.post(f"{CONCEPTS}new", {**NEW, "query": TEXT, "try": "yes"})
    assert response.status_code == 200
    said = shown(response.text)
    assert said.startswith("“rented computers” with this entry Nothing is saved. Compared: 1 lab.")
    assert "rented computers → decentralised training (this entry)" in said
    assert "Relaxed Lab does not fit 1 fits now 0.000" in said
    assert in_use(desk.app) == (CARD, CHAT, OLD)
    for typed in (*NEW.values(), TEXT):
        assert typed in response.text


def test_an_edit_is_tried_in_the_place_of_the_stored_entry(desk: Desk) -> None:
    weaker = {**CARD_FORM, "terms": "TPU", "query": "a chatbot on a video card", "reason": "", "try": "yes"}
    response = desk.post(f"{CONCEPTS}1", weaker)
    assert response.status_code == 200
    said = shown(response.text)
    assert "video card → TPU (this entry) chatbot → LLM, large language model (entry 2)" in said
    assert "GPU" not in said
    assert 'name="base" type="hidden" value="1"' in response.text
    assert reasons(desk.app, 1) == ["From the concept file that comes with the portal"]


def test_a_retired_entry_is_tried_as_if_it_were_in_use(desk: Desk) -> None:
    desk.post(f"{CONCEPTS}1/retire", {"retire-reason": "x"}, page=f"{CONCEPTS}1")
    response = desk.post(f"{CONCEPTS}1", {**CARD_FORM, "base": "2", "query": "video card", "try": "yes"})
    assert "video card → GPU (this entry)" in shown(response.text)


def test_the_shipped_entries_count_before_any_is_stored(app: object, admin: Person) -> None:
    client = admin.sign_in()
    data = {**NEW, "query": "a video card in rented computers", "try": "yes"}
    response = submit(client, f"{CONCEPTS}new", data)
    assert "(comes with the portal)" in shown(response.text)
    assert "No lab fits this text" in shown(response.text)
    assert app is not None


@pytest.mark.parametrize(
    ("changed", "field", "error"),
    [
        ({"query": " "}, "query", "Write what an applicant might ask for."),
        ({"query": "q" * 501}, "query", "This is 501 characters long; at most 500 fit."),
        ({"plain": ""}, "plain", "Give at least one phrase."),
        ({"strength": "2"}, "strength", "not “2”."),
    ],
)
def test_what_cannot_be_tried_is_told_beside_its_field(
    desk: Desk, changed: dict[str, str], field: str, error: str
) -> None:
    response = desk.post(f"{CONCEPTS}new", {**NEW, "query": TEXT, "try": "yes", **changed})
    assert response.status_code == 422
    assert error in html.unescape(response.text).split(f'id="{field}-error"')[1].split("</div>")[0]


def test_what_is_saved_is_in_the_next_match_and_shown_as_a_concept(desk: Desk, person: Callable[..., Person]) -> None:
    def match() -> list[tuple[str, str, str]]:
        with desk.app.app_context():
            labs = live_index(desk.app).current(db.session())
            found = matches_for(labs, Query((Topic(TEXT),)))
            return [(term.source, term.via, term.term) for one in found for term in one.terms if term.via]

    assert match() == []
    assert desk.post(f"{CONCEPTS}new", {**NEW, "reason": "Asked for"}).status_code == 302
    assert ("concept", "rented computers", "decentralised training") in match()
    page = person("applicant").sign_in().get(f"/?q={TEXT.replace(' ', '+')}").text
    assert "decentralised training" in page
    assert "rented computers" in page
    desk.post(f"{CONCEPTS}4/retire", {"retire-reason": "x"}, page=f"{CONCEPTS}4")
    assert match() == []
