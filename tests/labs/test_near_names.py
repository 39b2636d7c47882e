"""Names near to one that nobody has, spelt as their owners spell them."""

from __future__ import annotations

import pytest

from portal.labs.texts import MOST_COMPARED, MOST_OFFERED, near_names

PEOPLE = (
    *("Mary Johnson", "Bob Johnson", "María González", "Jürgen Müller", "Sinéad O’Brien", "Mohammed Ali"),
    *("Wei Zhang", "Xiaoming Wang", "Xiao-Ming Li", "王小明", "김민수"),
    "Inés Ortega-Villanueva",
)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("Jonson", ["Johnson"]),
        ("Gonzales", ["González"]),
        ("gonzales maria", ["González María"]),
        ("Mueler", ["Müller"]),
        ("obrian", ["O’Brien"]),
        ("muhammad", ["Mohammed"]),
        ("Zang Wei", ["Zhang Wei"]),
        ("Wang Xiao Min", ["Wang Xiaoming"]),
        ("wangxiaoming", ["Xiaoming Wang", "Xiao-Ming", "Xiaoming"]),
        ("xiaomingwan", ["Xiaoming Wang", "Xiao-Ming", "Xiaoming"]),
        ("xiaomin", ["Xiao-Ming", "Xiaoming"]),
        ("王晓明", ["王小明"]),
        ("小明王", ["王小明"]),
        ("김민슈", ["김민수"]),
        ("Gerda Jonson", ["Johnson"]),
        ("Li Jonson", ["Johnson"]),
        ("vilanueva", ["Villanueva"]),
        ("ortega vilanueva", ["Ortega Villanueva"]),
        ("Lu", []),
        ("qqqqq", []),
        ("...", []),
    ],
)
def test_the_nearest_names_are_offered(typed: str, offered: list[str]) -> None:
    assert list(near_names(PEOPLE, typed)) == offered


def test_of_many_names_the_first_are_compared_and_few_are_offered() -> None:
    names = [f"Person{number:05}" for number in range(MOST_COMPARED)]
    assert near_names([*names, "Jonson"], "Johnson") == ()
    assert len(near_names([f"Jo{letter}son" for letter in "abcde"], "Johnson")) == MOST_OFFERED
