"""Which replies a lab's queue calls late: only those for which somebody waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.db import db
from portal.models import Lab
from portal.reviews.queue.filters import QueueFilter
from portal.reviews.queue.queries import late, page_of
from portal.reviews.queue.statements import Queue, counts_of

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
    page = page_of(db.session(), queue, QueueFilter(sort="reply"), number=1, per_page=9, everybody=2)
    closed, waiting = admission.choice(went, desk.name), admission.choice(waits, desk.name)
    assert [row.id for row in page.items] == [waiting.id, closed.id]
    assert late(page.items, afterwards) == {waiting.id}
    assert counts_of(db.session(), queue, afterwards).late == 1
