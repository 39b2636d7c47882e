"""What becomes of applications when their cycle is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.models import Decision
from tests.admin.releases import release
from tests.people import submit

if TYPE_CHECKING:
    from tests.admission import Admission


def test_what_was_not_eligible_is_read_by_no_lab_in_a_closed_cycle_and_keeps_its_reason(admission: Admission) -> None:
    person = admission.add_applicant("Zoe Hidden")
    refused = admission.submitted(person, "Systems")
    admission.after_deadline()
    admission.one_move(refused, "mark_ineligible", "admin", message="The degree is missing.")
    read = admission.eligible(admission.add_applicant("Ann Readable"), "Systems")
    for move_name in ("start_review", "decline"):
        admission.one_move(admission.choice(read, "Systems"), move_name, "leader")
    release(admission, *admission.session.scalars(select(Decision.id)))
    submit(admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/close", {})
    admission.session.expire_all()
    assert (admission.cycle.closed_at is not None, refused.state, read.state) == (True, "ineligible", "closed")
    professor, queue = admission.leaders["Systems"].sign_in(), "/reviews/systems"
    statuses = [
        professor.get(f"{queue}/choices/{admission.choice(application, 'Systems').id}").status_code
        for application in (refused, read)
    ]
    assert statuses == [404, 200]
    for page in ("/", "/board", "/applicants.csv"):
        text = professor.get(queue + page).text
        assert ("Ann Readable" in text, "Zoe Hidden" in text) == (True, False), page
    assert "The degree is missing." in person.sign_in().get(f"/me/application/{admission.cycle.slug}/").text
