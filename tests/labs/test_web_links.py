from __future__ import annotations

import pytest

from portal.labs.web_links import web_address


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
