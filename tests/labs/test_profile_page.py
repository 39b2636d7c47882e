from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.cycles import open_cycle_of
from portal.labs.profile_page import PLAIN_FACTS
from portal.labs.profile_works import EXCERPT_WORDS
from portal.models import Lab, LabIntake
from portal.moments import format_in_zone
from portal.seeding.records import LabRecord, WorkRecord
from tests.admission import add_admission
from tests.labs.pages import XHTML, Document, text_of
from tests.labs.records import GENOMES, WEAVER, WORKS, edit, store

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person


@pytest.fixture
def profile(app: Flask, client: FlaskClient) -> Document:
    store(app, WEAVER, GENOMES)
    return Document(client.get("/labs/weaver-lab").text)


def texts(value: object) -> list[str]:
    """Every text anywhere in a record."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for part in value for text in texts(part)]
    return []


NOT_SHOWN_AS_TEXT = {"key", "role", "kind", "homepage", "url", "abstract", "deadline", "degree", "works", "origins"}


def stated_facts(record: LabRecord) -> list[str]:
    """The texts of all fields of a profile that the page should show word for word."""
    facts = []
    parts: tuple[DataclassInstance, ...] = (
        record,
        *record.members,
        *record.works,
        *record.systems,
        *record.activities,
        *record.openings,
    )
    for part in parts:
        for spec in fields(part):
            if spec.name not in NOT_SHOWN_AS_TEXT | {"members", "systems", "activities", "openings"}:
                facts.extend(texts(getattr(part, spec.name)))
    return [line for fact in facts for line in fact.split("\n") if line]


def test_every_fact_of_the_profile_is_on_the_page(profile: Document) -> None:
    text = profile.text
    facts = stated_facts(replace(WEAVER, recruiting="Write to me with your transcript."))
    assert [fact for fact in facts if fact not in text] == []
    assert len(facts) > 60


def test_the_seats_and_deadline_of_a_position_stand_with_their_zone(profile: Document) -> None:
    text = profile.within("recruiting")
    assert "Seats 2" in text
    assert "Deadline 15 Dec 2099, 23:59 (Anywhere on Earth)" in text
    assert "Research assistant (closed: the deadline has passed)" in text
    assert "Open positions: Ph.D." in profile.text
    assert "Open positions: Ph.D., Research assistant" not in profile.text


def test_the_focus_comes_first_and_is_not_said_twice(profile: Document) -> None:
    text = profile.within("recruiting")
    assert text.startswith("Joining the lab I look for students of serving systems. Write to me")
    assert text.count("I look for students of serving systems.") == 1


def test_figures_are_shown_as_stated_on_their_page(profile: Document) -> None:
    text = profile.within("figures")
    assert "As stated on the page" in text
    assert "h-index 12 citations 1,219" in text


def test_people_stand_under_their_role_and_former_ones_apart(profile: Document) -> None:
    text = profile.within("people")
    assert (
        "Ph.D. students 李华 2023-Fall BS@Loom University MS@Spindle College co-supervised with Prof. Xu Silk" in text
    )
    assert "Former members Tomás Ibáñez research assistant now PhD@Cambridge" in text
    assert profile.links["李华"] == "https://lihua.example.org/"


def test_works_stand_by_year_newest_first_and_unknown_years_last(profile: Document) -> None:
    headings = [element.text for element in profile.all("h3") if (element.text or "").startswith(("20", "Year"))]
    assert headings == ["2025", "2024", "2020", "Year not stated"]


def test_a_work_without_a_title_says_so(profile: Document) -> None:
    assert "Work without a printed title: Weaver, Spinner (VLDB Journal 2024)" in profile.within("works")


def test_a_work_with_an_open_question_is_shown_with_the_question(profile: Document) -> None:
    text = profile.within("work-stray")
    assert "Cardiac Imaging of the Left Ventricle" in text
    assert "Open question: Does this belong to the lab?" in text


def test_an_abstract_is_an_excerpt(profile: Document) -> None:
    text = profile.within("work-loomserve")
    words = WORKS[0].abstract.split()
    assert " ".join(words[:EXCERPT_WORDS]) + " …" in text
    assert " ".join(words[: EXCERPT_WORDS + 1]) not in text
    assert WORKS[1].abstract in profile.within("work-shuttle")
    assert "…" not in profile.within("work-shuttle")


def test_a_system_leads_to_its_works(profile: Document) -> None:
    assert "LoomServe: Serving Language Models on Woven Accelerators, OSDI 2025" in profile.within("systems")
    assert profile.links["LoomServe: Serving Language Models on Woven Accelerators"] == "#work-loomserve"
    assert profile.links["System: Loom Serve"] == "#system-loom-serve"


def test_every_link_within_the_page_arrives(profile: Document) -> None:
    assert "member-li-hua" in profile.ids
    targets = [href[1:] for href in profile.links.values() if href.startswith("#")]
    assert len(targets) > 10
    assert set(targets) <= set(profile.ids)
    assert len(profile.ids) == len(set(profile.ids))


def test_every_fact_says_which_page_and_line_it_is_from(profile: Document) -> None:
    text = profile.text
    for line in (*range(1, 11), 11, 12, 13, 41, 42, *range(51, 58), 61, 62):
        assert f"seed page pages/weaver.txt, line {line}" in text
    assert "Seed page pages/weaver.txt, line 31" in profile.within("work-loomserve")


def test_a_fact_without_a_page_says_that_a_person_entered_it(profile: Document) -> None:
    assert "Contact: entered by a person" in profile.within("recruiting")


def test_every_plain_field_of_a_profile_has_its_place_among_the_sources() -> None:
    plain = {name for facts in PLAIN_FACTS.values() for name in facts}
    collections = {"members", "works", "systems", "activities", "openings", "origins", "key"}
    assert plain == {spec.name for spec in fields(LabRecord)} - collections


def test_an_edited_fact_names_no_page_any_more_and_nobody(
    app: Flask, client: FlaskClient, profile: Document, admin: Person
) -> None:
    del profile
    edit(app, replace(WEAVER, about="We weave clouds."), email=admin.email)
    response = client.get("/labs/weaver-lab")
    about = Document(response.text).within("about")
    assert "We weave clouds." in about
    assert "Text: entered by a person" in about
    assert admin.email.split("@")[0] not in response.text


def test_the_last_change_and_its_revision_stand_at_the_end(profile: Document) -> None:
    assert (
        "Last changed 20 Nov 2026, 12:00 UTC, revision 1. The lab has not confirmed this profile yet." in profile.text
    )


def test_a_confirmed_profile_says_when(app: Flask, client: FlaskClient, profile: Document) -> None:
    del profile
    with app.app_context():
        db.session.query(Lab).filter_by(slug="weaver-lab").one().confirmed_on = datetime(2026, 11, 3, tzinfo=UTC).date()
        db.session.commit()
    assert "Confirmed by the lab on 3 Nov 2026." in Document(client.get("/labs/weaver-lab").text).text


def test_related_labs_say_what_they_share(profile: Document) -> None:
    assert "Genome Reading Group Bea Helix Names in common: Grace Spinner" in profile.within("related")


def test_similar_words_are_not_said_twice(app: Flask, client: FlaskClient) -> None:
    rival = replace(
        GENOMES, key="rival", name="Rival Lab", interests="Serving of language models.", works=(), systems=()
    )
    store(app, WEAVER, rival)
    line = Document(client.get("/labs/rival").text).within("related")
    assert "Similar in: " in line
    words = line.partition("Similar in: ")[2].split(" · ")
    assert [word for word in words if any(f" {word} " in f" {other} " and word != other for other in words)] == []


def test_the_table_of_contents_leads_to_what_there_is_and_counts_it(profile: Document) -> None:
    contents = profile.one("nav", class_="contents stays")
    links = {text_of(link): link.get("href") for link in contents.iter(XHTML + "a")}
    assert links["Works 5"] == "#works"
    assert links["People 3"] == "#people"
    assert links["Systems 2"] == "#systems"


def test_a_lab_that_says_nothing_has_a_page_without_empty_sections(app: Flask, client: FlaskClient) -> None:
    store(app, LabRecord("quiet", "Quiet Lab"))
    page = Document(client.get("/labs/quiet").text)
    assert "No open position is stated." in page.text
    assert "Its institution and place are not stated." in page.text
    assert [element.get("id") for element in page.all("section")] == []


def test_works_are_found_by_the_server_as_well(client: FlaskClient, profile: Document) -> None:
    del profile
    page = Document(client.get("/labs/weaver-lab?works=spinner+shuttle").text)
    assert "Shuttle: Scheduling of Mixed Training Jobs" in page.within("works-list")
    assert "LoomServe" not in page.within("works-list")
    assert "1 work Shuttle" not in page.within("works-list")
    assert next(page.all("input", id="works-filter")).get("value") == "spinner shuttle"


@pytest.mark.parametrize("words", ["loomserve", "Loom-Serve", "BEST PAPER", "ibanez", "osdi 2025"])
def test_works_are_found_by_system_award_author_and_year(client: FlaskClient, profile: Document, words: str) -> None:
    del profile
    page = Document(client.get("/labs/weaver-lab", query_string={"works": words}).text)
    assert "LoomServe: Serving Language Models" in page.within("works-list")
    assert "Notes on Weaving" not in page.within("works-list")


def test_a_search_without_a_find_says_what_to_do(client: FlaskClient, profile: Document) -> None:
    del profile
    text = Document(client.get("/labs/weaver-lab?works=zebra").text).within("works")
    assert "None of the 5 works of this lab has all of “zebra”" in text
    assert "Show all 5 works" in text


def test_thousands_of_works_come_in_pages(app: Flask, client: FlaskClient) -> None:
    works = tuple(WorkRecord(f"w{n}", f"Work number {n}", year=1500 + n) for n in range(450))
    store(app, replace(GENOMES, works=works, systems=()))
    first = Document(client.get("/labs/genome-lab").text)
    assert "1–200 of 450 works" in first.within("works")
    assert "Work number 449" in first.within("works")
    assert "Work number 249" not in first.within("works")
    last = Document(client.get("/labs/genome-lab?page=99").text)
    assert "401–450 of 450 works" in last.within("works")
    assert "Work number 0" in last.within("works")


def test_the_address_with_a_slash_leads_to_the_one_without(client: FlaskClient, profile: Document) -> None:
    del profile
    response = client.get("/labs/weaver-lab/?works=loom")
    assert (response.status_code, response.location) == (301, "/labs/weaver-lab?works=loom")


def test_an_unknown_lab_is_not_found(client: FlaskClient, profile: Document) -> None:
    del profile
    assert client.get("/labs/nobody").status_code == 404
    assert client.get("/labs/nobody/match").status_code == 404


def test_an_edit_is_on_the_page_at_once(app: Flask, client: FlaskClient, profile: Document) -> None:
    del profile
    edit(app, replace(WEAVER, name="Renamed Lab"))
    assert Document(client.get("/labs/weaver-lab").text).title == "Renamed Lab · Ph.D. Portal"


def test_visitors_and_applicants_learn_until_when_they_can_apply_and_where(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app)
        lab, cycle = admission.add_lab("Ada Lab"), admission.cycle
        leader, address = admission.leaders["Ada Lab"], f"/me/application/{cycle.slug}/"
        says = f"{cycle.name} takes applications to this lab until {format_in_zone(cycle.deadline_at, cycle.zone)}"
        readers = (app.test_client(), admission.add_applicant().sign_in(), leader.sign_in())
        pages = [Document(reader.get("/labs/ada-lab").text) for reader in readers]
        shown = [(says in page.text, page.links.get("Apply") == address) for page in pages]
        assert shown == [(True, True), (True, True), (False, False)]
        now, closing = admission.now, cycle.deadline_at
        assert [open_cycle_of(db.session(), lab.id, at) for at in (now, closing)] == [cycle, None]
        db.session.add(LabIntake(lab_id=lab.id, cycle_id=cycle.id, open=False))
        assert open_cycle_of(db.session(), lab.id, now) is None
