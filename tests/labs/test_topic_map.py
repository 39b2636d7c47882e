"""The topic map: where labs lie after a fit, and where a query lies among those that it fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.live_index.live import LiveIndex, live_index
from portal.labs.live_index.state import IndexedLabs, index_records
from portal.labs.matches import ranking_for
from portal.labs.topic_map import FEWEST, HEIGHT, NEAREST, NUMBERED, WIDTH, Point, places_of, topic_map
from portal.matching import Query, Topic
from portal.seeding.records import LabRecord
from tests.labs.following import recruit_for, small_labs, store_labs, until

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flask import Flask

QUERY = Query((Topic("weaving of models"),))


@pytest.fixture(scope="module")
def labs() -> IndexedLabs:
    return index_records(small_labs(20))


def placed(records: Iterable[LabRecord]) -> dict[str, Point]:
    return places_of(*index_records(records).index.fitted_vectors())


def test_labs_lie_within_the_drawing_the_same_for_the_same_labs(labs: IndexedLabs) -> None:
    places = places_of(*labs.index.fitted_vectors())
    assert set(places) == set(labs.profiles)
    assert all(0 < x < WIDTH and 0 < y < HEIGHT for x, y in places.values())
    assert len(set(places.values())) == 10  # those of every tenth lab use the same words
    assert placed(reversed(small_labs(20))) == places


def test_few_labs_and_labs_without_texts_make_no_map() -> None:
    assert placed([]) == placed(small_labs(FEWEST - 1)) == {}
    silent = LabRecord("silent", "Silent")
    assert set(placed([*small_labs(FEWEST), silent])) == {lab.key for lab in small_labs(FEWEST)}
    assert placed(LabRecord(f"lab-{number}", "Silent") for number in range(FEWEST)) == {}


def test_labs_that_all_say_the_same_make_no_map() -> None:
    same = [LabRecord(f"lab-{number}", "Same", interests="We weave wool and silk.") for number in range(FEWEST)]
    assert placed(same) == {}
    other = LabRecord("other", "Other", interests="We train models of language.")
    assert len(set(placed([*same, other]).values())) == 2


def test_a_request_makes_no_map_and_the_thread_makes_it_after_the_fit(app: Flask) -> None:
    store_labs(app)
    with app.app_context():
        live_index(app).current(db.session())
    assert live_index(app).places == {}
    live = LiveIndex(app, live_index(app).saved.folder, in_background=True)
    live.start()
    try:
        until(lambda: len(live.places) == 10)
    finally:
        live.caretaker.end()
        until(lambda: not live.caretaker.is_running)


def test_an_edited_lab_stays_where_it_was_fitted(app: Flask) -> None:
    store_labs(app)
    recruit_for(app, "lab-004", "We build compilers for quantum annealers.")
    live = live_index(app)
    with app.app_context():
        live.warm_up(db.session())
        recruit_for(app, "lab-005", "We weave wool.")
        labs = live.current(db.session())
    assert set(labs.edited) == {"lab-005"}
    assert places_of(*labs.index.fitted_vectors()) == live.places


def test_a_query_lies_among_the_labs_that_it_fits_and_nearest_the_best(labs: IndexedLabs) -> None:
    places = places_of(*labs.index.fitted_vectors())
    ranked = ranking_for(labs, QUERY)
    view = topic_map(places, labs.profiles, ranked)
    assert view is not None
    assert [(lab.slug, lab.rank) for lab in view.best] == [(match.lab, match.rank) for match in ranked[:NUMBERED]]
    fitting = [places[match.lab] for match in ranked]
    assert min(x for x, _ in fitting) <= view.you.x <= max(x for x, _ in fitting)
    assert min(y for _, y in fitting) <= view.you.y <= max(y for _, y in fitting)
    alone = topic_map(places, labs.profiles, ranked[:1])
    assert alone is not None
    assert alone.you == places[ranked[0].lab]
    assert (alone.nearest[0].slug, len(alone.nearest)) == (ranked[0].lab, NEAREST)
    assert (alone.fitting, len(alone.best)) == ("", 1)
    assert 0 < alone.others.count("M") <= 19


def test_labs_that_are_gone_or_not_placed_yet_are_not_on_the_map(labs: IndexedLabs) -> None:
    places, ranked = places_of(*labs.index.fitted_vectors()), ranking_for(labs, QUERY)
    best = ranked[0].lab
    left = {slug: profile for slug, profile in labs.profiles.items() if slug != best}
    view = topic_map(places, left, ranked)
    assert view is not None
    assert view.placed == 19
    assert best not in {lab.slug for lab in (*view.best, *view.nearest)}
    unplaced = {slug: point for slug, point in places.items() if slug != best}
    assert topic_map(unplaced, labs.profiles, ranked) == view
    assert topic_map(places, dict(list(left.items())[: FEWEST - 1]), ranked) is None


def test_without_a_fitting_lab_there_is_no_map(labs: IndexedLabs) -> None:
    assert topic_map(places_of(*labs.index.fitted_vectors()), labs.profiles, []) is None
