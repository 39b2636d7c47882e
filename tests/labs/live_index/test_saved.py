"""The saved index: used by the next process, refused when damaged, complete after a kill."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from portal import create_app
from portal.db import db
from portal.labs import queries
from portal.labs.live_index import live as module
from portal.labs.live_index import saved as saving
from portal.labs.live_index.live import live_index
from portal.labs.live_index.state import IndexedLabs, fit_labs
from tests.labs.following import BRAIDING, Quiet, current, ranked, recruit_for, store_labs
from tests.labs.records import edit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flask import Flask

    from portal.labs.live_index.saved import SavedIndex
    from portal.labs.live_index.state import Corpus, Stages
    from tests.conftest import Settings

BRAIDS = "We braid topological qubits."


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of labs of each fit, recorded as fits are made."""
    lab_counts: list[int] = []

    def counted(corpus: Corpus, stages: Stages | None = None) -> IndexedLabs:
        lab_counts.append(len(corpus.profiles))
        return fit_labs(corpus, stages)

    monkeypatch.setattr(module, "fit_labs", counted)
    return lab_counts


@pytest.fixture
def saved(app: Flask, fits: list[int]) -> SavedIndex:
    """The saved index of ten labs."""
    store_labs(app)
    current(app)
    assert fits == [10]
    fits.clear()
    return live_index(app).saved


def test_of_many_labs_the_topics_to_suggest_are_saved_with_it(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FITTED_QUICKLY", 0)
    monkeypatch.setattr("portal.matching.suggest._FEW_ROWS", 0)
    store_labs(app)
    current(app)
    saved_labs = live_index(app).saved.load()
    assert saved_labs is not None
    assert "weaving" in saved_labs.index.suggest("weav")


def test_the_next_process_starts_from_it_with_the_edits_since(
    app: Flask, settings: Settings, saved: SavedIndex, fits: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "DRIFT", 0.2)  # the lab that goes is a tenth of all works
    assert saved.load() is not None
    recruit_for(app, "lab-004", BRAIDS)
    with app.app_context():
        db.session.delete(queries.lab_by_slug(db.session(), "lab-009"))
        db.session.commit()
    other = create_app(settings)
    assert ranked(other, BRAIDING) == ["lab-004"]
    assert list(current(other).index.keys()) == [f"lab-00{number}" for number in range(9)]
    assert fits == []


def _damage_pointer(folder: Path) -> None:
    (folder / "current.json").write_text("{")


def _damage_array(folder: Path) -> None:
    array = max(folder.glob("generations/*/index/*.npy"), key=lambda file: file.stat().st_size)
    data = bytearray(array.read_bytes())
    data[-1] ^= 1
    array.write_bytes(data)


def _damage_manifest(folder: Path) -> None:
    (manifest,) = folder.glob("generations/*/index/manifest.json")
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "files": []}))


def _lose_corpus(folder: Path) -> None:
    (corpus,) = folder.glob("generations/*/corpus.json")
    corpus.unlink()


def _come_from_the_future(folder: Path) -> None:
    pointer = folder / "current.json"
    pointer.write_text(json.dumps({**json.loads(pointer.read_text()), "version": 2}))


def _nest_pointer(folder: Path) -> None:
    (folder / "current.json").write_text("[" * 100_000)


def _point_elsewhere(folder: Path) -> None:
    pointer = folder / "current.json"
    pointer.write_text(json.dumps({**json.loads(pointer.read_text()), "generation": "../../.."}))


@pytest.mark.parametrize(
    "damage",
    [
        _damage_pointer,
        _nest_pointer,
        _damage_array,
        _damage_manifest,
        _lose_corpus,
        _come_from_the_future,
        _point_elsewhere,
    ],
)
def test_a_damaged_or_newer_one_is_refused_with_a_line_in_the_log_and_built_anew(
    settings: Settings,
    saved: SavedIndex,
    fits: list[int],
    caplog: pytest.LogCaptureFixture,
    damage: Callable[[Path], None],
) -> None:
    damage(saved.folder)
    assert saved.load() is None
    assert "The saved index is not used" in caplog.text
    assert len(current(create_app(settings)).index) == 10
    assert fits == [10]
    assert saved.load() is not None


def test_one_of_another_version_of_the_portal_is_not_called_damaged(
    saved: SavedIndex, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "_reading", lambda: "another")
    assert saved.load() is None
    assert "was saved by a version of the portal that reads profiles in another way" in caplog.text
    assert "is damaged" not in caplog.text


def test_one_of_another_database_is_not_used(
    settings: Settings, saved: SavedIndex, fits: list[int], migrated_database: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "other.sqlite"
    copy.write_bytes(migrated_database.read_bytes())
    other = create_app({**settings, "PORTAL_DATABASE_URL": f"sqlite:///{copy}"})
    labs = store_labs(other, 30)
    edit(other, replace(labs[0], interests=BRAIDS))
    assert saved.load() is not None
    assert ranked(other, BRAIDING) == ["lab-000"]
    assert fits == [30]


def test_only_the_newest_one_is_kept(app: Flask, saved: SavedIndex) -> None:
    (saved.folder / "generations" / "left-by-a-kill").mkdir()
    with app.app_context():
        live_index(app).rebuild(db.session(), Quiet())
    loaded = saved.load()
    assert loaded is not None
    assert [folder.name for folder in (saved.folder / "generations").iterdir()] == [loaded.fit.generation]


def test_where_it_cannot_be_saved_queries_are_answered_all_the_same(
    app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    labs = store_labs(app)
    live_index(app).saved.folder.write_text("a file where the folder should be")
    recruit_for(app, labs[2].key, BRAIDS)
    assert ranked(app, BRAIDING) == [labs[2].key]
    assert "could not be saved" in caplog.text


KILLED = """
import json, os, signal, sys
from pathlib import Path
from types import SimpleNamespace
from portal import create_app
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.matching import LabIndex

def killed(*anything):
    os.kill(os.getpid(), signal.SIGKILL)

app = create_app(json.loads(sys.argv[1]))
if sys.argv[2] == "in the middle":
    LabIndex.save = lambda index, path: killed(path.mkdir())
else:
    Path.replace = killed
with app.app_context():
    live_index(app).rebuild(db.session(), SimpleNamespace(begin=print, done=print))
"""


@pytest.mark.usefixtures("concept_file")
@pytest.mark.parametrize("moment", [pytest.param("in the middle", marks=pytest.mark.thorough), "at the last moment"])
def test_a_kill_while_saving_leaves_the_one_before(
    app: Flask, settings: Settings, saved: SavedIndex, moment: str
) -> None:
    before = saved.load()
    assert before is not None
    killed = subprocess.run([sys.executable, "-c", KILLED, json.dumps(settings), moment], check=False)
    assert killed.returncode == -9
    after = saved.load()
    assert after is not None
    assert after.fit.generation == before.fit.generation
    assert not saved.is_claimed()
    with app.app_context():
        rebuilt = live_index(app).rebuild(db.session(), Quiet())
    assert rebuilt is not None
    assert [folder.name for folder in (saved.folder / "generations").iterdir()] == [rebuilt.fit.generation]
