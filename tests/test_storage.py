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


def test_files_are_listed_by_folder_with_size_and_time(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    for key in ("resumes/1/a-_1", "resumes/22/b", "other/c"):
        store.put(key, b"four")
    found = sorted(store.list("resumes"), key=lambda file: file.key)
    assert [(file.key, file.size) for file in found] == [("resumes/1/a-_1", 4), ("resumes/22/b", 4)]
    assert [file.written_at.timestamp() for file in found] == [
        pytest.approx((tmp_path / file.key).stat().st_mtime, abs=1) for file in found
    ]


def test_a_folder_without_files_lists_none(tmp_path: Path) -> None:
    assert list(FileStore(tmp_path).list("resumes")) == []


def test_what_a_killed_process_was_writing_is_listed_apart_and_can_be_removed(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    store.put("resumes/1/whole", b"four")
    (tmp_path / "resumes/1/half#1").write_bytes(b"fo")
    assert [file.key for file in store.list("resumes")] == ["resumes/1/whole"]
    assert [(file.key, file.size) for file in store.unfinished("resumes")] == [("resumes/1/half#1", 2)]
    store.delete_unfinished("resumes/1/half#1")
    store.delete_unfinished("resumes/1/half#1")
    assert list(store.unfinished("resumes")) == []
    assert store.get("resumes/1/whole") == b"four"


@pytest.mark.parametrize("key", ["resumes/1/whole", "../half#1", "resumes/../../half#1"])
def test_only_unfinished_files_of_the_folder_can_be_removed_as_such(tmp_path: Path, key: str) -> None:
    store = FileStore(tmp_path / "files")
    store.put("resumes/1/whole", b"four")
    (tmp_path / "half#1").write_bytes(b"fo")
    with pytest.raises(ValueError, match="no unfinished file"):
        store.delete_unfinished(key)
    assert (tmp_path / "half#1").exists()
    assert store.get("resumes/1/whole") == b"four"
