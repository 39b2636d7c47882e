"""Who is told of an offer that ends without an answer."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import delete, select

from portal.applications import clock
from portal.applications.erasure import erase_everything
from portal.applications.files import file_store
from portal.models import Notification, User
from tests.admission import admission_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from portal.models import Application
    from tests.admission import Admission
    from tests.people import Person

OFFERED = ("start_review", "shortlist", "rank", "offer")


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with admission_of(app, "Systems", "Vision", "Robots") as made:
        yield made


def with_offers(admission: Admission) -> tuple[Person, Application]:
    """Somebody with released offers of two labs, and one of a third lab that is not released."""
    person = admission.add_applicant()
    application = admission.eligible(person, "Systems", "Vision", "Robots")
    for lab in ("Systems", "Vision", "Robots"):
        admission.move(admission.choice(application, lab), *OFFERED, as_="leader")
    for lab in ("Systems", "Vision"):
        admission.one_move(admission.choice(application, lab), "release", "admin")
    return person, application


def told(admission: Admission) -> dict[str, list[str]]:
    """The labs whose readers got each kind of news about offers; every lab has two."""
    names = {person.id: lab for people in (admission.leaders, admission.reviewers) for lab, person in people.items()}
    rows = admission.session.execute(
        select(Notification.kind, Notification.user_id, Notification.path).where(Notification.kind.startswith("offer_"))
    )
    news = Counter((kind, names[user_id]) for kind, user_id, path in rows if path.startswith("/reviews/"))
    assert set(news.values()) <= {2}
    kinds: dict[str, list[str]] = {}
    for kind, lab in sorted(news):
        kinds.setdefault(kind, []).append(lab)
    return kinds


def reminders(admission: Admission) -> int:
    return len(admission.session.scalars(select(Notification).where(Notification.kind == "offer_reminder")).all())


def test_a_lab_is_told_when_its_applicant_accepts_another_offer(admission: Admission) -> None:
    _person, application = with_offers(admission)
    until = admission.choice(application, "Vision").offer_reply_by_at
    assert until is not None
    assert clock.remind_of_offers(admission.session, until - timedelta(days=1)) == 2
    admission.one_move(admission.choice(application, "Systems"), "accept", "applicant")
    assert told(admission) == {"offer_answered": ["Systems"], "offer_lapsed": ["Vision"]}
    assert reminders(admission) == 0  # of an answer that nobody waits for


def test_labs_are_told_when_their_applicant_withdraws_or_erases_everything(admission: Admission) -> None:
    _person, application = with_offers(admission)
    admission.one_move(application, "withdraw", "applicant")
    assert told(admission) == {"offer_lapsed": ["Systems", "Vision"]}
    admission.session.execute(delete(Notification))
    admission.session.commit()
    person, _application = with_offers(admission)
    user = admission.session.get_one(User, person.id)
    erase_everything(admission.session, file_store(admission.app), user, now=admission.now)
    admission.session.commit()
    assert told(admission) == {"offer_lapsed": ["Systems", "Vision"]}


def test_an_offer_that_expires_is_not_said_to_be_answered(admission: Admission) -> None:
    _person, application = with_offers(admission)
    until = admission.choice(application, "Vision").offer_reply_by_at
    assert until is not None
    assert clock.expire_offers(admission.session, until) == 2
    assert told(admission) == {"offer_lapsed": ["Systems", "Vision"]}
