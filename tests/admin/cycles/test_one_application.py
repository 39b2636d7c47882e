"""The administrators' page of one application: what was submitted, how far its labs are, and who is checked next."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from portal.accounts.extension import user_datastore
from portal.admin.cycles.applications.queries import chosen_labs
from portal.applications.cycles import last_submission
from portal.applications.files import file_store
from portal.models import Application, Referee, Resume
from portal.models.user import ADMIN
from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from tests.admission import Admission


def address_of(admission: Admission, application: Application) -> str:
    return f"/admin/cycles/{admission.cycle.slug}/applications/{application.id}"


def words_of(page: str) -> str:
    """What stands on a page, tags taken out."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.partition("<main")[2])).split())


def test_the_labs_stand_in_the_applicants_order_with_the_reasons_and_how_far_each_is(admission: Admission) -> None:
    one = admission.eligible(admission.add_applicant(), "Vision", "Systems")
    admission.move(admission.choice(one, "Systems"), "start_review", "shortlist", "rank", "offer", as_="leader")
    page = words_of(admission.admin.sign_in().get(address_of(admission, one)).text)
    vision, systems = page.index("Vision waiting for review since"), page.index("Systems offered since")
    assert vision < systems
    assert "; not released yet Your work is what I want to do." in page[systems:]
    assert "not released yet" not in page[:systems]


def test_administrators_see_of_their_own_application_what_every_applicant_sees(admission: Admission) -> None:
    person = admission.add_applicant()
    one = admission.eligible(person, "Systems")
    admission.move(one.choices[0], "start_review", "shortlist", "rank", "offer", as_="leader")
    user_datastore.add_role_to_user(one.applicant, ADMIN)
    admission.session.commit()
    other = words_of(admission.admin.sign_in().get(address_of(admission, one)).text)
    own = words_of(person.sign_in().get(address_of(admission, one)).text)
    assert ("Systems offered since" in other, "Systems in review since" in own) == (True, True)
    assert "not released yet" not in own


def test_what_is_missing_is_told_of_what_was_sent_and_not_of_what_its_owner_has_now(admission: Admission) -> None:
    person = admission.add_applicant()
    one = admission.submitted(person, "Systems")
    admission.session.query(Resume).filter_by(user_id=person.id).delete()
    admission.session.commit()
    client = admission.admin.sign_in()
    assert "Missing Nothing" in words_of(client.get(address_of(admission, one)).text)
    admission.cycle.referees = 1
    asked = Referee(
        application_id=one.id, name="Ruth", email="r@example.org", token_hash="0" * 64, created_at=admission.now
    )
    admission.session.add(asked)
    admission.session.commit()
    assert "Missing The letter of Ruth, who was asked" in words_of(client.get(address_of(admission, one)).text)


def test_who_was_asked_for_a_letter_is_listed_with_whether_it_arrived(admission: Admission) -> None:
    person = admission.add_applicant("Li Wei")
    one, now = admission.submitted(person, "Systems"), admission.now
    for name, times in (("Ann", {"received_at": now}), ("Ben", {"declined_at": now}), ("Cy", {}), ("Di", None)):
        values = {"invited_at": now, **times} if times is not None else {}
        letter = Referee(application_id=one.id, name=name, email=f"{name}@x.example", created_at=now, **values)
        admission.session.add(letter)
        admission.session.flush()
    admission.session.commit()
    client = admission.admin.sign_in()
    page = words_of(client.get(address_of(admission, one)).text)
    assert re.findall(r"(\w+)@x.example: (\w+)", page) == [("Ann", "arrived"), ("Ben", "declined"), ("Cy", "asked")]
    assert (
        f'href="{address_of(admission, one)}">{admission.cycle.name}</a> (submitted)'
        in client.get(f"/admin/people/{person.id}").text
    )


def test_the_submitted_file_is_saved_and_gets_no_rights_in_the_browser(admission: Admission) -> None:
    one = admission.submitted(admission.add_applicant(), "Systems")
    client, file = admission.admin.sign_in(), f"{address_of(admission, one)}/resume"
    assert client.get(file).status_code == 404  # a pasted text has no file
    sent = last_submission(admission.session, one)
    assert sent is not None
    file_store(admission.app).put("resumes/sent", b"%PDF-1.7")
    sent.storage_key, sent.resume_kind, sent.resume_size = "resumes/sent", "pdf", 8
    admission.session.commit()
    assert f'href="{file}" download' in client.get(address_of(admission, one)).text
    answer = client.get(file)
    assert (answer.status_code, answer.data, answer.mimetype) == (200, b"%PDF-1.7", "application/pdf")
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert admission.leaders["Vision"].sign_in().get(file).status_code == 403


def test_from_one_that_is_checked_a_link_leads_to_the_next_and_from_the_last_to_the_first(
    admission: Admission,
) -> None:
    first, second, third = (admission.submitted(admission.add_applicant(), "Systems") for _ in range(3))
    admission.after_deadline()
    client = admission.admin.sign_in()

    def next_link(page: str) -> tuple[str, str] | None:
        found = re.search(r'href="([^"]+)">(Next to check[^<]*)', page)
        return (found[1], found[2]) if found else None

    page = address_of(admission, third)
    assert next_link(client.get(page).text) == (address_of(admission, first), "Next to check")
    marked = submit(client, f"{page}/move", {"move": "mark_eligible"}, page=page)
    assert next_link(client.get(marked.location).text) == (address_of(admission, first), "Next to check (2 left)")
    for one in (first, second):
        admission.one_move(one, "mark_eligible", "admin")
    assert next_link(client.get(page).text) is None


def test_a_second_click_on_a_decision_says_nothing_that_sounds_like_a_fault(admission: Admission) -> None:
    one = admission.submitted(admission.add_applicant("Ada"), "Systems")
    admission.after_deadline()
    client, page = admission.admin.sign_in(), address_of(admission, one)
    token = csrf_token(client, page)
    for _ in range(2):
        client.post(f"{page}/move", data={"csrf_token": token, "move": "mark_eligible"})
    said = client.get(page).text
    assert ("Ada: eligible." in said, "not possible now" in said) == (True, False)
    assert said.count('<ol class="row-list"><li><time') == 1  # what happened: a line parts each move from the next
    late = submit(client, f"{page}/move", {"move": "ask_for_more", "message": "Why?"}, page=page)
    assert (late.status_code, "not possible now: the application is “Eligible”." in late.text) == (422, True)
    assert re.search(r"<textarea[^>]*readonly>\nWhy\?", late.text)


def test_a_lab_that_has_not_begun_waits_since_it_could_read_the_application(admission: Admission) -> None:
    one, reader = admission.eligible(admission.add_applicant(), "Systems"), admission.user(admission.admin)
    assert one.choices[0].state_since < one.state_since
    (chosen,) = chosen_labs(admission.session, one, last_submission(admission.session, one), reader)
    assert (chosen.state, chosen.since) == ("Waiting for review", one.state_since)
