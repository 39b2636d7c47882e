from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

from portal.config import RESOURCES
from portal.web.headers import CompressedFiles, compress

if TYPE_CHECKING:
    from flask.testing import FlaskClient


SHEET = RESOURCES / "static/css/base.css"


def _fetched(client: FlaskClient, accepted: str) -> tuple[bytes, str | None]:
    """The style sheet as it travels, and how it is encoded. A file left open fails the test."""
    with client.get("/static/css/base.css", headers={"Accept-Encoding": accepted}) as answer:
        assert "Accept-Encoding" in answer.headers["Vary"]
        return answer.data, answer.headers.get("Content-Encoding")


def test_style_sheets_travel_compressed_and_whole(client: FlaskClient) -> None:
    plain, encoding = _fetched(client, "identity")
    assert encoding is None
    packed, encoding = _fetched(client, "br, gzip, deflate, zstd")
    assert encoding in {"br", "zstd"}
    assert len(packed) < len(plain) / 2


def test_pages_are_not_compressed_because_they_hold_tokens(client: FlaskClient) -> None:
    assert "Content-Encoding" not in client.get("/styleguide", headers={"Accept-Encoding": "gzip, br"}).headers


def test_a_browser_that_takes_gzip_only_gets_something_it_can_read(client: FlaskClient) -> None:
    body, encoding = _fetched(client, "gzip")
    assert encoding == "gzip"
    assert gzip.decompress(body) == SHEET.read_bytes()


def test_a_file_that_nobody_waits_for_any_more_is_closed_all_the_same(client: FlaskClient) -> None:
    # The answer is neither read nor closed.
    answer = client.get("/static/css/base.css", headers={"Accept-Encoding": "gzip"}, buffered=False)
    assert answer.status_code == 200
    assert [one for one in Path("/proc/self/fd").iterdir() if _leads_to(one, SHEET)] == []


def _leads_to(link: Path, file: Path) -> bool:
    try:
        return link.resolve() == file.resolve()
    except OSError:  # closed meanwhile
        return False


def test_a_file_that_the_browser_has_is_not_sent_again(client: FlaskClient) -> None:
    with client.get("/static/css/base.css", headers={"Accept-Encoding": "gzip"}) as first:
        tag = first.headers["ETag"]
    with client.get("/static/css/base.css", headers={"Accept-Encoding": "gzip", "If-None-Match": tag}) as second:
        assert second.status_code == 304
        assert second.data == b""


def test_a_part_of_a_file_is_sent_as_it_is(client: FlaskClient) -> None:
    asked = {"Accept-Encoding": "br, gzip", "Range": "bytes=0-999"}
    with client.get("/static/css/base.css", headers=asked) as answer:
        assert (answer.status_code, answer.headers.get("Content-Encoding")) == (206, None)
        assert answer.data == SHEET.read_bytes()[:1000]


def test_a_file_is_compressed_once_whatever_version_is_asked_for(client: FlaskClient) -> None:
    versions = ("0123456789ab", "ba9876543210", "ba9876543210")
    bodies = {fetched(client, f"/static/{version}/css/site.css") for version in versions}
    bodies.add(fetched(client, f"/static/{versions[0]}/css/base.css"))
    assert len(bodies) == 2
    assert isinstance(compress.cache, CompressedFiles)
    assert sorted(key.rpartition(";")[2] for key in compress.cache if "gzip" in key) == ["css/base.css", "css/site.css"]


def fetched(client: FlaskClient, address: str) -> bytes:
    with client.get(address, headers={"Accept-Encoding": "gzip"}) as answer:
        body: bytes = answer.data
        return body
