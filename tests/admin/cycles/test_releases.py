"""Releases of decisions: prepared by one administrator, released by another, told once."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal.admin.cycles.releases.queries import JOB
from portal.admin.cycles.releases.service import (
    AGAIN_AFTER,
    approve_release,
    carry_out,
    prepare_release,
    start_due_releases,
)
from portal.db import db
from portal.models import Decision, Job, Notification, Release, ReleaseItem
from tests.admin.cycles.releases import out, prepare, staged
from tests.people import add_person, submit

if TYPE_CHECKING:
    from tests.admission import Admission


def test_what_one_prepares_another_releases_and_each_applicant_is_told_once(admission: Admission) -> None:
    decision, applicant_id = staged(admission)
    response = prepare(admission, decision)
    dry_run = admission.admin.sign_in().get(response.location).text
    assert (dry_run.count("zz-welcome"), "You prepared this release" in dry_run) == (1, True)
    own = submit(admission.admin.sign_in(), f"{response.location}/approve", {}, page=response.location)
    assert (own.status_code, out(admission)) == (403, [])
    second = add_person(admission.app, "admin").sign_in()
    for _ in range(2):
        submit(second, f"{response.location}/approve", {}, page=response.location)
    assert out(admission) == [decision]
    news = select(Notification.kind).where(
        Notification.user_id == applicant_id, Notification.kind == "decision_released"
    )
    assert len(admission.session.scalars(news).all()) == 1
    assert "Done" in second.get(response.location).text


def test_a_release_waits_for_its_time_and_can_be_held_until_then(admission: Admission) -> None:
    decision, _ = staged(admission)
    address = prepare(admission, decision, due_at="2031-01-01T12:00").location
    second = add_person(admission.app, "admin").sign_in()
    submit(second, f"{address}/approve", {}, page=address)
    later = datetime(2031, 1, 2, 12, tzinfo=UTC)
    assert out(admission) == []
    submit(admission.admin.sign_in(), f"{address}/hold", {}, page=address)
    start_due_releases(admission.session, later)
    admission.session.commit()
    assert out(admission) == []
    submit(second, f"{address}/approve", {}, page=address)
    start_due_releases(admission.session, later)
    admission.session.commit()
    assert out(admission) == [decision]


@pytest.mark.parametrize("former", ["suspended", "an applicant"])
def test_a_release_whose_approver_is_no_administrator_any_more_is_held_for_another(
    admission: Admission, former: str
) -> None:
    decision, _ = staged(admission)
    address = prepare(admission, decision, due_at="2031-01-01T12:00").location
    second, third = (add_person(admission.app, "admin", name=name) for name in ("Bo Ka", "Cy Do"))
    submit(second.sign_in(), f"{address}/approve", {}, page=address)
    approver, later = admission.user(second), datetime(2031, 1, 2, 12, tzinfo=UTC)
    approver.active = former != "suspended"
    if former == "an applicant":
        approver.roles = []
    admission.session.commit()
    start_due_releases(admission.session, later)
    admission.session.commit()
    page = third.sign_in().get(address).text
    assert (out(admission), ", because Bo Ka, who approved it, is not an administrator any more" in page) == ([], True)
    assert "Release 1 decision at that time" in page
    admission.session.scalars(select(Release)).one().due_at = admission.now
    admission.session.commit()
    page = third.sign_in().get(address).text
    assert ("; it was due " in page, "at that time" in page) == (True, False)
    approver.active, approver.roles = True, admission.user(third).roles
    admission.session.commit()
    assert "whoever approved it was no administrator then" in third.sign_in().get(address).text
    submit(third.sign_in(), f"{address}/approve", {}, page=address)
    start_due_releases(admission.session, later)
    admission.session.commit()
    assert out(admission) == [decision]


def test_a_release_that_is_stopped_in_the_middle_goes_on_without_telling_twice(admission: Admission) -> None:
    staged(admission)
    second = add_person(admission.app, "admin")
    decisions = list(admission.session.scalars(select(Decision).order_by(Decision.id)))
    session = admission.session
    release = prepare_release(
        session,
        admission.cycle,
        decisions,
        actor=admission.user(admission.admin),
        now=admission.now,
        due_at=admission.now + timedelta(days=1),
    )
    approve_release(session, release, actor=admission.user(second), now=admission.now)
    session.commit()
    with pytest.raises(KeyboardInterrupt):
        carry_out(session, release, now=admission.now, progress=_StopsAfter(1))
    session.rollback()
    assert out(admission) == [decisions[0].id]
    release.due_at = admission.now
    session.commit()
    reader, address = admission.admin.sign_in(), f"/admin/releases/{release.id}"
    page = reader.get(address)
    assert ("1 of 2 are out" in page.text, page.headers["Refresh"]) == (True, "4")
    carry_out(session, release, now=admission.now, progress=_StopsAfter(99))
    session.commit()
    assert out(admission) == [decision.id for decision in decisions]
    assert "Refresh" not in reader.get(address).headers
    told = session.scalars(select(Notification).where(Notification.kind == "decision_released")).all()
    assert len({one.user_id for one in told}) == len(told) == 2


class _StopsAfter:
    """Commits at every step, as a job may, and is killed at one of them."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def step(self, done: int, total: int | None, doing: str = "") -> None:  # noqa: ARG002 - as jobs are told
        db.session.commit()
        if done >= self.steps:
            raise KeyboardInterrupt


def test_what_a_lab_takes_back_in_time_does_not_go_out(admission: Admission) -> None:
    decision, _ = staged(admission)
    address = prepare(admission, decision).location
    admission.one_move(admission.session.get_one(Decision, decision).choice, "take_back_offer", "leader")
    second = add_person(admission.app, "admin").sign_in()
    submit(second, f"{address}/approve", {}, page=address)
    assert out(admission) == []
    assert "The lab took it back before the release." in second.get(address).text


def test_offers_are_not_answered_by_an_hour_that_clocks_skip(admission: Admission) -> None:
    decision, _ = staged(admission)
    admission.cycle.zone = "Europe/Berlin"
    admission.session.commit()
    refused = prepare(admission, decision, due_at="2031-03-30T02:30")
    assert refused.status_code == 422
    assert "Clocks in Europe/Berlin skip this time on that day" in refused.text
    assert "Give a year from 2000 to 2199." in prepare(admission, decision, due_at="0001-01-01T00:00").text
    assert prepare(admission, decision, due_at="2031-03-30T03:30").status_code == 302


def test_a_release_that_is_not_prepared_keeps_what_was_ticked_and_typed(admission: Admission) -> None:
    decision, _ = staged(admission)
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/releases"
    address = page.removesuffix("s")
    wrong = submit(client, address, {"decision": [str(decision)], "due_at": "tomorrow at noon"}, page=page)
    assert (wrong.status_code, "tomorrow at noon" in wrong.text, "Give a day and a time" in wrong.text) == (
        422,
        True,
        True,
    )
    assert re.search(f'value="{decision}" checked', wrong.text)
    assert re.search(r'name="due_at"[^>]* autofocus', wrong.text)
    elsewhere = client.get(f"{page}?lab=zzz").text
    assert '<option value="zzz" selected>“zzz”</option>' in elsewhere  # and not “All”
    assert "No lab called “zzz” has such a decision waiting." in elsewhere
    empty = submit(client, address, {"decision": [], "due_at": "2030-01-01T12:00"}, page=page)
    # What is wrong stands where one looks first, not below a long table.
    assert empty.text.index("Select decisions that still wait.") < empty.text.index('name="decision"')
    assert re.search(r'name="decision"[^>]*aria-describedby="decisions-error" autofocus', empty.text)
    assert (empty.status_code, "2030-01-01T12:00" in empty.text, "Select decisions that still wait." in empty.text) == (
        422,
        True,
        True,
    )
    assert admission.session.scalars(select(Release)).all() == []


def _decide(admission: Admission, lab: str, *moves: str) -> int:
    """The id of a decision that waits, on somebody who chose this lab."""
    choice = admission.choice(admission.eligible(admission.add_applicant(), lab), lab)
    admission.move(choice, *moves, as_="leader", message="zz-message")
    return admission.session.scalars(select(Decision.id).where(Decision.choice_id == choice.id)).one()


def test_all_of_a_lab_or_of_a_kind_are_released_without_ticking_each(
    admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    offers = [_decide(admission, "Systems", "start_review", "shortlist", "rank", "offer") for _ in range(2)]
    declines = [_decide(admission, lab, "start_review", "decline") for lab in ("Systems", "Vision", "Vision")]
    client, address = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/releases"

    def listed(query: str) -> set[int]:
        page = client.get(f"{address}?{query}")
        assert page.status_code == 200
        return {int(value) for value in re.findall(r'name="decision" value="(\d+)"', page.text)}

    assert listed("") == listed("kind=nothing") == {*offers, *declines}
    assert (listed("lab=vision"), listed("kind=offer")) == ({*declines[1:]}, {*offers})
    assert (listed("lab=systems&kind=decline"), listed("lab=%00x&kind=offer")) == ({declines[0]}, set())
    monkeypatch.setattr("portal.admin.cycles.releases.pages.ROWS", 2)
    assert [len(listed(f"page={number}")) for number in (1, 2, 3)] == [2, 2, 1]
    second = client.get(f"{address}?page=2").text
    assert "Prepare all 5" in second
    assert "3–4 of 5 decisions: 2 offers, 3 declines" in second
    assert "1–2 of 2 offers" not in client.get(f"{address}?kind=offer").text
    assert '<option value="vision">Vision (2)</option>' in client.get(address).text
    monkeypatch.setattr("portal.admin.labs.queries.MOST_OFFERED", 1)
    searched = client.get(f"{address}?lab=leader+of+visi").text
    assert ('type="search" id="lab" name="lab" value="leader of visi"' in searched, "2 declines" in searched) == (
        True,
        True,
    )
    monkeypatch.setattr("portal.admin.cycles.releases.pages.ROWS", 5)
    assert listed("lab=Leader+of+visi") == {*declines[1:]}
    first = prepare(admission, which="all", kind="decline").location
    assert (
        admission.session.scalars(select(ReleaseItem.decision_id).order_by(ReleaseItem.decision_id)).all() == declines
    )
    assert (listed(""), "Release 1</a>: 3 decisions" in client.get(address).text) == (
        {*offers},
        True,
    )
    prepare(admission, offers[0], which="all", lab="systems")
    assert listed("") == set()
    assert "No other decisions are waiting." in client.get(address).text
    submit(client, f"{first}/discard", {}, page=first)
    assert listed("") == {*declines}
    again = prepare(admission, which="all", kind="offer")
    assert (again.status_code, "Select decisions that still wait." in again.text) == (422, True)


def test_a_long_release_is_shown_in_pages_and_what_could_not_go_out_stands_first(
    admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions = [_decide(admission, "Systems", "start_review", "decline") for _ in range(5)]
    address = prepare(admission, which="all").location
    lost = [admission.session.get_one(Decision, number).choice for number in decisions[3:]]
    for choice in lost:
        admission.one_move(choice, "take_back_decline", "leader")
    second = add_person(admission.app, "admin").sign_in()
    submit(second, f"{address}/approve", {}, page=address)
    assert out(admission) == decisions[:3]
    monkeypatch.setattr("portal.admin.cycles.releases.pages.ROWS", 2)
    pages = [second.get(f"{address}?page={number}").text for number in (1, 2, 3)]
    assert [page.count('<td data-label="Now">') for page in pages] == [2, 2, 1]
    assert all(page.count(": The lab took it back before the release.</li>") == 2 for page in pages)
    assert all("5 declines" in page and "3 of 5 went out." in page for page in pages)
    assert all("Not released: 2" in page and "as soon as another administrator" not in page for page in pages)
    applications = f'<li><a href="/admin/cycles/{admission.cycle.slug}/applications/'
    assert all(f'{applications}{choice.application_id}">' in pages[0] for choice in lost)
    monkeypatch.setattr("portal.admin.cycles.releases.queries.FIRST_PROBLEMS", 1)
    page = second.get(address).text
    assert (page.count(applications), "Not released: 2" in page) == (1, True)
    assert "<li>And 1 more, in the list below.</li>" in page


def _stopped(admission: Admission, state: str) -> tuple[str, Job]:
    """An approved release whose job has just ended early, before its first decision: its address, and the job."""
    decision, _ = staged(admission)
    address = prepare(admission, decision, due_at="2031-01-01T12:00").location
    second = add_person(admission.app, "admin").sign_in()
    submit(second, f"{address}/approve", {}, page=address)
    row, now = admission.session.scalars(select(Release)).one(), datetime.now(UTC)
    row.due_at = None  # as if it had been approved to go out at once
    job = Job(kind=JOB, title="Release", arguments={"release": row.id}, state=state, created_at=now, finished_at=now)
    job.error = "It was stopped 3 times." if state == "failed" else ""
    admission.session.add(job)
    admission.session.commit()
    return address, job


def test_a_release_whose_job_failed_says_so_and_goes_on_by_itself(admission: Admission) -> None:
    address, job = _stopped(admission, "failed")
    page = admission.admin.sign_in().get(address)
    assert ("It was stopped 3 times." in page.text, "Refresh" in page.headers) == (True, True)
    start_due_releases(admission.session, job.finished_at or datetime.now(UTC))
    admission.session.commit()
    assert out(admission) == []
    for _ in range(2):
        start_due_releases(admission.session, datetime.now(UTC) + AGAIN_AFTER)
        admission.session.commit()
    assert (len(out(admission)), admission.session.scalar(select(func.count(Job.id)).where(Job.kind == JOB))) == (1, 2)
    assert "It was stopped" not in admission.admin.sign_in().get(address).text


def test_a_release_whose_job_was_cancelled_waits_until_it_is_held_and_released_again(admission: Admission) -> None:
    address, _ = _stopped(admission, "cancelled")
    page = admission.admin.sign_in().get(address)
    assert ("Somebody cancelled it after 0 of 1 decisions." in page.text, "Refresh" in page.headers) == (True, False)
    start_due_releases(admission.session, datetime.now(UTC) + timedelta(days=1))
    admission.session.commit()
    assert out(admission) == []
    second = add_person(admission.app, "admin").sign_in()
    for act in ("hold", "approve"):
        submit(second, f"{address}/{act}", {}, page=address)
    assert len(out(admission)) == 1
