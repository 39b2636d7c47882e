"""Applicants are ticked in the list, moved together, and the list is where one comes back to."""

from __future__ import annotations

import re

from tests.people import csrf_token
from tests.reviews.desk import TICKET, Desk


def test_who_is_ticked_in_the_list_is_moved_and_the_list_shown_again_as_it_was(desk: Desk) -> None:
    ada, bo, cy = desk.people("Ada", "Bo", "Cy")
    client, slug = desk.leader.sign_in(), desk.admission.cycle.slug
    shown = client.get(f"{desk.address}/?state=in_review&sort=newest").text
    assert [f'name="choice" value="{one.id}" aria-label="Tick' in shown for one in (ada, bo, cy)] == [True] * 3
    assert 'name="queue" value="state=in_review&amp;sort=newest&amp;page=1"' in shown
    assert f'formaction="{desk.address}/compare" formnovalidate=""' in shown
    left = {"queue": "state=in_review&sort=newest&page=1", "cycle": slug}
    back = f"{desk.address}/?cycle={slug}&state=in_review&sort=newest"
    page = desk.post(client, "preview", move="shortlist", choice=[str(ada.id), str(cy.id)], **left).text
    assert f'href="{back.replace("&", "&amp;")}">Back to the list</a>' in page
    done = desk.post(client, "do", move="shortlist", choice=TICKET.findall(page), **left)
    assert (done.status_code, done.location) == (302, back)
    assert desk.columns() == {"in_review": ["Bo"], "shortlisted": ["Ada", "Cy"]}


def test_nothing_chosen_leads_back_to_the_list_and_no_list_to_the_board(desk: Desk) -> None:
    (ada,) = desk.people("Ada")
    client, slug = desk.leader.sign_in(), desk.admission.cycle.slug
    ticked = {"cycle": slug, "choice": [str(ada.id)]}
    assert desk.post(client, "preview", queue="page=3", **ticked).location == f"{desk.address}/?cycle={slug}&page=3"
    for strange in ("", "//example.org/", "page"):
        assert desk.post(client, "preview", queue=strange, **ticked).location == f"{desk.board}?cycle={slug}"


def test_a_reviewer_ticks_as_well_and_is_offered_the_moves_of_a_reviewer(desk: Desk) -> None:
    desk.people("Ada")
    shown = desk.reviewer.sign_in().get(f"{desk.address}/").text
    assert ('<option value="shortlist">' in shown, '<option value="decline">' in shown) == (True, False)


def test_only_moves_of_somebody_in_the_list_are_offered(desk: Desk) -> None:
    ada, bo = desk.people("Ada", "Bo")
    client, slug = desk.leader.sign_in(), desk.admission.cycle.slug
    desk.admission.move(bo, "shortlist", as_="reviewer")

    def offered(address: str) -> set[str]:
        select = client.get(address).text.partition('id="bulk-move"')[2].partition("</select>")[0]
        return set(re.findall(r'<option value="(\w+)">', select))

    in_review, of_shortlist = {"shortlist", "decline"}, {"take_off_shortlist", "invite_to_interview", "rank"}
    for address in (f"{desk.address}/", f"{desk.board}?cycle={slug}"):
        assert (in_review | of_shortlist <= offered(address), "mark_interviewed" in offered(address)) == (True, False)
    assert offered(f"{desk.address}/?state={ada.state}") == in_review


def test_two_to_four_who_are_ticked_are_compared_and_others_led_back_to_where_they_were_ticked(desk: Desk) -> None:
    people = desk.people("Ada", "Bo", "Cy", "Di", "Eve")
    client, slug = desk.leader.sign_in(), desk.admission.cycle.slug
    left = {"queue": "sort=newest", "cycle": slug}
    token = csrf_token(client, desk.board)

    def ticked(number: int, **left: str) -> str | None:
        sent = {"csrf_token": token, "choice": [str(one.id) for one in people[:number]], **left}
        return client.post(f"{desk.address}/compare", data=sent).location

    one_address = f"{desk.address}/compare?choice={people[0].id}&choice={people[1].id}"
    assert ticked(2, **left) == one_address
    assert "Compare 2 applicants" in client.get(one_address).text
    assert {ticked(1, **left), ticked(5, **left)} == {f"{desk.address}/?cycle={slug}&sort=newest"}
    assert ticked(1, cycle=slug) == f"{desk.board}?cycle={slug}"
    assert (
        "Tick 2 to 4 applicants to compare them." in client.get(f"{desk.address}/compare", follow_redirects=True).text
    )
