"""The ranking follows a save at once: in this process, and in every other over the same database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.app import create_app
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.labs.matches import matches_for
from portal.matching import Query
from portal.seeding.records import LabRecord
from tests.admin.desk import store

if TYPE_CHECKING:
    from flask import Flask

    from tests.admin.desk import Desk
    from tests.conftest import Settings


def ranking(app: Flask, text: str) -> list[str]:
    """The labs for a text, best first."""
    with app.app_context():
        found = [match.slug for match in matches_for(live_index(app).current(db.session()), Query(statement=text))]
        db.session.remove()
        return found


def test_an_edit_changes_the_ranking_in_every_process_from_the_next_request_on(
    app: Flask, desk: Desk, settings: Settings
) -> None:
    store(app, LabRecord("other-lab", "Other Lab", interests="Query optimisation in relational databases."))
    worker = create_app(settings)
    wanted = "photonic interconnects"
    assert ranking(app, wanted) == ranking(worker, wanted) == []
    data = {"recruiting_focus": "Students for photonic interconnects.", "base": 1, "reason": "A new project"}
    assert desk.post("/admin/labs/relaxed-lab/edit", data).status_code == 302
    assert ranking(app, wanted) == ["relaxed-lab"]
    assert ranking(worker, wanted) == ["relaxed-lab"]
    url = "/admin/labs/other-lab/edit"
    focus = {"recruiting_focus": "Photonic interconnects. Photonic interconnects!", "base": 1, "reason": "So do we"}
    assert desk.post(url, focus).status_code == 302
    assert set(ranking(worker, wanted)) == {"relaxed-lab", "other-lab"}
    undo = {"undo-reason": "Cancelled"}
    assert desk.post("/admin/labs/relaxed-lab/history/2/undo", undo, page="/admin/new-lab").status_code == 302
    assert ranking(worker, wanted) == ["other-lab"]
    assert ranking(app, wanted) == ["other-lab"]
    with worker.app_context():
        db.engine.dispose()
