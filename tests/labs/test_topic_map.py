"""The topic map: where labs lie after a fit, and where a query lies among those that it fits."""

from __future__ import annotations

import pytest

from portal.labs.live_index.state import IndexedLabs, index_records
from portal.labs.matches import ranking_for
from portal.labs.topic_map import FEWEST, HEIGHT, NUMBERED, WIDTH, TopicMaps, places_of
from portal.matching import Query, Topic
from portal.seeding.records import LabRecord
from tests.labs.following import small_labs

QUERY = Query((Topic("weaving of models"),))


@pytest.fixture(scope="module")
def labs() -> IndexedLabs:
    return index_records(small_labs(20))


def test_labs_lie_within_the_drawing_the_same_for_the_same_labs(labs: IndexedLabs) -> None:
    places = places_of(labs)
    assert len(places) == 20
    assert all(0 < x < WIDTH and 0 < y < HEIGHT for x, y in places.values())
    assert places_of(index_records(reversed(small_labs(20)))) == places


def test_few_labs_and_labs_without_texts_make_no_map() -> None:
    assert places_of(index_records(small_labs(FEWEST - 1))) == {}
    silent = LabRecord("silent", "Silent")
    assert set(places_of(index_records([*small_labs(FEWEST), silent]))) == {lab.key for lab in small_labs(FEWEST)}
    assert places_of(index_records(LabRecord(f"lab-{number}", "Silent") for number in range(FEWEST))) == {}


def test_pages_have_no_map_before_the_labs_are_placed_and_keep_it_until_those_of_the_next_fit_are(
    labs: IndexedLabs,
) -> None:
    maps = TopicMaps()
    assert maps.view(labs, []) is None
    maps.draw(labs)
    before = maps.view(labs, [])
    assert before is not None
    refitted = index_records(small_labs(22))
    assert maps.view(refitted, []) == before
    maps.draw(refitted)
    after = maps.view(refitted, [])
    assert after is not None
    assert (before.placed, after.placed) == (20, 22)


def test_a_lab_that_is_gone_is_not_on_the_map(labs: IndexedLabs) -> None:
    maps = TopicMaps()
    maps.draw(labs)
    fewer = maps.view(index_records(small_labs(9)), [])
    assert fewer is not None
    assert fewer.placed == 9
    assert maps.view(index_records(small_labs(FEWEST - 1)), []) is None


def test_a_query_lies_among_the_labs_that_it_fits_and_nearest_the_best(labs: IndexedLabs) -> None:
    maps = TopicMaps()
    maps.draw(labs)
    ranked = ranking_for(labs, QUERY)
    assert ranked
    view = maps.view(labs, ranked)
    assert view is not None
    assert view.you is not None
    assert [lab.slug for lab in view.best] == [match.lab for match in ranked[:NUMBERED]]
    fitting = [places_of(labs)[match.lab] for match in ranked]
    assert min(point.x for point in fitting) <= view.you.x <= max(point.x for point in fitting)
    alone = maps.view(labs, ranked[:1])
    assert alone is not None
    assert alone.you == places_of(labs)[ranked[0].lab]
    assert alone.nearest[0].slug == ranked[0].lab
    assert alone.others.count("M") + alone.fitting.count("M") <= 19


def test_without_a_fitting_lab_those_in_the_middle_are_listed(labs: IndexedLabs) -> None:
    maps = TopicMaps()
    maps.draw(labs)
    view = maps.view(labs, [])
    assert view is not None
    assert (view.you, view.best, view.fitting) == (None, [], "")
    assert all(lab.position == 0 for lab in view.nearest)
