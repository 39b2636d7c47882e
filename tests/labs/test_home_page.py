from __future__ import annotations

import logging
import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import inspect

from portal.db import db
from portal.labs.ranking_pages import LONGEST_TEXT, RANKINGS
from portal.moments import format_in_zone
from tests.admission import add_admission
from tests.labs.pages import Document, text_of
from tests.labs.records import GENOMES, WEAVER, edit, small_lab, store
from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.people import Person

TEXT = "serving of language models"


@pytest.fixture
def labs(app: Flask) -> Flask:
    store(app, WEAVER, GENOMES)
    return app


def ask(client: FlaskClient, text: str, url: str = "/") -> TestResponse:
    return submit(client, url, {"q": text})


def test_a_text_ranks_the_labs_at_once_without_an_account(labs: Flask, client: FlaskClient) -> None:
    del labs
    response = ask(client, TEXT)
    assert response.status_code == 200
    results = Document(response.text).within("results")
    assert "1 of 2 labs fits" in results
    assert "Weaver Systems Lab Ada Weaver · Leeds, United Kingdom Strong match 1st Open: Ph.D." in results
    assert "Genome Reading Group" not in results


def test_visitors_and_applicants_learn_until_when_they_can_apply(labs: Flask) -> None:
    says = "applications until"
    assert says not in labs.test_client().get("/").text
    with labs.app_context():
        admission = add_admission(labs)
        admission.add_lab("Ada Lab")
        add_admission(labs, deadline_in=timedelta(days=90))
        cycle = admission.cycle
        way = f"/cycles/{cycle.slug}"
        told = f"{cycle.name}: {says} {format_in_zone(cycle.deadline_at, cycle.zone).partition(',')[0]}"
        readers = (labs.test_client(), admission.add_applicant().sign_in(), admission.leaders["Ada Lab"].sign_in())
        pages = [Document(reader.get("/").text) for reader in readers]
    shown = [(told in page.text, way in page.links.values()) for page in pages]
    assert shown == [(True, True), (True, True), (False, False)]


def test_a_result_shows_terms_and_the_first_evidence_with_its_words_marked(labs: Flask, client: FlaskClient) -> None:
    del labs
    page = Document(ask(client, TEXT).text)
    assert "language models" in page.within("results")
    assert "LoomServe" in page.within("results")
    marked = {" ".join("".join(mark.itertext()).split()).casefold() for mark in page.all("mark")}
    assert "serving language models" in marked
    (why,) = page.all("p", class_="match-why")
    assert text_of(why) == "You share serving of language and language models."


def test_what_no_work_bears_is_shown_in_the_words_of_the_profile(app: Flask, client: FlaskClient) -> None:
    store(app, replace(WEAVER, recruiting_focus="I am recruiting for looms of quantum yarn."), GENOMES)
    quote = "“I am recruiting for looms of quantum yarn.” from the lab’s profile"
    results = Document(ask(client, "quantum yarn").text).within("results")
    assert quote in results
    assert "from the lab’s profile" not in Document(ask(client, TEXT).text).within("results")


def test_a_weak_word_of_the_profile_alone_is_told_where_the_match_is_opened(app: Flask, client: FlaskClient) -> None:
    store(app, replace(WEAVER, recruiting_focus="I am recruiting for looms of quantum yarn."), GENOMES)
    statement = f"{TEXT} and batching of requests. Scheduling of training jobs across clusters. " * 3
    text = f"{statement} Shuffling data in database systems, and yarn."
    assert "from the lab’s profile" not in Document(ask(client, text).text).within("results")
    opened = Document(ask(client, text, "/labs/weaver-lab/match").text)
    assert "What the lab says of itself" in opened.within("results")


def test_a_link_ranks_as_the_form_does(labs: Flask, client: FlaskClient) -> None:
    del labs
    by_form = Document(ask(client, TEXT).text).within("results")
    by_link = Document(client.get("/", query_string={"q": TEXT}).text).within("results")
    assert by_form.replace("Copy a link to this ranking ", "") == by_link


def test_the_way_to_the_details_keeps_a_private_text_out_of_addresses(labs: Flask, client: FlaskClient) -> None:
    del labs
    (button,) = Document(ask(client, TEXT).text).all("button", name="details")
    assert (button.get("form"), button.get("formaction")) == ("ask", "/labs/weaver-lab/match")
    link = Document(client.get("/", query_string={"q": TEXT}).text).links["Details"]
    assert link == "/labs/weaver-lab/match?q=serving+of+language+models"


def test_a_link_to_the_ranking_is_given_on_demand(labs: Flask, client: FlaskClient) -> None:
    del labs
    page = Document(ask(client, TEXT).text)
    (field,) = (field for field in page.all("input", name="q") if field.get("type") == "hidden")
    assert field.get("value") == TEXT
    assert [href for href in page.links.values() if "serving+of" in href] == []
    too_long = Document(ask(client, f"{TEXT} " * 100).text)
    assert "Copy a link" not in too_long.within("results")


def test_one_real_match_shows_what_comes_out(labs: Flask, client: FlaskClient) -> None:
    del labs
    page = Document(client.get("/").text)
    (sample,) = page.all("figure", class_="sample")
    assert text_of(sample).startswith("For “language model serving” WS Weaver Systems Lab")
    assert list(Document(ask(client, TEXT).text).all("figure", class_="sample")) == []


def test_the_examples_are_links_that_find_something(labs: Flask, client: FlaskClient) -> None:
    del labs
    page = Document(client.get("/").text)
    examples = [href for href in page.links.values() if href.startswith("/?q=")]
    assert len(examples) == 2
    for href in examples:
        assert "match 1st" in Document(client.get(href).text).within("results")


def test_three_labs_give_three_examples(labs: Flask, client: FlaskClient) -> None:
    store(labs, small_lab(1), small_lab(2))
    page = Document(client.get("/").text)
    assert len([href for href in page.links.values() if href.startswith("/?q=")]) == 3


def test_nothing_of_the_text_is_stored_or_logged(
    labs: Flask, client: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "zyzzyva-whisper serving of language models"
    with caplog.at_level(logging.DEBUG):
        response = ask(client, secret)
    assert secret in response.text
    assert "zyzzyva" not in caplog.text
    assert response.request.query_string == b""
    assert "zyzzyva" not in str(client.get_cookie("session"))
    with labs.app_context():
        tables = inspect(db.engine).get_table_names()
        rows = [str(row) for name in tables for row in db.session.execute(db.text(f'SELECT * FROM "{name}"'))]  # noqa: S608
    assert len(rows) > 10
    assert [row for row in rows if "zyzzyva" in row] == []


def test_a_text_that_fits_nothing_gets_no_noise_but_a_way_on(labs: Flask, client: FlaskClient) -> None:
    del labs
    results = Document(ask(client, "medieval poetry of the troubadours").text).within("results")
    assert results.startswith("Nothing here fits this text")
    assert "See all labs" in results


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_box_says_what_to_write(labs: Flask, client: FlaskClient, text: str) -> None:
    del labs
    page = Document(ask(client, text).text)
    assert page.within("q-error") == "Write what you want to work on: a few words are enough."
    assert page.one("textarea", id="q").get("aria-invalid") == "true"


def test_a_text_that_is_too_long_is_kept_and_the_error_stands_beside_it(labs: Flask, client: FlaskClient) -> None:
    del labs
    text = "serving " * (LONGEST_TEXT // 8 + 1)
    page = Document(ask(client, text).text)
    assert page.within("q-error") == "This is longer than 10,000 characters. Shorten it to what matters most."
    assert page.within("q") == text.strip()
    by_link = Document(client.get("/", query_string={"q": "x" * (LONGEST_TEXT + 1)}).text)
    assert "longer than 10,000 characters" in by_link.within("q-error")


def test_a_line_end_counts_as_one_character(labs: Flask, client: FlaskClient) -> None:
    del labs
    text = ("x" * 9 + "\r\n") * (LONGEST_TEXT // 10)
    assert Document(ask(client, text).text).within("q-error") == ""


@pytest.mark.parametrize(
    "text", ["\x00", "🧵🧵🧵", "<script>alert(1)</script>", "של שירות", "的", "a" * 9_999, "' OR 1=1 --"]
)
def test_no_text_breaks_the_page(labs: Flask, client: FlaskClient, text: str) -> None:
    del labs
    assert ask(client, text).status_code == 200
    assert "<script>alert" not in ask(client, text).text


def test_a_form_without_its_token_is_refused(labs: Flask, client: FlaskClient) -> None:
    del labs
    assert client.post("/", data={"q": TEXT}).status_code == 400
    assert client.post("/labs/weaver-lab/match", data={"q": TEXT}).status_code == 400


def test_too_many_texts_in_a_minute_are_refused_kindly_and_the_text_is_kept(
    labs: Flask, client: FlaskClient, applicant: Person
) -> None:
    del labs
    for number in range(int(RANKINGS.split()[0])):
        client.environ_base["REMOTE_ADDR"] = f"2001:db8::{number:x}"  # one network, whose addresses cost nothing
        assert client.get("/?q=nothing").status_code == 200
    response = ask(client, TEXT)
    assert response.status_code == 429
    page = Document(response.text)
    assert page.within("q") == TEXT
    assert "wait a minute, then press the button again" in page.within("q-error")
    assert client.get("/labs/weaver-lab/match?q=engines").status_code == 429
    # Whoever is signed in counts alone, as on a campus behind one address.
    assert applicant.sign_in().get("/?q=engines").status_code == 200
    assert client.get("/").status_code == 200
    assert client.get("/labs/").status_code == 200


def test_an_edit_moves_the_ranking_of_the_next_request(labs: Flask, client: FlaskClient) -> None:
    assert "Nothing here fits" in client.get("/?q=ocean+acoustics").text
    edit(labs, replace(WEAVER, recruiting_focus="Now I look for students of ocean acoustics."))
    assert "1 of 2 labs" in client.get("/?q=ocean+acoustics").text


def test_only_the_first_labs_are_listed_and_the_rest_is_counted(app: Flask, client: FlaskClient) -> None:
    store(app, *(small_lab(number) for number in range(20)), WEAVER)
    page = Document(client.get("/").text)
    names = ["".join(heading.itertext()).strip() for heading in page.all("h3")]
    assert names[0] == "Weaver Systems Lab"
    assert len(names) == 12
    assert page.links["All 21 labs"] == "/labs/"


def test_results_stand_in_the_place_of_the_list_of_labs(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER, GENOMES)
    page = Document(ask(client, TEXT).text)
    headings = ["".join(heading.itertext()).strip() for heading in page.all("h3")]
    assert headings == ["Weaver Systems Lab", "Apply to this lab"]
    assert page.links["All 2 labs"] == "/labs/"
    nothing = Document(ask(client, "zyzzyva").text)
    assert len(list(nothing.all("h3"))) == 2


def test_opened_the_score_is_a_sum_and_every_term_has_its_part(labs: Flask, client: FlaskClient) -> None:
    del labs
    results = Document(ask(client, TEXT, "/labs/weaver-lab/match").text).within("results")
    assert re.search(r"Terms, with their share of the score .*Score 0\.\d{3} = 0\.\d{3} T\(from", results)


def test_without_labs_the_page_says_what_will_be_here_and_asks_for_no_text(client: FlaskClient) -> None:
    empty = client.get("/").text
    assert ("There are no labs yet" in empty, "<textarea" in empty, "Rank the labs" in empty) == (True, False, False)
    page = Document(client.post("/", data={"q": TEXT, "csrf_token": csrf_token(client, "/accounts/login")}).text)
    assert "There are no labs yet" in page.within("results")
    assert page.text.count("There are no labs yet") == 1
    assert "Showing labs for" not in client.get("/?q=LLM").text


def test_one_lab_is_matched_with_position_terms_and_evidence(labs: Flask, client: FlaskClient) -> None:
    del labs
    page = Document(ask(client, TEXT, "/labs/weaver-lab/match").text)
    results = page.within("results")
    assert results.startswith("1st of 1 lab that fits this text")
    assert "LoomServe: Serving Language Models on Woven Accelerators" in results


def test_a_lab_that_does_not_fit_says_so_and_how_many_others_do(labs: Flask, client: FlaskClient) -> None:
    del labs
    results = Document(ask(client, "genome assembly", "/labs/weaver-lab/match").text).within("results")
    assert results.startswith("Nothing in common")
    assert "1 other lab fits this text" in results


def test_the_text_goes_on_to_the_ranking_of_all_labs(labs: Flask, client: FlaskClient) -> None:
    del labs
    page = Document(ask(client, TEXT, "/labs/weaver-lab/match").text)
    assert "Rank all 2 labs for this text" in page.text
    (hidden_field,) = (field for field in page.all("input", name="q") if field.get("type") == "hidden")
    assert hidden_field.get("value") == TEXT


def test_an_applicant_is_led_to_their_saved_matches(labs: Flask, applicant_client: FlaskClient) -> None:
    del labs
    for url, way, target in (
        ("/labs/weaver-lab", "See how you fit", "/me/matches/weaver-lab"),
        ("/labs/weaver-lab/match", "your match with Weaver Systems Lab", "/me/matches/weaver-lab"),
        ("/?q=serving+language+models", "See your matches", "/me/matches"),
    ):
        assert Document(applicant_client.get(url).text).links[way] == target
        assert "register" not in applicant_client.get(url).text


@pytest.fixture
def applicant_client(applicant: Person) -> FlaskClient:
    return applicant.sign_in()
