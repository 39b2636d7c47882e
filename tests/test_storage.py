from __future__ import annotations

import os
import resource
import shutil
import time
from datetime import timedelta
from threading import Event
from typing import TYPE_CHECKING

import pytest
from obstore.exceptions import AlreadyExistsError

from portal import storage
from portal.config import Bucket, read_bucket
from portal.storage import FileStore, StoreUnavailable
from tests.s3_server import BUCKET

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.s3_server import S3Server

ASKS: dict[str, Callable[[FileStore], object]] = {
    "put": lambda store: store.put("resumes/1/new", b"x"),
    "get": lambda store: store.get("resumes/1/old"),
    "delete": lambda store: store.delete("resumes/1/old"),
    "list": lambda store: list(store.list("resumes")),
    "check": lambda store: store.check(),
}


def bucket_store() -> FileStore:
    return FileStore(read_bucket(f"s3://{BUCKET}/of/portal", os.environ))


@pytest.fixture(params=["folder", "bucket"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> FileStore:
    if request.param == "folder":
        return FileStore(tmp_path / "files")
    request.getfixturevalue("s3")
    return bucket_store()


def test_a_file_comes_back_as_it_was_put(store: FileStore) -> None:
    large = bytes(range(256)) * 40_000
    store.put("a1", b"\x00bytes")
    store.put("resumes/1/large", large)
    assert (store.get("a1"), store.get("resumes/1/large")) == (b"\x00bytes", large)


def test_a_key_is_never_overwritten(store: FileStore) -> None:
    store.put("a1", b"first")
    with pytest.raises(AlreadyExistsError):
        store.put("a1", b"second")
    assert store.get("a1") == b"first"


def test_a_deleted_file_is_gone_and_deleting_it_again_is_fine(store: FileStore) -> None:
    store.put("a1", b"x")
    store.delete("a1")
    store.delete("a1")
    with pytest.raises(FileNotFoundError):
        store.get("a1")


def test_a_key_cannot_leave_the_folder(store: FileStore, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"(?i)path"):
        store.put("../outside", b"x")
    assert not (tmp_path / "outside").exists()


def test_files_are_listed_by_folder_with_size_and_time(store: FileStore) -> None:
    keys = [f"resumes/{number}/a-_{number}" for number in range(5)]
    for key in (*keys, "resumes2/1/b", "other/c"):
        store.put(key, b"four")
    found = sorted(store.list("resumes"), key=lambda file: file.key)
    assert [(file.key, file.size) for file in found] == [(key, 4) for key in keys]
    assert [file.written_at.timestamp() for file in found] == [pytest.approx(time.time(), abs=60)] * 5


def test_a_folder_without_files_lists_none(store: FileStore) -> None:
    assert list(store.list("resumes")) == []
    assert list(store.unfinished("resumes")) == []
    store.check()


def test_the_time_of_a_file_in_a_folder_is_that_of_the_disk(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    store.put("resumes/1/a", b"four")
    os.utime(tmp_path / "resumes/1/a", (1_000_000, 1_000_000))
    assert [file.written_at.timestamp() for file in store.list("resumes")] == [1_000_000]


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


def test_a_bucket_has_no_unfinished_files(s3: S3Server) -> None:
    store = bucket_store()
    with pytest.raises(ValueError, match="no unfinished file"):
        store.delete_unfinished("resumes/1/half#1")
    assert s3.asked == []


def test_files_lie_under_the_folder_of_the_bucket_and_are_asked_for_with_the_key_of_the_environment(
    s3: S3Server,
) -> None:
    bucket_store().put("resumes/1/a", b"x")
    assert (list(s3.objects), s3.signed_by) == (["of/portal/resumes/1/a"], {"key-of-tests"})


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize(
    ("status", "code"),
    [(403, "AccessDenied"), (404, "NoSuchBucket"), (501, "NotImplemented"), (503, "SlowDown"), (507, "QuotaExceeded")],
)
def test_a_service_that_refuses_is_told_by_what_it_said_and_nothing_more(
    s3: S3Server, ask: str, status: int, code: str
) -> None:
    store = bucket_store()
    store.put("resumes/1/old", b"x")
    s3.fail(status, code)
    with pytest.raises(StoreUnavailable) as failure:
        ASKS[ask](store)
    said = f"s3://{BUCKET}/of/portal at {s3.address} cannot be used: {status} {code}"
    assert (str(failure.value), failure.value.__suppress_context__) == (said, True)
    assert list(s3.objects) == ["of/portal/resumes/1/old"]


@pytest.mark.parametrize("ask", ASKS)
def test_a_service_out_of_reach_is_told_soon(s3: S3Server, monkeypatch: pytest.MonkeyPatch, ask: str) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    store, begun = bucket_store(), time.monotonic()
    # Left alone, the library would try for three minutes.
    with pytest.raises(StoreUnavailable, match=r"^s3://\S+ at http://127\.0\.0\.1:9 cannot be used: error sending"):
        ASKS[ask](store)
    assert time.monotonic() - begun < 120
    assert s3.asked == []


def test_what_a_service_could_not_do_once_is_tried_again(s3: S3Server) -> None:
    store = bucket_store()
    s3.fail(503, "SlowDown", once=True)
    store.put("resumes/1/new", b"x")
    assert len(s3.asked) == 2


def test_a_look_whether_files_can_be_kept_waits_for_some_seconds_only(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert timedelta(seconds=3) == storage._QUICK
    monkeypatch.setattr(storage, "_QUICK", timedelta(seconds=0.2))
    store, s3.may_answer = bucket_store(), Event()
    with pytest.raises(StoreUnavailable):
        store.check()
    s3.may_answer.set()


def test_a_folder_that_is_gone_or_cannot_be_written_is_told(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "files")
    (tmp_path / "files").rmdir()
    (tmp_path / "files").write_text("in its place")
    for ask in ("put", "check"):
        with pytest.raises(StoreUnavailable, match=r"files"):
            ASKS[ask](store)


def test_a_disk_without_room_is_told_and_keeps_nothing_half(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(StoreUnavailable, match=r"cannot be used: .*File too large"):
            store.put("resumes/1/new", b"x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_disk_that_is_full_is_told_before_anybody_uploads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, disk = FileStore(tmp_path), shutil.disk_usage(tmp_path)
    store.check()
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: disk._replace(free=200_000))
    with pytest.raises(StoreUnavailable, match=r"is full"):
        store.check()


@pytest.mark.parametrize("variable", ["AWS_ALLOW_HTTP", "AWS_REGION"])
def test_files_go_in_the_clear_only_where_the_address_says_so(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "true")
    with pytest.raises(StoreUnavailable):
        FileStore(Bucket(BUCKET)).put("a", b"x")
    assert s3.asked == []
