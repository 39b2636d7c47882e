"""The sentences of a lab's works that carry a match, as pages show them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from portal.labs.live_index.live import index_records
from portal.labs.matches.heat import WORTH_READING, heat_by_lab, heat_of
from portal.labs.matches.views import match_with, matches_for
from portal.matching import Query, Topic
from portal.seeding.records import LabRecord, SystemRecord, WorkRecord
from tests.labs.pages import XHTML, Document, text_of
from tests.labs.records import GENOMES, WEAVER, store
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from portal.labs.matches.heat import LabHeat

WORKS = (
    WorkRecord(
        "paged",
        "Paged caches for serving",
        year=2024,
        abstract="Caches are hard. Serving needs caches. Nothing else matters here.",
    ),
    WorkRecord("named", "An unrelated title", year=2023, abstract="About something."),
)
LAB = LabRecord("lab", name="Lab", works=WORKS, systems=(SystemRecord("vllm", "Zephyr", works=("named",)),))
SVG = "{http://www.w3.org/2000/svg}"


def heat_for(*texts: str, lab: LabRecord = LAB) -> LabHeat | None:
    labs = index_records([lab])
    match = match_with(labs, Query([Topic(text) for text in texts]), lab.key)
    assert match is not None
    return heat_of(labs, match)


def test_sentences_are_named_by_their_place_and_carry_parts_of_the_score() -> None:
    heat = heat_for("caches for serving")
    assert heat is not None
    (work,) = heat.works
    assert [(sentence.name, sentence.text) for sentence in work.sentences] == [
        ("the title", "Paged caches for serving"),
        ("sentence 1", "Caches are hard."),
        ("sentence 2", "Serving needs caches."),
        ("sentence 3", "Nothing else matters here."),
    ]
    assert [sentence.anchor for sentence in work.listed] == ["sentence-lab-1-1", "sentence-lab-1-2", "sentence-lab-1-3"]
    assert (heat.matched, heat.count) == (3, 4)
    assert heat.fraction == pytest.approx(sum(sentence.fraction for sentence in work.sentences))
    assert heat.strongest == (work, work.sentences[0])
    assert work.sentences[0].step == 5
    assert work.sentences[3].step == 0


def test_hardly_anything_is_counted_and_not_repeated_unless_it_is_the_evidence() -> None:
    long = WorkRecord("long", "Caches", abstract=" ".join(f"Case {n} has caches." for n in range(200)))
    heat = heat_for("caches", lab=LabRecord("lab", name="Lab", works=(long,)))
    assert heat is not None
    (work,) = heat.works
    assert [sentence.text for sentence in work.listed] == ["Caches"]
    assert work.sentences[0].fraction < WORTH_READING
    assert work.weaker == 200


def test_a_match_by_a_name_or_by_nothing_has_no_cells() -> None:
    assert heat_for("Zephyr") is None
    assert heat_for("poetry") is None
    assert heat_for("caches", lab=LabRecord("lab", name="Lab", interests="We like caches.")) is None


def test_a_work_is_found_by_its_key() -> None:
    heat = heat_for("caches")
    assert heat is not None
    assert heat.of("paged") is heat.works[0]
    assert heat.of("named") is None


def test_only_labs_with_cells_are_in_the_figures_of_a_list() -> None:
    quiet = LabRecord("quiet", name="Quiet", interests="We like caches.")
    labs = index_records([LAB, quiet])
    matches = matches_for(labs, Query([Topic("caches")]))
    assert {match.slug for match in matches} == {"lab", "quiet"}
    assert list(heat_by_lab(labs, matches)) == ["lab"]


@pytest.fixture
def page(app: Flask, client: FlaskClient) -> Document:
    store(app, WEAVER, GENOMES)
    return Document(submit(client, "/", {"q": "scheduling of training jobs"}).text)


def test_every_cell_that_leads_somewhere_leads_to_a_sentence_of_the_page(page: Document) -> None:
    ways = [link.get("href", "") for link in page.root.iter(f"{SVG}a")]
    assert ways
    assert [way for way in ways if way.removeprefix("#") not in page.ids] == []


def test_the_strip_is_said_in_words_with_a_link_to_the_strongest_sentence(page: Document) -> None:
    summary = re.compile(r"\d+ of \d+ sentences of .{9,13} carry \d+ % of the score. Strongest, \d+ %: ")
    assert summary.search(page.within("results"))
    (way,) = {href for text, href in page.links.items() if " of “" in text and href.startswith("#")}
    assert "scheduling training jobs" in page.within(way.removeprefix("#")).casefold()


def test_the_account_lists_the_sentences_with_their_parts_and_marks(page: Document) -> None:
    (first, *_) = page.all("ol", class_="heat-sentences")
    parts = ["".join(item.itertext()).split("%")[0].strip() for item in first]
    assert parts
    assert all(part.isdigit() for part in parts)
    marked = {text_of(mark).casefold() for mark in first.iter(f"{XHTML}mark")}
    assert "training jobs" in {words[-13:] for words in marked}


def test_long_and_chinese_titles_are_kept_whole(app: Flask, client: FlaskClient) -> None:
    title = "非常长的题目" * 30 + " scheduling"
    store(app, LabRecord("zh", name="实验室", works=(WorkRecord("w", title, abstract="Scheduling."),)))
    page = submit(client, "/", {"q": "scheduling"}).text
    assert f"the title of “{title}”" in Document(page).within("results")
