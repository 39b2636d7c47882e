from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.labs.texts import web_address
from portal.seeding.records import LabRecord, Link, MemberRecord, SystemRecord, WorkRecord
from tests.labs.pages import Document
from tests.labs.records import store

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org",
        "http://example.org/a%20b?c=d#e",
        "HTTPS://EXAMPLE.org/",
        "mailto:ada@example.org",
        "https://例え.jp/",
    ],
)
def test_addresses_of_the_web_stay_as_they_are(address: str) -> None:
    assert web_address(f"  {address} ") == address


@pytest.mark.parametrize(
    "address",
    [
        "",
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "java\nscript:alert(1)",
        "\x01javascript:alert(1)",
        "vbscript:x",
        "data:text/html,<script>",
        "file:///etc/passwd",
        "//example.org",
        "files/thesis.pdf",
        "example.org",
        "https:",
        "https:///path",
        "mailto:",
        "http://[::1",
        "https://example.org/a\tb",
    ],
)
def test_everything_else_is_no_link(address: str) -> None:
    assert web_address(address) == ""


def test_characters_that_no_address_holds_are_written_as_browsers_send_them() -> None:
    assert web_address('https://example.org/"<b>`{a|b}') == "https://example.org/%22%3Cb%3E%60%7Ba%7Cb%7D"


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "data:text/html,x", "files/a.pdf"]
)
def test_only_addresses_of_the_web_become_links(app: Flask, client: FlaskClient, address: str) -> None:
    work = WorkRecord("w", "Title", links=(Link("paper", address),))
    record = LabRecord(
        "evil",
        "Evil Lab",
        homepage=address,
        members=(MemberRecord("m", "Mallory", "member", homepage=address),),
        works=(work,),
        systems=(SystemRecord("s", "Evilizer", url=address, works=("w",)),),
    )
    store(app, record)
    page = Document(client.get("/labs/evil").text)
    assert [href for href in page.links.values() if "alert" in href or "data:" in href or "files/" in href] == []
    works = Document(client.get("/labs/evil/works").text)
    assert [href for href in works.links.values() if "alert" in href or "data:" in href or "files/" in href] == []
    assert "paper" in works.within("work-w")
    systems = Document(client.get("/systems/").text)
    assert [href for href in systems.links.values() if "alert" in href or "data:" in href] == []
    ranked = Document(client.get("/?q=Evilizer").text)
    assert "Evil Lab" in ranked.within("results")
    assert [href for href in ranked.links.values() if "alert" in href or "data:" in href] == []
