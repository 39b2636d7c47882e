"""A portal says in its log that there is a reverse proxy before it of which it was not told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal import create_app
from portal.web.limits import NOT_TOLD

if TYPE_CHECKING:
    from tests.conftest import Settings


@pytest.mark.parametrize(("proxies", "warnings"), [("0", 1), ("1", 0)])
def test_a_proxy_that_was_not_told_of_is_in_the_log_once(
    settings: Settings, caplog: pytest.LogCaptureFixture, proxies: str, warnings: int
) -> None:
    client = create_app({**settings, "PORTAL_PROXIES": proxies}).test_client()
    client.get("/healthz")
    assert NOT_TOLD not in caplog.messages
    for _ in range(2):
        assert client.get("/healthz", headers={"X-Forwarded-For": "192.0.2.7"}).status_code == 200
    assert caplog.messages.count(NOT_TOLD) == warnings
