from __future__ import annotations

from typing import TYPE_CHECKING

from portal.db import db
from portal.models import AuditEntry, Conflict, LabReviewing, Notification, OutboxMail
from portal.reviews.scorecards.service import scorecard_panel
from tests.reviews.cards import POINTS, browser, cards, lock, page_of, save, send

if TYPE_CHECKING:
    from portal.models import Choice
    from tests.admission import Admission


def page(choice: Choice, more: str = "") -> str:
    return f"/reviews/lab-a/choices/{choice.id}/conflict{more}"


def test_a_declared_conflict_closes_the_choice_at_once_and_is_taken_back_with_a_reason(
    admission: Admission, choice: Choice
) -> None:
    client = browser(admission.reviewers["Lab A"])
    save(client, choice, comment="My draft.", **POINTS)
    assert send(client, page(choice), {"reason": " "}).status_code == 422
    assert client.get(page_of(choice)).status_code == 200
    send(client, page(choice), {"reason": "We are cousins."})
    closed = client.get(page_of(choice))
    assert (closed.status_code, "You have a conflict of interest" in closed.text) == (403, True)
    assert save(client, choice, version=1, fit="1").status_code == 403
    assert "We are cousins." in client.get(page(choice)).text
    assert send(client, page(choice, "/take-back"), {"reason": ""}).status_code == 422
    send(client, page(choice, "/take-back"), {"reason": "It was somebody else of that name."})
    assert "My draft." in client.get(page_of(choice)).text
    key = f"{admission.reviewers['Lab A'].id}/{choice.application.applicant_id}"
    acts = db.session.query(AuditEntry.act, AuditEntry.after).filter_by(object_key=key).order_by(AuditEntry.id)
    assert [(act, after["reason"]) for act, after in acts] == [
        ("conflict.declared", "We are cousins."),
        ("conflict.dismissed", "It was somebody else of that name."),
    ]


def test_a_locked_card_of_somebody_in_conflict_is_not_shown_and_not_counted(
    admission: Admission, choice: Choice
) -> None:
    leader, reviewer = browser(admission.leaders["Lab A"]), browser(admission.reviewers["Lab A"])
    save(reviewer, choice, comment="From a cousin.", **POINTS)
    lock(reviewer, choice)
    save(leader, choice, **POINTS | {"fit": "2"})
    lock(leader, choice)
    assert "From a cousin." in leader.get(page_of(choice)).text
    send(reviewer, page(choice), {"reason": "We are cousins."})
    assert "From a cousin." not in leader.get(page_of(choice)).text
    panel = scorecard_panel(db.session(), choice.lab, choice, admission.user(admission.leaders["Lab A"]))
    assert (panel.means.raw, panel.means.cards, panel.others_locked) == (3.0, 1, 0)  # type: ignore[union-attr]
    assert len(cards(choice)) == 2


def test_nobody_else_sees_who_keeps_out_and_administrators_hear_when_nobody_is_left(
    admission: Admission, choice: Choice
) -> None:
    leader, reviewer = admission.leaders["Lab A"], admission.reviewers["Lab A"]
    send(browser(reviewer), page(choice), {"reason": "We are cousins."})
    seen = browser(leader).get(page_of(choice)).text
    lists = [browser(person).get("/reviews/lab-a/conflicts").text for person in (leader, reviewer)]
    assert "Reviewer Lab A" not in seen
    assert [f"/choices/{choice.id}/conflict" in page for page in lists] == [False, True]
    assert [page for page in (seen, *lists) if "cousins" in page] == []
    told = db.session.query(OutboxMail).filter_by(kind="nobody_to_review")
    assert told.count() == 0
    send(browser(leader), page(choice), {"reason": "My student."})
    assert [mail.user_id for mail in told] == [admission.admin.id]


def test_an_administrator_declares_for_a_reviewer_who_is_told_without_whom(
    admission: Admission, choice: Choice
) -> None:
    choice.application.applicant.name = "Amara Osei"
    db.session.add(LabReviewing(lab_id=choice.lab_id, blind_first=True, changed_at=admission.now))
    db.session.commit()
    admin, who = browser(admission.admin), admission.reviewers["Lab A"]
    desk = f"/admin/cycles/{admission.cycle.slug}/applications/{choice.application_id}"
    form = {"reviewer": str(who.id), "reason": "Amara Osei is their niece."}
    empty = send(admin, f"{desk}/conflict", {**form, "reason": " "})
    assert (empty.status_code, empty.text.count("what the conflict is")) == (422, 1)
    nobody = send(admin, f"{desk}/conflict", {**form, "reviewer": "0"})
    assert (nobody.status_code, 'aria-describedby="reviewer-help reviewer-error"' in nobody.text) == (422, True)
    assert "their niece." in nobody.text
    assert [send(admin, f"{desk}/conflict", form).status_code for _ in range(2)] == [302, 302]
    row = db.session.query(Conflict).filter_by(applicant_id=choice.application.applicant_id).one()
    assert (row.state, row.declared_by_id, row.by_administrator) == ("declared", admission.admin.id, True)
    reviewer = browser(who)
    assert reviewer.get(page_of(choice)).status_code == 403
    told = [mail for mail in admission.app.extensions["mailman"].outbox if mail.to == [who.email]][-1]
    pages = reviewer.get(page(choice)).text + reviewer.get("/reviews/lab-a/conflicts").text
    shown = f"{told.subject} {told.body} {pages}"
    assert "An administrator declared it" in shown
    assert [word for word in ("Amara", "Osei", "niece") if word in shown] == []
    mine = send(reviewer, page(choice, "/take-back"), {"reason": "No."})
    assert (mine.status_code, "An administrator declared this conflict" in mine.text) == (422, True)
    back = {"reviewer": str(who.id), "reason": "Another family."}
    assert send(admin, f"{desk}/conflict/take-back", back).status_code == 302
    assert reviewer.get(page_of(choice)).status_code == 200
    key = f"{who.id}/{choice.application.applicant_id}"
    acts = db.session.query(AuditEntry.act, AuditEntry.actor_id).filter_by(object_key=key).order_by(AuditEntry.id)
    assert [tuple(row) for row in acts] == [
        ("conflict.declared", admission.admin.id),
        ("conflict.dismissed", admission.admin.id),
    ]
    send(reviewer, page(choice), {"reason": "Cousins."})
    send(admin, f"{desk}/conflict/take-back", back)
    assert "Only they can take it back" in admin.get(desk).text
    assert reviewer.get(page_of(choice)).status_code == 403


def test_who_keeps_out_hears_nothing_of_what_becomes_of_the_applicant(admission: Admission, choice: Choice) -> None:
    leader, reviewer = admission.leaders["Lab A"], admission.reviewers["Lab A"]
    send(browser(reviewer), page(choice), {"reason": "We are cousins."})
    admission.move(choice, "start_review", "shortlist", "rank", "offer", as_="leader")
    admission.one_move(choice, "release", "admin")
    admission.one_move(choice, "accept", "applicant")
    news = db.session.query(Notification.user_id).filter(Notification.dedupe_key.like(f"choice:{choice.id}:answered:%"))
    assert [row.user_id for row in news] == [leader.id]


def test_the_page_of_conflicts_leads_to_the_applicants_and_the_other_pages_of_the_lab(admission: Admission) -> None:
    page = browser(admission.leaders["Lab B"]).get("/reviews/lab-b/conflicts").text
    sections, _, shown = page.partition("<main")[2].partition("<h1>")
    assert shown.startswith("Conflicts of interest at Lab B")
    assert 'href="/reviews/lab-b/">an applicant</a>' in shown
    assert 'href="/reviews/lab-b/board"' in sections
