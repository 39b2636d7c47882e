"""Limits that are counted in Redis hold over several processes, and in each of them when Redis is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal import create_app
from portal.db import db
from tests.people import add_person, submit
from tests.servers import redis

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


def test_without_an_answer_of_redis_each_process_counts_for_itself(
    settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with redis(tmp_path) as address:
        app = create_app({**settings, "PORTAL_LIMITS_URL": address})
        person = add_person(app, "applicant")
        assert person.sign_in().get("/me/").status_code == 200
    assert person.sign_in().get("/me/").status_code == 200
    assert app.test_client().get("/?q=serving").status_code == 200
    wrong, stranger = {"email": person.email, "password": "not the password"}, app.test_client()
    assert [submit(stranger, "/accounts/login", wrong).status_code for _ in range(11)] == [200] * 10 + [429]
    assert [record.levelname for record in caplog.records if "Redis does not answer" in record.message] == ["ERROR"]
    with app.app_context():
        db.engine.dispose()
