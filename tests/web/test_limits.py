"""Rate limits: whose tries are counted together, and the counters in memory."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

import pytest
from limits.storage import storage_from_string

from portal.web.limits import GuardedMemoryStorage, network_of_request

if TYPE_CHECKING:
    from flask import Flask


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


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("", "unknown"),
        ("unix:", "unknown"),
    ],
)
def test_a_network_is_what_one_customer_holds(app: Flask, address: str, network: str) -> None:
    with app.test_request_context(environ_overrides={"REMOTE_ADDR": address}):
        assert network_of_request() == network
