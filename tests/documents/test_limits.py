from __future__ import annotations

import errno
import fcntl
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest

from portal.documents.limits import STANDARD, Slots
from portal.documents.refusals import Busy

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]

HOLD = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from portal.documents.limits import Slots
with Slots(Path(sys.argv[1]), count=int(sys.argv[3]), wait_seconds=10).take():
    print("held", flush=True)
    sys.stdin.read()
"""

Holder = subprocess.Popen[bytes]


def start_holder(folder: Path, count: int) -> Holder:
    """Another process that holds a place until its standard input ends."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), str(ROOT), str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert piped(holder.stdout).readline() == b"held\n"
    return holder


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def piped(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


@pytest.fixture
def two_holders(tmp_path: Path) -> Iterator[list[Holder]]:
    holders = [start_holder(tmp_path, 2) for _ in range(2)]
    yield holders
    for holder in holders:
        holder.kill()
        holder.communicate()


def place_of(descriptor: int) -> str:
    """The name of the file that is locked for a place."""
    return Path(f"/proc/self/fd/{descriptor}").resolve().name


def locked(path: Path) -> bool:
    """Whether somebody holds the lock of this file."""
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_places_are_shared_by_all_processes(tmp_path: Path, two_holders: list[Holder]) -> None:
    slots = Slots(tmp_path, count=2, wait_seconds=0.1)
    with pytest.raises(Busy), slots.take():
        pass
    two_holders[0].communicate(b"")
    with slots.take() as descriptor:
        assert place_of(descriptor) == "slot-0.lock"


def test_a_killed_holder_frees_its_place_and_no_other(tmp_path: Path, two_holders: list[Holder]) -> None:
    slots = Slots(tmp_path, count=2, wait_seconds=0.1)
    with pytest.raises(Busy), slots.take():
        pass
    two_holders[1].send_signal(signal.SIGKILL)
    two_holders[1].wait()
    with slots.take() as descriptor:
        assert place_of(descriptor) == "slot-1.lock"
        with pytest.raises(Busy), slots.take():
            pass


def test_a_waiting_caller_gets_the_place_that_becomes_free(tmp_path: Path) -> None:
    slots = Slots(tmp_path, count=1, wait_seconds=30)
    taken, order = threading.Event(), []

    def wait_and_take() -> None:
        taken.wait()
        with slots.take():
            order.append("second")

    waiting = threading.Thread(target=wait_and_take)
    waiting.start()
    with slots.take():
        taken.set()
        waiting.join(0.2)
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]


def test_only_so_many_wait_and_whoever_comes_beyond_them_is_told_at_once(tmp_path: Path) -> None:
    slots = Slots(tmp_path, count=1, wait_seconds=600, waiting=1)
    order: list[str] = []

    def wait_and_take() -> None:
        with slots.take():
            order.append("waited")

    patient = threading.Thread(target=wait_and_take)
    with slots.take():
        patient.start()
        chair = tmp_path / "wait-0.lock"
        while not (chair.exists() and locked(chair)):
            time.sleep(0.01)
        with pytest.raises(Busy), slots.take():
            pass
        order.append("told")
    patient.join()
    assert order == ["told", "waited"]
    assert not locked(chair)


def test_threads_of_one_process_count_like_processes(tmp_path: Path) -> None:
    slots = Slots(tmp_path, count=1, wait_seconds=0)
    with slots.take(), pytest.raises(Busy), slots.take():
        pass


def test_a_place_is_free_again_after_an_exception(tmp_path: Path) -> None:
    slots = Slots(tmp_path, count=1, wait_seconds=0)
    with pytest.raises(KeyError), slots.take():
        raise KeyError
    with slots.take():
        pass


def test_no_descriptor_stays_open_after_use_or_refusal(tmp_path: Path) -> None:
    slots = Slots(tmp_path, count=1, wait_seconds=0)
    before = open_descriptors()
    for _ in range(5):
        with slots.take(), pytest.raises(Busy), slots.take():
            pass
    assert open_descriptors() == before


def test_the_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    with Slots(tmp_path / "a" / "slots").take():
        assert stat.S_IMODE((tmp_path / "a" / "slots").stat().st_mode) == 0o700


def test_a_link_in_place_of_a_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "slot-0.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"), Slots(tmp_path, count=1).take():
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_that_cannot_be_locked_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", lock)
    before = open_descriptors()
    with pytest.raises(OSError, match="No locks"), Slots(tmp_path).take():
        pass
    assert open_descriptors() == before


def test_the_standard_limits_are_those_the_pages_promise() -> None:
    assert (STANDARD.bytes, STANDARD.pages, STANDARD.characters) == (5 * 1024 * 1024, 20, 60_000)
