"""Of long columns of the board a part is shown; counts, moves and the order are those of the whole."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from tests.reviews.desk import TICKET, Desk

if TYPE_CHECKING:
    import pytest


def test_a_long_column_shows_a_part_and_counts_and_moves_the_whole(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portal.reviews.board.queries.CARDS_AT_ONCE", 2)
    monkeypatch.setattr("portal.reviews.board.pages.CARDS_AT_ONCE", 2)
    people = desk.people("Ada", "Bo", "Cy", "Di", "Ed")
    client = desk.leader.sign_in()

    def shown(page: str) -> list[int]:
        return [place for place, one in enumerate(people, start=1) if f'id="card-{one.id}"' in page]

    first = client.get(desk.board).text
    assert len(shown(first)) == 2
    assert '<span class="board-count">5</span>' in first
    seen = shown(first) + shown(client.get(f"{desk.board}?column=in_review&page=2").text)
    last = client.get(f"{desk.board}?column=in_review&page=99").text
    assert sorted(seen + shown(last)) == [1, 2, 3, 4, 5]
    assert shown(client.get(f"{desk.board}?column=shortlisted&page=2").text) == shown(first)
    # A card of another page is moved, and one comes back to where it stands then.
    hidden = next(one for place, one in enumerate(people, start=1) if place not in shown(first))
    answer = desk.post(client, "move", one=f"shortlist:{hidden.id}", column="in_review", page="2")
    assert f'id="card-{hidden.id}"' in client.get(answer.location).text


def test_the_parts_of_a_long_column_are_links_and_a_move_leads_back_to_its_part(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.reviews.board.queries.CARDS_AT_ONCE", 2)
    monkeypatch.setattr("portal.reviews.board.pages.CARDS_AT_ONCE", 2)
    people = desk.people("Ada", "Bo", "Cy", "Di", "Ed")
    client = desk.leader.sign_in()

    def links(page: str) -> dict[str, str]:
        part = page.partition('<ul class="board-pages"')[2].partition("</ul>")[0]
        found = re.findall(r'href="([^"]+)"[^>]*>(?:<span class="visually-hidden">Part </span>)?([^<]+)<', part)
        return {words: html.unescape(address) for address, words in found}

    def cards(page: str) -> list[int]:
        return [int(number) for number in re.findall(r'id="card-(\d+)"', page)]

    first = client.get(desk.board).text
    assert list(links(first)) == ["Next 2", "1", "2", "3"]
    last = client.get(links(first)["3"]).text
    assert list(links(last)) == ["Previous 2", "1", "2", "3"]
    parts = [cards(first), cards(client.get(links(first)["Next 2"]).text), cards(last)]
    assert [len(part) for part in parts] == [2, 2, 1]
    assert sorted(number for part in parts for number in part) == [person.id for person in people]
    # Moving several leads back to the same part.
    asked = {"column": "in_review", "page": "2"}
    preview = desk.post(client, "preview", move="shortlist", choice=[str(number) for number in parts[1]], **asked).text
    done = desk.post(client, "do", move="shortlist", choice=TICKET.findall(preview), **asked)
    assert dict(parse_qsl(urlsplit(done.location).query)).items() >= asked.items()
    assert all(f'name="{name}" value="{value}"' in preview for name, value in asked.items())
    assert len(desk.columns()["shortlisted"]) == 2


def test_the_order_of_preference_goes_on_over_the_parts_of_a_column(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.reviews.board.queries.CARDS_AT_ONCE", 2)
    ada, bo, cy, di, ed = desk.people("Ada", "Bo", "Cy", "Di", "Ed")
    client = desk.leader.sign_in()
    for move in ("shortlist", "rank"):
        desk.do(client, move, desk.tickets(client, move, [ada, bo, cy, di, ed]))
    before = desk.columns()["ranked"]
    page = client.get(f"{desk.board}?column=ranked&page=3").text
    found = re.search(r'name="place-(\d+)" value="5"', page)
    seen = re.search(r'name="seen" value="([^"]+)"', page)
    assert found
    assert seen
    answer = desk.post(client, "order", seen=seen[1], **{f"place-{found[1]}": "1"}, column="ranked", page="3")
    assert desk.columns()["ranked"] == [before[4], *before[:4]]
    assert answer.location.endswith(f"card={found[1]}#card-{found[1]}")
    assert 'value="1"' in client.get(answer.location).text
