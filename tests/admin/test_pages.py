"""Every page of the administrators opens, says what is there and what is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import html5lib
import pytest

from tests.admin.conftest import PROFILE

if TYPE_CHECKING:
    from tests.admin.conftest import Desk
    from tests.people import Person

PAGES = [
    "/admin/",
    "/admin/labs/",
    "/admin/new-lab",
    "/admin/labs/relaxed-lab",
    "/admin/labs/relaxed-lab/edit",
    *(f"/admin/labs/relaxed-lab/{name}" for name in ("members", "works", "systems", "activities", "openings")),
    *(f"/admin/labs/relaxed-lab/add/{name}" for name in ("members", "works", "systems", "activities", "openings")),
    "/admin/labs/relaxed-lab/members/ran-yan",
    "/admin/labs/relaxed-lab/works/flexgen",
    "/admin/labs/relaxed-lab/systems/flexgen",
    "/admin/labs/relaxed-lab/activities/course-1",
    "/admin/labs/relaxed-lab/openings/phd",
    "/admin/labs/relaxed-lab/works/heart/question",
    "/admin/labs/relaxed-lab/history",
    "/admin/labs/relaxed-lab/history/1",
    "/admin/labs/relaxed-lab/history/compare",
    "/admin/questions",
    "/admin/people/",
    "/admin/people/1",
    "/admin/audit",
]


@pytest.mark.parametrize("url", PAGES)
def test_every_page_opens_and_is_valid_html(desk: Desk, url: str) -> None:
    response = desk.client.get(url)
    assert response.status_code == 200
    html5lib.HTMLParser(strict=True).parse(response.text)
    assert " style=" not in response.text
    assert "<style" not in response.text


def test_titles_are_unique(desk: Desk) -> None:
    titles = [desk.client.get(url).text.split("<title>")[1].split("</title>")[0] for url in PAGES]
    assert len(set(titles)) == len(titles)
