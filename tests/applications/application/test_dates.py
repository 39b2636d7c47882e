"""Pages about one application give every date in the zone of its cycle, and advice about labs that do not fit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.applications.referees.service import ask
from portal.models import Invitation
from tests.admission import Admission, add_admission
from tests.applications.admission_pages import main_text, pages_of

if TYPE_CHECKING:
    from flask import Flask

_TIME = re.compile(r"<time [^>]*data-local-time[^>]*>([^<]*)</time>")


def test_every_date_about_an_application_is_in_the_zone_of_its_cycle(admission: Admission) -> None:
    person = admission.add_applicant()
    application = admission.draft(person, "Systems", "Vision")
    session, now, user = admission.session, admission.now, admission.user(person)
    choice = admission.choice(application, "Systems")
    ask(session, application, "Ada", "ada@example.edu", "", actor=user, now=now)
    invited_by = admission.user(admission.leaders["Systems"])
    session.add(
        Invitation(lab_id=choice.lab_id, applicant_id=user.id, invited_by_id=invited_by.id, message="", invited_at=now)
    )
    session.commit()
    me, leader = pages_of(person, admission), admission.leaders["Systems"].sign_in()
    me.send("submit", **me.to_submit())
    own = ("", "receipt", "referees", "withdraw", "labs/systems/match")
    read = {below: me.read(below) for below in own}
    read |= {page: me.client.get(page).text for page in ("/me/", "/me/")}
    assert me.send("edit").status_code == 302
    read["edited again"] = me.read()
    admission.one_move(application, "submit", "applicant")
    admission.after_deadline()
    admission.one_move(application, "mark_eligible", "admin")
    admission.move(choice, "start_review", as_="leader")
    read["status"] = me.read()
    read["of the lab"] = leader.get(f"/reviews/systems/choices/{choice.id}").text
    address = f"/admin/cycles/{admission.cycle.slug}/applications/{application.id}"
    read["of an administrator"] = admission.admin.sign_in().get(address).text
    dates = {page: _TIME.findall(text) for page, text in read.items()}
    assert all(dates.values()), dates
    elsewhere = {page: [date for date in found if "Anywhere on Earth" not in date] for page, found in dates.items()}
    assert elsewhere == {page: [] for page in dates}


def test_who_chose_a_lab_that_does_not_fit_reads_what_to_do(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app)
        admission.add_lab("Systems")
        admission.add_lab("Poems", "Medieval verse of Iceland")
        person = admission.add_applicant()
        admission.draft(person, "Systems", "Poems")
        me = pages_of(person, admission)
        me.send("submit", **me.to_submit())
        for below in ("", "labs/poems/match"):
            page = me.read(below)
            said = main_text(page)
            assert "Too little in common to rank. The lab can read your application all the same." in said
            assert 'href="/labs/poems">profile</a>' in page
            assert "your interests , then edit the application and submit again." in said
        admission.cycle.deadline_at = admission.now
        admission.session.commit()
        said = main_text(me.read())
        assert "Too little in common to rank. The lab can read your application all the same." in said
        assert "submit again" not in said
