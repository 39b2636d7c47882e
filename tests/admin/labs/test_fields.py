from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.admin.labs import fields
from portal.admin.labs.fields import (
    figure,
    filled_lines,
    iso_day,
    link,
    one_line,
    storable,
    web_address,
    whole_number,
)
from portal.seeding.records import Link


@pytest.mark.parametrize("text", ["", "https://a.example", "http://a.example:80/x?y=z#w", "https://例え.example/表"])
def test_web_addresses_are_taken(text: str) -> None:
    assert web_address(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)",
        "JaVaScRiPt://x.example/%0aalert(1)",
        "data:text/html,x",
        "mailto:a@b.example",
        "ftp://x.example",
        "https://",
        "https:///path",
        "//x.example",
        "www.x.example",
        "https://x.example/a b",
        "https://[::1",
        "https://x.example/" + "a" * fields.URL,
    ],
)
def test_everything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="address"):
        web_address(text)


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("1219", 1219), ("1,219", 1219), ("1,000,000", 1_000_000)])
def test_whole_numbers_are_read_with_and_without_commas(text: str, number: int) -> None:
    assert whole_number(text, 0, 10_000_000, "It") == number


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.5", "1e3", "1,2", "１２", "٣", "0x1", "9" * 13, " 1"])
def test_other_numbers_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="It is a whole number from 0 to 10,000,000"):
        whole_number(text, 0, 10_000_000, "It")


@given(st.dates())
def test_every_iso_day_is_read(day: object) -> None:
    assert iso_day(str(day)) == str(day)


def test_links_and_figures_are_read_from_the_end_of_the_line() -> None:
    assert link("project page https://x.example", "Line 1") == Link("project page", "https://x.example")
    assert link("https://x.example", "Line 1") == Link("", "https://x.example")
    assert figure("h-index 39", "Line 1", ()) == ("h-index", 39)
    with pytest.raises(ValueError, match="“h-index” is there twice"):
        figure("h-index 40", "Line 2", ("h-index",))


def test_a_single_line_turns_no_words_beside_it() -> None:
    assert one_line("Vision\u202e \u2067Lab\u2069") == "Vision Lab"
    assert one_line("מעבדה\u200f 7") == "מעבדה\u200f 7"


@given(st.text())
def test_lines_and_single_lines_hold_no_line_ends(text: str) -> None:
    assert all(line == one_line(line) != "" for line in filled_lines(text))
    assert "\n" not in one_line(text)
    assert one_line(one_line(text)) == one_line(text)


@pytest.mark.parametrize(("text", "code"), [("a\x00", "U+0000"), ("\x1b[0m", "U+001B"), ("\ud800", "U+D800")])
def test_what_a_database_refuses_is_refused_first(text: str, code: str) -> None:
    with pytest.raises(ValueError, match=code.replace("+", r"\+")):
        storable(text)


@pytest.mark.parametrize("text", ["Tab\tand\nline", "表示", "👩‍🔬", "العربية", "e\u0301"])
def test_every_script_can_be_stored(text: str) -> None:
    assert storable(text) == text
