"""Applicants whose texts contain markers, which must not be found on the pages of anybody who may not read them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.erasure import erase_everything
from portal.applications.files import file_store
from portal.applications.interests.service import interests_of
from portal.models import Referee, Resume, Scorecard

if TYPE_CHECKING:
    from portal.models import Application, Choice
    from tests.admission import Admission
    from tests.people import Person

# What the portal held of somebody before it was erased; the account itself stays.
ERASED = ("zz-reason-eve", "zz-statement-eve", "zz-letter-eve", "zz-card-eve")


def withdrew(admission: Admission) -> Person:
    """Somebody who withdrew while a lab was reading."""
    person = admission.add_applicant("Zzdan Muster")
    application = admission.eligible(person, "Systems")
    write_reasons(admission, application, {"Systems": "zz-reason-dan"})
    admission.move(admission.choice(application, "Systems"), "start_review", as_="leader")
    admission.one_move(application, "withdraw", "applicant")
    return person


def erased(admission: Admission) -> Person:
    """Somebody who had all their data erased after a lab had read, scored and shortlisted them."""
    person = admission.add_applicant("Zzeve Muster")
    interests = interests_of(admission.session, admission.user(person))
    assert interests is not None
    interests.statement = "I study pictures, zz-statement-eve."
    application = admission.eligible(person, "Systems")
    write_reasons(admission, application, {"Systems": "zz-reason-eve"})
    choice = admission.choice(application, "Systems")
    admission.move(choice, "start_review", "shortlist", as_="leader", message="zz-card-eve")
    add_letter(admission, application, "zz-letter-eve")
    page = admission.leaders["Systems"].sign_in().get(f"/reviews/systems/choices/{choice.id}").text
    assert {mark for mark in ERASED if mark in page} >= set(ERASED) - {"zz-card-eve"}
    erase_everything(admission.session, file_store(admission.app), admission.user(person), now=admission.now)
    admission.session.commit()
    return person


def add_letter(admission: Admission, application: Application, letter: str) -> None:
    row = Referee(
        application_id=application.id,
        name="A Referee",
        email="referee@example.org",
        token_hash=f"{application.id:064d}",
        invited_at=admission.now,
        expires_at=admission.now + timedelta(days=90),
        received_at=admission.now,
        letter=letter,
        created_at=admission.now,
    )
    admission.session.add(row)
    admission.session.commit()


def mark_texts(admission: Admission, person: Person) -> None:
    interests = interests_of(admission.session, admission.user(person))
    assert interests is not None
    interests.statement, interests.education = "I study pictures, zz-statement-ada.", "zz-education-ada"
    resume = admission.session.scalars(select(Resume).where(Resume.user_id == person.id)).one()
    resume.text = f"Zzada Muster\n{person.email}\nI built a serving system."
    admission.session.commit()


def write_reasons(admission: Admission, application: Application, reasons: dict[str, str]) -> None:
    for lab, reason in reasons.items():
        admission.choice(application, lab).reason = reason
    admission.session.commit()


def write_cards(admission: Admission, choice: Choice) -> None:
    """The leader's card is locked, the reviewer's a draft."""
    values = {"fit": 4, "potential": 4, "preparation": 4, "writing": 4, "confidence": 2, "changed_at": admission.now}
    leader, reviewer = admission.leaders["Systems"], admission.reviewers["Systems"]
    cards = [
        Scorecard(
            choice_id=choice.id, reviewer_id=leader.id, comment="zz-locked-card", locked_at=admission.now, **values
        ),
        Scorecard(choice_id=choice.id, reviewer_id=reviewer.id, comment="zz-draft-card", **values),
    ]
    admission.session.add_all(cards)
    admission.session.commit()
