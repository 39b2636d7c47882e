"""An archived lab is on no public page and in no ranking; who reads for it keeps what was submitted to it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.admin.labs.pages import why_not_archive
from portal.admin.labs.queries import NOBODY_READS
from portal.applications.interests.service import FACETS, facet_values
from portal.applications.locks import Refusal
from portal.applications.moves.service import perform
from portal.labs.freshness import remind
from portal.labs.live_index.live import live_index
from portal.labs.queries import IS_LISTED
from portal.labs.service import archive, create_lab, list_again
from portal.models import AuditEntry, Lab
from portal.seeding.records import LabRecord, OpeningRecord
from tests.admission import admission_of
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.admission import Admission

WHY = {"reason": "The leader has moved to another university."}


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with admission_of(app, "Loom Lab", "Vision Lab") as made:
        yield made


def url(admission: Admission, what: str = "", lab: str = "Loom Lab") -> str:
    return f"/admin/labs/{slug(admission, lab)}{what}"


def slug(admission: Admission, lab: str = "Loom Lab") -> str:
    return admission.session.get_one(Lab, admission.labs[lab]).slug


def archived(admission: Admission) -> FlaskClient:
    """Archive the lab; returns the administrator's browser."""
    desk = admission.admin.sign_in()
    assert submit(desk, url(admission, "/archive"), WHY).location == url(admission)
    admission.session.expire_all()
    return desk


def test_it_leaves_all_public_pages_and_comes_back(admission: Admission, client: FlaskClient) -> None:
    public = ("/", "/labs/", "/sitemap.xml", "/api/v1/labs", "/systems/")
    name = slug(admission)
    assert client.get(f"/labs/{name}").status_code == 200
    assert [name in client.get(page).text for page in public[:4]] == [True] * 4
    desk = archived(admission)
    assert [name in client.get(page).text for page in public] == [False] * len(public)
    gone = (f"/labs/{name}/match", f"/api/v1/labs/{name}", f"/api/v1/labs/{name}/works")
    assert [client.get(page).status_code for page in gone] == [404] * len(gone)
    bookmarked = client.get(f"/labs/{name}")
    assert (bookmarked.status_code, "This lab is not listed any more" in bookmarked.text) == (410, True)
    assert WHY["reason"] not in bookmarked.text
    page = desk.get(url(admission)).text
    assert "is archived: it is on no public page and in no ranking any more." in page
    assert f"Reason: {WHY['reason']}" in page
    assert "Is it still true?" not in page
    assert submit(desk, url(admission, "/list-again"), {}, page=url(admission)).location == url(admission)
    assert client.get(f"/labs/{name}").status_code == 200
    acts = admission.session.scalars(select(AuditEntry.act).where(AuditEntry.object_key == name)).all()
    assert [act for act in acts if act in {"lab.archive", "lab.list_again"}] == ["lab.archive", "lab.list_again"]


def test_its_place_is_not_on_offer(admission: Admission) -> None:
    session, opening = admission.session, OpeningRecord("phd", "phd", start="Fall 2027", funding="full scholarship")
    record = LabRecord("weaver-lab", "Weaver Lab", place="Lyon", hardware=("looms",), openings=(opening,))
    lab = create_lab(session, record, author=None, reason="x", now=admission.now)
    session.commit()
    assert {name for name, values in facet_values(session).items() if values} == {*FACETS}
    archive(session, lab, reason="x", author=None, now=admission.now)
    session.commit()
    assert {name for name, values in facet_values(session).items() if values} == set()


def test_the_index_notices_when_one_is_archived_while_another_is_listed_again(admission: Admission) -> None:
    session, index = admission.session, live_index(admission.app)
    first, second = (session.get_one(Lab, admission.labs[lab]) for lab in ("Loom Lab", "Vision Lab"))
    archive(session, first, reason="x", author=None, now=admission.now)
    session.commit()
    assert set(index.current(session).profiles) == {second.slug}
    assert not archive(session, first, reason="y", author=None, now=admission.now)
    assert first.archived_why == "x"
    archive(session, second, reason="x", author=None, now=admission.now + timedelta(seconds=1))
    list_again(session, first, author=None, now=admission.now)
    session.commit()
    assert set(index.current(session).profiles) == {first.slug}


def test_nobody_chooses_it_and_no_draft_with_it_is_submitted(admission: Admission) -> None:
    person, begun = admission.add_applicant(), admission.add_applicant()
    draft = admission.draft(begun, "Loom Lab")
    archived(admission)
    me, page = person.sign_in(), f"/me/application/{admission.cycle.slug}/"
    assert slug(admission) not in me.get(f"{page}?q=Loom").text
    with pytest.raises(Refusal, match="No applications are taken in this cycle by: Loom Lab"):
        perform(
            admission.session, "submit", draft, actor=admission.user(begun), capacity="applicant", now=admission.now
        )


def test_it_waits_until_nobody_waits_for_it(admission: Admission) -> None:
    admission.submitted(admission.add_applicant(), "Loom Lab")
    desk = admission.admin.sign_in()
    page = desk.get(url(admission, "/archive")).text
    assert "1 applicant waits for Loom Lab. Archive it when each has a released decision." in page
    assert submit(desk, url(admission, "/archive"), WHY, page=url(admission)).status_code == 422
    assert admission.session.get_one(Lab, admission.labs["Loom Lab"], populate_existing=True).archived_at is None
    assert "It disappears from the public pages" in desk.get(url(admission, "/archive", "Vision Lab")).text


def test_nobody_waits_whose_choice_is_decided_or_whose_cycle_is_closed(admission: Admission) -> None:
    session, lab = admission.session, admission.session.get_one(Lab, admission.labs["Loom Lab"])
    choice = admission.choice(admission.eligible(admission.add_applicant(), "Loom Lab"), "Loom Lab")
    assert why_not_archive(session, lab) is not None
    for decided in (True, False):
        choice.state = "declined" if decided else "pending"
        admission.cycle.closed_at = None if decided else admission.now
        session.flush()
        assert why_not_archive(session, lab) is None


def test_who_reads_for_it_keeps_its_applicants_and_finds_no_others(admission: Admission) -> None:
    archived(admission)
    reader, own = admission.leaders["Loom Lab"].sign_in(), f"/reviews/{slug(admission)}"
    kept = ("/", "/board", "/settings", "/interviews", "/profile")
    assert [reader.get(f"{own}{page}").status_code for page in kept] == [200] * len(kept)
    refused, why = reader.get(f"{own}/discover"), "Loom Lab is archived, so that it is ranked for nobody."
    assert (refused.status_code, why in refused.text) == (403, True)
    assert "List it again" not in reader.get(f"{own}/profile").text


def test_what_was_decided_can_still_be_read_and_does_not_hold_any_more(admission: Admission) -> None:
    person = admission.add_applicant()
    application = admission.submitted(person, "Loom Lab")
    admission.one_move(application, "withdraw", "applicant")
    archived(admission)
    page = f"/me/application/{admission.cycle.slug}/"
    me = person.sign_in()
    assert "Loom Lab" in me.get(page).text
    assert me.get(f"{page}receipt").status_code == 200


def _unread(admission: Admission) -> int:
    return len(admission.session.scalars(select(Lab.id).where(NOBODY_READS, IS_LISTED)).all())


def test_nobody_is_reminded_of_its_profile_or_told_that_nobody_reads_for_it(admission: Admission) -> None:
    later = admission.now + timedelta(days=400)
    assert _unread(admission) == 0
    for lab in admission.labs:
        for seat in (admission.leaders[lab], admission.reviewers[lab]):
            admission.user(seat).active = lab != "Loom Lab"
    admission.session.commit()
    assert _unread(admission) == 1
    desk = archived(admission)
    assert _unread(admission) == 0
    admission.user(admission.leaders["Loom Lab"]).active = True
    admission.session.commit()
    assert remind(admission.session, 180, later) == 1  # of the other lab
    listed = {name: f">{name}</a>" in desk.get("/admin/labs/?listed=no").text for name in admission.labs}
    assert listed == {"Loom Lab": True, "Vision Lab": False}
    assert "Every lab here has a reviewer" in desk.get("/admin/labs/?readers=no").text
    assert "No lab is a draft or archived" in desk.get("/admin/labs/?listed=no&confirmed=no").text.replace(
        "with these words ", ""
    )


def test_a_reason_is_needed_and_a_second_click_changes_nothing(admission: Admission) -> None:
    desk = admission.admin.sign_in()
    refused = submit(desk, url(admission, "/archive"), {"reason": " "})
    assert (refused.status_code, "Say in a few words why." in refused.text) == (422, True)
    token = {"csrf_token": refused.text.partition('name="csrf_token" type="hidden" value="')[2].partition('"')[0]}
    answers = [desk.post(url(admission, "/archive"), data=WHY | token).location for _click in range(2)]
    assert answers == [url(admission)] * 2
    acts = admission.session.scalars(select(AuditEntry.act).where(AuditEntry.act == "lab.archive")).all()
    assert len(acts) == 1
