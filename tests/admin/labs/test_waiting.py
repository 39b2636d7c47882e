"""What the first page of the administration says waits: for whom, and with the way to it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import TYPE_CHECKING

from portal.models import OutboxMail
from tests.admin.cycles.releases import prepare, staged
from tests.people import add_person, submit

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from tests.admission import Admission


def waiting(client: FlaskClient) -> list[str]:
    """The lines of the list, tags taken out."""
    listed = client.get("/admin/").text.partition("Waiting for you")[2].partition("</ul>")[0]
    lines = re.findall(r"<li class=\"row-with-act\"><span>(.*?)</span>", listed, re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]+>", "", line)).split()) for line in lines]


def test_a_release_waits_for_the_approval_of_those_who_did_not_prepare_it(admission: Admission) -> None:
    decision, _ = staged(admission)
    address = prepare(admission, decision).location
    first, second = admission.admin.sign_in(), add_person(admission.app, "admin").sign_in()
    of_release = f"{admission.cycle.name}: release of 1 decision"
    assert waiting(first)[0] == f"{of_release} needs another administrator"
    assert waiting(second)[0] == f"{of_release} needs your approval"
    assert waiting(second)[1] == f"{admission.cycle.name}: 1 decision to release"
    assert f'href="{address}">Approve</a>' in second.get("/admin/").text
    submit(second, f"{address}/hold", {}, page=address)
    assert waiting(second)[0] == f"{of_release}, held, needs your approval"
    submit(second, f"{address}/approve", {}, page=address)
    assert not any("release of" in line for line in waiting(second))


def test_late_replies_and_mail_that_was_given_up_wait_too(admission: Admission) -> None:
    one = admission.eligible(admission.add_applicant(), "Systems")
    client, now = admission.admin.sign_in(), datetime.now(UTC)
    assert not any("late" in line or "delivered" in line for line in waiting(client))
    one.choices[0].reply_by_at = now - timedelta(days=1)
    lost = OutboxMail(
        kind="digest", user_id=None, address="a@example.org", message_id="m", state="dead", due_at=now, created_at=now
    )
    admission.session.add(lost)
    admission.session.commit()
    assert {f"{admission.cycle.name}: 1 late reply", "1 mail could not be delivered"} <= set(waiting(client))
    assert "a@example.org" in client.get("/admin/outbox?state=dead").text
    admission.cycle.closed_at = now
    admission.session.commit()
    assert not any("late" in line for line in waiting(client))
