"""The list of a lab's interview times, in pages."""

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


def test_a_page_has_25_times_ahead_and_25_before(app: Flask) -> None:
    with app.app_context():
        admission = add_admission(app, now=NOW - timedelta(days=40))
        admission.add_lab("Ada Lab")
        lab = {"lab_id": admission.labs["Ada Lab"], "cycle_id": admission.cycle_id, "zone": "UTC", "created_at": NOW}
        for number in range(27):
            hours = timedelta(hours=number + 1)
            for name, starts_at in (("ahead", NOW + hours), ("before", NOW - hours)):
                about = {"uid": f"{name}-{number}", "where": f"{name} {number}"}
                db.session.add(InterviewSlot(starts_at=starts_at, **about, **lab))
        db.session.commit()
        address = f"/reviews/ada-lab/interviews?cycle={admission.cycle.slug}"
    client = admission.leaders["Ada Lab"].sign_in()

    def shown(query: str) -> dict[str, set[int]]:
        page = client.get(address + query).text
        assert "27 times free" in page
        assert ("<details open>" in page) == ("past" in query)
        return {name: {int(n) for n in re.findall(f">{name} (\\d+)<", page)} for name in ("ahead", "before")}

    first, second = set(range(25)), {25, 26}
    assert shown("") == {"ahead": first, "before": first}
    assert shown("&page=2") == {"ahead": second, "before": first}
    assert shown("&page=2&past=99") == {"ahead": second, "before": second}
