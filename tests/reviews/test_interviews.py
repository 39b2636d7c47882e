"""The pages of interviews: the lab's, and the applicant's."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.applications.erasure import erase_everything
from portal.applications.files import file_store
from portal.applications.status import standing_of
from portal.db import db
from portal.models import Choice, Conflict, InterviewSlot, LabReviewing, OutboxMail, Scorecard
from portal.moments import ANYWHERE_ON_EARTH
from tests.admission import Admission, add_admission, admission_of
from tests.people import csrf_token, submit
from tests.reviews.interview_times import DAY, LAB, NOW, OFFER, invited, offer, slots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.people import Person


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """Two labs in a cycle whose deadline has passed."""
    with admission_of(app, "Ada Lab", "Bit Lab", now=NOW - timedelta(days=40)) as made:
        yield made


def test_a_lab_offers_an_applicant_picks_and_the_lab_moves_and_cancels(admission: Admission) -> None:
    person = admission.add_applicant("Li Wei 李伟 <script>")
    choice = invited(admission, person, "Ada Lab")
    mine = f"/me/application/{admission.cycle.slug}/interview"
    leader, applicant = admission.leaders["Ada Lab"].sign_in(), person.sign_in()
    assert "No time is free just now" in applicant.get(mine).text
    assert "No time is free for them. Offer some." in leader.get(LAB).text
    assert submit(leader, OFFER, offer(admission)).status_code == 302
    first, second = slots()
    page = applicant.get(mine).text
    assert "secret-room" not in page
    assert "Europe/Berlin" in page
    none = submit(applicant, mine, {"lab": "ada-lab"})
    assert (none.status_code, 'aria-describedby="slot-error" autofocus' in none.text) == (422, True)
    assert none.text.index("Choose one of these times.") < none.text.index('name="slot"')
    for slot in (first, second):
        assert submit(applicant, mine, {"slot": slot.id, "lab": "ada-lab"}).status_code == 302
    assert [slot.choice_id for slot in slots()] == [None, choice.id]
    page = applicant.get(mine).text
    assert ("secret-room" in page, f'<p class="slot-when">{DAY:%A}, ' in page) == (True, True)
    assert '<details class="other-times">' in page
    page = leader.get(LAB).text
    assert "Li Wei 李伟 &lt;script&gt;" in page
    assert 'class="slot-where"><a href="https://video.example.edu/secret-room"' in page
    assert "30 minutes · Berlin, UTC+0" in page
    moved = {"begins": f"{DAY}T14:00", "minutes": "45", "where": "Room 2 <i>, https://video.example.edu/2 (code 55)"}
    assert submit(leader, f"{LAB}/{second.id}", moved).status_code == 302
    page = applicant.get(mine).text
    link = '<a href="https://video.example.edu/2" rel="noreferrer noopener">https://video.example.edu/2</a>'
    assert ("45 minutes" in page, f"Room 2 &lt;i&gt;, {link} (code 55)" in page) == (True, True)
    assert "Li Wei 李伟 &lt;script&gt;</a> picked this time." in leader.get(f"{LAB}/{second.id}").text
    cancel = f"{LAB}/{second.id}/cancel"
    unsaid = submit(leader, cancel, {"reason": ""}, page=f"{LAB}/{second.id}").text
    assert re.search(r'<textarea[^>]*aria-invalid="true"[^>]*id="reason"', unsaid)
    assert "says why" in unsaid
    assert submit(leader, cancel, {"reason": "Ill <b>."}, page=f"{LAB}/{second.id}").status_code == 302
    assert "Cancelled" in leader.get(LAB).text
    page = applicant.get(mine).text
    assert ("Ill &lt;b&gt;." in page, f"slot-{first.id}" in page, f"slot-{second.id}" in page) == (True, True, False)


def test_whoever_is_invited_is_asked_to_pick_a_time_until_one_is_picked(admission: Admission) -> None:
    person = admission.add_applicant()
    choice = invited(admission, person, "Ada Lab", "Bit Lab")
    application = f"/me/application/{admission.cycle.slug}/"
    submit(admission.leaders["Ada Lab"].sign_in(), OFFER, offer(admission))
    applicant = person.sign_in()
    turn = "Ada Lab would like to talk with you: pick a time for the interview."
    assert turn in applicant.get("/me/").text
    page = applicant.get(application).text
    assert turn in page
    assert page.index(f'<a class="btn btn-primary" href="{application}interview">Pick a time</a>') < page.index("<h2")
    slots()[0].choice_id = choice.id
    admission.session.commit()
    assert "> Bit Lab would like to talk with you. No time is free just now" in applicant.get(application).text
    (other,) = admission.session.scalars(select(Choice).where(Choice.id != choice.id))
    slots()[1].choice_id = other.id
    admission.session.commit()
    page = applicant.get(application).text
    assert f"Your interview with Ada Lab is on {DAY.day} {DAY:%b %Y}, 10:00 (" in page
    assert "Pick a time" not in page
    assert "Your turn" not in applicant.get("/me/").text


def test_whoever_waits_while_no_time_is_free_is_told_once_when_there_are_some(admission: Admission) -> None:
    choice = invited(admission, admission.add_applicant(), "Ada Lab", "Bit Lab")
    application, leader = choice.application, admission.leaders["Ada Lab"].sign_in()
    address, told = application.applicant.email, select(OutboxMail.address).where(OutboxMail.kind == "interview_times")
    standing = standing_of(admission.session, application, NOW)
    waiting = "Ada Lab and Bit Lab would like to talk with you. No time is free just now"
    assert (standing.next.startswith(waiting), standing.act) == (True, "")
    for times in ("10:00", "11:00"):
        submit(leader, OFFER, offer(admission, times=times))
        admission.session.expire_all()
        standing = standing_of(admission.session, application, NOW)
        assert standing.next == "Ada Lab would like to talk with you: pick a time for the interview."
        assert admission.session.scalars(told).all() == [address]
    slots()[0].choice_id = choice.id
    admission.session.commit()
    submit(leader, OFFER, offer(admission, times="12:00"))
    assert admission.session.scalars(told).all() == [address]


def test_times_are_offered_in_the_newest_running_cycle_until_somebody_has_chosen_the_lab(admission: Admission) -> None:
    later = add_admission(admission.app, now=NOW, name="Later Cycle")
    leader = admission.leaders["Ada Lab"].sign_in()
    assert '<p class="slot-head">Later Cycle' in leader.get(LAB).text
    assert f'name="cycle" value="{later.cycle.slug}"' in leader.get(OFFER).text
    invited(admission, admission.add_applicant(), "Ada Lab")
    assert f"{admission.cycle.name} · 0 times free · 1 applicant waits" in leader.get(LAB).text
    assert f'name="cycle" value="{admission.cycle.slug}"' in leader.get(OFFER).text
    assert '<p class="slot-head">Later Cycle' in leader.get(f"{LAB}?cycle={later.cycle.slug}").text


def test_the_reader_s_zone_is_offered_or_else_that_of_the_cycle(admission: Admission) -> None:
    leader = admission.leaders["Ada Lab"].sign_in()
    for zone, offered in (("Europe/Paris", "Europe/Paris"), (ANYWHERE_ON_EARTH, "UTC")):
        admission.cycle.zone = zone
        admission.session.commit()
        assert f'<option selected value="{offered}">' in leader.get(OFFER).text
    leader.set_cookie("zone", "Asia/Hong_Kong")
    assert '<option selected value="Asia/Hong_Kong">' in leader.get(OFFER).text


def test_times_offered_by_a_second_click_are_there_once_and_another_place_is_a_clash(admission: Admission) -> None:
    invited(admission, admission.add_applicant(), "Ada Lab")
    leader = admission.leaders["Ada Lab"].sign_in()
    assert leader.get(LAB).text.count(f'href="{OFFER}?') == 1  # before the list of those who wait
    assert [submit(leader, OFFER, offer(admission)).status_code for _ in range(2)] == [302, 302]
    assert "These times are offered already." in leader.get(LAB).text
    assert submit(leader, OFFER, offer(admission, where="Room 5")).status_code == 422
    assert submit(leader, OFFER, offer(admission, times="10:00, 12:00")).status_code == 422
    assert len(slots()) == 2


def test_a_week_is_seen_before_it_is_offered_and_again_when_it_changes(admission: Admission) -> None:
    leader = admission.leaders["Ada Lab"].sign_in()
    asked = offer(admission, times="14:00–15:30", where="Room 5")
    page = submit(leader, OFFER, {**asked, "shown": ""}).text
    assert (page.count(" <strong>"), "Offer these 3 times" in page, slots()) == (3, True, [])
    changed = submit(leader, OFFER, {**asked, "minutes": "45"}).text
    assert ("Offer these 2 times" in changed, slots()) == (True, [])
    assert submit(leader, OFFER, asked).status_code == 302
    assert [f"{slot.starts_at:%M}" for slot in slots()] == ["00", "30", "00"]


def test_a_time_that_is_gone_is_answered_with_those_that_are_left(admission: Admission) -> None:
    leader = admission.leaders["Ada Lab"].sign_in()
    submit(leader, OFFER, offer(admission))
    first, second = slots()
    mine = f"/me/application/{admission.cycle.slug}/interview"
    people = [admission.add_applicant(), admission.add_applicant()]
    for person in people:
        invited(admission, person, "Ada Lab")
    quick, slow = (person.sign_in() for person in people)
    token = csrf_token(slow, mine)
    submit(quick, mine, {"slot": first.id, "lab": "ada-lab"})
    for number in (first.id, "", "x", -1, 10**12, 987654):
        answer = slow.post(mine, data={"csrf_token": token, "slot": number, "lab": "ada-lab"})
        unpicked = number in {"", "x", -1, 10**12}
        assert (answer.status_code, f"slot-{second.id}" in answer.text) == (422 if unpicked else 409, True)
    assert (
        "This time is no longer available"
        in slow.post(mine, data={"csrf_token": token, "slot": first.id, "lab": "ada-lab"}).text
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"times": "25:00"}, "“25:00” is not a time of day"),
        ({"times": ""}, "Give a day and a time, such as"),
        ({"minutes": "0"}, "An interview takes 5 to 480 minutes."),
        ({"zone": "Mars/Base"}, "Choose one from the list."),
        ({"first": "2020-01-01"}, "All of these times have passed"),
        ({"first": "9999-12-31", "times": "23:50", "zone": "UTC"}, "Give a year from 2000 to 2199."),
        ({"first": "0001-01-01", "zone": "Pacific/Kiritimati"}, "Give a year from 2000 to 2199."),
        ({"where": "x" * 501}, "Keep it to 500 characters"),
        ({"interviewer": "987654"}, "Choose one from the list."),
        ({"first": "2026-02-30"}, "“2026-02-30” is no day of the calendar."),
        ({"times": "10:00 sharp"}, "“sharp” is neither a day nor a time"),
        ({"times": "10:00 10:15"}, "less than 30 minutes apart"),
        ({"where": "a\0b"}, "cannot be stored"),
    ],
)
def test_times_that_cannot_be_offered_say_why_and_keep_the_form(
    admission: Admission, changed: dict[str, object], said: str
) -> None:
    answer = submit(admission.leaders["Ada Lab"].sign_in(), OFFER, offer(admission, **changed))
    assert (answer.status_code, slots()) == (422, [])
    name = "times" if "first" in changed else next(iter(changed))
    beside = re.search(rf'id="{name}-error">(.*?)</div>', answer.text, re.DOTALL)
    assert beside is not None
    assert said in beside[1]


def test_who_may_open_what(admission: Admission) -> None:
    """Every page for everybody who might try it; one database."""
    person, other = admission.add_applicant(), admission.add_applicant()
    choice = invited(admission, person, "Ada Lab", "Bit Lab")
    admission.eligible(other, "Ada Lab")
    submit(admission.leaders["Ada Lab"].sign_in(), OFFER, offer(admission))
    slot, mine = slots()[0], f"/me/application/{admission.cycle.slug}/interview"
    applicant = person.sign_in()
    submit(applicant, f"{mine}?lab=ada-lab", {"slot": slot.id, "lab": "ada-lab"})
    db.session.add(
        Conflict(
            reviewer_id=admission.reviewers["Ada Lab"].id,
            applicant_id=person.id,
            state="declared",
            changed_at=NOW,
        )
    )
    db.session.commit()
    clients = {
        "leader": admission.leaders["Ada Lab"].sign_in(),
        "conflict": admission.reviewers["Ada Lab"].sign_in(),
        "other lab": admission.leaders["Bit Lab"].sign_in(),
        "applicant": applicant,
        "other": other.sign_in(),
    }
    table = {
        LAB: {"leader": 200, "conflict": 200, "other lab": 403, "applicant": 403},
        OFFER: {"leader": 200, "conflict": 200, "other lab": 403, "applicant": 403},
        f"{LAB}/{slot.id}": {"leader": 200, "conflict": 403, "other lab": 403, "applicant": 403},
        f"/reviews/bit-lab/interviews/{slot.id}": {"leader": 403, "other lab": 404},
        f"{LAB}/987654": {"leader": 404},
        mine: {"applicant": 200, "other": 200, "leader": 403},
        f"{mine}?lab=ada-lab": {"applicant": 200, "other": 302},
        f"{mine}?lab=no-such": {"applicant": 404},
        "/me/application/no-such/interview": {"applicant": 404},
    }
    wanted = [(url, who, status) for url, row in table.items() for who, status in row.items()]
    assert [(url, who, clients[who].get(url).status_code) for url, who, _status in wanted] == wanted
    name = choice.application.applicant.display_name
    assert [name in clients[who].get(LAB).text for who in ("leader", "conflict")] == [True, False]
    db.session.add(LabReviewing(lab_id=choice.lab_id, blind_first=True, changed_at=NOW))
    db.session.commit()
    assert name not in clients["leader"].get(LAB).text


def test_why_an_interview_is_cancelled_is_told_to_who_may_know_whose_it_was(admission: Admission) -> None:
    person = admission.add_applicant("Hidden Name")
    choice = invited(admission, person, "Ada Lab")
    db.session.add(LabReviewing(lab_id=choice.lab_id, blind_first=True, changed_at=NOW))
    leader, reviewer = admission.leaders["Ada Lab"], admission.reviewers["Ada Lab"]
    submit(leader.sign_in(), OFFER, offer(admission, interviewer=leader.id))
    slot = slots()[0]
    mine = f"/me/application/{admission.cycle.slug}/interview"
    submit(person.sign_in(), mine, {"slot": slot.id, "lab": "ada-lab"})
    reason = {"reason": "Hidden Name is ill."}
    submit(leader.sign_in(), f"{LAB}/{slot.id}/cancel", reason, page=f"{LAB}/{slot.id}")

    def told(somebody: Person) -> tuple[bool, bool]:
        sent = [mail for mail in admission.app.extensions["mailman"].outbox if mail.to == [somebody.email]]
        texts = "".join(mail.message().as_string() for mail in sent)
        files = [part.get_payload(decode=True).decode() for mail in sent for part in mail.attachments]
        return "METHOD:CANCEL" in "".join(files), "Hidden Name is ill." in texts + "".join(files)

    assert (told(person), told(leader)) == ((True, True), (True, False))
    assert "Hidden Name is ill." in person.sign_in().get(mine).text
    assert "Hidden Name" not in leader.sign_in().get(LAB).text + reviewer.sign_in().get(LAB).text
    points = {"fit": 4, "potential": 4, "preparation": 4, "writing": 4, "confidence": 3}
    db.session.add(Scorecard(choice_id=choice.id, reviewer_id=leader.id, locked_at=NOW, changed_at=NOW, **points))
    db.session.commit()
    assert "Cancelled: Hidden Name is ill." in leader.sign_in().get(LAB).text
    assert "Hidden Name" not in reviewer.sign_in().get(LAB).text
    erase_everything(db.session(), file_store(admission.app), admission.user(person), now=NOW)
    db.session.commit()
    assert [one.cancel_reason for one in slots()] == ["", ""]
    assert "Hidden Name" not in leader.sign_in().get(LAB).text


def test_times_ahead_come_first_and_past_ones_newest_first(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app, now=NOW - timedelta(days=40))
        admission.add_lab("Ada Lab")
        lab = {"lab_id": admission.labs["Ada Lab"], "cycle_id": admission.cycle_id, "zone": "UTC", "created_at": NOW}
        for number in range(3):
            days = timedelta(days=number + 1)
            for name, starts_at in (("ahead", NOW + days), ("before", NOW - days)):
                about = {"uid": f"{name}-{number}", "where": f"{name} {number}"}
                db.session.add(InterviewSlot(starts_at=starts_at, **about, **lab))
        db.session.commit()
        address = f"/reviews/ada-lab/interviews?cycle={admission.cycle.slug}"
    page = admission.leaders["Ada Lab"].sign_in().get(address).text
    assert "3 times free" in page
    assert re.findall(r">((?:ahead|before) \d+)<", page) == [
        *("ahead 0", "ahead 1", "ahead 2"),
        *("before 0", "before 1", "before 2"),
    ]
