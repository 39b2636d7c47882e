from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from portal import create_app
from portal.db import db
from portal.labs import live_index as module
from portal.labs import queries, service
from portal.labs.live_index import IndexedLabs, live_index
from portal.matching import Query, Topic
from tests.labs.records import GENOMES, WEAVER

if TYPE_CHECKING:
    from flask import Flask

    from tests.conftest import Settings

NOW = datetime(2026, 11, 20, tzinfo=UTC)
ANNEALING = Query((Topic("compilers for quantum annealers"),))


@pytest.fixture
def two_labs(app: Flask) -> Flask:
    with app.app_context():
        for record in (WEAVER, GENOMES):
            service.create_lab(db.session(), record, author=None, reason="first", now=NOW)
        db.session.commit()
    return app


@pytest.fixture(params=["fitted anew", "edited in place"])
def following(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of following a save: that of few works, and that of many."""
    if request.param == "edited in place":
        monkeypatch.setattr(module, "FITTED_QUICKLY", 0)
    return str(request.param)


def current(app: Flask) -> IndexedLabs:
    with app.app_context():
        return live_index(app).current(db.session())


def save_focus(app: Flask, slug: str, focus: str) -> None:
    with app.app_context():
        lab = queries.lab_by_slug(db.session(), slug)
        assert lab is not None
        profile = replace(queries.profile_of(db.session(), lab), recruiting_focus=focus)
        base = lab.revision_number
        service.save_profile(db.session(), lab, profile, base=base, author=None, reason="focus", now=NOW)
        db.session.commit()


@pytest.mark.usefixtures("following")
def test_the_next_query_of_every_process_sees_a_save(two_labs: Flask, settings: Settings) -> None:
    other = create_app(settings)  # another worker over the same database
    assert current(two_labs).index.rank(ANNEALING) == []
    assert current(other).index.rank(ANNEALING) == []
    save_focus(two_labs, WEAVER.key, "We look for students who build compilers for quantum annealers.")
    for app in (two_labs, other):
        labs = current(app)
        assert [match.lab for match in labs.index.rank(ANNEALING)] == [WEAVER.key]
        assert "annealers" in labs.profiles[WEAVER.key].recruiting_focus


@pytest.mark.usefixtures("following")
def test_a_query_under_way_keeps_the_labs_it_began_with(two_labs: Flask) -> None:
    before = current(two_labs)
    save_focus(two_labs, WEAVER.key, "We look for students who build compilers for quantum annealers.")
    assert current(two_labs) is not before
    assert before.index.rank(ANNEALING) == []


@pytest.mark.usefixtures("following")
def test_without_a_save_nothing_is_read_again(two_labs: Flask) -> None:
    assert current(two_labs) is current(two_labs)


@pytest.mark.usefixtures("following")
def test_a_lab_that_is_deleted_is_gone_and_a_new_one_is_there(two_labs: Flask) -> None:
    current(two_labs)
    with two_labs.app_context():
        db.session.delete(queries.lab_by_slug(db.session(), GENOMES.key))
        new = replace(WEAVER, key="another")
        service.create_lab(db.session(), new, author=None, reason="new", now=NOW)
        db.session.commit()
    assert sorted(current(two_labs).index.keys()) == sorted([WEAVER.key, "another"])
