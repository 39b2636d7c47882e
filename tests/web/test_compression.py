from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from portal.config import RESOURCES
from portal.web.assets import SITE, asset

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

SCRIPT = "js/app.js"


def _address(app: Flask, name: str) -> str:
    with app.test_request_context():
        return asset(name)


@pytest.mark.parametrize(("accepted", "encoding"), [("br, gzip, zstd", "gzip"), ("gzip;q=0", None), ("identity", None)])
def test_a_script_travels_compressed_where_the_browser_can_read_it(
    app: Flask, client: FlaskClient, accepted: str, encoding: str | None
) -> None:
    with client.get(_address(app, SCRIPT), headers={"Accept-Encoding": accepted}) as answer:
        body = gzip.decompress(answer.data) if encoding else answer.data
        assert (answer.headers.get("Content-Encoding"), answer.headers["Vary"]) == (encoding, "Accept-Encoding")
        assert body == (RESOURCES / "static" / SCRIPT).read_bytes()


def test_the_sheet_of_every_page_is_less_than_half_as_long_on_its_way(app: Flask, client: FlaskClient) -> None:
    lengths = []
    for accepted in ("gzip", "identity"):
        with client.get(_address(app, SITE), headers={"Accept-Encoding": accepted}) as answer:
            assert answer.mimetype == "text/css"
            lengths.append(len(answer.data))
    assert 2 * lengths[0] < lengths[1]


def test_pages_are_not_compressed_because_they_hold_tokens(client: FlaskClient) -> None:
    assert "Content-Encoding" not in client.get("/about", headers={"Accept-Encoding": "gzip, br"}).headers


def test_a_file_that_the_browser_has_is_not_sent_again(app: Flask, client: FlaskClient) -> None:
    with client.get(_address(app, SITE), headers={"Accept-Encoding": "gzip"}) as first:
        tag = first.headers["ETag"]
    with client.get(_address(app, SITE), headers={"Accept-Encoding": "gzip", "If-None-Match": tag}) as second:
        assert (second.status_code, second.data) == (304, b"")
