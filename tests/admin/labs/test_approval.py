"""What leaders change waits for an administrator where the setting says so; everything else is saved at once."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from portal.admin.labs.saving import GROUPS, parts_of
from portal.admin.labs.sections import PROFILE_LABELS, SECTIONS
from portal.config import EDIT_GROUPS
from portal.db import db
from portal.models import AuditEntry, LabProposal, Notification
from portal.seeding.changes import diff
from tests.admin.desk import PROFILE, Desk, store
from tests.admin.labs.test_own_lab import HOME, attach, professor
from tests.people import csrf_token
from tests.seeding.strategies import labs

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from portal.seeding.records import LabRecord
    from tests.people import Person

__all__ = ["professor"]

EDIT = f"{HOME}/edit"


def waiting(app: Flask) -> list[tuple[int, str, object]]:
    with app.app_context():
        rows = db.session.scalars(select(LabProposal).where(LabProposal.state == "open").order_by(LabProposal.id))
        return [(row.id, row.path, row.proposed) for row in rows]


def approve(app: Flask, *groups: str) -> None:
    app.config["PORTAL"] = replace(app.config["PORTAL"], approval=frozenset(groups))


def test_every_place_of_a_profile_is_in_a_group_that_the_setting_knows() -> None:
    assert set(GROUPS) == {*PROFILE_LABELS, *SECTIONS}
    assert set(GROUPS.values()) == set(EDIT_GROUPS)


@given(labs(), labs(), st.sets(st.sampled_from(EDIT_GROUPS)))
def test_nothing_of_a_group_that_waits_is_saved_at_once(old: LabRecord, new: LabRecord, groups: set[str]) -> None:
    new = replace(new, key=old.key)
    parts = parts_of(old, new, groups)
    saved = {change.path.partition("/")[0] for change in diff(old, parts.at_once) if not change.is_origin}
    # Systems follow the works that stay or go, as they do in every edit.
    assert {GROUPS[name] for name in saved - {"systems"}} & groups == set()
    assert {GROUPS[change.path.partition("/")[0]] for change in parts.waiting} <= groups


def test_an_edit_is_saved_in_part_and_waits_in_part(app: Flask, desk: Desk, professor: Desk) -> None:
    sent = {"name": "Very Relaxed Lab", "about": "New text.", "base": 1, "reason": "We moved on"}
    assert (
        "An administrator must approve changes to these first: Name of the lab, Leader,"
        in professor.client.get(EDIT).text
    )
    for _ in range(2):
        assert professor.post(EDIT, sent).status_code in {302, 409}
    assert professor.profile() == replace(PROFILE, about="New text.", origins=PROFILE.origins[1:])
    ((number, path, proposed),) = waiting(app)
    assert (path, proposed) == ("name", "Very Relaxed Lab")
    page = professor.client.get(HOME).text
    assert "Waits for an administrator:" in page
    assert "<ins>Very </ins>Relaxed Lab" in page
    url = f"/admin/questions/{number}"
    assert "We moved on" in desk.client.get(url).text
    decided = desk.post(url, {"base": 2, "reason": "Letterhead agrees", "decision": "accept"})
    assert decided.status_code == 302
    assert professor.profile().name == "Very Relaxed Lab"
    assert re.fullmatch(r"Letterhead agrees \(proposed by .+\)", professor.reasons()[0])
    assert "Accepted" in professor.client.get(HOME).text
    assert "Reason: Letterhead agrees" in professor.client.get(HOME).text
    with app.app_context():
        news = [
            notification.text for notification in db.session.scalars(select(Notification).order_by(Notification.id))
        ]
        assert news == ["Relaxed Lab: your change to the profile was accepted."]
        acts = [entry.act for entry in db.session.scalars(select(AuditEntry).order_by(AuditEntry.id))]
        assert (acts.count("lab.propose"), acts.count("lab.proposal_accepted")) == (1, 1)


def test_a_refused_change_is_told_and_may_be_proposed_again(app: Flask, desk: Desk, professor: Desk) -> None:
    sent = {"name": "Other", "base": 1, "reason": "Why not"}
    professor.post(EDIT, sent)
    url = f"/admin/questions/{waiting(app)[0][0]}"
    desk.post(url, {"base": 1, "reason": "Not on the letterhead", "decision": "refuse"})
    assert "Refused" in professor.client.get(HOME).text
    assert "Reason: Not on the letterhead" in professor.client.get(HOME).text
    assert professor.revision_number() == 1
    professor.post(EDIT, sent)
    assert [path for _, path, _ in waiting(app)] == ["name"]


def test_a_newer_change_of_the_same_place_replaces_the_one_that_waits(app: Flask, professor: Desk) -> None:
    for name in ("One", "Two", "Two"):
        professor.post(EDIT, {"name": name, "base": 1, "reason": "Better"})
    assert [proposed for _, _, proposed in waiting(app)] == ["Two"]
    number = waiting(app)[0][0]
    taken = professor.post(f"{HOME}/proposals/{number}/withdraw", {}, page=HOME)
    assert taken.status_code == 302
    assert waiting(app) == []
    again = professor.post(f"{HOME}/proposals/{number}/withdraw", {}, page=EDIT)
    assert (again.status_code, again.location) == (302, HOME)
    assert "This proposal is not there any more: it was taken back." in professor.client.get(HOME).text


def test_whoever_decides_on_a_change_that_was_taken_back_does_not_decide_on_the_next_one(
    app: Flask, desk: Desk, professor: Desk
) -> None:
    """Another change than the administrator read would be saved, without a word."""
    approve(app, "works")

    def removes(key: str) -> None:
        page = f"{HOME}/works/{key}"
        professor.post(f"{page}/remove", {"remove-base": 1, "remove-reason": "Not ours"}, page=page)

    removes("flexgen")
    ((number, path, _),) = waiting(app)
    url = f"/admin/questions/{number}"
    assert (path, "FlexGen" in desk.client.get(url).text) == ("works/flexgen", True)
    professor.post(f"{HOME}/proposals/{number}/withdraw", {}, page=HOME)
    removes("hexgen")
    decided = desk.post(url, {"base": 1, "reason": "True", "decision": "accept"}, page="/admin/labs/relaxed-lab/edit")
    assert decided.status_code == 404
    assert professor.profile() == PROFILE
    assert [path for _, path, _ in waiting(app)] == ["works/hexgen"]


def test_added_and_removed_entries_wait_too(app: Flask, desk: Desk, professor: Desk) -> None:
    approve(app, "people", "works")
    item = f"{HOME}/works/flexgen"
    assert "An administrator must approve changes to works first." in professor.client.get(item).text
    professor.post(f"{item}/remove", {"remove-base": 1, "remove-reason": "Not ours"}, page=item)
    add = f"{HOME}/add/members"
    professor.post(add, {"name": "New One", "role": "phd_student", "base": 1, "reason": "Joined"})
    professor.post(f"{HOME}/edit", {"name": "Free Name", "base": 1, "reason": "Names are free now"})
    assert professor.profile() == replace(PROFILE, name="Free Name")
    assert [path for _, path, _ in waiting(app)] == ["works/flexgen", "members/new-one"]
    for number, _, _ in waiting(app):
        sent = {"base": professor.revision_number(), "reason": "Yes", "decision": "accept"}
        assert desk.post(f"/admin/questions/{number}", sent).status_code == 302
    assert [work.key for work in professor.profile().works] == ["hexgen", "heart"]
    assert professor.profile().systems[0].works == ()
    assert professor.profile().members[-1].name == "New One"


def test_going_back_waits_as_any_other_edit(app: Flask, desk: Desk, professor: Desk) -> None:
    desk.saves(name="By the office", about="Office text.")
    url = f"{HOME}/history/1"
    professor.post(f"{url}/roll-back", {"back-base": 2, "back-reason": "It was right"}, page=url)
    assert (professor.profile().name, professor.profile().about) == ("By the office", PROFILE.about)
    assert [path for _, path, _ in waiting(app)] == ["name"]


def test_what_an_administrator_changes_never_waits(app: Flask, desk: Desk) -> None:
    approve(app, *EDIT_GROUPS)
    desk.post("/admin/labs/relaxed-lab/edit", {"name": "New", "base": 1, "reason": "I know"})
    assert (desk.profile().name, waiting(app)) == ("New", [])


@pytest.mark.parametrize("slug", ["relaxed-lab", "other"])
def test_leaders_see_and_take_back_nothing_of_another_lab(
    app: Flask, professor: Desk, person: Callable[..., Person], slug: str
) -> None:
    store(app, replace(PROFILE, key="other", name="Other Lab"))
    stranger = person("professor")
    attach(app, stranger, "other", "leader")
    professor.post(EDIT, {"name": "Zz secret draft", "base": 1, "reason": "Hush"})
    number = waiting(app)[0][0]
    client = stranger.sign_in()
    token = csrf_token(client, "/accounts/name")
    url = f"/reviews/{slug}/profile/proposals/{number}/withdraw"
    assert client.post(url, data={"csrf_token": token}).status_code == (403 if slug == "relaxed-lab" else 404)
    assert "Zz secret" not in client.get("/reviews/other/profile").text
    assert "Zz secret" not in app.test_client().get("/labs/relaxed-lab").text
    assert len(waiting(app)) == 1
