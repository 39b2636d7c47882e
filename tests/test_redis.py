"""Limits that are counted in Redis hold over several processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal import create_app
from tests.people import submit
from tests.servers import redis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Settings

pytestmark = pytest.mark.redis


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis(tmp_path_factory.mktemp("servers")) as address:
        yield address


def test_tries_to_sign_in_are_counted_over_processes(settings: Settings, url: str) -> None:
    # Processes of one portal share its secret key; accounts are counted under a digest made with it.
    with_redis = {**settings, "PORTAL_LIMITS_URL": url, "PORTAL_SECRET_KEY": "k" * 40}
    one, other = create_app(with_redis).test_client(), create_app(with_redis).test_client()
    wrong = {"email": "li@example.edu", "password": "not the password"}
    statuses = [submit(one, "/accounts/login", wrong).status_code for _ in range(40)]
    assert statuses[-1] == 429
    assert submit(other, "/accounts/login", wrong).status_code == 429
