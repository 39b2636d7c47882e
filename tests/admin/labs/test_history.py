"""Every save is in the history; any two can be compared; one can be undone, and any brought back."""

from __future__ import annotations

import html
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from portal.admin.labs.sections import without_item
from portal.seeding.records import MemberRecord
from tests.admin.desk import PROFILE
from tests.admin.labs.test_merging import MERGE, choices_in, fields_of

if TYPE_CHECKING:
    from tests.admin.desk import Desk

HISTORY = "/admin/labs/relaxed-lab/history"


def test_the_history_says_who_when_and_why(desk: Desk) -> None:
    desk.post(
        "/admin/labs/relaxed-lab/add/members",
        {"name": "张伟", "role": "phd_student", "base": 1, "reason": "He joined in autumn"},
    )
    desk.saves_as(without_item(desk.profile(), "works", "hexgen"), "Not ours")
    desk.saves(about="New.", topics=("new",))
    page = html.unescape(desk.client.get(HISTORY).text)
    for said in (
        "He joined in autumn",
        desk.email.split("@")[0],
        "command line",
    ):
        assert said in page
    assert "4 revisions" in page


def test_a_long_history_is_paged(desk: Desk) -> None:
    for number in range(30):
        desk.saves(about=f"Text {number}", reason=f"Reason {number};")
    first = desk.client.get(HISTORY).text
    assert "1–25 of 31 revisions" in first
    assert ("Reason 29;" in first, "Reason 4;" in first) == (True, False)
    last = desk.client.get(f"{HISTORY}?page=2").text
    assert "Reason 4;" in last


def test_any_two_revisions_can_be_compared_word_by_word(desk: Desk) -> None:
    desk.saves(about="We relax.\n\nA little.")
    desk.saves(works=(replace(PROFILE.works[0], abstract="We serve tiny models on one GPU."), *PROFILE.works[1:]))
    desk.saves(members=(*PROFILE.members, MemberRecord("new", "New One", "visiting")))
    desk.saves(systems=())
    page = desk.client.get(f"{HISTORY}/compare?from=1&to=5").text
    assert "A <del>lot</del><ins>little</ins>." in page
    assert "We serve <del>large</del><ins>tiny</ins> models" in page
    assert "Added: <ins>New One</ins>" in page
    assert "Removed: <del>FlexGen</del>" in page
    back = desk.client.get(f"{HISTORY}/compare?from=5&to=1").text
    assert "A <del>little</del><ins>lot</ins>." in back
    assert "Removed: <del>New One</del>" in back
    one_step = desk.client.get(f"{HISTORY}/compare?from=2&to=3").text
    assert "little" not in one_step
    assert "They say the same." in desk.client.get(f"{HISTORY}/compare?from=3&to=3").text
    assert "From revision 4 to revision 5" in desk.client.get(f"{HISTORY}/compare").text


def test_one_revision_shows_what_it_changed(desk: Desk) -> None:
    desk.saves(about="Second.")
    desk.saves(contact="Third.")
    page = desk.client.get(f"{HISTORY}/2").text
    assert ("Second" in page, "Third" in page) == (True, False)
    assert "Added: <ins>Ran Yan</ins>" in desk.client.get(f"{HISTORY}/1").text


def test_going_back_is_a_revision_that_can_itself_be_undone(desk: Desk) -> None:
    second = desk.saves(about="Second.")
    third = desk.saves(works=PROFILE.works[:1], contact="Third.")
    url = f"{HISTORY}/2"
    sent = {"back-base": 3, "back-reason": "Too much was removed"}
    assert desk.post(f"{url}/roll-back", sent, page=url).status_code == 302
    assert desk.profile() == second
    assert desk.reasons()[0] == "Too much was removed"
    undo = {"undo-reason": "It was right after all"}
    assert desk.post(f"{HISTORY}/4/undo", undo, page=url).status_code == 302
    assert desk.profile() == third
    assert desk.revision_number() == 5


def test_going_back_needs_a_reason_and_the_newest_view(desk: Desk) -> None:
    desk.saves(about="Second.")
    url = f"{HISTORY}/1"
    without = desk.post(f"{url}/roll-back", {"back-base": 2, "back-reason": " "}, page=url)
    assert without.status_code == 422
    assert "Say in a few words why." in without.text
    desk.saves(about="Third.")
    stale = desk.post(f"{url}/roll-back", {"back-base": 2, "back-reason": "My words"}, page=url)
    assert stale.status_code == 200
    assert "Revision 3 was saved since you opened this page." in stale.text
    assert "My words" in stale.text
    assert desk.revision_number() == 3


def test_going_back_to_the_newest_revision_is_refused_with_a_reason(desk: Desk) -> None:
    desk.saves(about="Second.")
    sent = {"back-base": 2, "back-reason": "Why"}
    response = desk.post(f"{HISTORY}/2/roll-back", sent, page=f"{HISTORY}/1")
    assert response.status_code == 403
    assert "Revision 2 is what the profile says now" in response.text


def test_undoing_an_older_revision_keeps_what_came_after_it(desk: Desk) -> None:
    desk.saves(about="Wrong.", topics=())
    desk.saves(contact="Later.")
    url = f"{HISTORY}/2"
    page = desk.post(f"{url}/undo", {"undo-reason": "It was wrong"}, page=url)
    assert page.status_code == 409
    assert "Others edited this profile since" in page.text
    assert choices_in(page.text) == []
    assert desk.client.post(MERGE, data=fields_of(page.text)).status_code == 302
    assert desk.profile() == replace(PROFILE, contact="Later.")
    assert desk.reasons()[0] == "It was wrong"


def test_undoing_what_was_changed_again_asks(desk: Desk) -> None:
    desk.saves(about="Wrong.")
    desk.saves(about="Wrong, but nicer.")
    page = desk.post(f"{HISTORY}/2/undo", {"undo-reason": "Back"}, page=f"{HISTORY}/2").text
    (choice,) = choices_in(page)
    assert desk.client.post(MERGE, data={**fields_of(page), choice: "mine"}).status_code == 302
    assert desk.profile().about == PROFILE.about


def test_an_undo_sent_twice_makes_one_revision(desk: Desk) -> None:
    desk.saves(about="Second.")
    for _ in range(2):
        response = desk.post(f"{HISTORY}/2/undo", {"undo-reason": "Back"}, page=f"{HISTORY}/2")
        assert response.status_code == 302
    assert desk.revision_number() == 3
    assert desk.profile() == PROFILE
    assert "Nothing changed" in desk.client.get(response.location).text


def test_the_first_revision_cannot_be_undone(desk: Desk) -> None:
    assert "Undo this revision" not in desk.client.get(f"{HISTORY}/1").text
    response = desk.post(f"{HISTORY}/1/undo", {"undo-reason": "Back"}, page="/admin/labs/relaxed-lab/edit")
    assert response.status_code == 403
    assert "The first revision created the lab." in response.text


@pytest.mark.parametrize("act", ["undo", "roll-back"])
def test_a_revision_that_is_not_there_is_a_404(desk: Desk, act: str) -> None:
    data = {"undo-reason": "x", "back-reason": "x", "back-base": 1}
    assert desk.post(f"{HISTORY}/9/{act}", data, page="/admin/labs/relaxed-lab/edit").status_code == 404
