"""Writing to applicants of a cycle: who gets it, once, after a preview; going on after a stop."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from portal.admin.cycles import announcements as work
from portal.admin.cycles.announcements import NewAnnouncement, announce, sent_before
from portal.applications.erasure import erase_application
from portal.applications.files import file_store
from portal.applications.overview import export_of
from portal.db import db
from portal.jobs.registry import JOBS, STARTED
from portal.mail.outbox import WRITTEN
from portal.models import Announcement, AnnouncementRecipient, Application, AuditEntry, Job, Notification, OutboxMail
from tests.admission import Admission, add_admission
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.people import Person

KIND = "cycle_announcement"
TYPED = {"about": "An hour for questions", "message": "On 3 December.\n\nSee https://example.edu/hour"}


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        one = add_admission(app)
        one.add_lab("Systems")
        yield one
        db.session.remove()


@pytest.fixture
def people(admission: Admission) -> dict[str, Person]:
    """One applicant in each situation, by a name that says it."""
    names = ("Draft", "Submitted", "Edited", "Ineligible", "Withdrawn", "Accepted", "Suspended")
    people = {name: admission.add_applicant(f"Zz{name}") for name in names}
    admission.draft(people["Draft"], "Systems")
    admission.submitted(people["Submitted"], "Systems")
    edited = admission.submitted(people["Edited"], "Systems")
    admission.move(edited, "edit", as_="applicant")
    admission.move(admission.submitted(people["Withdrawn"], "Systems"), "withdraw", as_="applicant")
    admission.submitted(people["Suspended"], "Systems")
    admission.user(people["Suspended"]).active = False
    ineligible = admission.submitted(people["Ineligible"], "Systems")
    accepted = admission.submitted(people["Accepted"], "Systems")
    admission.after_deadline()
    admission.move(ineligible, "mark_ineligible", as_="admin")
    admission.move(accepted, "mark_eligible", as_="admin")
    choice = admission.choice(accepted, "Systems")
    choice.state = choice.shown_state = "accepted"
    choice.released_at = admission.now
    db.session.commit()
    return people


def told(kind: type[OutboxMail | Notification] = OutboxMail) -> int:
    return db.session.scalar(select(func.count()).select_from(kind).where(kind.kind == KIND)) or 0


def page_of(admission: Admission) -> str:
    return f"/admin/cycles/{admission.cycle.slug}/announcements"


def written(admission: Admission, group: str = "everybody", *, about: str = "About") -> Announcement:
    """An announcement whose job has not begun."""
    new = NewAnnouncement(about, "The message.", group)
    announced = announce(db.session(), admission.cycle, new, by=admission.user(admission.admin), now=admission.now)
    assert announced is not None
    db.session.info.pop(STARTED, None)  # else it would be done at once
    db.session.commit()
    announcement = sent_before(db.session(), admission.cycle, new)
    assert announcement is not None
    return announcement


def run(kind: str, announcement: Announcement, progress: Any = None) -> str:  # noqa: ANN401  (a stand-in)
    outcome = JOBS[kind].run(db.session(), {"announcement": announcement.id}, progress or Steps())
    commit_unsent()
    return outcome.text


def commit_unsent() -> None:
    """Commit, and leave the mails that were written waiting."""
    db.session.info.pop(WRITTEN, None)
    db.session.commit()


class Steps(list[tuple[int, int | None]]):
    def step(self, done: int, total: int | None, _doing: str = "") -> None:
        self.append((done, total))
        commit_unsent()


class Killed:
    """Progress of a process that is killed after its first step."""

    def step(self, _done: int, _total: int | None, _doing: str = "") -> None:
        commit_unsent()
        raise SystemExit


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("everybody", {"Draft", "Submitted", "Edited", "Ineligible", "Accepted"}),
        ("not_submitted", {"Draft"}),
        ("considered", {"Submitted", "Edited", "Accepted"}),
        ("accepted", {"Accepted"}),
    ],
)
def test_a_group_is_whom_its_words_say(
    admission: Admission, people: dict[str, Person], group: str, names: set[str]
) -> None:
    announcement = written(admission, group)
    run(work.TELL, announcement)
    addresses = set(db.session.scalars(select(OutboxMail.address).where(OutboxMail.kind == KIND)))
    assert addresses == {people[name].email for name in names}
    assert announcement.recipients == len(names)
    shown = admission.admin.sign_in().get(page_of(admission)).text
    assert len(re.findall(rf'value="{group}".*?\(({len(names)})\)', shown, re.DOTALL)) == 1


def test_others_of_the_same_group_in_another_cycle_are_not_told(admission: Admission, app: Flask) -> None:
    other = add_admission(app, name="Another")
    other.labs.update(admission.labs)
    other.submitted(other.add_applicant("Zzother"), "Systems")
    admission.submitted(admission.add_applicant("Zzours"), "Systems")
    run(work.TELL, written(admission))
    assert told() == 1


def test_it_goes_out_once_after_a_preview_and_stands_on_the_page_of_the_application(admission: Admission) -> None:
    person = admission.add_applicant("Zzada")
    admission.draft(person, "Systems")
    client, page = admission.admin.sign_in(), page_of(admission)
    form = {**TYPED, "announced_to": "everybody"}
    preview = submit(client, f"{page}/new", form, page=page).text
    assert "Write to 1 applicant?" in preview
    assert re.search('<a href="https://example.edu/hour"[^>]*>https://example.edu/hour</a>', preview)
    assert told() == 0
    changed = submit(client, f"{page}/new", {**form, "change": "yes"}, page=page).text
    assert 'value="An hour for questions"' in changed
    assert all('data-unsaved="typed"' in page for page in (preview, changed))
    assert re.search(r'<input(?=[^>]*value="everybody")(?=[^>]*checked)', changed)
    for _click in range(2):
        submit(client, f"{page}/new", {**form, "confirmed": "yes"}, page=page)
        assert "1 applicant is told of “An hour for questions”, by mail." in client.get(page).text
    assert (told(), told(Notification)) == (1, 1)
    assert db.session.scalars(select(AuditEntry.after).where(AuditEntry.act == "cycle.announce")).one() == {
        "about": TYPED["about"],
        "message": TYPED["message"],
        "to": "everybody",
        "applicants": 1,
    }
    path = db.session.scalars(select(Notification.path).where(Notification.kind == KIND)).one()
    applicant = person.sign_in()
    shown = applicant.get(path, follow_redirects=True).text
    assert re.search(r'id="announcements".*An hour for questions.*On 3 December\.</p>', shown, re.DOTALL)
    stranger = admission.add_applicant("Zzbob")
    admission.draft(stranger, "Systems")  # who begins later was not told
    assert "An hour for questions" not in stranger.sign_in().get(path, follow_redirects=True).text
    exported = export_of(db.session(), admission.user(person), now=admission.now)["applications"]
    assert [one["about"] for one in exported[0]["announcements"]] == ["An hour for questions"]


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ({"about": "  "}, "Say in a few words what it is about."),
        ({"about": "x" * 121}, "Keep it to 120 characters."),
        ({"about": "a\u202eb"}, "change the direction of writing"),
        ({"message": "\u200b\n "}, "Write the message."),
        ({"message": "x" * 5001}, "Keep it to 5,000 characters."),
        ({"announced_to": ""}, "Choose to whom you write."),
        ({"announced_to": "all"}, "Choose one from the list."),
        ({"announced_to": "accepted"}, "Nobody is in this group now."),
    ],
)
def test_what_is_wrong_stands_by_its_field_and_nothing_typed_is_lost(
    admission: Admission, typed: dict[str, str], error: str
) -> None:
    admission.draft(admission.add_applicant("Zzada"), "Systems")
    client = admission.admin.sign_in()
    form = {**TYPED, "announced_to": "everybody", "confirmed": "yes", **typed}
    answer = submit(client, f"{page_of(admission)}/new", form, page=page_of(admission))
    assert answer.status_code == 422
    assert error in answer.text
    kept = {"about": "An hour for questions", "message": "On 3 December."}
    assert [name for name, text in kept.items() if name not in typed and text not in answer.text] == []
    assert (told(), db.session.scalar(select(func.count(Announcement.id)))) == (0, 0)


def test_nobody_left_in_the_group_when_it_is_sent_is_an_error_and_writes_nothing(admission: Admission) -> None:
    new = NewAnnouncement("About", "Text", "accepted")
    by = admission.user(admission.admin)
    assert announce(db.session(), admission.cycle, new, by=by, now=admission.now) is None
    db.session.commit()
    assert db.session.scalar(select(func.count(Announcement.id))) == 0
    assert db.session.scalar(select(func.count(AuditEntry.id)).where(AuditEntry.act == "cycle.announce")) == 0


def test_a_killed_job_goes_on_and_the_page_offers_that(admission: Admission, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "AT_ONCE", 1)
    for number in range(3):
        admission.draft(admission.add_applicant(f"Zz {number}"), "Systems")
    announcement = written(admission)
    with pytest.raises(SystemExit):
        run(work.TELL, announcement, Killed())
    assert told() == 1
    client, page = admission.admin.sign_in(), page_of(admission)
    shown = client.get(page).text
    assert re.search(r'<dd>2 applicants; <a href="/jobs/\d+">being told now</a></dd>', shown)
    assert "Go on telling" not in shown
    for job in db.session.scalars(select(Job)):
        job.state = "cancelled"
    db.session.commit()
    shown = client.get(page).text
    assert "<dt>Not told yet</dt><dd>2 applicants</dd>" in shown
    assert "Go on telling the other 2" in shown
    there = submit(client, f"{page}/{announcement.id}/tell", {}, page=page).location
    assert (told(), there) == (3, f"{page}#announcement-{announcement.id}")
    shown = client.get(page).text
    assert "Not told yet" not in shown
    steps = Steps()
    assert (run(work.TELL, announcement, steps), steps, told()) == ("3 applicants are told.", [], 3)
    submit(client, f"{page}/{announcement.id}/tell", {}, page=page)
    assert "has reached everybody already" in client.get(page).text


def test_an_announcement_of_another_cycle_is_not_found(admission: Admission, app: Flask) -> None:
    other = add_admission(app, name="Another")
    other.labs.update(admission.labs)
    other.draft(other.add_applicant("Zzother"), "Systems")
    announcement = written(other)
    client = admission.admin.sign_in()
    address = f"{page_of(admission)}/{announcement.id}/tell"
    assert submit(client, address, {}, page=page_of(admission)).status_code == 404


def test_erasing_an_application_leaves_the_text_and_the_number(admission: Admission, app: Flask) -> None:
    person = admission.add_applicant("Zzada")
    application = admission.draft(person, "Systems")
    announcement = written(admission)
    run(work.TELL, announcement)
    erase_application(db.session(), file_store(app), application, now=admission.now)
    db.session.commit()
    assert db.session.scalar(select(func.count()).select_from(AnnouncementRecipient)) == 0
    assert db.session.scalars(select(OutboxMail.state).where(OutboxMail.kind == KIND)).one() == "cancelled"
    assert told(Notification) == 0
    admission.cycle.closed_at = admission.cycle.erased_at = admission.now
    db.session.commit()
    client, page = admission.admin.sign_in(), page_of(admission)
    shown = client.get(page).text
    assert "1 applicant</dd>" in shown
    assert "nobody is left to write to" in shown
    assert submit(client, f"{page}/new", {}, page="/admin/").status_code == 403
    assert db.session.scalar(select(func.count(Application.id))) == 0
