"""Interview times for tests: who is invited, which times are offered, and which there are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.db import db
from portal.models import InterviewSlot

if TYPE_CHECKING:
    from portal.models import Choice
    from tests.admission import Admission
    from tests.people import Person

NOW = datetime.now(UTC).replace(microsecond=0)
DAY = NOW.date() + timedelta(days=20)
LAB, OFFER = "/reviews/ada-lab/interviews", "/reviews/ada-lab/interviews/offer"


def invited(admission: Admission, person: Person, *labs: str) -> Choice:
    application = admission.eligible(person, *labs)
    for lab in labs:
        moves = ("start_review", "shortlist", "invite_to_interview")
        admission.move(admission.choice(application, lab), *moves, as_="leader")
    return admission.choice(application, labs[0])


def offer(admission: Admission, **changed: object) -> dict[str, object]:
    """The form that offers two times on one day, whose week was shown."""
    values = {
        "cycle": admission.cycle.slug,
        "first": DAY.isoformat(),
        "times": "10:00, 11:00",
        "minutes": "30",
        "zone": "Europe/Berlin",
        "interviewer": admission.leaders["Ada Lab"].id,
        "where": "https://video.example.edu/secret-room",
    } | changed
    first = values.pop("first")
    values["times"] = f"{first} {values['times']}" if values["times"] else ""
    return {**values, "shown": " ".join("{minutes} {zone} {times}".format(**values).split())}


def slots() -> list[InterviewSlot]:
    db.session.expire_all()
    return list(db.session.scalars(select(InterviewSlot).order_by(InterviewSlot.id)))
