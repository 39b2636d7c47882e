"""Headers of every response."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal import create_app

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from tests.conftest import Settings


@pytest.mark.parametrize(
    ("asked", "sent_to"),
    [("/labs", "/labs/"), ("/systems?q=a%26b", "/systems/?q=a%26b"), ("/labs//x", "/labs/x"), ("/admin", "/admin/")],
)
def test_a_redirect_names_no_host_so_that_a_forged_one_leads_nowhere(
    client: FlaskClient, asked: str, sent_to: str
) -> None:
    response = client.get(asked, headers={"Host": "evil.example"})
    assert (response.status_code, response.headers["Location"]) == (308, sent_to)


def test_a_path_that_looks_like_a_host_stays_a_path(client: FlaskClient) -> None:
    for asked in ("/labs///evil.example/", "//evil.example/labs", "/labs/x//"):
        location = client.get(asked, headers={"Host": "portal.example"}).headers.get("Location", "/")
        assert location.startswith("/")
        assert not location.startswith(("//", "/\\"))


def test_https_is_kept_to_on_this_host_and_not_decided_for_others(settings: Settings) -> None:
    served = create_app({**settings, "PORTAL_BASE_URL": "https://example.edu/phd"})
    assert served.test_client().get("/healthz").headers["Strict-Transport-Security"] == "max-age=31536000"


def test_a_visitors_cookie_does_not_change_as_they_read(client: FlaskClient) -> None:
    assert "session=" in client.get("/").headers["Set-Cookie"]
    answers = [client.get(page) for page in ("/labs/", "/systems/", "/")]
    assert [answer.headers.get("Set-Cookie") for answer in answers] == [None] * 3
