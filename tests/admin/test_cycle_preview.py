"""A cycle as applicants and professors see it: the real pages, with made-up people, read only."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal.admin.cycles.preview import without_controls
from portal.db import Base, db
from portal.models import LabReviewing
from tests.admission import Admission, add_admission
from tests.hanging import no_hanging

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

MAIN = re.compile(r"<main\b.*</main>", re.DOTALL)


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        questions = [{"key": "why", "text": "Why a Ph.D.?", "help": "", "required": True}]
        one = add_admission(app, now=datetime.now(UTC).replace(microsecond=0), questions=questions, referees=2)
        one.add_lab("Systems")
        one.add_lab("Vision", "Recognising pictures")
        yield one
        db.session.remove()


def _rows() -> dict[str, int]:
    db.session.rollback()
    return {
        table.name: db.session.scalar(select(func.count()).select_from(table)) or 0
        for table in Base.metadata.sorted_tables
    }


def _see(admission: Admission, who: str, when: str) -> str:
    page = admission.admin.sign_in().get(f"/admin/cycles/{admission.cycle.slug}/preview/{who}/{when}")
    assert page.status_code == 200
    found = MAIN.search(page.text)
    assert found is not None
    return found.group()


@pytest.mark.parametrize(
    ("who", "when", "said"),
    [
        ("applicant", "before", ["You cannot apply in this cycle now", " opens on "]),
        (
            "applicant",
            "open",
            ["Why a Ph.D.?", "Checklist", "2 referees asked for a letter", "Systems", "Submit to 2 labs"],
        ),
        ("applicant", "closed", ["You cannot apply in this cycle now", "The deadline of"]),
        ("professor", "before", ["Nobody to review yet"]),
        ("professor", "open", ["Nobody to review yet"]),
        ("professor", "closed", ["Cleo Example", "Shortlisted", "5 applicants", "distributed training"]),
    ],
)
def test_each_is_the_real_page_marked_read_only_and_nothing_is_stored(
    admission: Admission, who: str, when: str, said: list[str]
) -> None:
    admission.admin.sign_in()
    before = _rows()
    page = _see(admission, who, when)
    assert [text for text in ["Preview: ", "nothing is stored", *said] if text not in page] == []
    content = page.split("Back to the cycle", 1)[1]
    controls = re.findall(r"<(?:input|button|select|textarea)\b[^>]*>", content)
    assert [control for control in controls if " disabled" not in control] == []
    assert re.findall(r"<form\b[^>]*action=", content) == []
    assert re.findall(r"<a\b[^>]*href=\"(?!#)", content) == []
    assert "csrf_token" not in content
    assert _rows() == before


def test_where_a_lab_reviews_blind_the_preview_is_blind(admission: Admission) -> None:
    lab = admission.labs["Systems"]
    db.session.add(LabReviewing(lab_id=lab, blind_first=True, changed_at=admission.now))
    db.session.commit()
    page = _see(admission, "professor", "closed")
    assert "Applicant 3" in page
    assert "Cleo" not in page


def test_a_portal_without_labs_and_a_cycle_that_is_closed_have_previews_too(app: Flask) -> None:
    with app.app_context():
        one = add_admission(app)
        one.cycle.closed_at = one.now
        db.session.commit()
        assert "You have not chosen a lab yet." in _see(one, "applicant", "open")
        assert "is closed." in _see(one, "applicant", "closed")
        assert "Example Lab" in _see(one, "professor", "closed")


def test_only_what_stands_in_the_content_is_made_read_only() -> None:
    form = '<form action="/y" data-autosave><a href="/z">z</a><button>B</button></form>'
    page = f'<nav><a href="/x">x</a></nav><main id="main">{form}</main>'
    assert without_controls(page, "BAND") == (
        '<nav><a href="/x">x</a></nav><main id="main">BAND<form><a>z</a><button disabled>B</button></form></main>'
    )


def test_a_page_of_unfinished_tags_is_looked_through_once() -> None:
    for tag in ("<a ", "<form ", "<input ", '<input name="csrf_token" ', "<main>"):
        inner = tag * (400_000 // len(tag))
        with no_hanging():
            assert without_controls(f"<main>{inner}", "") == f"<main>{inner}"
            without_controls(f"<main>{inner}</main>", "")
