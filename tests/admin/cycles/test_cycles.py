"""Cycles and eligibility, as administrators do them in the browser."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.accounts.extension import user_datastore
from portal.applications.clock import restore_drafts
from portal.applications.locks import Refusal
from portal.applications.moves.service import perform
from portal.models import Application, Cycle, Decision, Referee
from portal.models.user import ADMIN
from portal.moments import format_in_zone
from tests.admin.cycles.releases import release, staged
from tests.people import submit

if TYPE_CHECKING:
    from tests.admission import Admission

FORM = {
    "name": "Fall 2027",
    "zone": "Europe/Berlin",
    "opens_at": "2026-10-01T09:00",
    "deadline_at": "2026-12-15T23:59",
    "reply_by_at": "2027-03-01T12:00",
    "most_choices": "3",
    "referees": "2",
    "retention_days": "365",
    "questions": "Why a Ph.D.? *\nAnything else?",
}


def test_a_cycle_is_made_with_its_dates_in_its_zone(admission: Admission) -> None:
    client = admission.admin.sign_in()
    response = submit(client, "/admin/new-cycle", FORM)
    assert response.location == "/admin/cycles/fall-2027"
    made = admission.session.scalars(select(Cycle).where(Cycle.slug == "fall-2027")).one()
    assert made.deadline_at == datetime(2026, 12, 15, 22, 59, tzinfo=UTC)
    assert [(question["text"], question["required"]) for question in made.questions] == [
        ("Why a Ph.D.?", True),
        ("Anything else?", False),
    ]
    assert submit(client, "/admin/new-cycle", FORM).location == "/admin/cycles/fall-2027"  # a second click
    # What PostgreSQL refuses to store, and nobody typed, is left out.
    invisible = FORM | {"name": "Fall\0 2027", "questions": FORM["questions"] + "\0"}
    assert submit(client, "/admin/new-cycle", invisible).location == "/admin/cycles/fall-2027"
    assert submit(client, "/admin/new-cycle", FORM | {"most_choices": "7"}).location == "/admin/cycles/fall-2027-2"
    page = client.get("/admin/cycles/fall-2027").text
    assert "15 Dec 2026, 23:59 (Berlin, UTC+01:00)" in page
    assert 'value="2026-12-15T23:59"' in page


def beside(page: str, field: str) -> str:
    """What stands below a field of the form."""
    return page.partition(f'id="{field}-error">')[2].partition("</div>")[0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": ""}, "Give the cycle a name."),
        ({"name": " \u3000"}, "Give the cycle a name."),
        ({"name": "\u200b\0"}, "Give the cycle a name."),
        ({"name": "Fall 2027\u202e"}, "This contains invisible characters that change the direction of writing."),
        ({"zone": "Atlantis/Old"}, "There is no such zone."),
        ({"deadline_at": "2026-09-01T00:00"}, "The deadline comes after the opening."),
        ({"reply_by_at": "2026-11-01T00:00"}, "Replies are due after the deadline."),
        ({"deadline_at": "soon"}, "Write a day that the calendar has and a time of day"),
        ({"deadline_at": "9999-12-30T23:59", "reply_by_at": "9999-12-31T23:59"}, "Give a year from 2000 to 2199."),
        ({"opens_at": "0001-01-01T00:00", "zone": "Pacific/Kiritimati"}, "Give a year from 2000 to 2199."),
        ({"reply_by_at": "2027-03-28T02:30"}, "Clocks in Europe/Berlin skip this time on that day"),
        ({"most_choices": "0"}, "Give a whole number from 1 to 50."),
        ({"most_choices": "1_0"}, "Write a whole number in digits"),
        ({"questions": "\n".join(f"Question {number}?" for number in range(21))}, "The form takes 20 questions"),
    ],
)
def test_what_cannot_be_is_refused_with_everything_typed_kept(
    admission: Admission, change: dict[str, str], reason: str
) -> None:
    response = submit(admission.admin.sign_in(), "/admin/new-cycle", FORM | change)
    assert response.status_code == 422
    assert reason in beside(response.text, next(iter(change)))
    assert "Anything else?" in response.text or "questions" in change
    assert admission.session.scalar(select(Cycle).where(Cycle.slug == "fall-2027")) is None


def test_of_two_who_change_a_cycle_the_second_is_told_and_loses_nothing(admission: Admission) -> None:
    slug = admission.cycle.slug
    client = admission.admin.sign_in()
    form = {
        **FORM,
        "opens_at": "2026-01-01T09:00",
        "deadline_at": "2030-12-15T23:59",
        "reply_by_at": "2031-12-15T23:59",
    }
    assert submit(client, f"/admin/cycles/{slug}", form | {"name": "First", "version": "1"}).status_code == 302
    second = submit(client, f"/admin/cycles/{slug}", form | {"name": "Second", "version": "1"})
    assert (second.status_code, 'value="Second"' in second.text) == (409, True)
    left_out = submit(client, f"/admin/cycles/{slug}", form | {"name": "Second"})
    assert (left_out.status_code, 'value="Second"' in left_out.text) == (409, True)
    admission.session.expire_all()
    assert admission.cycle.name == "First"


def test_links_of_referees_open_as_long_as_a_later_deadline_lets_them(admission: Admission) -> None:
    application = admission.submitted(admission.add_applicant(), "Systems")
    ends = admission.cycle.deadline_at + timedelta(days=14)
    known = {"application_id": application.id, "created_at": admission.now}
    asked = Referee(name="Ruth", email="r@example.org", token_hash="0" * 64, expires_at=ends, **known)
    named = Referee(name="Nora", email="n@example.org", **known)
    admission.session.add_all([asked, named])
    admission.session.commit()
    dates = {"opens_at": "2026-01-01T09:00", "deadline_at": "2030-12-15T12:00", "reply_by_at": "2031-12-15T12:00"}
    form = {**FORM, **dates, "zone": "UTC", "most_choices": "5", "version": "1"}
    answer = submit(admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}", form)
    admission.session.expire_all()
    assert (answer.status_code, asked.expires_at) == (302, datetime(2030, 12, 29, 12, tzinfo=UTC))
    assert named.expires_at is None


def test_a_later_date_of_replies_is_the_date_of_all_who_wait_for_one(admission: Admission) -> None:
    application = admission.eligible(admission.add_applicant(), "Systems")
    answered = admission.eligible(admission.add_applicant(), "Systems").choices[0]
    admission.move(answered, "start_review", "shortlist", "invite_to_interview", as_="leader")
    before, dates = answered.reply_by_at, {"opens_at": "2026-01-01T09:00", "deadline_at": "2030-12-15T12:00"}
    form = {**FORM, **dates, "reply_by_at": "2031-12-15T12:00", "zone": "UTC", "most_choices": "5", "version": "1"}
    submit(admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}", form)
    admission.session.expire_all()
    assert application.choices[0].reply_by_at == admission.cycle.reply_by_at == datetime(2031, 12, 15, 12, tzinfo=UTC)
    assert (answered.replied_at is not None, answered.reply_by_at) == (True, before)


def test_an_administrator_who_applies_decides_nothing_of_the_own_application(admission: Admission) -> None:
    application = admission.submitted(admission.add_applicant(), "Systems")
    admission.after_deadline()
    user_datastore.add_role_to_user(application.applicant, ADMIN)
    admission.session.commit()
    for move_name in ("mark_eligible", "mark_ineligible", "ask_for_more"):
        with pytest.raises(Refusal, match="own application; another administrator"):
            perform(
                admission.session,
                move_name,
                application,
                actor=application.applicant,
                capacity="admin",
                now=admission.now,
                message="For me.",
            )
    admission.one_move(application, "mark_eligible", "admin")


def test_applications_are_marked_and_what_is_missing_is_asked_for(admission: Admission) -> None:
    first, second, third = (admission.submitted(admission.add_applicant(), "Systems") for _ in range(3))
    client, base = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/applications"
    ticked = {
        "application": [str(first.id), str(second.id), "999999", "x"],
        "move": "mark_eligible",
        "confirmed": "yes",
    }
    assert submit(client, f"{base}/mark", ticked, page=base).status_code == 302
    refused = submit(client, f"{base}/{third.id}/move", {"move": "ask_for_more"}, page=f"{base}/{third.id}")
    assert (refused.status_code, "Write a sentence that says why" in refused.text) == (422, True)
    asked = {"move": "ask_for_more", "message": "The transcript."}
    assert submit(client, f"{base}/{third.id}/move", asked, page=f"{base}/{third.id}").status_code == 302
    admission.session.expire_all()
    assert [one.state for one in (first, second, third)] == ["eligible", "eligible", "incomplete"]
    assert third.state_reason == "The transcript."


def test_a_list_of_many_applications_is_shown_in_pages_and_marking_leads_back_to_it(
    admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.admin.cycles.applications.pages.ROWS", 2)
    first, second, _third = (admission.submitted(admission.add_applicant(f"Zz{n}"), "Systems") for n in range(3))
    client, base = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/applications"

    def boxes(query: str) -> int:
        return client.get(f"{base}?{query}").text.count('type="checkbox" name="application"')

    assert [boxes(""), boxes("page=2"), boxes("page=x")] == [2, 1, 2]
    sent = {"application": [str(first.id)], "move": "mark_eligible", "confirmed": "yes", "q": "Zz"}
    marked = submit(client, f"{base}/mark", sent, page=base)
    assert marked.location == f"{base}?q=Zz&state=submitted"
    shown = client.get(marked.location).text
    assert "1 application marked: eligible. 2 left to check." in shown
    assert ("Zz0" in shown.partition("<tbody>")[2], "Zz1" in shown) == (False, True)
    asked = {"application": [str(second.id)], "move": "ask_for_more", "q": "Zz"}
    preview = submit(client, f"{base}/mark", asked, page=base).text
    assert f'href="{base}?q=Zz"' in preview
    assert '<input type="hidden" name="q" value="Zz">' in preview


def test_a_draft_is_listed_but_not_what_is_in_it(admission: Admission) -> None:
    draft = admission.draft(admission.add_applicant(), "Systems", reason="zz-secret-reason")
    base = f"/admin/cycles/{admission.cycle.slug}/applications"
    page = admission.admin.sign_in().get(f"{base}/{draft.id}").text
    assert "Only the applicant can see a draft." in page
    assert "zz-secret-reason" not in page


def test_the_page_of_a_cycle_has_tabs_for_all_that_is_done_in_it(admission: Admission) -> None:
    admission.submitted(admission.add_applicant(), "Systems")
    client, base = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}"
    tabs = ("", "/applications", "/missing", "/replies", "/assignment", "/releases", "/announcements", "/figures")
    for tab in tabs:
        page = client.get(f"{base}{tab}").text
        assert f"<h1>{admission.cycle.name}</h1>" in page
        bar = page.partition(f'aria-label="{admission.cycle.name}"')[2].partition("</nav>")[0]
        assert re.findall(r'href="([^"]+)"', bar) == [f"{base}{each}" for each in tabs]
        assert re.findall(r'href="([^"]+)" aria-current="page"', bar) == [f"{base}{tab}"]
    assert f'href="{base}/applications?state=submitted"' in client.get(base).text


def test_a_cycle_is_closed_when_nobody_waits(admission: Admission) -> None:
    staged(admission)
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}"
    assert "2 decisions wait for their release" in client.get(page).text
    refused = submit(client, f"{page}/close", {}, page=page)
    assert (refused.status_code, "2 decisions wait for their release" in refused.text) == (403, True)
    for decision in admission.session.scalars(select(Decision)).all():
        admission.one_move(decision.choice, "take_back_offer", "leader")
        admission.one_move(decision.choice, "decline", "leader")
    release(admission, *admission.session.scalars(select(Decision.id).where(Decision.taken_back_at.is_(None))))
    assert submit(client, f"{page}/close", {}, page=page).status_code == 302
    admission.session.expire_all()
    assert admission.cycle.closed_at is not None
    erased = admission.cycle.closed_at + timedelta(days=admission.cycle.retention_days)
    shown = client.get(page).text
    assert format_in_zone(erased, admission.cycle.zone) in shown
    assert [words in shown for words in ("Closed <time", "Dates and form", "Replies due")] == [True, False, False]


def test_what_was_submitted_and_is_open_for_changes_is_not_left_behind_in_a_closed_cycle(admission: Admission) -> None:
    application = admission.submitted(admission.add_applicant(), "Systems")
    application.state = "draft"  # as `edit` before the deadline leaves it
    admission.session.commit()
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}"
    refused = submit(client, f"{page}/close", {}, page=page)
    assert "1 submitted application is open for changes." in refused.text
    restore_drafts(admission.session, admission.after_deadline())
    admission.one_move(application, "mark_ineligible", "admin")
    submit(client, f"{page}/close", {}, page=page)
    admission.session.expire_all()
    assert (admission.cycle.closed_at is not None, application.state) == (True, "ineligible")


@pytest.mark.parametrize("role", ["applicant", "professor", "visitor"])
def test_only_administrators_come_near(admission: Admission, role: str) -> None:
    decision, _ = staged(admission)
    client = (
        admission.app.test_client()
        if role == "visitor"
        else (admission.add_applicant() if role == "applicant" else admission.leaders["Systems"]).sign_in()
    )
    slug = admission.cycle.slug
    for address in ("cycles/", "new-cycle", f"cycles/{slug}", f"cycles/{slug}/applications", f"cycles/{slug}/releases"):
        assert client.get(f"/admin/{address}").status_code == (302 if role == "visitor" else 403)
    submit(
        client,
        f"/admin/cycles/{slug}/release",
        {"decision": [str(decision)]},
        page="/accounts/login" if role == "visitor" else "/accounts/",
    )
    admission.session.expire_all()
    assert admission.session.get_one(Decision, decision).released_at is None


def test_many_are_marked_as_not_eligible_with_one_reason_after_a_look_at_whom(admission: Admission) -> None:
    ids = [str(admission.submitted(admission.add_applicant(f"Zz{n}"), "Systems").id) for n in range(2)]
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/applications"
    ticked: dict[str, object] = {"application": ids, "move": "mark_ineligible"}

    def states() -> list[str]:
        admission.session.expire_all()
        return list(admission.session.scalars(select(Application.state).order_by(Application.id)))

    shown = submit(client, f"{page}/mark", ticked, page=page)
    assert (shown.status_code, "Zz0" in shown.text, "Zz1" in shown.text) == (200, True, True)
    empty = submit(client, f"{page}/mark", {**ticked, "confirmed": "yes", "message": " "}, page=page)
    assert (empty.status_code, 'id="message-error"><p class="field-error">Write why' in empty.text) == (422, True)
    assert states() == ["submitted"] * 2
    done = {**ticked, "confirmed": "yes", "message": "The degree does not lead to a Ph.D. here."}
    assert submit(client, f"{page}/mark", done, page=page).status_code == 302
    assert states() == ["ineligible"] * 2
    reasons = set(admission.session.scalars(select(Application.state_reason)))
    assert reasons == {"The degree does not lead to a Ph.D. here."}


def test_before_a_deadline_the_first_page_counts_who_has_not_submitted(admission: Admission) -> None:
    client = admission.admin.sign_in()
    admission.draft(admission.add_applicant(), "Systems")
    admission.submitted(admission.add_applicant(), "Systems")
    admission.cycle.deadline_at = datetime.now(UTC) + timedelta(days=1)
    admission.session.commit()
    page = client.get("/admin/").text
    assert ("1 submitted, 1 draft; open until" in page, "to check" in page) == (True, False)
    assert "to check" not in client.get("/admin/cycles/").text.partition("<tbody>")[2]
    admission.cycle.deadline_at = datetime.now(UTC)
    admission.session.commit()
    page = client.get("/admin/").text
    assert f"{admission.cycle.name}: 1 application to check" in page
    assert f'href="/admin/cycles/{admission.cycle.slug}/applications?state=submitted">Check</a>' in page
