"""A list that invites each person to a lab of their own: previewed, corrected line by line, sent once or not at all."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import TYPE_CHECKING

import pytest

from portal.admin.pages import inviting_lines
from portal.db import db
from portal.labs.service import create_lab
from portal.models import AccountInvitation, User
from tests.admin.desk import NOW, PROFILE
from tests.admin.test_inviting import PAGE as INVITATIONS
from tests.admin.test_inviting import account, invite, mails

if TYPE_CHECKING:
    from sqlalchemy.orm import Session
    from werkzeug.test import TestResponse

    from portal.models import Lab
    from tests.admin.desk import Desk
    from tests.people import Person

PAGE = f"{INVITATIONS}/labs"
LIST = """李雷 <Li@example.edu>, Relaxed Lab

"Doe, Jane" <jane@example.edu>\tSystems, mostly\treviewer
bob@example.edu；second-lab
bob@example.edu, second-lab"""


@pytest.fixture(autouse=True)
def labs(desk: Desk) -> None:
    with desk.app.app_context():
        for key, name in (("second-lab", "Second Lab 王"), ("systems-mostly", "Systems, mostly")):
            record = replace(PROFILE, key=key, name=name, leader="", homepage="", members=(), works=(), systems=())
            create_lab(db.session(), record, author=None, reason="for a test", now=NOW)
        db.session.commit()


def preview(desk: Desk, lines: str, **more: str) -> TestResponse:
    return desk.post(PAGE, {"lines": lines, "position": "leader", **more})


def agreed_to(page: str) -> str:
    found = re.search(r'name="agreed" value="([0-9a-f]{64})"', page)
    assert found is not None
    return found[1]


def promised(desk: Desk) -> dict[str, tuple[str, str | None, list[str]]]:
    """Lab, position and roles of each invitation, by its address."""
    with desk.app.app_context():
        rows = db.session.query(AccountInvitation).order_by(AccountInvitation.id)
        return {row.email: (row.lab.slug if row.lab else "", row.position, row.roles) for row in rows}


def test_a_list_is_previewed_and_then_sent_once(desk: Desk) -> None:
    shown = preview(desk, LIST)
    rows = re.findall(r'data-label="(?:Line|As|What happens)">([^<]+)<', shown.text)
    link = "Gets a mail with a link"
    assert (shown.status_code, rows) == (200, ["1", "leader", link, "3", "reviewer", link, "4", "leader", link])
    assert "3 mails go out for 3 lines. Nothing is sent yet." in shown.text
    assert (mails(desk), promised(desk)) == ([], {})
    for says in ("3 people are invited; the mails are on their way.", "Already invited or with these rights"):
        answer = preview(desk, LIST, agreed=agreed_to(shown.text))
        assert (answer.status_code, answer.location) == (302, INVITATIONS)
        assert says in desk.client.get(INVITATIONS).text
    assert [address for address, _ in mails(desk)] == ["li@example.edu", "jane@example.edu", "bob@example.edu"]
    assert promised(desk) == {
        "li@example.edu": ("relaxed-lab", "leader", ["professor"]),
        "jane@example.edu": ("systems-mostly", "reviewer", ["professor"]),
        "bob@example.edu": ("second-lab", "leader", ["professor"]),
    }
    again = preview(desk, LIST).text
    assert again.count("Is invited to this already; nothing is sent") == 3
    assert "No mail goes out for 3 lines." in again


def test_every_wrong_line_is_said_with_its_number_and_nothing_typed_is_lost(desk: Desk) -> None:
    invite(desk, "eve@example.edu", lab="relaxed-lab", position="reviewer")
    lines = [
        "li@example.edu, Relaxed Lab",
        "no address here",
        "bob@example.edu",
        "ann@example.edu, Lab of nobody",
        "cat@example, Relaxed Lab",
        "dan@example.edu, lab",
        "eve@example.edu, Relaxed Lab, leader",
        "li@example.edu, second-lab",
    ]
    sent = mails(desk)
    first = preview(desk, "\n".join(lines))
    errors = [unescape(error) for error in re.findall(r'<p class="field-error">([^<]+)</p>', first.text)]
    assert [error.partition(":")[0] for error in errors] == [f"Line {number}" for number in (2, 3, 4, 5, 6)]
    assert "Write an address, a comma and a lab" in errors[0]
    assert "No lab is named." in errors[1]
    assert "No lab is called “Lab of nobody”." in errors[2]
    assert "Several labs fit: " in errors[4]
    assert "ann@example.edu, Lab of nobody" in first.text.partition("<textarea")[2]
    second = preview(desk, "\n".join([lines[0], *lines[6:]]))
    errors = [unescape(error) for error in re.findall(r'<p class="field-error">([^<]+)</p>', second.text)]
    assert [error[:24] for error in errors] == ["Line 2: eve@example.edu:", "Line 3: li@example.edu: "]
    assert "stands in line 1 already" in errors[1]
    assert (first.status_code, second.status_code, mails(desk)) == (422, 422, sent)


def test_who_has_an_account_gets_several_labs_at_once(desk: Desk, applicant: Person) -> None:
    lines = f"{applicant.email}, Relaxed Lab\n{applicant.email}, second-lab, reviewer"
    shown = preview(desk, lines)
    assert shown.text.count("Has an account: gets the lab at once") == 2
    assert preview(desk, lines, agreed=agreed_to(shown.text)).status_code == 302
    got = account(desk, applicant.email)
    assert got is not None
    assert (sorted(got[1]), "professor" in got[0]) == (["relaxed-lab", "second-lab"], True)


def test_what_was_agreed_to_is_previewed_again_where_it_means_another_lab_by_now(desk: Desk) -> None:
    lines = "li@example.edu, Second"
    agreed = agreed_to(preview(desk, lines).text)
    other = preview(desk, "li@example.edu, mostly", agreed=agreed)
    assert (other.status_code, "Nothing is sent yet." in other.text, mails(desk)) == (200, True, [])
    with desk.app.app_context():
        assert db.session.query(User).filter_by(email="li@example.edu").count() == 0


def test_the_preview_says_of_who_reads_for_the_lab_already_what_is_sent(desk: Desk, applicant: Person) -> None:
    lines = f"{applicant.email}, Relaxed Lab, reviewer"
    preview(desk, lines, agreed=agreed_to(preview(desk, lines).text))
    before = len(mails(desk))
    same = preview(desk, lines).text
    assert "reads for this lab in this position already; nothing is sent" in same
    assert "No mail goes out for 1 line." in same
    preview(desk, lines, agreed=agreed_to(same))
    assert len(mails(desk)) == before
    another = f"{applicant.email}, Relaxed Lab, leader"
    shown = preview(desk, another).text
    assert "reads for this lab already: gets this position, and a mail that says so" in shown
    assert "1 mail goes out for 1 line." in shown
    preview(desk, another, agreed=agreed_to(shown))
    assert len(mails(desk)) == before + 1


def test_of_too_many_lines_no_lab_is_looked_up(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look-up of a lab that there is not compares its name with those of all labs."""

    def look_up(_session: Session, text: str) -> Lab:
        pytest.fail(f"{text} is looked up")

    monkeypatch.setattr(inviting_lines, "lab_meant_by", look_up)
    refused = preview(desk, "\n".join(f"a{number}@example.edu, lab {number}" for number in range(201)))
    assert refused.status_code == 422
    assert "Invite at most 200 people at once; these are 201 lines." in refused.text
    assert "a200@example.edu, lab 200" in refused.text
