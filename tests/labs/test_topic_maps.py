"""The topic map of the labs: computed once for each fit, shown for the present labs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from portal.labs.live_index.live import IndexedLabs, index_records
from portal.labs.matches import topic_maps as module
from portal.labs.matches.topic_maps import MapView, NearLab, TopicMaps, map_view
from portal.labs.matches.views import ranking_for
from portal.matching import Query, Topic
from portal.seeding.records import LabRecord, WorkRecord


def record(key: str, name: str, text: str) -> LabRecord:
    return LabRecord(key, name=name, interests=text, works=(WorkRecord(f"{key}-w", text),))


LABS = (
    record("serving", "Serving Lab", "LLM serving on GPU clusters"),
    record("training", "Training Lab", "LLM training on GPU clusters"),
    record("proteins", "蛋白质实验室", "Folding of membrane proteins"),
    LabRecord("silent", name="Silent Lab"),
)


@pytest.fixture
def labs() -> IndexedLabs:
    return index_records(LABS)


def view(labs: IndexedLabs, text: str) -> MapView:
    lab_map = TopicMaps().of(labs)
    assert lab_map is not None
    return map_view(labs, lab_map, ranking_for(labs, Query([Topic(text)])))


def test_the_map_is_made_once_for_a_fit(labs: IndexedLabs) -> None:
    maps = TopicMaps()
    lab_map = maps.of(labs)
    assert lab_map is not None
    assert maps.of(replace(labs, words=1)) is lab_map
    assert maps.of(index_records(LABS)) is not lab_map


def test_the_map_of_a_fit_that_is_gone_is_forgotten(labs: IndexedLabs) -> None:
    maps = TopicMaps()
    maps.of(labs)
    maps.of(index_records(LABS[:2]))
    assert len(maps._maps) == 1


def test_many_labs_are_drawn_beside_the_pages_and_the_map_before_stays(
    labs: IndexedLabs, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = TopicMaps()
    monkeypatch.setattr(module, "DRAWN_AT_ONCE", 3)
    assert maps.of(labs) is None
    maps.wait()
    lab_map = maps.of(labs)
    assert lab_map is not None
    later = index_records([*LABS, record("new", "New Lab", "Queues")])
    assert maps.of(later) is lab_map
    maps.wait()
    assert "new" in getattr(maps.of(later), "places", {})


def test_a_map_that_cannot_be_made_is_logged_and_not_tried_again(
    labs: IndexedLabs, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_labs: object) -> None:
        raise MemoryError

    maps = TopicMaps()
    monkeypatch.setattr(module, "DRAWN_AT_ONCE", 0)
    monkeypatch.setattr(module, "topic_map", fails)
    for _ in range(2):
        assert maps.of(labs) is None
        maps.wait()
    assert caplog.messages == ["The topic map of 4 labs could not be made"]


def test_labs_are_listed_from_the_query_outwards_with_their_exact_rank(labs: IndexedLabs) -> None:
    shown = view(labs, "LLM training clusters")
    assert shown.has_you
    assert shown.nearest[:2] == [NearLab("training", "Training Lab", 1), NearLab("serving", "Serving Lab", 2)]
    assert shown.nearest[2:] == [NearLab("proteins", "蛋白质实验室", 0)]
    assert (shown.placed, shown.waiting, shown.silent) == (3, 0, 1)
    assert [lab.name.text for lab in shown.for_desks.labelled] == ["1 Training Lab", "2 Serving Lab", "蛋白质实验室"]


def test_a_query_that_fits_nothing_has_no_place_and_the_labs_are_still_there(labs: IndexedLabs) -> None:
    shown = view(labs, "zyzzyva")
    assert not shown.has_you
    assert len(shown.nearest) == 3
    assert shown.for_phones.you is None


def test_labs_that_came_later_wait_and_labs_that_are_gone_are_left_out(labs: IndexedLabs) -> None:
    lab_map = TopicMaps().of(labs)
    assert lab_map is not None
    later = index_records([*LABS[:1], record("new", "New Lab", "Queues and stacks")])
    shown = map_view(later, lab_map, ranking_for(later, Query([Topic("queues")])))
    assert [lab.slug for lab in shown.nearest] == ["serving"]
    assert (shown.placed, shown.waiting, shown.silent) == (1, 1, 0)
    assert not shown.has_you


def test_without_labs_the_map_is_empty() -> None:
    shown = view(index_records([]), "anything")
    assert (shown.placed, list(shown.nearest), shown.for_desks.labelled) == (0, [], ())
