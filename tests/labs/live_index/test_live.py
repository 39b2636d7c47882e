from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from portal import create_app
from portal.db import db
from portal.labs import queries
from portal.labs.live_index import live as module
from portal.labs.live_index.live import live_index
from portal.matching import Query, Topic
from tests.labs.following import ANNEALING, Quiet, current, ranked, recruit_for, store_labs
from tests.labs.records import GENOMES, WEAVER, edit, store

if TYPE_CHECKING:
    from flask import Flask

    from tests.conftest import Settings

FOCUS = "We look for students who build compilers for quantum annealers."


@pytest.fixture
def two_labs(app: Flask) -> Flask:
    store(app, WEAVER, GENOMES)
    return app


@pytest.fixture(params=["few works", "many works"])
def following(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of following a save: that of few works, which may be fitted anew at once, and that of many."""
    if request.param == "many works":
        monkeypatch.setattr(module, "FITTED_QUICKLY", 0)
    return str(request.param)


@pytest.mark.usefixtures("following")
def test_the_next_query_of_every_process_sees_a_save(two_labs: Flask, settings: Settings) -> None:
    other = create_app(settings)  # another worker over the same database
    assert ranked(two_labs) == []
    assert ranked(other) == []
    recruit_for(two_labs, WEAVER.key, FOCUS)
    for app in (two_labs, other):
        assert ranked(app) == [WEAVER.key]
        assert "annealers" in current(app).profiles[WEAVER.key].recruiting_focus


@pytest.mark.usefixtures("following")
def test_a_query_under_way_keeps_the_labs_it_began_with(two_labs: Flask) -> None:
    before = current(two_labs)
    recruit_for(two_labs, WEAVER.key, FOCUS)
    assert current(two_labs) is not before
    assert before.index.rank(ANNEALING) == []


@pytest.mark.usefixtures("following")
def test_a_process_without_the_thread_takes_over_what_another_one_has_fitted(
    two_labs: Flask, settings: Settings
) -> None:
    """As `portal work` must: what it computes ahead belongs to the fit that pages answer from."""
    before, query = current(two_labs), Query((Topic("compilers for quantum annealers, weaving and genomes"),))
    with (other := create_app(settings)).app_context():
        rebuilt = live_index(other).rebuild(db.session(), Quiet())
    assert rebuilt is not None
    after = current(two_labs)
    assert before.fit.generation != after.fit.generation == rebuilt.fit.generation
    assert after.index.rank(query) == rebuilt.index.rank(query)
    assert current(two_labs) is after


@pytest.mark.usefixtures("following")
def test_without_a_save_nothing_is_read_again(two_labs: Flask) -> None:
    assert current(two_labs) is current(two_labs)


@pytest.mark.usefixtures("following")
def test_a_lab_that_is_deleted_is_gone_and_a_new_one_is_there(two_labs: Flask) -> None:
    current(two_labs)
    with two_labs.app_context():
        db.session.delete(queries.lab_by_slug(db.session(), GENOMES.key))
        db.session.commit()
    store(two_labs, replace(WEAVER, key="another"))
    assert list(current(two_labs).index.keys()) == ["another", WEAVER.key]


@pytest.mark.usefixtures("following")
def test_scores_are_those_of_a_new_process_whatever_was_edited_in_between(app: Flask, settings: Settings) -> None:
    labs = store_labs(app)
    for number in range(3):
        recruit_for(app, labs[number].key, f"{FOCUS} Number {number}.")
        ranked(app)
    matches = [(match.lab, match.score) for match in current(app).index.rank(ANNEALING)]
    assert len(matches) == 3
    assert [(match.lab, match.score) for match in current(create_app(settings)).index.rank(ANNEALING)] == matches


@pytest.mark.usefixtures("following")
def test_a_small_edit_keeps_the_weights_and_is_counted(app: Flask) -> None:
    labs = store_labs(app)
    before = current(app)
    recruit_for(app, labs[0].key, FOCUS)
    after = current(app)
    assert after.fit is before.fit
    assert list(after.edited) == [labs[0].key]
    assert after.drift() == 3 / 100  # the text of a profile weighs as much as three works, of a hundred


@pytest.mark.usefixtures("following")
def test_an_edit_that_is_taken_back_is_no_drift(app: Flask) -> None:
    labs = store_labs(app)
    current(app)
    recruit_for(app, labs[0].key, FOCUS)
    assert current(app).drift() > 0
    recruit_for(app, labs[0].key, "")
    assert current(app).drift() == 0


def test_few_works_are_fitted_anew_as_soon_as_enough_of_them_changed(app: Flask) -> None:
    labs = store_labs(app)
    before = current(app)
    edit(app, replace(labs[0], works=()))
    after = current(app)
    assert after.fit is not before.fit
    assert (after.edited, after.drift()) == ({}, 0)


@pytest.mark.usefixtures("following")
def test_what_does_not_enter_the_match_leaves_the_index_as_it_is(app: Flask) -> None:
    labs = store_labs(app)
    before = current(app)
    edit(app, replace(labs[0], leader="Ada Weaver"))
    after = current(app)
    assert after.profiles[labs[0].key].leader == "Ada Weaver"
    assert after.scored_as(labs[0].key) == before.scored_as(labs[0].key)
    assert dict(after.edited) == {}


@pytest.mark.usefixtures("following")
def test_the_score_of_another_lab_does_not_change_by_a_small_edit(app: Flask) -> None:
    labs = store_labs(app)
    query = Query((Topic("weaving of models"),))
    before, score = current(app), current(app).index.score(query, labs[1].key)
    recruit_for(app, labs[0].key, "Carpets from Bukhara.")
    assert current(app).scored_as(labs[1].key) == before.scored_as(labs[1].key)
    assert current(app).scored_as(labs[0].key) != before.scored_as(labs[0].key)
    assert current(app).index.score(query, labs[1].key) == score


def test_a_request_that_began_before_a_save_is_answered_from_the_labs_it_reads(two_labs: Flask) -> None:
    live = live_index(two_labs)
    before = current(two_labs)
    recruit_for(two_labs, WEAVER.key, FOCUS)
    after = current(two_labs)
    assert live._known(before.corpus.stamp) is before
    assert live.newest is after
