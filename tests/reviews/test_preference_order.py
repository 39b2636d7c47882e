"""The order of preference: where numbers and steps put a choice, and what pages say of it."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

import pytest

from portal.reviews.board.queries import seen_order
from portal.reviews.board.service import placed, shifted

if TYPE_CHECKING:
    from tests.reviews.desk import Desk


@pytest.mark.parametrize(
    ("places", "order"),
    [
        ({}, [1, 2, 3, 4]),
        ({4: 1}, [4, 1, 2, 3]),
        ({1: 3}, [2, 3, 1, 4]),
        ({1: 99, 4: -5}, [4, 2, 3, 1]),
        ({1: 2, 2: 1}, [2, 1, 3, 4]),
        ({3: 1, 4: 1}, [4, 3, 1, 2]),
        ({7: 1}, [1, 2, 3, 4]),
    ],
)
def test_a_number_puts_a_choice_at_that_place(places: dict[int, int], order: list[int]) -> None:
    assert placed([1, 2, 3, 4], {1: 1, 2: 2, 3: 3, 4: 4} | places) == order


def test_a_step_ends_at_the_ends() -> None:
    assert shifted([1, 2, 3], 3, -1) == [1, 3, 2]
    assert shifted([1, 2, 3], 1, -1) == [1, 2, 3]
    assert shifted([1, 2, 3], 3, 1) == [1, 2, 3]


def test_another_order_is_another_fingerprint() -> None:
    assert len({seen_order([1, 2]), seen_order([2, 1]), seen_order([12]), seen_order([])}) == 4


def test_the_queue_and_its_file_give_the_places_of_the_board_although_stored_ones_have_gaps(desk: Desk) -> None:
    choices = desk.people("Ada Quetzal", "Bo Quetzal", "Cy Quetzal")
    for choice in choices:
        desk.admission.move(choice, "shortlist", "rank", as_="leader")
    desk.admission.one_move(choices[0], "take_off_ranking", "leader")
    client = desk.leader.sign_in()
    assert [choice.preference for choice in choices] == [None, 2, 3]
    page = client.get(f"{desk.address}/?sort=preference").text
    shown = re.findall(r">(\w+) Quetzal</a>.*?data-label=\"State\">(.*?)</td>", page, re.DOTALL)
    assert [(name, re.sub(r"<[^>]+>", "", state)) for name, state in shown] == [
        ("Bo", "Ranked 1st"),
        ("Cy", "Ranked 2nd"),
        ("Ada", "Shortlisted"),
    ]
    rows = csv.reader(io.StringIO(client.get(f"{desk.address}/applicants.csv?sort=preference").text))
    assert [row[8] for row in rows] == ["Our order", "1", "2", ""]
