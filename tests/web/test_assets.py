"""The addresses of static files: as long-lived as their content."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from portal.config import RESOURCES
from portal.web import assets
from portal.web.assets import SHEETS, SITE, asset
from tests.accounts.mailbox import sign_in
from tests.statements import statements_sent

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

OTHER = "/static/0123456789ab/"  # a version of yesterday, or of a host that has the update already


@pytest.fixture
def folder(app: Flask, tmp_path: Path) -> Path:
    """The static files, in a folder of their own."""
    copied = tmp_path / "static"
    shutil.copytree(RESOURCES / "static", copied)
    app.static_folder = str(copied)
    return copied


def address_of(app: Flask, filename: str) -> str:
    with app.test_request_context():
        return asset(filename)


def test_an_address_stays_until_the_application_starts_again_or_a_developer_looks(app: Flask, folder: Path) -> None:
    first = address_of(app, "js/app.js")
    (folder / "css" / "rows.css").write_text("a { color: darkred }")
    assert address_of(app, "js/app.js") == first
    app.debug = True
    assert address_of(app, "js/app.js") != first
    assert re.fullmatch(r"/static/[0-9a-f]{12}/js/app\.js", first)


def test_another_order_of_the_sheets_is_another_version(
    app: Flask, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.debug = True
    before = address_of(app, SITE)
    monkeypatch.setattr(assets, "SHEETS", SHEETS[::-1])
    (folder / "favicon.svg").touch()  # looked at anew, and the same
    assert address_of(app, SITE) != before


def test_below_a_prefix_it_begins_with_that(app: Flask) -> None:
    addresses = []
    for prefix in ("", "/phd", ""):
        with app.test_request_context(environ_overrides={"SCRIPT_NAME": prefix}):
            addresses.append(re.sub("[0-9a-f]{12}", "…", asset("favicon.svg")))
    assert addresses == ["/static/…/favicon.svg", "/phd/static/…/favicon.svg", "/static/…/favicon.svg"]


@pytest.mark.parametrize("filename", ["js/app.js", "js/menu.js", SITE, "css/board.css", "favicon.svg"])
def test_only_todays_version_is_kept_by_browsers_and_another_is_answered_all_the_same(
    app: Flask, client: FlaskClient, filename: str
) -> None:
    with client.get(address_of(app, filename)) as today, client.get(OTHER + filename) as other:
        assert (today.status_code, other.status_code, today.data == other.data) == (200, 200, True)
        kept = "public, max-age=31536000, immutable"
        assert set(today.headers["Cache-Control"].split(", ")) == set(kept.split(", "))
        assert other.headers["Cache-Control"] == "no-cache"
        tag = other.headers["ETag"]
    with client.get(OTHER + filename, headers={"If-None-Match": tag}) as again:
        assert again.status_code == 304


def test_the_sheet_of_every_page_is_all_sheets_in_order(app: Flask, client: FlaskClient) -> None:
    with client.get(address_of(app, SITE)) as answer:
        sheet = answer.get_data(as_text=True)
    places = [
        sheet.index((RESOURCES / "static" / "css" / f"{name}.css").read_text(encoding="utf-8")) for name in SHEETS
    ]
    assert places == sorted(places)
    assert sheet.startswith('@charset "UTF-8";')
    assert 0 < sheet.index("Bootstrap") < places[0]
    assert "sourceMappingURL" not in sheet


@pytest.mark.parametrize("filename", ["css/nothing.css", "../portal/app.py", "js/%2e%2e/%2e%2e/pyproject.toml", ""])
def test_nothing_else_is_served(app: Flask, client: FlaskClient, filename: str) -> None:
    for address in (OTHER, address_of(app, "x").removesuffix("x")):
        assert client.get(address + filename).status_code == 404


def test_a_page_asks_for_one_sheet_and_scripts_of_its_version_alone(app: Flask, client: FlaskClient) -> None:
    page = client.get("/about").text
    sheets = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page)
    scripts = re.findall(r'<script[^>]* src="([^"]+)"', page)
    assert sheets == [address_of(app, SITE)]
    assert scripts == [address_of(app, "js/app.js"), address_of(app, "js/after-styles.js")]
    for script in Path(RESOURCES / "static" / "js").glob("*.js"):
        imported = re.findall(r'(?:from|import\()\s*"([^"]+)"', script.read_text(encoding="utf-8"))
        assert all(name.startswith("./") for name in imported), script.name


@pytest.mark.parametrize("filename", ["js/app.js", SITE])
def test_a_static_file_is_the_same_for_everybody(app: Flask, applicant: Person, filename: str) -> None:
    client = applicant.sign_in()
    with statements_sent(app) as sent, client.get(address_of(app, filename)) as answer:
        assert (answer.status_code, sent) == (200, [])
        assert (answer.headers["Vary"], answer.headers.get("Set-Cookie")) == ("Accept-Encoding", None)


def test_a_remembered_browser_gets_its_session_with_a_page_and_not_with_a_file(app: Flask, applicant: Person) -> None:
    client = app.test_client()
    sign_in(client, applicant.email, remember="y")
    client.delete_cookie("session")
    with client.get("/static/js/app.js") as file:
        assert "Set-Cookie" not in file.headers
    assert "session=" in client.get("/about").headers["Set-Cookie"]
