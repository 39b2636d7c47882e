"""Where tries are counted in memory."""

from __future__ import annotations

from threading import Thread

from limits.storage import storage_from_string

from portal.web.limits import GuardedMemoryStorage


def test_clearing_waits_for_whoever_counts_the_same_key() -> None:
    storage = storage_from_string("memory://")
    assert isinstance(storage, GuardedMemoryStorage)
    storage.acquire_entry("somebody", 5, 60)
    clearing = Thread(target=storage.clear, args=("somebody",))
    with storage.locks["somebody"]:
        clearing.start()
        clearing.join(0.2)
        assert storage.get_moving_window("somebody", 5, 60)[1] == 1
    clearing.join()
    assert storage.get_moving_window("somebody", 5, 60)[1] == 0
