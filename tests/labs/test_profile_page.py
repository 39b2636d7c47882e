from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.cycles import open_cycle_of, open_cycles_of
from portal.labs.live_index.live import saved_state
from portal.labs.profile_page import PLAIN_FACTS
from portal.labs.profile_works import EXCERPT_WORDS
from portal.models import Lab, LabIntake
from portal.moments import format_in_zone
from portal.seeding.records import LabRecord, Link, MemberRecord, WorkRecord
from tests.admission import add_admission
from tests.labs.pages import Document, text_of
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


@pytest.fixture
def all_works(client: FlaskClient, profile: Document) -> Document:
    """The page of the lab's works."""
    del profile
    return Document(client.get("/labs/weaver-lab/works").text)


def texts(value: object) -> list[str]:
    """Every text anywhere in a record."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for part in value for text in texts(part)]
    return []


NOT_SHOWN_AS_TEXT = {"key", "role", "kind", "homepage", "url", "abstract", "deadline", "degree", "works", "origins"} | {
    "description",  # of a system: the title of its link
    "subject",  # a code of the source
}


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


def test_every_fact_of_the_profile_is_on_its_pages(profile: Document, all_works: Document) -> None:
    text = f"{profile.text} {all_works.text}"
    settled = tuple(replace(work, question="") for work in WORKS if not work.question)
    facts = stated_facts(replace(WEAVER, recruiting="Write to me with your transcript.", works=settled))
    assert [fact for fact in facts if fact not in text] == []
    assert len(facts) > 60


def test_the_seats_and_deadline_of_a_position_stand_with_their_zone(profile: Document) -> None:
    text = profile.within("glance")
    assert "Seats 2" in text
    assert "Deadline 15 Dec 2099, 23:59 (Anywhere on Earth)" in text
    assert "Research assistant (closed: the deadline has passed)" in text


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
    assert "Ph.D. students 李华 2023-Fall · BS@Loom University · MS@Spindle College · co-supervised with" in text
    assert "Former members 1 Tomás Ibáñez research assistant · now PhD@Cambridge" in text
    assert profile.links["李华"] == "https://lihua.example.org/"


def test_works_stand_by_year_newest_first_and_unknown_years_last(all_works: Document) -> None:
    assert [text_of(element) for element in all_works.all("h2")] == ["2025", "2024", "Year not stated"]


def test_a_work_without_a_title_says_so(profile: Document, all_works: Document) -> None:
    said = "Work without a printed title: Weaver, Spinner (VLDB Journal 2024)"
    assert said in profile.within("works")
    assert said in all_works.text


def test_a_work_with_an_open_question_is_for_administrators_alone(profile: Document, all_works: Document) -> None:
    for page in (profile, all_works):
        assert "Cardiac Imaging of the Left Ventricle" not in page.text
        assert "Does this belong to the lab?" not in page.text


def test_no_public_number_search_or_relation_counts_a_work_with_an_open_question(
    app: Flask, client: FlaskClient
) -> None:
    settled = sum(not work.question for work in WORKS)
    co_author = MemberRecord("nobody", "Nobody Known", "phd_student")
    store(app, WEAVER, replace(GENOMES, members=(co_author,)))
    everywhere = settled + len(GENOMES.works)
    assert f"2 labs with {everywhere} works" in Document(client.get("/about").text).text
    assert f"{settled} works" in Document(client.get("/labs/?q=weaver").text).text
    assert "No lab" in Document(client.get("/labs/?q=cardiac").text).text
    assert client.get("/api/v1/labs?q=cardiac").get_json()["total"] == 0
    assert client.get("/api/v1/labs/weaver-lab").get_json()["works"] == settled
    assert client.get("/api/v1/labs/weaver-lab/works").get_json()["total"] == settled
    assert "Nobody Known" not in client.get("/labs/weaver-lab").text
    with app.app_context():
        assert saved_state(app, db.session()).works == everywhere


def test_an_abstract_is_an_excerpt(all_works: Document) -> None:
    text = all_works.within("work-loomserve")
    words = WORKS[0].abstract.split()
    assert " ".join(words[:EXCERPT_WORDS]) + " …" in text
    assert " ".join(words[: EXCERPT_WORDS + 1]) not in text
    assert WORKS[1].abstract in all_works.within("work-shuttle")
    assert "…" not in all_works.within("work-shuttle")


def test_the_profile_lists_the_ten_newest_works_and_leads_to_all(app: Flask, client: FlaskClient) -> None:
    works = tuple(WorkRecord(f"w{n}", f"Work number {n}", year=2000 + n) for n in range(12))
    store(app, replace(GENOMES, works=works, systems=()))
    page = Document(client.get("/labs/genome-lab").text)
    listed = [text_of(item) for item in page.all("p", class_="work-title")]
    assert listed == [f"Work number {n}" for n in range(11, 1, -1)]
    assert page.links["All 12 works"] == "/labs/genome-lab/works"


def test_a_system_leads_to_its_page_or_to_its_works(profile: Document, all_works: Document) -> None:
    assert profile.links["Loom Serve"] == "https://loomserve.example.org/"
    assert profile.links["Shuttle"] == "/labs/weaver-lab/works?works=Shuttle"
    assert "System: Loom Serve" in all_works.within("work-loomserve")


def test_every_link_within_the_page_arrives(profile: Document) -> None:
    assert "member-li-hua" in profile.ids
    targets = [href[1:] for href in profile.links.values() if href.startswith("#")]
    assert {"people"} <= set(targets) <= set(profile.ids)
    assert len(profile.ids) == len(set(profile.ids))


def test_every_fact_says_which_page_and_line_it_is_from(profile: Document, all_works: Document) -> None:
    text = profile.within("sources")
    for line in (*range(1, 11), 11, 12, 13, 41, 42, *range(51, 58), 61, 62):
        assert f"seed page pages/weaver.txt, line {line}" in text
    assert "Seed page pages/weaver.txt, line 31" in all_works.within("work-loomserve")


def test_a_fact_without_a_page_says_that_a_person_entered_it(profile: Document) -> None:
    assert "Contact entered by a person" in profile.within("sources")


def test_every_plain_field_of_a_profile_has_its_place_among_the_sources() -> None:
    collections = {"members", "works", "systems", "activities", "openings", "origins", "key"}
    assert set(PLAIN_FACTS) == {spec.name for spec in fields(LabRecord)} - collections


def test_an_edited_fact_names_no_page_any_more_and_nobody(
    app: Flask, client: FlaskClient, profile: Document, admin: Person
) -> None:
    del profile
    edit(app, replace(WEAVER, about="We weave clouds."), email=admin.email)
    response = client.get("/labs/weaver-lab")
    page = Document(response.text)
    assert "We weave clouds." in page.within("about")
    assert "About entered by a person" in page.within("sources")
    assert admin.email.split("@")[0] not in response.text


def test_the_last_change_and_its_revision_stand_at_the_end(profile: Document) -> None:
    assert "Changed 20 Nov 2026, 12:00 UTC, revision 1." in profile.text
    assert "the lab has not confirmed this profile yet" in profile.within("glance")


def test_a_confirmed_profile_says_when(app: Flask, client: FlaskClient, profile: Document) -> None:
    del profile
    with app.app_context():
        db.session.query(Lab).filter_by(slug="weaver-lab").one().confirmed_on = datetime(2026, 11, 3, tzinfo=UTC).date()
        db.session.commit()
    assert "Confirmed by the lab on 3 Nov 2026." in Document(client.get("/labs/weaver-lab").text).text


def test_related_labs_say_what_they_share(profile: Document) -> None:
    assert "Genome Reading Group Names in common: Grace Spinner" in profile.within("related")


def test_similar_words_are_not_said_twice(app: Flask, client: FlaskClient) -> None:
    rival = replace(
        GENOMES, key="rival", name="Rival Lab", interests="Serving of language models.", works=(), systems=()
    )
    store(app, WEAVER, rival)
    line = Document(client.get("/labs/rival").text).within("related")
    assert "Similar in: " in line
    words = line.partition("Similar in: ")[2].split(" · ")
    assert [word for word in words if any(f" {word} " in f" {other} " and word != other for other in words)] == []


def test_a_lab_that_says_nothing_has_a_page_without_empty_sections(app: Flask, client: FlaskClient) -> None:
    store(app, LabRecord("quiet", "Quiet Lab"))
    page = Document(client.get("/labs/quiet").text)
    assert page.within("glance").startswith("At a glance Openings Not stated")
    assert [element.get("id") for element in page.all("section")] == ["glance"]
    assert "No works yet" in client.get("/labs/quiet/works").text


def test_works_are_found_by_the_server_as_well(client: FlaskClient, profile: Document) -> None:
    del profile
    page = Document(client.get("/labs/weaver-lab/works?works=spinner+shuttle").text)
    assert "Shuttle: Scheduling of Mixed Training Jobs" in page.within("works-list")
    assert "LoomServe" not in page.within("works-list")
    assert "1 work Shuttle" not in page.within("works-list")
    assert next(page.all("input", id="works-filter")).get("value") == "spinner shuttle"


@pytest.mark.parametrize("words", ["loomserve", "Loom-Serve", "BEST PAPER", "ibanez", "osdi 2025"])
def test_works_are_found_by_system_award_author_and_year(client: FlaskClient, profile: Document, words: str) -> None:
    del profile
    page = Document(client.get("/labs/weaver-lab/works", query_string={"works": words}).text)
    assert "LoomServe: Serving Language Models" in page.within("works-list")
    assert "Notes on Weaving" not in page.within("works-list")


def test_a_search_without_a_find_says_what_to_do(client: FlaskClient, profile: Document) -> None:
    del profile
    text = Document(client.get("/labs/weaver-lab/works?works=zebra").text).text
    assert "None of the 4 works of this lab has all of “zebra”" in text
    assert "Show all 4 works" in text


def test_thousands_of_works_come_in_pages(app: Flask, client: FlaskClient) -> None:
    works = tuple(WorkRecord(f"w{n}", f"Work number {n}", year=1500 + n) for n in range(450))
    store(app, replace(GENOMES, works=works, systems=()))
    first = Document(client.get("/labs/genome-lab/works").text)
    assert "1–200 of 450 works" in first.text
    assert "Work number 449" in first.within("works-list")
    assert "Work number 249" not in first.within("works-list")
    last = Document(client.get("/labs/genome-lab/works?page=99").text)
    assert "401–450 of 450 works" in last.text
    assert "Work number 0" in last.within("works-list")


def test_an_unknown_lab_is_not_found(client: FlaskClient, profile: Document) -> None:
    del profile
    assert client.get("/labs/nobody").status_code == 404
    assert client.get("/labs/nobody/match").status_code == 404
    assert client.get("/labs/nobody/works").status_code == 404


def test_an_edit_is_on_the_page_at_once(app: Flask, client: FlaskClient, profile: Document) -> None:
    del profile
    edit(app, replace(WEAVER, name="Renamed Lab"))
    assert Document(client.get("/labs/weaver-lab").text).title == "Renamed Lab · Ph.D. Portal"


def test_visitors_and_applicants_learn_until_when_they_can_apply(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app)
        lab, cycle = admission.add_lab("Ada Lab"), admission.cycle
        leader = admission.leaders["Ada Lab"]
        says = f"Applications until {format_in_zone(cycle.deadline_at, cycle.zone)}"
        readers = (app.test_client(), admission.add_applicant().sign_in(), leader.sign_in())
        pages = [Document(reader.get("/labs/ada-lab").text) for reader in readers]
        assert [says in page.text for page in pages] == [True, True, False]
        now, closing = admission.now, cycle.deadline_at
        assert [open_cycle_of(db.session(), lab.id, at) for at in (now, closing)] == [cycle, None]
        db.session.add(LabIntake(lab_id=lab.id, cycle_id=cycle.id, open=False))
        assert open_cycle_of(db.session(), lab.id, now) is None


def test_lists_know_the_open_cycle_of_each_lab_but_of_those_that_take_nobody(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app)
        admission.add_lab("Ada Lab")
        closed, cycle, session = admission.add_lab("Bea Lab"), admission.cycle, db.session()
        later = add_admission(app, deadline_in=timedelta(days=90)).cycle
        slugs = ["ada-lab", "bea-lab"]
        assert open_cycles_of(session, slugs, admission.now) == {"ada-lab": cycle, "bea-lab": cycle}
        session.add(LabIntake(lab_id=closed.id, cycle_id=cycle.id, open=False))
        assert open_cycles_of(session, slugs, admission.now) == {"ada-lab": cycle, "bea-lab": later}
        session.add(LabIntake(lab_id=closed.id, cycle_id=later.id, open=False))
        assert open_cycles_of(session, slugs, admission.now) == {"ada-lab": cycle}


def test_what_applicants_decide_by_stands_at_a_glance(app: Flask, client: FlaskClient) -> None:
    decided_by = replace(
        WEAVER,
        country="United Kingdom",
        links=(Link("Google Scholar", "https://scholar.example.org/ada"), Link("Evil", "javascript:alert(1)")),
        stipend="GBP 20,000 a year",
        duration="4 years",
        languages=("English", "Welsh"),
        recent_hires="A postdoc in Zürich.",
    )
    store(app, decided_by)
    page = Document(client.get("/labs/weaver-lab").text)
    glance = page.within("glance")
    for said in ("Stipend GBP 20,000 a year", "Duration 4 years", "Languages English, Welsh", "A postdoc in Zürich."):
        assert said in glance
    assert page.links["Google Scholar"] == "https://scholar.example.org/ada"
    assert "Evil" not in page.text.partition("Where this is from")[0]
