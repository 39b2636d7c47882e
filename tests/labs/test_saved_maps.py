"""A topic map is drawn once for each fit and host: other processes, and those after a restart, read it."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

import pytest

from portal.labs.live_index.live import index_records
from portal.labs.live_index.saved import folder_of
from portal.labs.matches import topic_maps as module
from portal.labs.matches.saved_maps import VERSION, SavedMaps
from portal.labs.matches.topic_maps import TopicMaps
from portal.matching.lab_terms import topic_map
from tests.at_once import at_once
from tests.labs.following import small_labs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.labs.live_index.labs import IndexedLabs
    from portal.matching import LabDoc
    from portal.matching.topic_map import TopicMap


@pytest.fixture
def labs(tmp_path: Path) -> IndexedLabs:
    """Labs of a fit whose folder is there."""
    folder_of(tmp_path, "one").mkdir(parents=True)
    fitted = index_records(small_labs(4))
    return replace(fitted, fit=replace(fitted.fit, generation="one"))


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """One item for each map that is drawn."""
    times: list[object] = []

    def draw(docs: Iterable[LabDoc]) -> TopicMap:
        times.append(docs)
        sleep(0.02)
        return topic_map(docs)

    monkeypatch.setattr(module, "topic_map", draw)
    return times


def maps(folder: Path) -> TopicMaps:
    """The maps of another process."""
    return TopicMaps(SavedMaps(folder))


def test_the_next_process_reads_the_map_that_the_first_has_drawn(
    labs: IndexedLabs, tmp_path: Path, drawn: list[object]
) -> None:
    first = maps(tmp_path).of(labs)
    assert first is not None
    assert maps(tmp_path).of(labs) == first
    assert len(drawn) == 1


def test_processes_that_need_it_at_the_same_time_draw_one(
    labs: IndexedLabs, tmp_path: Path, drawn: list[object]
) -> None:
    found = at_once(lambda _number: maps(tmp_path).of(labs), 4)
    assert len(drawn) == 1
    assert all(lab_map == found[0] for lab_map in found)


@pytest.mark.parametrize(
    "content", ["", "[]", "null", "{", '{"version": 1}', f'{{"version": {VERSION}, "places": {{"a": [1]}}}}']
)
def test_a_damaged_map_is_drawn_anew_and_kept(
    labs: IndexedLabs, tmp_path: Path, drawn: list[object], caplog: pytest.LogCaptureFixture, content: str
) -> None:
    file = folder_of(tmp_path, "one") / "topic_map.json"
    file.write_text(content)
    first = maps(tmp_path).of(labs)
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "The saved topic map is not used, it is drawn anew"
    ]
    assert maps(tmp_path).of(labs) == first
    assert len(drawn) == 1


def test_a_map_of_another_version_is_drawn_anew(labs: IndexedLabs, tmp_path: Path, drawn: list[object]) -> None:
    maps(tmp_path).of(labs)
    file = folder_of(tmp_path, "one") / "topic_map.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": VERSION - 1}))
    maps(tmp_path).of(labs)
    assert len(drawn) == 2


def test_without_a_saved_fit_each_process_draws_its_own(tmp_path: Path, drawn: list[object]) -> None:
    labs = index_records(small_labs(4))
    assert maps(tmp_path).of(labs) == maps(tmp_path / "nowhere").of(labs)
    assert len(drawn) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_logged_and_the_map_is_shown(
    labs: IndexedLabs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert maps(tmp_path).of(labs) is not None
    assert caplog.messages == ["The topic map cannot be saved: [Errno 28] No space left on device"]
    assert [file.name for file in folder_of(tmp_path, "one").iterdir()] == ["topic_map.lock"]


def test_a_fit_whose_folder_is_gone_is_drawn_all_the_same(
    labs: IndexedLabs, tmp_path: Path, drawn: list[object]
) -> None:
    folder_of(tmp_path, "one").rmdir()
    assert maps(tmp_path).of(labs) is not None
    assert len(drawn) == 1
