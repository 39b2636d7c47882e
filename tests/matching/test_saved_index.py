from __future__ import annotations

import errno
import hashlib
import json
import pickle
import resource
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

from portal.matching import IndexRefused, LabDoc, LabIndex, Query, Topic, WorkDoc, read_concepts
from portal.matching.segments import storage
from portal.matching.segments.mapping import mapped
from portal.matching.segments.storage import VERSION, _save_array

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
    for query in QUERIES:
        assert loaded.rank_explained(query) == index.rank_explained(query)
    assert loaded.suggest("fed") == index.suggest("fed")
    loaded.replace(LABS[2])
    index.replace(LABS[2])
    assert loaded.rank_explained(QUERIES[0]) == index.rank_explained(QUERIES[0])


def test_keys_of_works_are_kept_whatever_is_in_them(tmp_path: Path) -> None:
    keys = ['a", "b', "back\\slash", "line\nbreak", "plain", "works/2025, first", "ä \ud800"]
    works_of_lab = {key: (WorkDoc(key, "Quantum annealing", ""),) for key in keys}
    labs = [LabDoc(key, "", works) for key, works in works_of_lab.items()]
    labs += [LabDoc("all", "", tuple(WorkDoc(key, "Quantum annealing", "") for key in keys)), LabDoc("none", "Law", ())]
    LabIndex.fit(labs).save(tmp_path / "index")
    ranked = dict(LabIndex.load(tmp_path / "index").rank_explained(Query([Topic("quantum annealing")])))
    shown = {
        match.lab: {key for share in explained.terms for key in share.works} for match, explained in ranked.items()
    }
    assert {lab: works for lab, works in shown.items() if lab != "all"} == {key: {key} for key in keys}
    assert shown["all"] < set(keys)
    assert len(shown["all"]) == 3


def test_an_index_travels_to_other_processes(index: LabIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    before = len(pickle.dumps(index))
    index.suggest("fed")
    assert len(pickle.dumps(index)) == before, "what is cached travels, too"
    for original in (index, LabIndex.load(tmp_path / "index")):
        copy = pickle.loads(pickle.dumps(original))  # noqa: S301 - our own bytes, as joblib's processes get them
        assert [copy.rank_explained(query) for query in QUERIES] == [index.rank_explained(query) for query in QUERIES]


def test_arrays_are_mapped_and_hold_no_pickle(index: LabIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    loaded = LabIndex.load(tmp_path / "index")
    assert type(loaded._state.layers[0].segment.postings.rows.base).__name__ == "memmap"
    assert {file.suffix for file in (tmp_path / "index").iterdir()} == {".npy", ".json"}


def test_saving_again_replaces_an_index_but_nothing_else(index: LabIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    LabIndex.fit(LABS[:1]).save(tmp_path / "index")
    assert LabIndex.load(tmp_path / "index").keys() == ("federated",)
    assert [file.name for file in tmp_path.iterdir()] == ["index"]
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "mine.txt").write_text("keep")
    with pytest.raises(IndexRefused, match="is not an index, so it is left as it is"):
        index.save(tmp_path / "letters")
    assert (tmp_path / "letters" / "mine.txt").read_text() == "keep"


def test_threads_that_save_to_one_place_leave_a_whole_index_and_nothing_beside_it(
    index: LabIndex, tmp_path: Path
) -> None:
    with ThreadPoolExecutor(4) as threads:
        outcomes = [threads.submit(index.save, tmp_path / "index") for _ in range(8)]
    assert any(outcome.exception() is None for outcome in outcomes)
    assert all(isinstance(outcome.exception(), OSError | None) for outcome in outcomes)
    assert LabIndex.load(tmp_path / "index").keys() == index.keys()
    assert list(tmp_path.iterdir()) == [tmp_path / "index"]


def test_what_cannot_be_saved_leaves_the_old_index(
    index: LabIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.save(tmp_path / "index")
    rename = type(tmp_path).rename

    def fail_for_the_new_one(folder: Path, target: Path) -> Path:
        if folder.name == "new":
            raise OSError(errno.ENOSPC, "No space left on device")
        return rename(folder, target)

    monkeypatch.setattr(type(tmp_path), "rename", fail_for_the_new_one)
    with pytest.raises(OSError, match="No space left"):
        index.save(tmp_path / "index")
    assert LabIndex.load(tmp_path / "index").keys() == index.keys()
    assert list(tmp_path.iterdir()) == [tmp_path / "index"]


def test_a_full_disk_is_named_as_what_keeps_an_array_from_being_saved(tmp_path: Path) -> None:
    """NumPy names numbers of items only, as in “98597 requested and 53120 written”."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(OSError, match="No space left on device") as failure:
            _save_array(np.zeros(100_000), tmp_path / "rows.npy")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert failure.value.filename == str(tmp_path / "rows.npy")


def test_an_empty_index_can_be_saved(tmp_path: Path) -> None:
    LabIndex.fit([]).save(tmp_path / "index")
    assert LabIndex.load(tmp_path / "index").keys() == ()


def test_damage_anywhere_is_refused_by_name(index: LabIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    for file in sorted((tmp_path / "index").iterdir()):
        if file.name == "manifest.json":
            continue
        whole = file.read_bytes()
        file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        with pytest.raises(IndexRefused, match=f"{file.name} is not what was saved"):
            LabIndex.load(tmp_path / "index")
        file.write_bytes(whole[:-1])
        with pytest.raises(IndexRefused, match=f"{file.name} is missing or has another size"):
            LabIndex.load(tmp_path / "index", verify=False)
        file.write_bytes(whole)
    assert LabIndex.load(tmp_path / "index").keys() == index.keys()


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"version": VERSION - 1}, f"saved with version {VERSION - 1}, this program knows {VERSION} only"),
        ({"analyzer": 99}, "saved with analyzer 99"),
        ({"format": "a cake"}, "of another kind"),
        ({"files": {}}, "does not list"),
        ({"files": None}, "is damaged"),
        ({"files": ["lexicon.json"]}, "is damaged"),
        ({"files": {"lexicon.json": {"sha256": "0"}}}, "is damaged"),
    ],
)
def test_what_is_not_known_is_refused(index: LabIndex, tmp_path: Path, change: dict[str, object], refusal: str) -> None:
    index.save(tmp_path / "index")
    manifest = tmp_path / "index" / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | change))
    with pytest.raises(IndexRefused, match=refusal):
        LabIndex.load(tmp_path / "index")


def test_a_folder_without_an_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IndexRefused, match="holds no index"):
        LabIndex.load(tmp_path)
    (tmp_path / "manifest.json").write_bytes(b"\xff\xfe not json")
    with pytest.raises(IndexRefused, match="holds no index"):
        LabIndex.load(tmp_path)
    (tmp_path / "manifest.json").write_text("[" * 100_000)
    with pytest.raises(IndexRefused, match="holds no index"):
        LabIndex.load(tmp_path)


@pytest.mark.parametrize(
    ("file", "written"),
    [
        ("lexicon.json", b"[" * 100_000),
        ("lexicon.json", b"{}"),
        ("names.json", b"7"),
        ("edits.json", b'{"keys": 3, "gone": [], "edited": []}'),
        ("edits.json", b'{"keys": [], "gone": [], "edited": [{}]}'),
        ("suggestions.json", b"[[1]]"),
        ("suggestions.json", b'"federated learning"'),
        ("rows.npy", b"no array"),
        ("rows.npy", b""),
    ],
)
def test_a_file_that_the_manifest_fits_but_nobody_wrote_so_is_refused(
    index: LabIndex, tmp_path: Path, file: str, written: bytes
) -> None:
    index.save(tmp_path / "index")
    (tmp_path / "index" / file).write_bytes(written)
    manifest = json.loads((tmp_path / "index" / "manifest.json").read_text())
    manifest["files"][file] = {"sha256": hashlib.sha256(written).hexdigest(), "bytes": len(written)}
    (tmp_path / "index" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(IndexRefused, match="is damaged"):
        LabIndex.load(tmp_path / "index")


def test_an_index_replaced_while_it_is_read_is_refused(
    index: LabIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else its files could be partly of the one and partly of the other: not all are compared with checksums."""
    first, *others = LABS
    renamed = LabDoc(first.key.upper(), first.profile, first.works)
    other = LabIndex.fit([renamed, *others], concepts=CONCEPTS)
    index = LabIndex.fit(LABS, concepts=CONCEPTS)
    index.save(tmp_path / "index")

    def replace_and_map(file: Path, *, in_reach: bool = False) -> object:
        monkeypatch.setattr(storage, "mapped", mapped)
        other.save(tmp_path / "index")
        return mapped(file, in_reach=in_reach)

    monkeypatch.setattr(storage, "mapped", replace_and_map)
    with pytest.raises(IndexRefused, match="replaced"):
        LabIndex.load(tmp_path / "index", verify=False)
    assert LabIndex.load(tmp_path / "index", verify=False).keys() == other.keys()
