"""The list of a lab's interview times."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from portal.db import db
from portal.models import InterviewSlot
from tests.admission import add_admission

if TYPE_CHECKING:
    from flask import Flask

NOW = datetime.now(UTC).replace(microsecond=0)


def test_times_ahead_come_first_and_past_ones_newest_first(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app, now=NOW - timedelta(days=40))
        admission.add_lab("Ada Lab")
        lab = {"lab_id": admission.labs["Ada Lab"], "cycle_id": admission.cycle_id, "zone": "UTC", "created_at": NOW}
        for number in range(3):
            days = timedelta(days=number + 1)
            for name, starts_at in (("ahead", NOW + days), ("before", NOW - days)):
                about = {"uid": f"{name}-{number}", "where": f"{name} {number}"}
                db.session.add(InterviewSlot(starts_at=starts_at, **about, **lab))
        db.session.commit()
        address = f"/reviews/ada-lab/interviews?cycle={admission.cycle.slug}"
    page = admission.leaders["Ada Lab"].sign_in().get(address).text
    assert "3 times free" in page
    assert re.findall(r">((?:ahead|before) \d+)<", page) == [
        *("ahead 0", "ahead 1", "ahead 2"),
        *("before 0", "before 1", "before 2"),
    ]
