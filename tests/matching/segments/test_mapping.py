"""Arrays of a saved index in memory."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path

import numpy as np
import pytest

from portal.matching import LabIndex
from portal.matching.segments import storage
from portal.matching.segments.mapping import mapped
from tests.matching.corpus import LABS

_MAPPINGS = Path("/proc/self/smaps")


def kilobytes_in_reach(file: Path) -> int:
    """How much of a mapped file this process reaches without a page fault."""
    of_file = _MAPPINGS.read_text().partition(str(file))[2]
    return int(of_file.partition("Rss:")[2].split(maxsplit=1)[0])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says which pages are mapped")
def test_arrays_are_in_reach_only_if_wanted(tmp_path: Path) -> None:
    file = tmp_path / "numbers.npy"
    numbers = np.arange(1 << 20)
    np.save(file, numbers)
    alone = mapped(file)
    assert kilobytes_in_reach(file) < 1024
    del alone
    in_reach = mapped(file, in_reach=True)
    assert kilobytes_in_reach(file) >= numbers.nbytes // 1024
    assert np.array_equal(in_reach, numbers)


def test_a_system_that_cannot_put_arrays_in_reach_still_maps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.matching.segments.mapping._POPULATE_READ", 9999)
    with pytest.raises(OSError, match="Invalid argument"):
        mmap.mmap(-1, mmap.PAGESIZE).madvise(9999)
    np.save(tmp_path / "numbers.npy", np.arange(3))
    assert mapped(tmp_path / "numbers.npy", in_reach=True).tolist() == [0, 1, 2]


@pytest.mark.parametrize("verify", [True, False])
def test_what_was_verified_is_in_reach_but_for_the_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, verify: bool
) -> None:
    LabIndex.fit(LABS).save(tmp_path / "index")
    in_reach: dict[str, bool] = {}

    def noted(file: Path, *, in_reach: bool, of: dict[str, bool] = in_reach) -> np.ndarray:
        of[file.stem] = in_reach
        return mapped(file, in_reach=in_reach)

    monkeypatch.setattr(storage, "mapped", noted)
    LabIndex.load(tmp_path / "index", verify=verify)
    assert in_reach["rows"] is verify
    assert not in_reach["lab_block"]
