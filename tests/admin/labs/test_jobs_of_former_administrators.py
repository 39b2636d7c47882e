"""A job that waited until whoever asked for it is suspended or no administrator any more decides nothing for them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal.admin.labs.imports import pages as work
from portal.db import db
from portal.models import Job, LabImport, LabProposal, User
from portal.web.work import job_queue
from tests.admission import add_admission
from tests.people import submit

if TYPE_CHECKING:
    from flask import Flask

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
BIBTEX = "@article{one, title={Serving models on few GPUs}, author={Ada Lovelace and Bo Li}, year={2025}}"


@pytest.mark.parametrize("now", ["suspended", "an applicant", "an administrator"])
def test_proposals_are_decided_only_for_who_is_an_administrator_then(app: Flask, now: str) -> None:
    with app.app_context():
        admission = add_admission(app, now=NOW)
        admission.add_lab("Systems")
        submit(admission.admin.sign_in(), "/admin/labs/systems/imports", {"text": BIBTEX})
        admin = db.session.get_one(User, admission.admin.id)
        number = db.session.scalars(select(LabImport.id)).one()
        asked = {"import": number, "author": admin.id, "reason": "They are right."}
        job = Job(kind=work.ACCEPT, title="Accept proposals", arguments=asked, created_by_id=admin.id, created_at=NOW)
        db.session.add(job)
        admin.active = now != "suspended"
        if now == "an applicant":
            admin.roles = []
        db.session.commit()
        job_queue(app).do_due()
        db.session.expire_all()
        is_open = select(func.count()).select_from(LabProposal).where(LabProposal.state == "open")
        expected = ("done", 0) if now == "an administrator" else ("refused", 1)
        assert (job.state, min(db.session.scalar(is_open) or 0, 1)) == expected
