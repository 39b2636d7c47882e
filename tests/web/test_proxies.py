"""A portal says in its log what is wrong with the reverse proxy before it, or with what it was told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal import create_app
from portal.web.limits import NO_ADDRESS, NOT_SECURE, NOT_TOLD
from tests.people import csrf_token

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


FORWARDED = {"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https"}


@pytest.mark.parametrize(
    ("proxies", "headers", "warning"),
    [
        ("1", {"X-Forwarded-Proto": "https"}, NO_ADDRESS),
        ("2", {**FORWARDED, "X-Forwarded-Proto": "https, https"}, NO_ADDRESS),
        ("1", {"X-Forwarded-For": "192.0.2.7"}, NOT_SECURE),
        ("1", FORWARDED, None),
        ("2", {**FORWARDED, "X-Forwarded-For": "192.0.2.7, 192.0.2.8", "X-Forwarded-Proto": "https, https"}, None),
    ],
)
def test_a_proxy_that_leaves_out_a_header_is_in_the_log_once(
    settings: Settings, caplog: pytest.LogCaptureFixture, proxies: str, headers: dict[str, str], warning: str | None
) -> None:
    address = "https://portal.example.edu"
    client = create_app({**settings, "PORTAL_PROXIES": proxies, "PORTAL_BASE_URL": address}).test_client()
    # What watches the portal asks past the proxy.
    assert client.get("/healthz").status_code == 200
    assert [record for record in caplog.records if record.name == "portal.web.limits"] == []
    for _ in range(2):
        client.get("/no-such-page", headers=headers)
    found = [record.message for record in caplog.records if record.name == "portal.web.limits"]
    assert found == ([warning] if warning else [])


@pytest.mark.parametrize(
    ("host", "referer", "heading"),
    [
        ("127.0.0.1:8000", "https://portal.example.edu/accounts/login", "The portal cannot take forms at the moment"),
        ("portal.example.edu", "https://evil.example/", "This form is out of date"),
        ("127.0.0.1:8000", "https://evil.example/", "This form is out of date"),
        ("portal.example.edu", "https://portal.example.edu/accounts/login", "Sign in"),
    ],
)
def test_a_proxy_that_keeps_the_host_to_itself_is_the_reason_given_for_a_refused_form(
    settings: Settings, caplog: pytest.LogCaptureFixture, host: str, referer: str, heading: str
) -> None:
    app = create_app({**settings, "PORTAL_PROXIES": "1", "PORTAL_BASE_URL": "https://portal.example.edu"})
    client, path = app.test_client(), "https://portal.example.edu/accounts/login"
    client.environ_base |= {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in FORWARDED.items()}
    client.environ_base["HTTP_X_FORWARDED_HOST"] = host
    data = {"csrf_token": csrf_token(client, path), "email": "a@example.org", "password": "wrong"}
    page = client.post(path, data=data, headers={"Referer": referer}).text
    assert f"<h1>{heading}</h1>" in page
    assert ("as for 127.0.0.1:8000" in caplog.text) == heading.startswith("The portal")
