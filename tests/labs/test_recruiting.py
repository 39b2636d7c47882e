"""Which revisions are news, noted as they are saved and for those of before by the migration."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.db import db
from portal.labs import recruiting as module
from portal.labs.recruiting import recruiting_news
from portal.models import LabRevision
from portal.seeding.records import OpeningRecord, Origin
from tests.databases import application_over_each
from tests.labs.records import GENOMES, SAVED, edit, store

if TYPE_CHECKING:
    from flask import Flask


OPENING = OpeningRecord("o", "postdoc", text="Read with us.")
OVER = OpeningRecord("p", "phd", text="Write with us.", deadline="2026-01-01")
app = application_over_each()


@pytest.fixture
def saved(app: Flask) -> list[bool]:
    """Revisions of two labs; of each, whether it changes what the lab recruits."""
    silent = replace(GENOMES, openings=(), recruiting="", recruiting_focus="")
    store(app, replace(silent, key="other", name="Other"), silent)
    hiring = replace(silent, openings=(OPENING,))
    steps = [
        (replace(silent, about="We read."), False),
        (hiring, True),
        (replace(hiring, openings=(replace(OPENING, origins=(Origin("pages/x.txt", 9),)),)), False),
        (replace(hiring, openings=(OPENING, OVER)), False),
        (replace(silent, recruiting_focus="Readers."), True),
        (replace(silent, recruiting_focus="Readers.", about="We write."), False),
    ]
    for day, (record, _) in enumerate(steps, start=1):
        edit(app, record, saved=SAVED + timedelta(days=day))
    return [False, False, *(changes for _, changes in steps)]


def noted() -> list[bool]:
    db.session.rollback()
    return list(db.session.scalars(select(LabRevision.changes_recruiting).order_by(LabRevision.id)))


def test_a_save_notes_whether_it_is_news_and_the_feed_reads_those_alone(
    saved: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert noted() == saved
    monkeypatch.setattr(module, "LOOKED_THROUGH", 2)
    assert [news.lines for news in recruiting_news(db.session())] == [
        ["Readers.", "Position taken out: Postdoc."],
        ["New position: Postdoc. Read with us."],
    ]
