"""Whole numbers that people and programs send."""

from __future__ import annotations

import pytest

from portal.web.forms import LARGEST, whole_number, whole_numbers
from portal.web.paging import page_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("000", 0),
        ("7", 7),
        ("0007", 7),
        (str(LARGEST), LARGEST),
        ("0" * 5_000 + "7", 7),
        (str(LARGEST + 1), None),
        ("9" * 5_000, None),
        ("", None),
        ("-1", None),
        ("+1", None),
        (" 1", None),
        ("0x1", None),
        ("00 1", None),
        ("1_0", None),
        ("1.5", None),
        ("²", None),
        ("٣", None),
    ],
)
def test_only_plain_digits_that_a_column_holds_are_a_number(text: str, number: int | None) -> None:
    assert whole_number(text) == number


def test_of_many_each_number_is_kept_once_in_its_order() -> None:
    assert whole_numbers(["3", "x", "1,7,x", "03", "9" * 5_000, "2"]) == [3, 1, 7, 2]


@pytest.mark.parametrize(
    ("text", "number"), [(None, 1), ("", 1), ("0", 1), ("12", 12), ("1000000", 1), ("9" * 5_000, 1)]
)
def test_what_is_no_page_means_the_first(text: str | None, number: int) -> None:
    assert page_number(text) == number
