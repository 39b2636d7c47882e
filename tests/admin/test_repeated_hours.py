"""Times that clocks show twice, as summer time ends."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.models import Cycle
from tests.admin.releases import staged
from tests.admin.test_cycles import FORM
from tests.people import submit

if TYPE_CHECKING:
    from tests.admission import Admission


def test_a_cycle_says_which_is_meant(admission: Admission) -> None:
    client, repeated = admission.admin.sign_in(), {"deadline_at": "2026-10-25T02:30", "zone": "Europe/Berlin"}
    page = client.get(submit(client, "/admin/new-cycle", FORM | repeated).location).text
    assert "25 Oct 2026, 02:30 (Berlin, UTC+02:00)" in page
    assert "twice, since summer time ends: 25 Oct 2026, 02:30. The first of the two is meant. For the second" in page
    created = admission.session.scalars(select(Cycle).where(Cycle.slug == "fall-2027")).one()
    assert created.deadline_at == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    other = {"deadline_at": "2026-10-25T01:30", "zone": "UTC", "version": "1"}
    assert "twice" not in client.get(submit(client, "/admin/cycles/fall-2027", FORM | other).location).text


def test_a_release_says_which_is_meant(admission: Admission) -> None:
    decision, _ = staged(admission)
    admission.cycle.zone = "Europe/Berlin"
    admission.session.commit()
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/releases"
    form = {"decision": [str(decision)], "due_at": "2031-10-26T02:30"}
    prepared = client.get(submit(client, page.removesuffix("s"), form, page=page).location).text
    assert "26 Oct 2031, 02:30. The first of the two is meant." in prepared
