from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING

import pytest

from portal.matching import IndexRefused, LabDoc, LabIndex, Query, Topic, WorkDoc, read_concepts
from portal.matching.storage import VERSION, _checksum

from .corpus import LABS

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = [
    Query([Topic("LLM serving")], "fedrated learning", "k-means++ on a video card"),
    Query([Topic("Hydra")]),
    Query([Topic("orca"), Topic("quantum annealing")]),
]
CONCEPTS = read_concepts('[[concept]]\nplain=["video card"]\nterms=["GPU"]\nwhy="the same"\nadded_by="a test"\n')


@pytest.fixture
def index() -> LabIndex:
    built = LabIndex.fit(LABS, concepts=CONCEPTS)
    built.replace(LabDoc("new", "Quantum annealing \ud800.", (WorkDoc("q", "Orca", "", 2025, ("Orca",)),)))
    built.remove("theory")
    return built


def test_a_loaded_index_answers_like_the_saved_one(index: LabIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    loaded = LabIndex.load(tmp_path / "index")
    assert loaded.keys() == index.keys() == ("federated", "new", "serving")
    assert [loaded.lab(key) for key in loaded.keys()] == [index.lab(key) for key in index.keys()]  # noqa: SIM118
    for query in QUERIES:
        assert loaded.rank_explained(query) == index.rank_explained(query) != []
        assert [why.evidence for _, why in loaded.rank_explained(query)] == [
            why.evidence for _, why in index.rank_explained(query)
        ]
    assert loaded.suggest("fed") == index.suggest("fed")
    loaded.replace(LABS[2])
    index.replace(LABS[2])
    assert loaded.rank_explained(QUERIES[0]) == index.rank_explained(QUERIES[0])


def test_an_index_travels_to_other_processes(index: LabIndex) -> None:
    before = len(pickle.dumps(index))
    index.suggest("fed")
    assert len(pickle.dumps(index)) < 1.5 * before, "what is cached travels, too"
    copy = pickle.loads(pickle.dumps(index))  # noqa: S301 - our own bytes, as joblib's processes get them
    assert [copy.rank_explained(query) for query in QUERIES] == [index.rank_explained(query) for query in QUERIES]


def test_arrays_are_mapped_and_hold_no_pickle(index: LabIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    assert type(LabIndex.load(tmp_path / "index")._state.layers[0].terms.base).__name__ == "memmap"
    assert {file.suffix for file in (tmp_path / "index").iterdir()} == {".npy", ".json"}


def test_saving_again_replaces_an_index_but_nothing_else(index: LabIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    LabIndex.fit(LABS[:1]).save(tmp_path / "index")
    assert LabIndex.load(tmp_path / "index").keys() == ("federated",)
    assert [file.name for file in tmp_path.iterdir()] == ["index"]
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "mine.txt").write_text("keep")
    with pytest.raises(IndexRefused, match="is not an index"):
        index.save(tmp_path / "letters")
    assert (tmp_path / "letters" / "mine.txt").read_text() == "keep"


def test_an_empty_index_can_be_saved(tmp_path: Path) -> None:
    LabIndex.fit([]).save(tmp_path / "index")
    assert LabIndex.load(tmp_path / "index").keys() == ()


def test_damage_anywhere_is_refused_by_name(index: LabIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    for file in sorted((tmp_path / "index").iterdir()):
        if file.name != "manifest.json":
            whole = file.read_bytes()
            file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
            with pytest.raises(IndexRefused, match=f"{file.name} is not what was saved"):
                LabIndex.load(tmp_path / "index")
            file.write_bytes(whole)
    assert LabIndex.load(tmp_path / "index").keys() == index.keys()


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"version": [VERSION - 1, 1]}, "saved by another version"),
        ({"version": None}, "saved by another version"),
        ({"format": "a cake"}, "is not an index"),
        ({"files": None}, "is damaged"),
        ({"files": ["about.json"]}, "is damaged"),
        ({"files": {"gone.npy": "0"}}, "is damaged"),
    ],
)
def test_what_is_not_known_is_refused(index: LabIndex, tmp_path: Path, change: dict[str, object], refusal: str) -> None:
    index.save(tmp_path / "index")
    manifest = tmp_path / "index" / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | change))
    with pytest.raises(IndexRefused, match=refusal):
        LabIndex.load(tmp_path / "index")


@pytest.mark.parametrize("written", [b"", b"\xff\xfe not json", b"[" * 100_000, b"7"])
def test_a_folder_without_an_index_is_refused(tmp_path: Path, written: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(written)
    with pytest.raises(IndexRefused, match="is not an index"):
        LabIndex.load(tmp_path)


@pytest.mark.parametrize(
    ("file", "written"),
    [("about.json", b"[" * 100_000), ("about.json", b"{}"), ("about.json", b"7"), ("terms.npy", b"no array")],
)
def test_a_file_that_the_manifest_fits_but_nobody_wrote_so_is_refused(
    index: LabIndex, tmp_path: Path, file: str, written: bytes
) -> None:
    index.save(tmp_path / "index")
    (tmp_path / "index" / file).write_bytes(written)
    manifest = json.loads((tmp_path / "index" / "manifest.json").read_text())
    manifest["files"][file] = _checksum(tmp_path / "index" / file)
    (tmp_path / "index" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(IndexRefused, match="is damaged"):
        LabIndex.load(tmp_path / "index")
