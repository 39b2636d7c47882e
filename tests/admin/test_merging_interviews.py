"""Two accounts of one person that interview at the same time: said before they are merged."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from portal.db import db
from portal.models import InterviewSlot
from tests.admission import Admission, add_admission

if TYPE_CHECKING:
    from flask import Flask


def _slot(admission: Admission, lab: str, in_minutes: int) -> InterviewSlot:
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    slot = InterviewSlot(
        lab_id=admission.labs[lab],
        cycle_id=admission.cycle_id,
        interviewer_id=admission.leaders[lab].id,
        uid=f"{lab}-{in_minutes}",
        starts_at=now + timedelta(minutes=in_minutes),
        minutes=30,
        zone="UTC",
        created_at=now,
    )
    db.session.add(slot)
    db.session.commit()
    return slot


def test_interviews_at_the_same_time_are_said_and_forbid_nothing(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app)
        for lab in ("Systems", "Vision"):
            admission.add_lab(lab)
        client = admission.admin.sign_in()
        kept, other = admission.leaders["Systems"], admission.leaders["Vision"]
        address = f"/admin/people/{kept.id}/merge?other={other.email}"
        _slot(admission, "Systems", 600)
        _slot(admission, "Vision", 630)  # begins when the other one ends
        later = _slot(admission, "Vision", 629)
        page = client.get(address).text
        assert page.count(", for 30 minutes, and Vision, ") == 1
        assert f"{later.starts_at:%H:%M}" in page
        assert "Merge and close" in page
        later.cancelled_at = datetime.now(UTC)
        db.session.commit()
        assert "Interviews at the same time" not in client.get(address).text
