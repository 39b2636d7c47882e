"""The addresses of static files: as long-lived as their content."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.web.templating import asset

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask


@pytest.fixture
def style(app: Flask, tmp_path: Path) -> Path:
    """A style sheet, in a folder of its own."""
    app.static_folder = str(tmp_path)
    file = tmp_path / "style.css"
    file.write_text("a { color: red }")
    return file


def test_an_address_stays_until_the_application_starts_again_or_a_developer_looks(app: Flask, style: Path) -> None:
    with app.test_request_context():
        first = asset("style.css")
        style.write_text("a { color: darkred }")
        assert asset("style.css") == first
        app.debug = True
        assert asset("style.css") != first
        assert asset("style.css").startswith("/static/style.css?v=")


def test_below_a_prefix_it_begins_with_that(app: Flask, style: Path) -> None:
    addresses = []
    for prefix in ("", "/phd", ""):
        with app.test_request_context(environ_overrides={"SCRIPT_NAME": prefix}):
            addresses.append(asset(style.name).partition("?")[0])
    assert addresses == ["/static/style.css", "/phd/static/style.css", "/static/style.css"]
