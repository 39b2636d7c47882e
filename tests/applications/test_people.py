"""Who is called so: one rule for every search of people, in Python and in statements of both databases."""

from __future__ import annotations

import pytest

from portal.applications.people import is_named

CALLED = [
    ("Lucía García", "garcia"),
    ("Ana Garcia", "GARCÍA"),
    ("Łukasz Nowak", "lukasz nowak"),
    ("Lukasz Nowak", "Łukasz"),
    ("Søren Sørensen", "Soerensen"),
    ("Soeren Soerensen", "sørensen"),
    ("Jürgen Groß", "juergen gross"),
    ("Gross", "groß"),
    ("Håkan", "haakan"),
    ("Nguyễn Thị Hoa", "nguyen thi"),
    ("Işıl Öztürk", "isil"),
    ("Sinéad O’Brien", "o'brien"),
    ("王小明", "小明"),
]
OTHERS = [("Ana Garcia", "..."), ("Joel", "jol"), ("Müller", "mueler"), ("Xu Wei", "wu"), ("Groß", "gros s")]


@pytest.mark.parametrize(("name", "text"), CALLED)
def test_a_name_holds_what_is_typed_for_it(name: str, text: str) -> None:
    assert is_named(name, text)


@pytest.mark.parametrize(("name", "text"), OTHERS)
def test_another_name_does_not(name: str, text: str) -> None:
    assert not is_named(name, text)


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("María González", "gonzalez maria", True),
        ("María González", "gonz mar", True),
        ("María González", "zalez maria", False),
        ("Xiao-Ming Li", "li ming", True),
        ("王小明", "小明 王", True),
        ("王小明", "小明 李", False),
        ("陳大文", "陈大", True),
        ("陈大文", "大文 陳", True),
        ("陳大文", "陈小", False),
        ("Person 12.", "person 2.", False),
    ],
)
def test_several_words_name_somebody_in_any_order_by_the_beginnings_of_theirs(
    name: str, text: str, *, named: bool
) -> None:
    assert is_named(name, text) is named
