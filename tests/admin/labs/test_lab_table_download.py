"""The table of labs that is downloaded holds the labs that were looked for, and can be brought back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.db import db
from portal.labs.queries import profile_of
from portal.labs.service import create_lab
from portal.models import Lab
from portal.seeding.imports.labs_table import plan_labs
from portal.seeding.reader import read_import
from tests.admin.desk import NOW, PROFILE

if TYPE_CHECKING:
    from tests.admin.desk import Desk


def test_the_table_that_is_downloaded_proposes_nothing_when_it_is_brought_back_and_what_was_changed_in_it(
    desk: Desk,
) -> None:
    with desk.app.app_context():
        told = replace(
            PROFILE,
            key="second-lab",
            name="Second Lab 王",
            leader="Ada Second",
            homepage="https://second.example/",
            members=(),
            topics=("Distributed, parallel computing",),
            about="Fast;-)\n=and safe",
            recruiting="- Ph.D. students\n- one postdoc",
        )
        create_lab(db.session(), told, author=None, reason="for a test", now=NOW)
        db.session.commit()
        profiles = {lab.slug: profile_of(db.session(), lab) for lab in db.session.scalars(select(Lab))}
    assert "Download these 2 labs as CSV" in desk.client.get("/admin/labs/").text
    file = desk.client.get("/admin/labs.csv").data
    assert plan_labs(profiles, read_import(file, filename="labs.csv")) == ()
    changed = file.replace(b"one postdoc", b"two postdocs")
    (plan,) = plan_labs(profiles, read_import(changed, filename="labs.csv"))
    assert (plan.lab, [proposal.path for proposal in plan.proposals]) == ("second-lab", ["recruiting"])


def test_the_table_that_is_downloaded_holds_the_labs_that_were_looked_for(desk: Desk) -> None:
    page = desk.client.get("/admin/labs/?q=relax&confirmed=no").text
    assert 'href="/admin/labs.csv?q=relax&amp;confirmed=no" download>Download this lab as CSV</a>' in page
    head = desk.client.get("/admin/labs.csv?q=nothing-like-it").get_data(as_text=True).splitlines()
    assert len(head) == 1
    assert desk.client.get("/admin/labs.csv?q=relax").get_data(as_text=True).count("Relaxed Lab") == 1
