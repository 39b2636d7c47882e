from __future__ import annotations

import ast
import csv
import gc
import io
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import event, select

import portal
from portal import audit
from portal.admin.system.audit_log.words import ACTS
from portal.db import db
from portal.models import AuditEntry
from tests.admin.desk import NOW

if TYPE_CHECKING:
    from tests.admin.desk import Desk
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
            audit.record(db.session(), None, "test.odd" if number % 2 else "test.even", "thing", f"thing-{number}", NOW)
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


def test_every_act_in_the_code_is_said_in_words() -> None:
    said = {
        node.value
        for path in Path(portal.__file__).parent.rglob("*.py")
        if "audit" in path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    kinds = {act.partition(".")[0] for act in ACTS}
    acts = {text for text in said if re.fullmatch(r"[a-z]+\.[a-z_]*[a-z]", text) and text.partition(".")[0] in kinds}
    ends = (".ics", ".csv", ".address", ".id", ".home")  # names of files, formats and pages
    assert sorted(act for act in acts - ACTS.keys() if not act.endswith(ends)) == []
    assert {"lab.save", "account.invite", "application.submit", "cycle.close"} <= ACTS.keys()


def _entries(desk: Desk) -> None:
    """Three entries around a midnight, one of whose things looks like a formula."""
    with desk.app.app_context():
        for number, at in enumerate(("2026-11-01T23:59:00", "2026-11-02T00:00:00", "2026-11-02T23:59:59")):
            moment = datetime.fromisoformat(at).replace(tzinfo=UTC)
            key = f"=cmd|{number}"
            audit.record(db.session(), None, "lab.save", "lab", key, moment)
        db.session.commit()


def test_both_days_belong_to_what_is_shown_and_bad_ones_are_told_beside_their_field(desk: Desk) -> None:
    _entries(desk)
    page = desk.client.get("/admin/audit?since=2026-11-02&until=2026-11-02").text
    assert "2 entries" in page
    assert "cmd|0" not in page
    desk.client.set_cookie("zone", "Asia/Hong_Kong")  # the day begins and ends eight hours earlier there
    page = desk.client.get("/admin/audit?since=2026-11-02&until=2026-11-02").text
    assert ("cmd|0" in page, "cmd|1" in page, "cmd|2" in page) == (True, True, False)
    bad = desk.client.get("/admin/audit?since=2.11.2026")
    assert bad.status_code == 422
    assert "Write the day as 2026-12-31." in bad.text
    assert 'value="2.11.2026"' in bad.text


def test_what_the_filter_keeps_is_a_file_with_nothing_to_run_in_it(desk: Desk) -> None:
    _entries(desk)
    query = "since=2026-11-02&until=2026-11-02"
    table = desk.client.get(f"/admin/audit/audit-log.csv?{query}")
    assert table.text.startswith("\ufeff"), "spreadsheets read it as Latin-1 otherwise"
    rows = list(csv.reader(io.StringIO(table.text, newline="")))
    assert [row[6] for row in rows] == ["object", "'=cmd|1", "'=cmd|2"]
    assert {row[4] for row in rows[1:]} == {"Saved a profile"}
    with desk.app.app_context():
        saved = select(AuditEntry.seal).where(AuditEntry.act == "lab.save").order_by(AuditEntry.position)
        seals = list(db.session.scalars(saved))
    assert [row[9] for row in rows[1:]] == seals[-2:]


def test_a_file_of_many_entries_is_sent_in_few_pieces(desk: Desk) -> None:
    with desk.app.app_context():
        for number in range(1_100):
            audit.record(db.session(), "a test", "lab.save", "lab", f"{number}", NOW)
        db.session.commit()
    response = desk.client.get("/admin/audit/audit-log.csv", buffered=False)
    pieces = [len(piece) for piece in response.response]
    response.close()
    assert len(pieces) <= 4
    assert sum(pieces) > 1_100 * 100


def test_a_file_that_was_read_whole_or_in_part_leaves_no_connection_behind(desk: Desk) -> None:
    with desk.app.app_context():
        engine = db.engine
    open_now: set[int] = set()
    event.listen(engine, "checkout", lambda _connection, record, _proxy: open_now.add(id(record)))
    event.listen(engine, "checkin", lambda _connection, record: open_now.discard(id(record)))
    gc.disable()
    try:
        assert desk.client.get("/admin/audit/audit-log.csv").data
        broken_off = desk.client.get("/admin/audit/audit-log.csv", buffered=False)
        next(iter(broken_off.response))
        broken_off.close()
        assert open_now == set()
    finally:
        gc.enable()
