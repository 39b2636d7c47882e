"""Concepts in the live index: a changed file is in the next query of every process, without a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal import create_app
from portal.labs.live_index import live as module
from portal.matching import Query, Topic
from tests.labs.following import current, ranked, recruit_for, store_labs

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask

    from tests.conftest import Settings

PLAIN = Query((Topic("blue marmalade"),))
SAID = """[[concept]]
plain = ["marmalade"]
terms = ["weaving", "case1"]
why = "A word for it in these tests."
added_by = "the tests"
"""


def related(app: Flask) -> list[str]:
    """The labs that concepts suggest for the plain words."""
    return [match.lab for match in current(app).index.related(PLAIN)]


@pytest.fixture(params=["few works", "many works"])
def labs(request: pytest.FixtureRequest, concept_file: Path, app: Flask, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """Ten labs without concepts, once with the usual limits, and once with limits so low that a thread fits them."""
    if request.param == "many works":
        monkeypatch.setattr(module, "FITTED_QUICKLY", 0)
    concept_file.write_text("", encoding="utf-8")
    store_labs(app)
    return app


def test_the_next_query_of_every_process_knows_it_without_a_fit(
    labs: Flask, settings: Settings, concept_file: Path
) -> None:
    other = create_app(settings)
    assert (related(labs), related(other)) == ([], [])
    before = current(labs), current(other)
    concept_file.write_text(SAID, encoding="utf-8")
    assert (related(labs)[:1], related(other)[:1]) == (["lab-001"], ["lab-001"])
    assert (current(labs).fit, current(other).fit) == (before[0].fit, before[1].fit)
    assert (current(labs).drift(), dict(current(labs).edited)) == (0, {})
    assert before[0].index.related(PLAIN) == []


def test_one_that_is_taken_out_is_gone_from_the_next_query(labs: Flask, concept_file: Path) -> None:
    concept_file.write_text(SAID, encoding="utf-8")
    assert related(labs)[:1] == ["lab-001"]
    concept_file.write_text("", encoding="utf-8")
    assert related(labs) == []


def test_a_new_process_takes_the_saved_index_with_the_concepts_of_now(
    labs: Flask, settings: Settings, concept_file: Path
) -> None:
    fitted = current(labs).fit
    concept_file.write_text(SAID, encoding="utf-8")
    first = current(create_app(settings))
    assert [match.lab for match in first.index.related(PLAIN)][:1] == ["lab-001"]
    assert first.fit.generation == fitted.generation
    assert [(match.lab, match.score) for match in current(labs).index.related(PLAIN)] == [
        (match.lab, match.score) for match in first.index.related(PLAIN)
    ]


def test_a_new_process_forgets_the_concepts_that_the_saved_index_was_fitted_with(
    labs: Flask, settings: Settings, concept_file: Path
) -> None:
    concept_file.write_text(SAID, encoding="utf-8")
    fitted = current(labs).fit
    concept_file.write_text("", encoding="utf-8")
    other = current(create_app(settings))
    assert other.corpus.concepts == ()
    assert (other.index.related(PLAIN), other.fit.generation) == ([], fitted.generation)


def test_a_lab_saved_together_with_a_concept_is_there_too(labs: Flask, concept_file: Path) -> None:
    current(labs)
    concept_file.write_text(SAID, encoding="utf-8")
    recruit_for(labs, "lab-004", "We build compilers for quantum annealers.")
    assert ranked(labs) == ["lab-004"]
    assert related(labs)[:1] == ["lab-001"]


def test_scores_from_before_do_not_hold(labs: Flask, concept_file: Path) -> None:
    before = current(labs).scored_as("lab-001")
    concept_file.write_text(SAID, encoding="utf-8")
    after = current(labs).scored_as("lab-001")
    assert before != after
    assert current(labs).scored_as("lab-001") == after
