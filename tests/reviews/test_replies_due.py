"""Which replies a lab's queue calls late: only those for which somebody waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.db import db
from portal.models import Lab
from portal.reviews.queue.queries import Queue, counts_of, listed_choices, rows_of

if TYPE_CHECKING:
    from tests.admission import Admission
    from tests.reviews.desk import Desk


def test_no_reply_is_late_to_who_accepted_the_offer_of_another_lab(admission: Admission, desk: Desk) -> None:
    went, waits = (admission.eligible(admission.add_applicant(), "Lab A", desk.name) for _ in range(2))
    offering = admission.choice(went, "Lab A")
    admission.move(offering, "start_review", "shortlist", "rank", "offer", as_="leader")
    admission.move(offering, "release", as_="admin")
    admission.move(offering, "accept", as_="applicant")
    lab = db.session.get_one(Lab, admission.labs[desk.name])
    queue = Queue(lab, admission.cycle, admission.user(desk.leader))
    afterwards = admission.cycle.reply_by_at
    listed = listed_choices(db.session(), queue, "reply")
    rows = rows_of(db.session(), queue, [choice.id for choice in listed])
    closed, waiting = admission.choice(went, desk.name), admission.choice(waits, desk.name)
    assert [row.id for row in rows] == [waiting.id, closed.id]
    assert [row.id for row in rows if row.is_late(afterwards)] == [waiting.id]
    assert counts_of(db.session(), queue, listed, afterwards).late == 1
