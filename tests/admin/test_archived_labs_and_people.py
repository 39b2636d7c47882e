"""What an archived lab had begun with people who have not chosen it: invitations, and sharing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.applications.interests.service import interests_of
from portal.labs.service import archive, list_again
from portal.models import Invitation, Lab, LabShare
from tests.admission import admission_of
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.admission import Admission
    from tests.people import Person

GONE = "Loom Lab is not listed any more"


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with admission_of(app, "Loom Lab", "Vision Lab") as made:
        yield made


def invited(admission: Admission) -> tuple[Person, int]:
    """Somebody whom both labs invited, and the number of the first lab's invitation."""
    person = admission.add_applicant("Ada Quetzal")
    interests = interests_of(admission.session, admission.user(person))
    assert interests is not None
    interests.discoverable = True
    rows = [
        Invitation(lab_id=number, applicant_id=person.id, message=f"Come to {name}.", invited_at=admission.now)
        for name, number in admission.labs.items()
    ]
    admission.session.add_all(rows)
    admission.session.commit()
    return person, rows[0].id


def archive_it(admission: Admission) -> Lab:
    lab = admission.session.get_one(Lab, admission.labs["Loom Lab"])
    archive(admission.session, lab, reason="The leader has moved.", author=None, now=admission.now)
    admission.session.commit()
    return lab


def answer(me: FlaskClient, number: int, given: str) -> str:
    """What the applicant reads after an answer."""
    submit(me, f"/me/invitations/{number}", {"answer": given}, page="/me/")
    return me.get("/me/").text


def test_its_invitation_is_not_open_and_not_accepted_until_it_is_listed_again(admission: Admission) -> None:
    person, number = invited(admission)
    lab, me = archive_it(admission), person.sign_in()
    page = me.get("/me/").text
    assert ("Come to Loom Lab." in page, "Come to Vision Lab." in page) == (False, True)
    assert f"{GONE}, so its invitation cannot be accepted." in answer(me, number, "accepted")
    assert admission.session.scalars(select(LabShare)).all() == []
    list_again(admission.session, lab, author=None, now=admission.now)
    admission.session.commit()
    assert "Come to Loom Lab." in me.get("/me/").text
    submit(me, f"/me/invitations/{number}", {"answer": "accepted"}, page="/me/")
    assert admission.session.get_one(Invitation, number, populate_existing=True).answer == "accepted"


def test_whom_it_invited_may_still_refuse_and_its_professor_takes_back(admission: Admission) -> None:
    person, number = invited(admission)
    professor, discover = admission.leaders["Loom Lab"].sign_in(), "/reviews/loom-lab/discover"
    archive_it(admission)
    one = f"{discover}/{person.id}/invite"
    taken = submit(professor, f"{one}/take-back", {}, page="/reviews/loom-lab/")
    assert taken.location == "/reviews/loom-lab/"
    assert "The invitation to Ada Quetzal is taken back." in professor.get(taken.location).text
    assert admission.session.get(Invitation, number, populate_existing=True) is None
    assert submit(professor, one, {}, page="/reviews/loom-lab/").status_code == 403
    other, number = invited(admission)
    assert "You declined the invitation of Loom Lab." in answer(other.sign_in(), number, "refused")


def test_nobody_begins_to_share_with_it_and_who_shares_can_stop(admission: Admission) -> None:
    person = admission.add_applicant()
    me, share = person.sign_in(), "/me/labs/loom-lab"
    submit(me, share, {"act": "share"}, page="/me/labs")
    archive_it(admission)
    assert "not listed any more, so its professors find nobody" in me.get("/me/labs").text
    submit(me, share, {"act": "stop"}, page="/me/labs")
    submit(me, share, {"act": "share"}, page="/me/labs")
    assert f"{GONE}, so you cannot share with it." in me.get("/me/labs").text
    assert admission.session.scalars(select(LabShare)).all() == []


def test_it_does_not_stand_beside_other_labs_and_has_no_match(admission: Admission) -> None:
    admission.add_lab("Robot Lab")
    me = admission.add_applicant().sign_in()
    for lab in ("loom-lab", "vision-lab", "robot-lab"):
        submit(me, f"/me/labs/{lab}", {"act": "save"}, page="/me/labs")
    archive_it(admission)
    for page in ("/me/compare", "/me/labs"):
        boxes = re.findall(r'name="lab" value="([a-z-]+)"', me.get(page).text)
        assert boxes == ["vision-lab", "robot-lab"], page
    beside = me.get("/me/compare?lab=vision-lab&lab=loom-lab&lab=robot-lab")
    assert (beside.status_code, "Loom Lab" in beside.text, "Vision Lab" in beside.text) == (200, False, True)
    assert "Choose 2 to 4 labs" in me.get("/me/compare?lab=loom-lab&lab=vision-lab").text
    assert me.get("/me/matches/loom-lab").status_code == 404
