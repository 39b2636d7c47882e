"""A lab with everything in it, and an administrator at work on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from portal.db import db
from portal.labs.queries import lab_by_slug, profile_of
from portal.labs.service import create_lab, save_profile
from portal.seeding.records import (
    ActivityRecord,
    LabRecord,
    Link,
    MemberRecord,
    OpeningRecord,
    Origin,
    SystemRecord,
    WorkRecord,
)
from tests.people import csrf_token
from tests.revisions import revisions_of

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
FROM_PAGE = (Origin("page.txt", 3),)
PROFILE = LabRecord(
    key="relaxed-lab",
    name="Relaxed Lab",
    leader="Bin Yuan",
    leader_title="Assistant Professor",
    institution="HKUST",
    department="CSE",
    place="Hong Kong",
    homepage="https://relaxed.example/",
    about="We relax.\n\nA lot.",
    interests="Machine learning systems.",
    recruiting="We recruit.",
    recruiting_focus="Students who like GPUs.",
    contact="Write an e-mail.",
    topics=("LLM serving", "decentralised training"),
    hardware=("GPU", "TPU"),
    figures=(("citations", 1219), ("h-index", 39)),
    members=(
        MemberRecord("bin-yuan", "Bin Yuan", "leader"),
        MemberRecord(
            "ran-yan",
            "Ran Yan",
            "phd_student",
            term="2023-Fall",
            degrees=("BS@PKU",),
            homepage="https://ran.example/",
            co_supervisor="Prof. Li",
            now="",
            interests="Serving.",
            origins=FROM_PAGE,
        ),
    ),
    works=(
        WorkRecord(
            "flexgen",
            "FlexGen: High-throughput generative inference",
            authors=("Ying Sheng", "Bin Yuan"),
            venue="ICML",
            venue_full="International Conference on Machine Learning",
            year=2023,
            date="Jul 2023",
            subject="LG",
            abstract="We serve large models on one GPU.",
            links=(Link("code", "https://code.example/flexgen"),),
            awards=("Oral",),
            origins=FROM_PAGE,
        ),
        WorkRecord("hexgen", "HexGen", authors=("Youhe Jiang",), venue="ICML", year=2024),
        WorkRecord("heart", "Cardiology of mice", year=2019, question="Does this work belong to the lab?"),
    ),
    systems=(SystemRecord("flexgen", "FlexGen", "Serves.", "https://flexgen.example/", ("flexgen",)),),
    activities=(
        ActivityRecord(
            "course-1",
            "course",
            "Machine Learning Systems",
            person="Bin Yuan",
            organisation="HKUST",
            when="Spring 2024",
            year=2024,
            note="Nice.",
            links=(Link("page", "https://course.example/"),),
        ),
    ),
    openings=(
        OpeningRecord("phd", "phd", "Two students.", seats=2, funding="full", start="Fall 2027", deadline="2026-12-15"),
    ),
    origins=(("about", Origin("page.txt", 1)), ("place", Origin("page.txt", 2))),
)


@dataclass
class Desk:
    """An administrator at work on the labs: a signed-in client that fills in the forms of pages."""

    app: Flask
    client: FlaskClient
    email: str

    def post(self, url: str, data: dict[str, Any], *, page: str | None = None) -> TestResponse:
        """Send a form with the token of the page it stands on."""
        return self.client.post(url, data={"csrf_token": csrf_token(self.client, page or url), **data})

    def profile(self, slug: str = PROFILE.key) -> LabRecord:
        """The profile as it is saved now."""
        with self.app.app_context():
            lab = lab_by_slug(db.session(), slug)
            assert lab is not None
            return profile_of(db.session(), lab)

    def revision_number(self, slug: str = PROFILE.key) -> int:
        with self.app.app_context():
            lab = lab_by_slug(db.session(), slug)
            assert lab is not None
            return lab.revision_number

    def reasons(self, slug: str = PROFILE.key) -> list[str]:
        """The reasons of all revisions, newest first."""
        with self.app.app_context():
            lab = lab_by_slug(db.session(), slug)
            assert lab is not None
            return [revision.reason for revision in revisions_of(db.session(), lab)]

    def saves(self, reason: str = "By somebody else", slug: str = PROFILE.key, **changes: Any) -> LabRecord:  # noqa: ANN401
        """Somebody else saves the profile with some fields changed."""
        record = replace(self.profile(slug), **changes)
        self.saves_as(record, reason)
        return record

    def saves_as(self, record: LabRecord, reason: str = "By somebody else") -> None:
        with self.app.app_context():
            lab = lab_by_slug(db.session(), record.key)
            assert lab is not None
            save_profile(db.session(), lab, record, base=lab.revision_number, author=None, reason=reason, now=NOW)
            db.session.commit()


def store(app: Flask, record: LabRecord) -> None:
    """Store a lab as the command line would."""
    with app.app_context():
        create_lab(db.session(), record, author=None, reason="Made for a test", now=NOW)
        db.session.commit()
