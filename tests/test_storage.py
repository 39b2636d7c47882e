from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from obstore.exceptions import AlreadyExistsError

from portal.storage import FileStore

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_comes_back_as_it_was_put(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "files")
    store.put("a1", b"\x00bytes")
    assert store.get("a1") == b"\x00bytes"


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    store.put("a1", b"first")
    with pytest.raises(AlreadyExistsError):
        store.put("a1", b"second")
    assert store.get("a1") == b"first"


def test_a_deleted_file_is_gone_and_deleting_it_again_is_fine(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    store.put("a1", b"x")
    store.delete("a1")
    store.delete("a1")
    with pytest.raises(FileNotFoundError):
        store.get("a1")


def test_a_key_cannot_leave_the_folder(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "files")
    with pytest.raises(Exception, match=r"(?i)path"):
        store.put("../outside", b"x")
    assert not (tmp_path / "outside").exists()
