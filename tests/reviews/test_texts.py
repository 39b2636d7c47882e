"""A lab's texts for messages: filled in for each applicant, seen with one, and silent about a name that is hidden."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.db import db
from portal.models import AuditEntry, Decision, Interests, Invitation, LabReviewing
from portal.reviews.blind_review import pseudonym
from tests.people import submit

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from tests.reviews.desk import Desk

TEXT = "Dear {name}, {lab} thanks you for applying in {cycle}."


def save(client: FlaskClient, desk: Desk, **texts: str) -> int:
    page = f"{desk.address}/settings"
    return submit(client, f"{page}/messages", texts, page=f"{desk.address}/").status_code


def test_a_text_is_kept_shown_with_one_applicant_and_the_leaders_alone(desk: Desk) -> None:
    desk.people("Ada")
    leader = desk.leader.sign_in()
    assert [save(leader, desk, decline=TEXT) for _ in range(2)] == [302, 302]
    page = leader.get(f"{desk.address}/settings").text
    assert TEXT in page
    assert f"Dear Ada Example, {desk.name} thanks you for applying in {desk.admission.cycle.name}." in page
    audited = select(AuditEntry.after).where(
        AuditEntry.act == "lab.texts", AuditEntry.object_key == desk.address.rpartition("/")[2]
    )
    assert db.session.scalars(audited).all() == [{"texts": ["decline"]}]
    assert save(leader, desk, offer="x" * 5_001) == 422
    assert save(leader, desk, offer="x" * 4_000, invitation="x" * 2_001) == 422  # an invitation would be refused
    assert save(desk.reviewer.sign_in(), desk, decline="Mine.") == 403


def test_each_applicant_reads_their_own_name(desk: Desk) -> None:
    ada, bo = desk.people("Ada", "Bo")
    leader = desk.leader.sign_in()
    save(leader, desk, decline=TEXT)
    page = desk.post(leader, "preview", move="decline", choice=[str(ada.id), str(bo.id)]).text
    assert (TEXT in page, "Dear Ada, " in page) == (True, True)
    tickets = re.findall(r'name="choice" value="([0-9.]+)"', page)
    seen = desk.post(leader, "preview", move="decline", choice=tickets, message="Sorry, {name}.").text
    assert "Sorry, Ada." in seen
    desk.do(leader, "decline", tickets, message=TEXT)
    told = select(Decision.message).where(Decision.choice_id.in_([ada.id, bo.id])).order_by(Decision.choice_id)
    end = f"{desk.name} thanks you for applying in {desk.admission.cycle.name}."
    assert db.session.scalars(told).all() == [f"Dear {name}, {end}" for name in ("Ada", "Bo")]
    again = desk.do(leader, "decline", tickets, message=TEXT)  # a double click sends nothing else
    assert "not sent" not in again


def test_a_blind_lab_writes_to_a_name_that_it_does_not_read(desk: Desk) -> None:
    (ada,) = desk.people("Wanjiru Kamau")
    found = desk.admission.add_applicant("Njoroge Otieno")
    db.session.scalars(select(Interests).where(Interests.user_id == found.id)).one().discoverable = True
    db.session.add(LabReviewing(lab_id=ada.lab_id, blind_first=True, changed_at=desk.admission.now))
    db.session.commit()
    leader = desk.leader.sign_in()
    save(leader, desk, decline=TEXT, invitation=TEXT)
    told = [leader.get(f"{desk.address}/settings").text]
    told.append(desk.post(leader, "preview", move="decline", choice=[str(ada.id)]).text)
    assert f"Dear {pseudonym('choice', ada.id)}, " in told[1]
    tickets = re.findall(r'name="choice" value="([0-9.]+)"', told[1])
    told.append(desk.do(leader, "decline", tickets, message=TEXT))
    told.append(leader.get(f"{desk.address}/choices/{ada.id}").text)
    person = f"{desk.address}/discover/{found.id}"
    told.append(leader.get(person).text)
    submit(leader, f"{person}/invite", {"message": TEXT}, page=person)
    told.append(leader.get(person).text)
    assert [page for page in told if re.search("Wanjiru|Kamau|Njoroge|Otieno", page)] == []
    messages = [
        db.session.scalars(select(Decision.message).where(Decision.choice_id == ada.id)).one(),
        db.session.scalars(select(Invitation.message).where(Invitation.applicant_id == found.id)).one(),
    ]
    assert [message.partition(",")[0] for message in messages] == ["Dear Wanjiru Kamau", "Dear Njoroge Otieno"]
