"""What narrows the administrators' lists: behind a lid on phones, said above the list, and taken out one by one."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from tests.admission import Admission, admission_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

_CHIP = re.compile(r'<li><a href="([^"]+)">([^<]+?) <span aria-hidden="true">×')


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with admission_of(app, "Ada Lab") as made:
        yield made


@pytest.mark.parametrize(
    ("at", "narrowed"),
    [
        ("/admin/people/", {"q": "“an”", "role": "Professor", "account": "Account open", "lab": "Lab Ada Lab"}),
        ("/admin/cycles/{cycle}/applications", {"q": "“an”", "state": "Submitted", "lab": "Ada Lab"}),
        ("/admin/audit", {"act": "lab.save", "person": "By “an”", "about": "About “x”", "since": "From 2026-01-02"}),
    ],
)
def test_filters_are_behind_a_lid_and_what_narrows_stands_above_the_list(
    admission: Admission, at: str, narrowed: dict[str, str]
) -> None:
    admission.submitted(admission.add_applicant("An Applicant"), "Ada Lab")
    page, client = at.format(cycle=admission.cycle.slug), admission.admin.sign_in()
    typed = {"q": "an", "role": "professor", "account": "open", "lab": "ada-lab", "state": "submitted"}
    typed |= {"act": "lab.save", "person": "an", "about": "x", "since": "2026-01-02"}
    query = "&".join(f"{name}={typed[name]}" for name in narrowed)
    shown = client.get(f"{page}?{query}").text
    lid = shown.partition('<details class="drawer">')[2].partition("</details>")[0]
    assert "<summary>Narrow the list</summary>" in lid
    assert all(f'name="{name}"' in lid for name in narrowed)
    chips = {text: unescape(href) for href, text in _CHIP.findall(shown)}
    assert [*map(unescape, chips)] == [*narrowed.values()]
    for (name, _), href in zip(narrowed.items(), chips.values(), strict=True):
        others = "&".join(f"{other}={typed[other]}" for other in narrowed if other != name)
        assert href == f"{page}?{others}"
    assert "Narrowed by" not in client.get(page).text


def test_the_lid_is_open_where_something_in_the_filter_is_wrong(admission: Admission) -> None:
    assert '<details class="drawer" open>' in admission.admin.sign_in().get("/admin/audit?since=soon").text
