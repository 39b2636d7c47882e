"""What waits for a decision: pages against edits by hand, and works that may not belong."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.matches import matches_for
from portal.labs.queries import lab_by_slug
from portal.matching import Query
from portal.models import AuditEntry, LabProposal
from portal.seeding.records import MemberRecord, to_json
from tests.admin.desk import NOW, PROFILE

if TYPE_CHECKING:
    from flask import Flask

    from tests.admin.desk import Desk

CHANGES = "/admin/labs/relaxed-lab/changes"
CARDIOLOGY = Query(statement="cardiology")
WHY = "It was edited by hand, and the page has changed it to something else since."


def ask(app: Flask, path: str, current: Any, proposed: Any) -> int:  # noqa: ANN401  (JSON values)
    """Leave a question as seeding does; its number."""
    with app.app_context():
        lab = lab_by_slug(db.session(), PROFILE.key)
        assert lab is not None
        proposal = LabProposal(
            lab_id=lab.id,
            path=path,
            current=current,
            proposed=proposed,
            why=WHY,
            fingerprint=f"{path}-{proposed}"[:64],
            created_at=NOW,
        )
        db.session.add(proposal)
        db.session.commit()
        return proposal.id


def state_of(desk: Desk, number: int) -> str:
    with desk.app.app_context():
        proposal = db.session.get(LabProposal, number)
        assert proposal is not None
        return proposal.state


def decide(desk: Desk, number: int, decision: str, base: int = 1, reason: str = "Because") -> Any:  # noqa: ANN401
    data = {"base": base, "proposal": str(number), "reason": reason, "decision": decision}
    return desk.post(f"{CHANGES}/decide", data, page=CHANGES)


def test_an_accepted_proposal_becomes_a_revision(desk: Desk) -> None:
    number = ask(desk.app, "about", PROFILE.about, "The page’s text.")
    listed = desk.client.get("/admin/questions").text
    assert f'<a href="{CHANGES}">Relaxed Lab: pages and tables</a> <span class="quiet">1 change</span>' in listed
    page = desk.client.get(CHANGES).text
    assert WHY in page
    assert re.search(r"<del>We relax.*<ins>The page’s text", page, re.DOTALL)
    assert decide(desk, number, "accept").status_code == 302
    assert desk.profile().about == "The page’s text."
    assert desk.reasons()[0] == "Because"
    assert state_of(desk, number) == "accepted"
    assert CHANGES not in desk.client.get("/admin/questions").text


def test_a_refused_proposal_leaves_the_profile_and_is_in_the_log_with_its_reason(desk: Desk) -> None:
    number = ask(desk.app, "members/ran-yan/term", "2023-Fall", "2022-Fall")
    page = desk.client.get(CHANGES).text
    assert ("Ran Yan" in page, "Term of entry:" in page) == (True, True)
    assert decide(desk, number, "refuse", reason="He told us").status_code == 302
    assert desk.profile() == PROFILE
    assert state_of(desk, number) == "refused"
    with desk.app.app_context():
        entry = db.session.query(AuditEntry).order_by(AuditEntry.id.desc()).first()
        assert entry is not None
        assert (entry.act, entry.after["reason"]) == ("lab.refuse_proposals", "He told us")


@pytest.mark.parametrize(
    ("path", "proposed", "said", "expected"),
    [
        ("members/ran-yan", None, "Taken out", ["Bin Yuan"]),
        (
            "members/new",
            to_json(replace(PROFILE, members=(MemberRecord("new", "New One", "visiting"),)))["members"][0],  # type: ignore[index]
            "New",
            ["Bin Yuan", "Ran Yan", "New One"],
        ),
        ("members", ["ran-yan", "bin-yuan"], "Their order", ["Ran Yan", "Bin Yuan"]),
    ],
)
def test_items_and_orders_can_be_accepted(
    desk: Desk,
    path: str,
    proposed: Any,  # noqa: ANN401
    said: str,
    expected: list[str],
) -> None:
    number = ask(desk.app, path, None, proposed)
    assert f">{said}<" in desk.client.get(CHANGES).text
    assert decide(desk, number, "accept").status_code == 302
    assert [member.name for member in desk.profile().members] == expected


def test_a_decision_needs_a_reason_a_choice_and_the_newest_profile(desk: Desk) -> None:
    number = ask(desk.app, "about", PROFILE.about, "The page’s text.")
    unsaid = decide(desk, number, "accept", reason="")
    assert (unsaid.status_code, "Give a reason" in unsaid.text) == (422, True)
    assert f'value="{number}" id="change-{number}" checked' in unsaid.text
    assert decide(desk, number, "").status_code == 302
    assert "Select changes that are still open" in desk.client.get(CHANGES).text
    desk.saves(about="Edited meanwhile.")
    stale = decide(desk, number, "accept", reason="My long reason")
    assert stale.status_code == 422
    assert "The profile was saved since you opened this page." in stale.text
    assert "My long reason" in stale.text
    assert "<del>Edited meanwhile" in stale.text
    assert (state_of(desk, number), desk.revision_number()) == ("open", 2)


def test_a_proposal_is_decided_once(desk: Desk) -> None:
    number = ask(desk.app, "about", PROFILE.about, "The page’s text.")
    decide(desk, number, "refuse")
    data = {"proposal": str(number), "reason": "Again", "decision": "accept"}
    desk.post(f"{CHANGES}/decide", data, page="/admin/new-lab")
    assert "Select changes that are still open" in desk.client.get(CHANGES).text
    assert (state_of(desk, number), desk.profile()) == ("refused", PROFILE)


def test_a_proposal_about_something_that_is_gone_can_only_be_refused(desk: Desk) -> None:
    number = ask(desk.app, "members/ran-yan/term", "2023-Fall", "2022-Fall")
    desk.saves(members=PROFILE.members[:1])
    assert "it can only be refused." in desk.client.get(CHANGES).text
    decide(desk, number, "accept", base=2)
    assert "0 changes are accepted. 1 no longer fits" in desk.client.get(CHANGES).text
    assert state_of(desk, number) == "open"
    assert decide(desk, number, "refuse", base=2).status_code == 302
    assert state_of(desk, number) == "refused"


def test_a_work_that_may_not_belong_is_kept_or_removed(desk: Desk) -> None:
    url = "/admin/labs/relaxed-lab/works/heart"
    listed = desk.client.get("/admin/questions").text
    assert f'<a href="{url}">Cardiology of mice</a>' in listed
    assert 'value="Does this work belong to the lab?"' in desk.client.get(url).text
    assert desk.post(url, {"base": 1, "reason": "A joint project", "question": ""}).status_code == 302
    assert desk.profile().works[2] == replace(PROFILE.works[2], question="")
    assert f'<a href="{url}">' not in desk.client.get("/admin/questions").text
    desk.saves_as(PROFILE, "Asked again")
    removal = {"remove-base": 3, "remove-reason": "Another Yuan"}
    assert desk.post(f"{url}/remove", removal, page=url).status_code == 302
    assert [work.key for work in desk.profile().works] == ["flexgen", "hexgen"]


def test_a_decided_work_counts_in_matching_from_the_next_request_on(desk: Desk) -> None:
    def found() -> list[str]:
        with desk.app.app_context():
            return [match.slug for match in matches_for(live_index(desk.app).current(db.session()), CARDIOLOGY)]

    assert found() == []
    desk.post("/admin/labs/relaxed-lab/works/heart", {"base": 1, "reason": "A joint project", "question": ""})
    assert found() == ["relaxed-lab"]
