from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from portal.seeding.records import LabRecord, OpeningRecord
from tests.labs.pages import XHTML, Document, text_of
from tests.labs.records import GENOMES, SAVED, WEAVER, small_lab, store
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flask import Flask
    from flask.testing import FlaskClient

COUNTS: dict[str, Callable[[LabRecord], tuple[str, ...]]] = {
    "topic": lambda record: record.topics,
    "hardware": lambda record: record.hardware,
    "country": lambda record: (record.country,),
    "place": lambda record: (record.place,),
    "institution": lambda record: (record.institution,),
}


def names(page: Document) -> list[str]:
    """The labs in the list, in their order."""
    return [text_of(heading) for heading in page.all("h2") if list(heading.iter(XHTML + "a"))]


def facet_counts(page: Document, facet: str) -> dict[str, int]:
    """Value → count of one facet."""
    counts = {}
    for item in page.all("li", class_="form-check"):
        (box,) = item.iter(XHTML + "input")
        (count,) = (span for span in item.iter(XHTML + "span") if span.get("class") == "facet-count")
        if box.get("name") == facet:
            counts[box.attrib["value"]] = int((count.text or "0").replace(",", ""))
    return counts


@pytest.fixture
def town(app: Flask) -> list[LabRecord]:
    """Labs whose places, hardware and topics overlap."""
    records = [
        small_lab(
            number,
            place=("Leeds", "Lyon", "上海")[number % 3],
            hardware=(("GPU",), ("GPU", "NPU"), ())[number % 3] if number % 2 else ("FPGA",),
            topics=(("serving", "training"), ("Training",), ("serving", "databases", "privacy"))[number % 3],
        )
        for number in range(13)
    ]
    store(app, *records)
    return records


def test_the_counts_of_a_facet_are_those_under_all_other_facets(client: FlaskClient, town: Sequence[LabRecord]) -> None:
    page = Document(client.get("/labs/?place=Leeds&place=Lyon&hardware=GPU").text)
    in_place = [record for record in town if record.place in {"Leeds", "Lyon"}]
    with_hardware = [record for record in town if "GPU" in record.hardware]
    both = [record for record in in_place if record in with_hardware]
    assert sorted(names(page)) == sorted(record.name for record in both)
    assert facet_counts(page, "hardware") == {
        name: sum(name in record.hardware for record in in_place) for name in ("GPU", "NPU", "FPGA")
    }
    assert facet_counts(page, "place") == {
        place: count
        for place in ("Leeds", "Lyon", "上海")
        if (count := sum(record.place == place for record in with_hardware))
    }
    serving = sum("serving" in record.topics for record in both)
    training = sum("training" in [topic.casefold() for topic in record.topics] for record in both)
    assert {name: count for name, count in facet_counts(page, "topic").items() if name != "databases"} == {
        name: count for name, count in {"serving": serving, "training": training}.items() if count
    }


def test_facet_counts_follow_the_search_text(client: FlaskClient, town: Sequence[LabRecord]) -> None:
    page = Document(client.get("/labs/?q=Lab+0000").text)
    matching = [record for record in town if record.name.startswith("Lab 0000")]
    assert len(matching) == 10
    assert facet_counts(page, "hardware")["FPGA"] == sum("FPGA" in record.hardware for record in matching)


def test_every_value_of_every_facet_counts_its_labs(app: Flask, client: FlaskClient) -> None:
    twin = replace(WEAVER, key="twin-lab", country="France")
    labs = (replace(WEAVER, country="France"), GENOMES, twin)
    store(app, *labs)
    page = Document(client.get("/labs/").text)
    for facet, values_of in COUNTS.items():
        expected: dict[str, int] = {}
        for record in labs:
            for value in values_of(record):
                if value:
                    expected[value] = expected.get(value, 0) + 1
        assert facet_counts(page, facet) == expected
    assert facet_counts(page, "opening") == {"Ph.D.": 2}


def test_a_facet_that_would_only_pick_single_labs_out_is_left_out(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER, replace(GENOMES, place=WEAVER.place))
    page = Document(client.get("/labs/").text)
    assert facet_counts(page, "place") == {WEAVER.place: 2}
    assert facet_counts(page, "topic") == {}
    assert facet_counts(Document(client.get(f"/labs/?topic={WEAVER.topics[0]}").text), "topic") != {}


def test_a_chosen_value_narrows_the_list_and_stays_ticked(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER, GENOMES)
    page = Document(client.get("/labs/?hardware=npu").text)
    assert names(page) == ["Weaver Systems Lab"]
    ticked = [box.get("value") for box in page.all("input", checked="")]
    assert ticked == ["NPU"]
    assert page.links["Hardware: npu ×– take out"] == "/labs/"


def test_several_values_of_a_facet_widen_it(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER, GENOMES, small_lab(3))
    page = Document(client.get("/labs/?place=Lyon,+France&place=Leeds,+United+Kingdom").text)
    assert names(page) == ["Genome Reading Group", "Weaver Systems Lab"]


def test_a_passed_deadline_closes_an_opening(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER, replace(GENOMES, openings=(OpeningRecord("o", "ra", deadline="2020-01-31"),)))
    page = Document(client.get("/labs/?opening=Ph.D.").text)
    assert facet_counts(page, "opening") == {"Ph.D.": 1}
    assert names(page) == ["Weaver Systems Lab"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("weaver", ["Weaver Systems Lab"]),
        ("GENOME", ["Genome Reading Group"]),
        ("grace", []),
        ("systems leeds", ["Weaver Systems Lab"]),
        ("李华", ["Weaver Systems Lab"]),
        ("loomserve", ["Weaver Systems Lab"]),
        ("Loom-Serve", ["Weaver Systems Lab"]),
        ("100%", []),
        ("_", []),
        ("\\", []),
    ],
)
def test_labs_are_found_by_words_of_their_profile(
    app: Flask, client: FlaskClient, text: str, expected: list[str]
) -> None:
    store(app, WEAVER, GENOMES)
    page = Document(client.get("/labs/", query_string={"q": text}).text)
    assert names(page) == expected
    assert page.one("input", id="q").get("value") == text


def test_the_orders_of_the_list(app: Flask, client: FlaskClient) -> None:
    store(app, GENOMES, saved=SAVED + timedelta(days=2))
    store(app, WEAVER, saved=SAVED)
    store(app, small_lab(1, name="Alpha Lab", works=()), saved=SAVED + timedelta(days=1))
    by = {
        sort: names(Document(client.get(f"/labs/?sort={sort}").text))
        for sort in ("name", "openings", "changed", "works")
    }
    assert by == {
        "name": ["Alpha Lab", "Genome Reading Group", "Weaver Systems Lab"],
        "openings": ["Weaver Systems Lab", "Alpha Lab", "Genome Reading Group"],
        "changed": ["Genome Reading Group", "Alpha Lab", "Weaver Systems Lab"],
        "works": ["Weaver Systems Lab", "Genome Reading Group", "Alpha Lab"],
    }


def test_an_unknown_order_is_said_and_not_guessed(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER)
    page = Document(client.get("/labs/?sort=fame").text)
    assert "There is no sort order “fame”; the labs are sorted by name." in page.text


def test_a_card_says_what_the_lab_is_or_else_what_is_typical(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER, replace(GENOMES, interests="", about="", topics=()))
    page = Document(client.get("/labs/").text)
    genomes, weaver = (text_of(item) for item in page.all("li", class_="card lab-card"))
    assert weaver == (
        "WS Weaver Systems Lab Ada Weaver I look for students of serving systems. Open: Ph.D. "
        "University of Looms, Leeds, United Kingdom 4 works"
    )
    assert genomes.count("·") == 2


def test_a_card_says_a_whole_sentence_also_where_it_names_a_degree(app: Flask, client: FlaskClient) -> None:
    store(app, replace(GENOMES, recruiting_focus="Two Ph.D. students for Prof. Reader. They read genomes."))
    text = Document(client.get("/labs/").text).text
    assert "Two Ph.D. students for Prof. Reader. " in text
    assert "They read genomes." not in text


def test_the_list_comes_in_pages_and_keeps_what_was_chosen(app: Flask, client: FlaskClient) -> None:
    store(app, *(small_lab(number, hardware=("GPU",)) for number in range(60)))
    page = Document(client.get("/labs/?hardware=GPU&sort=works&page=2").text)
    assert "26–50 of 60 labs" in page.text
    assert page.links["Next"] == "/labs/?hardware=GPU&sort=works&page=3"
    last = Document(client.get("/labs/?page=4000").text)
    assert "51–60 of 60 labs" in last.text
    assert page.title == "Labs, page 2 · Ph.D. Portal"


def test_nothing_found_has_a_way_out(app: Flask, client: FlaskClient) -> None:
    store(app, WEAVER)
    page = Document(client.get("/labs/?q=zebra&place=Mars").text)
    assert ("No lab matches" in page.text, "Sort by" in page.text) == (True, False)
    assert page.links["Show all labs"] == "/labs/"
    assert page.links["Place: Mars ×– take out"] == "/labs/?q=zebra"
    assert page.links["“zebra” ×– take out"] == "/labs/?place=Mars"


def test_without_labs_the_list_says_what_will_be_here(client: FlaskClient) -> None:
    assert "There are no labs yet" in client.get("/labs/").text


@pytest.mark.parametrize(
    "query", ["_scheme=ftp", "endpoint=x", "page=-1", "page=x", "q=%00", "topic=" + "x" * 3000, "slug=a"]
)
def test_no_address_breaks_the_list(app: Flask, client: FlaskClient, query: str) -> None:
    store(app, WEAVER)
    assert client.get(f"/labs/?{query}").status_code == 200


@pytest.mark.parametrize(
    "url", ["/", "/labs/?hardware=GPU&q=lab&sort=works", "/systems/", "/labs/lab-00001", "/sitemap.xml"]
)
def test_a_page_asks_the_database_as_often_for_many_labs_as_for_few(app: Flask, client: FlaskClient, url: str) -> None:
    def statements() -> int:
        client.get(url)
        with statements_sent(app) as sent:
            client.get(url)
        return len(sent)

    store(app, *(small_lab(number, hardware=("GPU",)) for number in range(2)))
    few = statements()
    store(app, *(small_lab(number, hardware=("GPU",)) for number in range(2, 80)))
    many = statements()
    assert many == few
    assert 0 < many <= 6


def test_labs_are_found_without_accents(app: Flask, client: FlaskClient) -> None:
    store(app, small_lab(1, leader="María González"), small_lab(2, leader="Jose Ibanez"))
    for typed, lab in (("gonzalez", "Lab 00001"), ("maria topic", "Lab 00001"), ("Ibáñez", "Lab 00002")):
        page = client.get("/labs/", query_string={"q": typed}).text
        assert [name for name in ("Lab 00001", "Lab 00002") if name in page] == [lab]
