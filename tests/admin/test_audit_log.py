from __future__ import annotations

from typing import TYPE_CHECKING

from portal import audit
from portal.db import db
from tests.admin.conftest import NOW

if TYPE_CHECKING:
    from tests.admin.conftest import Desk
    from tests.people import Person


def test_the_log_shows_who_did_what_with_the_values_before_and_after(desk: Desk) -> None:
    desk.post("/admin/labs/relaxed-lab/edit", {"about": "New", "base": 1, "reason": "A <b>reason</b>"})
    page = desk.client.get("/admin/audit").text
    assert "lab.save" in page
    assert desk.email in page
    assert "&#34;revision&#34;: 2" in page
    assert "A &lt;b&gt;reason&lt;/b&gt;" in page


def test_the_log_is_narrowed_and_paged(desk: Desk, admin: Person) -> None:
    with desk.app.app_context():
        for number in range(60):
            audit.record(
                db.session(),
                actor=None,
                act="test.odd" if number % 2 else "test.even",
                object_type="thing",
                object_key=f"thing-{number}",
                now=NOW,
            )
        db.session.commit()
    assert "1–25 of 61 entries" in desk.client.get("/admin/audit").text
    assert "30 entries" in desk.client.get("/admin/audit?act=test.odd&page=1").text.replace("1–25 of ", "")
    assert "thing-59" in desk.client.get("/admin/audit").text
    assert "thing-59" not in desk.client.get("/admin/audit?page=2").text
    one = desk.client.get("/admin/audit?about=thing-7").text
    assert "1 entry" in one
    by_me = desk.client.get(f"/admin/audit?person={admin.email}")
    assert "No entry fits" in by_me.text


def test_the_log_takes_no_changes(desk: Desk) -> None:
    for method in ("post", "put", "delete", "patch"):
        response = getattr(desk.client, method)("/admin/audit")
        assert response.status_code in {400, 405}
