"""The second of two people who save gets a merge page, and loses nothing; nor does the third."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from itsdangerous import URLSafeSerializer

from portal.seeding.records import MemberRecord
from tests.admin.desk import PROFILE
from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Callable

    from werkzeug.test import TestResponse

    from tests.admin.desk import Desk

EDIT = "/admin/labs/relaxed-lab/edit"
MERGE = "/admin/labs/relaxed-lab/merge"
_INPUT = re.compile(r'<(?:input|button)[^>]*\bname="([^"]+)"[^>]*>')
_TEXTAREA = re.compile(r'<textarea[^>]*\bname="([^"]+)"[^>]*>\r?\n?(.*?)</textarea>', re.DOTALL)


def fields_of(page: str, action: str = MERGE) -> dict[str, str]:
    """The fields of the merge form, or of the one with this action, as a browser would send them untouched: no radio
    button is chosen by itself.
    """
    form = page.split(f'action="{action}"')[1].split("</form>", maxsplit=1)[0]
    values = {name: html.unescape(text) for name, text in _TEXTAREA.findall(form)}
    for tag in _INPUT.finditer(form):
        is_radio = 'type="radio"' in tag.group()
        if not is_radio or " checked" in tag.group():
            found = re.search(r'\bvalue="([^"]*)"', tag.group())
            values[tag.group(1)] = html.unescape(found.group(1)) if found else ""
    return values


def choices_in(page: str) -> list[str]:
    """The names of the choices on a merge page, in order."""
    return list(dict.fromkeys(re.findall(r'name="(choice_[0-9a-f]+)"', page)))


def late(desk: Desk, data: dict[str, Any], url: str = EDIT, base: int = 1) -> TestResponse:
    """Send an edit that began with an old revision."""
    return desk.client.post(
        url, data={"csrf_token": csrf_token(desk.client, EDIT), "base": base, "reason": "My reason", **data}
    )


def test_without_a_conflict_both_edits_are_merged_and_listed(desk: Desk) -> None:
    desk.saves(place="Theirs", reason="They moved")
    response = late(desk, {"about": "Mine."})
    assert response.status_code == 409
    assert "Somebody saved this profile while you edited it" in response.text
    assert "They moved" in response.text
    assert choices_in(response.text) == []
    saved_meanwhile, my_edit = response.text.split("What was saved meanwhile")[1].split("What your edit changes")
    assert ("Theirs" in saved_meanwhile, "Mine." in saved_meanwhile) == (True, False)
    assert ("Theirs" in my_edit, "Mine" in my_edit) == (False, True)
    assert desk.revision_number() == 2
    assert desk.client.post(MERGE, data=fields_of(response.text)).status_code == 302
    assert (desk.profile().place, desk.profile().about) == ("Theirs", "Mine.")
    assert desk.reasons() == ["My reason", "They moved", "Made for a test"]


def test_a_conflict_is_shown_side_by_side_and_has_to_be_chosen(desk: Desk) -> None:
    desk.saves(about="Their words here.")
    page = late(desk, {"about": "My words here.", "contact": "New contact"}).text
    assert page.count('<div class="version">') == 3
    (choice,) = choices_in(page)
    unchosen = desk.client.post(MERGE, data=fields_of(page))
    assert unchosen.status_code == 422
    assert "Choose one of these." in unchosen.text
    assert desk.revision_number() == 2
    for name, about in (("mine", "My words here."), ("theirs", "Their words here.")):
        assert desk.client.post(MERGE, data={**fields_of(page), choice: name}).status_code in {302, 409}
        assert (desk.profile().about, desk.profile().contact) == (about, "New contact")
        desk.saves_as(replace(PROFILE, about="Their words here."), "Back to the conflict")
        page = late(desk, {"about": "My words here.", "contact": "New contact"}).text


def test_both_texts_can_stay(desk: Desk) -> None:
    desk.saves(about="Their words here.")
    page = late(desk, {"about": "My words here."}).text
    (choice,) = choices_in(page)
    assert "Keep both" in page
    assert desk.client.post(MERGE, data={**fields_of(page), choice: "both"}).status_code == 302
    assert desk.profile().about == "Their words here.\n\nMy words here."


def test_of_two_names_of_a_place_one_is_chosen(desk: Desk) -> None:
    desk.saves(place="Their place")
    page = late(desk, {"place": "My place"}).text
    (choice,) = choices_in(page)
    assert "Keep both" not in page
    assert desk.client.post(MERGE, data={**fields_of(page), choice: "both"}).status_code == 422
    assert desk.profile().place == "Their place"


def test_a_third_person_who_saves_meanwhile_is_merged_too_and_choices_stay(desk: Desk) -> None:
    desk.saves(about="Second.", contact="Second contact", reason="The second")
    page = late(desk, {"about": "Mine.", "contact": "My contact"}).text
    about, contact = choices_in(page)
    desk.saves(about="Third.", topics=("third",), reason="The third")
    chosen = {**fields_of(page), about: "theirs", contact: "theirs", "reason": "My second reason"}
    again = desk.client.post(MERGE, data=chosen)
    assert again.status_code == 409
    assert "Yet another revision came while you decided." in again.text
    kept = fields_of(again.text)
    assert kept["reason"] == "My second reason"
    # What is saved for the contact is what was chosen; for the text it is something else by now, so it is asked again.
    assert (kept.get(contact), kept.get(about)) == ("theirs", None)
    assert desk.revision_number() == 3
    assert desk.client.post(MERGE, data={**kept, about: "mine"}).status_code == 302
    saved = desk.profile()
    assert (saved.about, saved.contact, saved.topics) == ("Mine.", "Second contact", ("third",))
    assert desk.reasons() == ["My second reason", "The third", "The second", "Made for a test"]


def test_a_choice_of_mine_survives_a_third_save(desk: Desk) -> None:
    desk.saves(about="Second.", contact="Second contact")
    page = late(desk, {"about": "Mine.", "contact": "My contact"}).text
    about, contact = choices_in(page)
    desk.saves(about="Third.", contact="Third contact")
    sent = {**fields_of(page), about: "mine", contact: "both"}
    kept = fields_of(desk.client.post(MERGE, data=sent).text)
    assert (kept[about], kept.get(contact)) == ("mine", None)
    assert desk.client.post(MERGE, data={**kept, contact: "both"}).status_code == 302
    assert (desk.profile().about, desk.profile().contact) == ("Mine.", "Third contact\n\nMy contact")


def test_an_item_that_one_removed_and_the_other_edited_is_asked_about(desk: Desk) -> None:
    desk.saves(members=PROFILE.members[:1], reason="Ran left")
    page = late(desk, {"term": "2024-Fall"}, "/admin/labs/relaxed-lab/members/ran-yan")
    assert page.status_code == 409
    assert "People: Ran Yan" in page.text
    assert "2024-Fall" in page.text
    (choice,) = choices_in(page.text)
    assert desk.client.post(MERGE, data={**fields_of(page.text), choice: "mine"}).status_code == 302
    assert [member.name for member in desk.profile().members] == ["Bin Yuan", "Ran Yan"]
    assert desk.profile().members[1].term == "2024-Fall"


def test_removing_what_another_edited_is_asked_about(desk: Desk) -> None:
    desk.saves(works=(replace(PROFILE.works[0], year=2031), *PROFILE.works[1:]))
    url = "/admin/labs/relaxed-lab/works/flexgen/remove"
    page = late(desk, {"remove-base": 1, "remove-reason": "Not ours"}, url)
    assert page.status_code == 409
    (choice,) = choices_in(page.text)
    sent = fields_of(page.text)
    assert sent["reason"] == "Not ours"
    assert desk.client.post(MERGE, data={**sent, choice: "theirs"}).status_code == 302
    assert desk.profile().works[0].year == 2031
    assert desk.profile().systems[0].works == ("flexgen",)


def test_two_people_of_one_name_added_at_once_both_stay(desk: Desk) -> None:
    desk.saves(members=(*PROFILE.members, MemberRecord("wei-zhang", "Wei Zhang", "visiting")))
    page = late(desk, {"name": "Wei Zhang", "role": "phd_student"}, "/admin/labs/relaxed-lab/add/members")
    assert page.status_code == 409
    assert choices_in(page.text) == []
    for _ in range(2):
        assert desk.client.post(MERGE, data=fields_of(page.text)).status_code == 302
    assert {(member.key, member.role) for member in desk.profile().members[2:]} == {
        ("wei-zhang", "visiting"),
        ("wei-zhang-2", "phd_student"),
    }
    assert desk.revision_number() == 3


def test_the_merge_page_sent_twice_makes_one_revision(desk: Desk) -> None:
    desk.saves(place="Theirs")
    sent = fields_of(late(desk, {"about": "Mine."}).text)
    assert desk.client.post(MERGE, data=sent).status_code == 302
    again = desk.client.post(MERGE, data=sent)
    assert desk.revision_number() == 3
    assert again.status_code == 302
    assert "Nothing changed" in desk.client.get(again.location).text


def test_a_merge_page_that_was_tampered_with_changes_nothing(desk: Desk) -> None:
    desk.saves(place="Theirs")
    sent = fields_of(late(desk, {"about": "Mine."}).text)
    for pending in ("", "made-up", sent["pending"][:-4] + "AAAA"):
        response = desk.client.post(MERGE, data={**sent, "pending": pending})
        assert response.status_code == 403
        assert "This merge page has lost the edit it was made for." in response.text
    assert desk.revision_number() == 2


def _one_more_field(edit: dict[str, Any]) -> None:
    edit["was_drafted"] = False


def _a_field_less(edit: dict[str, Any]) -> None:
    del edit["changes"]


def _other_changes(edit: dict[str, Any]) -> None:
    edit["changes"] = [{"where": "about", "what": "Mine."}]


def _a_field_that_profiles_lost(edit: dict[str, Any]) -> None:
    edit["changes"][0]["path"] = "motto"


def _a_value_of_another_type(edit: dict[str, Any]) -> None:
    edit["changes"][0]["new"] = ["Mine."]


@pytest.mark.parametrize(
    "differ", [_one_more_field, _a_field_less, _other_changes, _a_field_that_profiles_lost, _a_value_of_another_type]
)
def test_a_merge_page_of_another_version_says_so_and_leads_to_the_form(
    desk: Desk, differ: Callable[[dict[str, Any]], None]
) -> None:
    desk.saves(place="Theirs")
    sent = fields_of(late(desk, {"about": "Mine."}).text)
    serializer = URLSafeSerializer(desk.app.config["PORTAL"].secret_key, salt="portal.admin.labs.saving")
    edit = serializer.loads(sent["pending"])
    differ(edit)
    response = desk.client.post(
        MERGE,
        data={**sent, "pending": serializer.dumps(edit), "reason": "Four words of mine"},
        headers={"Sec-Fetch-Site": "same-origin", "Referer": f"http://localhost{EDIT}"},
    )
    assert response.status_code == 403
    assert "Perhaps the portal was upgraded while it was open." in response.text
    assert "Four words of mine</textarea>" in response.text
    assert f'<a href="{EDIT}">open the form again</a>' in response.text
    assert desk.revision_number() == 2


def test_a_pending_edit_of_one_lab_is_none_of_another(desk: Desk) -> None:
    from tests.admin.desk import store

    store(desk.app, replace(PROFILE, key="other-lab", name="Other"))
    desk.saves(place="Theirs")
    sent = fields_of(late(desk, {"about": "Mine."}).text)
    assert desk.client.post("/admin/labs/other-lab/merge", data=sent).status_code == 403
    assert desk.profile("other-lab").about == PROFILE.about


def test_markup_is_only_text_on_the_merge_page(desk: Desk) -> None:
    desk.saves(about="<script>theirs()</script>")
    page = late(desk, {"about": "<script>mine()</script>"}).text
    assert "<script>theirs" not in page
    assert "<script>mine" not in page
    assert "theirs" in page
