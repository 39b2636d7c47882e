"""A cycle that there is, and in which a lab has nobody to read: its pages say so and lead to the lab's newest."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from tests.admission import add_admission

if TYPE_CHECKING:
    from portal.models import Cycle
    from tests.admission import Admission
    from tests.reviews.desk import Desk

PAGES = ("", "board", "interviews")
EMPTY = ("Nobody matches these filters", "Nobody on the board")


@pytest.fixture
def other(admission: Admission) -> Cycle:
    """A cycle of later, in which no lab has anybody."""
    return add_admission(admission.app, deadline_in=timedelta(days=400)).cycle


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("when", ["open", "closed"])
def test_the_page_says_that_nobody_is_there_and_leads_to_the_newest(
    desk: Desk, other: Cycle, page: str, when: str
) -> None:
    desk.people("Ada")
    other.closed_at = desk.admission.now if when == "closed" else None
    db.session.commit()
    newest = desk.admission.cycle
    client = desk.leader.sign_in()
    shown = unescape(client.get(f"{desk.address}/{page}?cycle={other.slug}&state=ranked").text)
    assert f"Nobody who chose {desk.name} in" in shown
    assert "newest cycle with applicants is" in shown
    assert ("and the cycle is closed" in shown) == (when == "closed")
    assert [words for words in EMPTY if words in shown] == []
    links = re.findall(rf'href="({desk.address}/{page}\?cycle={newest.slug})"', shown)
    assert links != []
    assert "Ada" in client.get(links[0]).text or page == "interviews"


@pytest.mark.parametrize("page", PAGES)
def test_its_own_cycle_and_a_lab_without_any_are_told_as_before(desk: Desk, other: Cycle, page: str) -> None:
    client = desk.leader.sign_in()
    assert "newest cycle with applicants" not in client.get(f"{desk.address}/{page}?cycle={other.slug}").text
    desk.people("Ada")
    own = desk.admission.cycle.slug
    assert "newest cycle with applicants" not in client.get(f"{desk.address}/{page}?cycle={own}").text
    assert client.get(f"{desk.address}/{page}?cycle=no-such").status_code == 404


def test_there_is_no_empty_file_of_such_a_cycle(desk: Desk, other: Cycle) -> None:
    desk.people("Ada")
    answer = desk.leader.sign_in().get(f"{desk.address}/applicants.csv?cycle={other.slug}")
    assert (answer.status_code, answer.location) == (302, f"{desk.address}/?cycle={other.slug}")
