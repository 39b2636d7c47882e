"""Who is called so: one rule for every search of people, in Python and in statements of both databases."""

from __future__ import annotations

import pytest

from portal.applications.people import is_named

CALLED = [
    ("Lucía García", "garcia"),
    ("Ana Garcia", "GARCÍA"),
    ("Łukasz Nowak", "lukasz nowak"),
    ("Lukasz Nowak", "Łukasz"),
    ("Søren Sørensen", "sorensen"),
    ("Jürgen Groß", "jurgen gross"),
    ("María González", "gonzalez maria"),
    ("王小明", "小明 王"),
    ("Gross", "groß"),
    ("Nguyễn Thị Hoa", "nguyen thi"),
    ("Işıl Öztürk", "isil"),
    ("Sinéad O’Brien", "o'brien"),
    ("王小明", "小明"),
]
OTHERS = [
    ("Ana Garcia", "..."),
    ("Joel", "jol"),
    ("Müller", "mueler"),
    ("Xu Wei", "wu"),
    ("王小明", "小明 李"),
    ("Ana Garcia", "garcia lucia"),
]


@pytest.mark.parametrize(("name", "text"), CALLED)
def test_a_name_holds_what_is_typed_for_it(name: str, text: str) -> None:
    assert is_named(name, text)


@pytest.mark.parametrize(("name", "text"), OTHERS)
def test_another_name_does_not(name: str, text: str) -> None:
    assert not is_named(name, text)
