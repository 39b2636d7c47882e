"""Names near to one that nobody has, spelt as their owners spell them, and what a list of labs makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.labs.near_names import MOST_COMPARED, MOST_OFFERED, near_names
from tests.labs.records import small_lab, store

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

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


def test_labs_are_found_without_accents_and_offered_by_names_near_to_the_text(app: Flask, client: FlaskClient) -> None:
    store(app, small_lab(1, leader="María González"), small_lab(2, leader="Jose Ibanez"))
    for typed, lab in (("gonzalez", "Lab 00001"), ("maria topic", "Lab 00001"), ("Ibáñez", "Lab 00002")):
        page = client.get("/labs/", query_string={"q": typed}).text
        assert [name for name in ("Lab 00001", "Lab 00002") if name in page] == [lab]
    assert 'Did you mean <a href="/labs/?q=Gonz%C3%A1lez">González</a>?' in client.get("/labs/?q=gonsales").text
