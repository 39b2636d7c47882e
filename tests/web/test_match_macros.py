"""The macros of templates/macros/match.html: shares of a score, what is not mentioned, what is told in short."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from flask import render_template_string
from hypothesis import HealthCheck, example, given
from hypothesis import settings as trying
from hypothesis import strategies as st

from portal.labs.matches import EvidenceView, GapView, LabMatch
from portal.matching.results import TermShare

if TYPE_CHECKING:
    from flask import Flask

    from portal.matching.results import Source

BAR = '{% import "macros/match.html" as matches %}{{ matches.score_bar(shares, score) }}'
TERMS = '{% import "macros/match.html" as matches %}{{ matches.terms(shares, score=1.0) }}'
GAPS = '{% import "macros/match.html" as matches %}{{ matches.not_mentioned(terms) }}'
SOURCES: tuple[Source, ...] = ("topic", "statement", "resume", "concept")


def evidence(title: str, sentence: str, *marked: str) -> EvidenceView:
    """A work with a sentence and the words of it that matched."""
    spans = tuple((sentence.index(word), sentence.index(word) + len(word)) for word in marked)
    return EvidenceView("w", title, "", None, "", (), 0.1, sentence, spans, "", (), "topic")


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def bar(app: Flask, shares: list[TermShare], score: float, template: str = BAR) -> str:
    with app.test_request_context("/about"):
        return words(render_template_string(template, shares=shares, score=score))


def share(source: Source, of_score: float) -> TermShare:
    return TermShare("a term", of_score, source, ())


def test_the_bar_is_also_a_sum_in_figures_with_the_letter_of_each_part(app: Flask) -> None:
    shares = [share("resume", 0.1), share("topic", 0.25), share("concept", 0.03), share("concept", 0.02)]
    assert bar(app, shares, 0.4).endswith(
        "Score 0.400 = 0.250 T (from your topics) + 0.100 R (from your resume) + 0.050 + (added for your words)"
    )


def test_a_part_that_rounds_to_nothing_is_still_something(app: Flask) -> None:
    shares = [share("topic", 0.4), share("resume", 0.0001)]
    assert "= 0.400 T (from your topics) + under 0.001 R (from your resume)" in bar(app, shares, 0.4001)


def test_a_score_of_nothing_has_no_parts(app: Flask) -> None:
    assert bar(app, [], 0.0) == "Score 0.000"


@pytest.mark.parametrize("source", SOURCES)
def test_a_professor_reads_of_their_words_not_of_your_words(app: Flask, source: str) -> None:
    letter = '{% import "macros/match.html" as matches %}{{ matches.source(kind, "their") }}'
    with app.test_request_context("/about"):
        assert "your" not in words(render_template_string(letter, kind=source))
        assert "their words" in words(render_template_string(letter, kind="concept"))


@example([0.1005, 0.1005, 0.1005, 0.0, 0.0, 0.0])
@given(st.lists(st.floats(0, 0.3), min_size=6, max_size=6))
@trying(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_printed_parts_add_up_to_the_printed_score(app: Flask, values: list[float]) -> None:
    text = bar(app, [*map(share, SOURCES, values)], sum(values))
    printed = re.findall(r"(under )?(\d\.\d{3})", text)
    score, *parts = [round(1000 * float(figure)) for under, figure in printed if not under]
    assert sum(parts) == score


def test_a_term_of_hardly_any_weight_is_under_one_per_cent(app: Flask) -> None:
    shares = [{"term": "slow network", "source": "statement", "share": 0.001}]
    with app.test_request_context("/about"):
        html = render_template_string(TERMS, shares=shares)
    assert '<span class="term-share">under 1 %</span>' in html


def test_the_strongest_terms_of_a_match_are_shown_and_the_others_can_be_opened(app: Flask) -> None:
    shares = tuple(TermShare(f"term{place}", 0.1 - place / 1000, "resume", ()) for place in range(40))
    with app.test_request_context("/about"):
        shown, _, opened = words(render_template_string(TERMS, shares=shares)).partition("32 weaker terms")
        few = render_template_string(TERMS, shares=shares[:8])
    assert re.findall(r"term\d+", shown) == [f"term{place}" for place in range(8)]
    assert re.findall(r"term\d+", opened) == [f"term{place}" for place in range(8, 40)]
    assert "<details" not in few


def test_of_what_is_not_mentioned_only_what_several_works_share_is_named(app: Flask) -> None:
    match = LabMatch(
        *("lab", "Lab", "Ada", "Leeds", 0.2, 1, 1, 100.0, True, (), (), ()),
        missing=(GapView("caches", ("Paged", "Shared")), GapView("queues", ("Paged",))),
        facets_met=(),
        facets_missed=(),
    )
    assert match.not_mentioned == ("caches",)
    with app.test_request_context("/about"):
        text = words(render_template_string(GAPS, terms=match.not_mentioned))
        assert render_template_string(GAPS, terms=()).strip() == ""
    assert text.startswith("Not mentioned by you caches Several works of this lab are about it.")


def test_a_long_sentence_is_told_by_the_words_around_those_that_matched() -> None:
    sentence = "One two three four five six seven eight nine caches eleven twelve thirteen fourteen pages."
    item = evidence("A title", sentence, "caches", "pages")
    text, spans = item.in_short
    assert text == "… eight nine caches eleven twelve thirteen fourteen pages."
    assert [text[start:end] for start, end in spans] == ["caches", "pages"]
    assert evidence("A title", "Short caches.", "caches").in_short == ("Short caches.", ((6, 12),))


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("HexGen: Serving of Models", "HexGen"),
        ("A Study of Very Long Names: Part 2", "A Study of Very …"),
        ("A Study of Long Names", "A Study of Long Names"),
    ],
)
def test_a_work_is_called_by_the_name_that_its_title_begins_with(title: str, name: str) -> None:
    assert evidence(title, "x").name == name
