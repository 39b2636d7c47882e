"""Concepts in the live index: a saved one is in the next query of every process, without a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal import create_app
from portal.db import db
from portal.labs.concepts.queries import all_entries
from portal.labs.concepts.service import add_concept, retire
from portal.labs.live_index import live as module
from portal.labs.live_index.labs import fit_labs
from portal.labs.live_index.live import EXTENSION, LiveIndex, live_index
from portal.matching import Concept, Query, Topic
from portal.models import User
from tests.labs.following import current, ranked, recruit_for, store_labs, until
from tests.labs.records import SAVED

if TYPE_CHECKING:
    from flask import Flask

    from portal.labs.live_index.corpus import Corpus
    from portal.labs.live_index.labs import IndexedLabs, Stages
    from tests.conftest import Settings
    from tests.people import Person

PLAIN = Query((Topic("blue marmalade"),))
SAID = Concept(("marmalade",), ("weaving", "case1"), "A word for it in these tests.", "the tests")


@pytest.fixture(params=["few works", "many works"])
def labs(request: pytest.FixtureRequest, app: Flask, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """Ten labs, once with the usual limits, and once with limits so low that a thread fits them."""
    if request.param == "many works":
        monkeypatch.setattr(module, "FITTED_QUICKLY", 0)
    store_labs(app)
    return app


def say(app: Flask) -> None:
    """Save the only concept."""
    with app.app_context():
        add_concept(db.session(), SAID, author=None, reason="Missing", now=SAVED, among=())
        db.session.commit()


def unsay(app: Flask, admin: Person) -> None:
    """Retire the only concept."""
    with app.app_context():
        (entry,) = all_entries(db.session())
        author = db.session().get_one(User, admin.id)
        retire(db.session(), entry, author=author, reason="Not so", now=SAVED)
        db.session.commit()


def test_the_next_query_of_every_process_knows_it_without_a_fit(labs: Flask, settings: Settings) -> None:
    other = create_app(settings)
    assert (ranked(labs, PLAIN), ranked(other, PLAIN)) == ([], [])
    before = current(labs), current(other)
    say(labs)
    assert (ranked(labs, PLAIN)[:1], ranked(other, PLAIN)[:1]) == (["lab-001"], ["lab-001"])
    assert (current(labs).fit, current(other).fit) == (before[0].fit, before[1].fit)
    assert (current(labs).drift(), dict(current(labs).edited)) == (0, {})
    assert before[0].index.rank(PLAIN) == []


def test_one_that_is_retired_is_gone_from_the_next_query(labs: Flask, admin: Person) -> None:
    say(labs)
    assert ranked(labs, PLAIN)[:1] == ["lab-001"]
    unsay(labs, admin)
    assert ranked(labs, PLAIN) == []


def test_a_new_process_takes_the_saved_index_with_the_concepts_of_now(labs: Flask, settings: Settings) -> None:
    fitted = current(labs).fit
    say(labs)
    first = current(create_app(settings))
    assert [match.lab for match in first.index.rank(PLAIN)][:1] == ["lab-001"]
    assert first.fit.generation == fitted.generation
    assert [(match.lab, match.score) for match in current(labs).index.rank(PLAIN)] == [
        (match.lab, match.score) for match in first.index.rank(PLAIN)
    ]


def test_a_new_process_forgets_the_concepts_that_the_saved_index_was_fitted_with(
    labs: Flask, settings: Settings, admin: Person
) -> None:
    say(labs)
    fitted = current(labs).fit
    unsay(labs, admin)
    other = current(create_app(settings))
    assert other.corpus.concepts == ()
    assert (other.index.rank(PLAIN), other.fit.generation) == ([], fitted.generation)


def test_a_lab_saved_together_with_a_concept_is_there_too(labs: Flask) -> None:
    current(labs)
    say(labs)
    recruit_for(labs, "lab-004", "We build compilers for quantum annealers.")
    assert ranked(labs) == ["lab-004"]
    assert ranked(labs, PLAIN)[:1] == ["lab-001"]


def test_scores_from_before_do_not_hold(labs: Flask) -> None:
    before = current(labs).scored_as("lab-001")
    say(labs)
    after = current(labs).scored_as("lab-001")
    assert before != after
    assert current(labs).scored_as("lab-001") == after


def test_where_a_thread_fits_many_works_it_is_known_before_and_without_a_fit(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits: list[Corpus] = []

    def counted(corpus: Corpus, stages: Stages | None = None) -> IndexedLabs:
        fits.append(corpus)
        return fit_labs(corpus, stages)

    monkeypatch.setattr(module, "fit_labs", counted)
    monkeypatch.setattr(module, "FITTED_QUICKLY", 0)
    monkeypatch.setattr(module, "LOOK_AGAIN", 0.01)
    monkeypatch.setattr(module, "BETWEEN_FITS", 0.0)
    store_labs(app)
    live = LiveIndex(app, live_index(app).saved.folder, in_background=True)
    app.extensions[EXTENSION] = live
    live.start()
    until(lambda: (labs := live.last_used()) is not None and labs.is_searchable)
    say(app)
    assert ranked(app, PLAIN)[:1] == ["lab-001"]
    live.caretaker.end()
    until(lambda: not live.caretaker.is_running)
    assert (len(fits), ranked(app, PLAIN)[:1]) == (1, ["lab-001"])
