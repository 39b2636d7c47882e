from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from portal.applications.interests.service import Stated, interests_of, stated_in, topic_key
from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.labs.service import save_profile
from portal.matching import Topic
from portal.models import User
from portal.seeding.records import LabRecord, OpeningRecord
from tests.applications.labs import NOW, PROTEINS, add_labs
from tests.labs.pages import Document
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from sqlalchemy.orm import Session

    from tests.people import Person

PAGE = "/me/matches"
SERVING_WEIGHT = f"weight-{topic_key('LLM serving on GPU clusters')}"
FEDERATED_WEIGHT = f"weight-{topic_key('federated learning')}"


def state(me: FlaskClient, *topics: str, **rest: Any) -> None:  # noqa: ANN401
    """State topics of weight 1."""
    rows = {f"topics-{number}-text": text for number, text in enumerate(topics)}
    assert submit(me, "/me/interests", rows | rest).status_code == 302


def order(page: str) -> list[str]:
    """The slugs of the labs as they are ranked."""
    return re.findall(r'<article class="card match" id="lab-([a-z-]+)"', page)


@pytest.fixture
def stated(me: FlaskClient, labs: None) -> FlaskClient:  # noqa: ARG001  (the labs are there)
    """An applicant with two topics, of two labs."""
    state(me, "LLM serving on GPU clusters", "federated learning")
    return me


def test_without_labs_the_page_says_so(me: FlaskClient) -> None:
    state(me, "queues")
    assert "There are no labs here yet" in me.get(PAGE).text


@pytest.mark.usefixtures("labs")
def test_without_interests_there_is_one_thing_to_do(me: FlaskClient) -> None:
    page = me.get(PAGE).text
    assert "Nothing to match yet" in page
    assert 'href="/me/interests">State your interests</a>' in page
    assert order(page) == []


@pytest.mark.usefixtures("labs")
def test_interests_that_fit_no_lab_are_told_so(me: FlaskClient) -> None:
    state(me, "medieval poetry of Provence")
    page = me.get(PAGE).text
    assert "No lab here fits" in page
    assert "None of the 3 labs works on what you state." in page


def test_labs_are_ranked_with_their_reasons(stated: FlaskClient, applicant: Person) -> None:
    page = stated.get(PAGE).text
    assert sorted(order(page)) == ["federated-lab", "serving-lab"]
    assert "2 of 3 labs fit" in page
    assert re.search(rf'<p class="on-paper-only">For [^<]*, {applicant.email}</p>', page)
    assert "Strong match 1st" in Document(page).within("results")
    assert "Paged caches for language model serving" in Document(page).within("lab-serving-lab")
    assert "<mark>" in page
    assert "from your topics" in stated.get(f"{PAGE}/serving-lab").text


def test_each_row_says_which_positions_are_open(app: Flask, stated: FlaskClient) -> None:
    passed = OpeningRecord("phd", "phd", deadline="2020-01-31")
    add_labs(app, LabRecord("full-lab", name="Full Lab", topics=("federated learning",), openings=(passed,)))
    page = Document(stated.get(PAGE).text)
    assert "Open: Ph.D." in page.within("lab-serving-lab")
    assert "No open call" in page.within("lab-full-lab")


def test_weights_in_the_address_change_the_order(stated: FlaskClient) -> None:
    serving = stated.get(f"{PAGE}?{SERVING_WEIGHT}=5&{FEDERATED_WEIGHT}=0.1").text
    federated = stated.get(f"{PAGE}?{SERVING_WEIGHT}=0.1&{FEDERATED_WEIGHT}=5").text
    assert order(serving)[0] == "serving-lab"
    assert order(federated)[0] == "federated-lab"
    assert "Keep these weights" in serving
    assert "Keep these weights" not in stated.get(PAGE).text


def test_trying_weights_saves_nothing(stated: FlaskClient) -> None:
    stated.get(f"{PAGE}?{SERVING_WEIGHT}=5")
    assert f'name="{SERVING_WEIGHT}" min="0" max="5" step="0.1" value="1"' in stated.get(PAGE).text


def test_weights_of_nothing_leave_nothing_to_rank(stated: FlaskClient) -> None:
    page = stated.get(f"{PAGE}?{SERVING_WEIGHT}=0&{FEDERATED_WEIGHT}=0").text
    assert "All weights are 0" in page


def kept(session: Session, applicant: Person) -> Stated:
    session.rollback()
    session.expire_all()
    return stated_in(interests_of(session, session.get_one(User, applicant.id)))


def test_weights_that_please_are_kept(stated: FlaskClient, session: Session, applicant: Person) -> None:
    tried = {SERVING_WEIGHT: "2.5", FEDERATED_WEIGHT: "1", "version": "1"}
    answer = submit(stated, f"{PAGE}/weights", tried, page=PAGE)
    assert answer.headers["Location"] == PAGE
    assert kept(session, applicant).topics == (
        Topic("LLM serving on GPU clusters", 2.5),
        Topic("federated learning", 1.0),
    )


def test_weights_of_a_stale_page_are_not_kept_and_can_be_tried_again(
    stated: FlaskClient, session: Session, applicant: Person
) -> None:
    state(stated, "LLM serving on GPU clusters", "federated learning", statement="New.", version="1")
    answer = submit(stated, f"{PAGE}/weights", {SERVING_WEIGHT: "2.5", "version": "1"}, page=PAGE)
    assert f"{SERVING_WEIGHT}=2.5" in answer.headers["Location"]
    assert kept(session, applicant).topics[0].weight == 1.0
    page = stated.get(answer.headers["Location"]).text
    assert "These weights were not saved" in page
    assert "Keep these weights" in page


def test_weights_that_cannot_be_used_are_not_kept(stated: FlaskClient, session: Session, applicant: Person) -> None:
    for bad in ({SERVING_WEIGHT: "7"}, {"weight-0123456789": "1"}, {SERVING_WEIGHT: "2", "version": "x" * 99}):
        assert submit(stated, f"{PAGE}/weights", {"version": "1"} | bad, page=PAGE).status_code == 302
    assert kept(session, applicant).topics[0].weight == 1.0


def test_whoever_has_no_resume_is_led_to_adding_one(me: FlaskClient, labs: None) -> None:  # noqa: ARG001
    lead = '<a href="/me/resume">Add your resume</a>'
    assert lead not in me.get(PAGE).text
    state(me, "federated learning")
    assert lead in me.get(PAGE).text
    submit(me, "/me/resume", {"text": "I trained models on phones with federated learning.", "use": "text"})
    assert lead not in me.get(PAGE).text


def test_an_unconfirmed_resume_does_not_count_and_says_so(stated: FlaskClient) -> None:
    before = order(stated.get(PAGE).text)
    submit(stated, "/me/resume", {"text": "Membrane proteins and the folding of proteins.", "use": "text"})
    page = stated.get(PAGE).text
    assert "Your resume does not count yet" in page
    assert "resume-weight" not in page
    assert order(page) == before


def test_a_confirmed_resume_counts_as_much_as_its_slider_says(stated: FlaskClient) -> None:
    submit(stated, "/me/resume", {"text": "Membrane proteins and the folding of proteins.", "use": "text"})
    digest = re.search(r'name="sha256" value="([0-9a-f]{64})"', stated.get("/me/resume/text").text)
    assert digest is not None
    submit(stated, "/me/resume/text", {"sha256": digest.group(1)})
    page = stated.get(f"{PAGE}?resume-weight=1&{SERVING_WEIGHT}=0.1&{FEDERATED_WEIGHT}=0.1").text
    assert order(page)[0] == "protein-lab"
    assert f'href="{PAGE}/protein-lab?resume-weight=1' in page
    assert "from your resume" in stated.get(f"{PAGE}/protein-lab?resume-weight=1&{SERVING_WEIGHT}=0.1").text
    assert "protein-lab" not in order(stated.get(f"{PAGE}?resume-weight=0").text)


def test_wanted_facets_are_reported_as_met_or_missed(me: FlaskClient, labs: None) -> None:  # noqa: ARG001
    state(me, "LLM serving on GPU clusters", "federated learning", **{"place-values": "Berlin"})
    pages = "".join(me.get(f"{PAGE}/{slug}").text for slug in ("serving-lab", "federated-lab"))
    assert re.search(r'class="met">\s*Place: Berlin', pages)
    assert re.search(r'class="missed">\s*Place: Berlin', pages)


def test_one_shares_with_a_lab_from_its_row_and_stops_again(stated: FlaskClient) -> None:
    here = f"{PAGE}?{SERVING_WEIGHT}=2#lab-serving-lab"  # where its row is, however far down
    assert f'<input type="hidden" name="next" value="{here}">' in stated.get(here).text
    answer = submit(stated, "/me/labs/serving-lab", {"act": "share", "next": here}, page=PAGE)
    assert answer.headers["Location"] == here
    page = stated.get(here).text
    assert "You now share with Serving Lab. Its professors can read your interests and your confirmed resume." in page
    assert "Stop sharing" in page
    submit(stated, "/me/labs/serving-lab", {"act": "stop", "next": here}, page=PAGE)
    page = stated.get(here).text
    assert "You stopped sharing with Serving Lab." in page
    assert "Stop sharing" not in page


def test_an_edit_of_a_lab_is_in_the_next_ranking(app: Flask, stated: FlaskClient) -> None:
    assert "protein-lab" not in order(stated.get(PAGE).text)
    with app.app_context():
        lab = lab_by_slug(db.session(), "protein-lab")
        assert lab is not None
        edited = replace(PROTEINS, interests="Federated learning of protein folding.", topics=("federated learning",))
        save_profile(db.session(), lab, edited, base=1, author=None, reason="moved on", now=NOW)
        db.session.commit()
    assert "protein-lab" in order(stated.get(PAGE).text)


def test_many_labs_come_in_pages(app: Flask, me: FlaskClient) -> None:
    names = [f"lab-{letter}{other}" for letter in "abcde" for other in "abcde"]
    add_labs(app, *(LabRecord(key=name, name=name, interests="Queues and stacks.") for name in names))
    state(me, "queues")
    first, second, third, beyond = (me.get(f"{PAGE}?page={number}").text for number in (1, 2, 3, 9))
    assert [len(order(page)) for page in (first, second, third)] == [10, 10, 5]
    assert sorted(order(first) + order(second) + order(third)) == names
    assert "match 21st" in Document(third).text
    assert "There is no page 9 of this list." in beyond


def test_a_very_long_list_is_cut_and_says_so(app: Flask, me: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portal.applications.matches.MOST_LISTED", 21)
    names = [f"lab-{letter}{other}" for letter in "abcde" for other in "abcde"]
    add_labs(app, *(LabRecord(key=name, name=name, interests="Queues and stacks.") for name in names))
    state(me, "queues")
    assert "25 of 25 labs fit; the best 21 are listed" in me.get(PAGE).text
    assert len(order(me.get(f"{PAGE}?page=3").text)) == 1
    assert "There is no page 999999 of this list." in me.get(f"{PAGE}?page=999999").text


def test_long_and_chinese_names_are_shown_whole(app: Flask, me: FlaskClient) -> None:
    long_name = "Laboratory of " + "very " * 50 + "long names"
    add_labs(app, LabRecord(key="long", name=long_name, leader="阿卜杜拉·买买提", interests="Queues."))
    state(me, "queues")
    page = me.get(PAGE).text
    assert long_name in page
    assert "阿卜杜拉·买买提" in page


def test_html_in_the_address_is_shown_as_text(stated: FlaskClient) -> None:
    page = stated.get(f"{PAGE}?{SERVING_WEIGHT}=<script>alert(1)</script>").text
    assert "<script>alert" not in page
