"""How long labs take to reply: the figure, where it stands, and that nothing of it moves before a release."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.cycles import median_days, reply_days
from portal.web.paging import page_of
from tests.admission import Admission, admission_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient

NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.mark.parametrize(
    ("hours", "days"),
    [([], None), ([24] * 4, None), ([24] * 5, 1), ([1, 1, 1, 1, 1], 1), ([24, 48, 49, 500, 900], 3), ([-5] * 9, None)],
)
def test_the_median_is_said_in_begun_days_from_five_replies_on(hours: list[int], days: int | None) -> None:
    assert median_days([(NOW, NOW + timedelta(hours=count)) for count in hours]) == days


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A lab with six eligible applicants, found so twenty days ago."""
    with admission_of(app, "Ada Lab", now=NOW - timedelta(days=50)) as made:
        yield made


def test_a_lab_is_shown_with_its_median_and_decisions_count_once_released(
    client: FlaskClient, admission: Admission
) -> None:
    applications = [admission.eligible(admission.add_applicant(), "Ada Lab") for _ in range(6)]
    choices = [admission.choice(application, "Ada Lab") for application in applications]
    began = admission.now
    admission.later(days=10)
    for choice in choices[:4]:
        admission.move(choice, "start_review", "shortlist", "invite_to_interview", as_="leader")
    for choice in choices[4:]:
        admission.move(choice, "start_review", "decline", as_="leader")
    admin, address = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/replies"

    def shown() -> tuple[int | None, bool, bool]:
        known = "half within" in client.get("/labs/ada-lab").text
        return reply_days(db.session(), choices[0].lab_id, NOW), known, "10 days" in admin.get(address).text

    assert shown() == (None, False, False)
    admission.move(choices[4], "release", as_="admin")
    assert shown() == (10, True, True)
    assert began < NOW
    choices[5].state = "in_review"
    choices[5].reply_by_at = NOW - timedelta(days=1)
    db.session.commit()
    assert "1 late" in admin.get(address).text
    assert "1 late reply" in admin.get("/admin/").text
    assert [admin.get(f"/admin/cycles/{bad}/replies").status_code for bad in ("no-such", "%00")] == [404, 404]


def test_labs_that_owe_replies_are_listed_in_pages_and_counted_in_all(
    admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.admin.cycles.replies.page_of", partial(page_of, per_page=1))
    admission.add_lab("Bit Lab")
    admission.eligible(admission.add_applicant(), "Ada Lab", "Bit Lab")
    admin = admission.admin.sign_in()

    def listed(number: int) -> list[str]:
        page = admin.get(f"/admin/cycles/{admission.cycle.slug}/replies?page={number}").text
        assert "2 replies are open" in page
        return [name for name in ("Ada Lab", "Bit Lab") if f">{name}</a>" in page]

    assert [listed(number) for number in (1, 2, 99)] == [["Ada Lab"], ["Bit Lab"], ["Bit Lab"]]


def test_a_closed_cycle_without_applications_promises_none(admission: Admission) -> None:
    admin, cycle = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}"
    pages = (cycle, f"{cycle}/assignment", f"{cycle}/replies")

    def promising() -> list[bool]:
        texts = [admin.get(page).text for page in pages]
        return [any(words in text for words in ("None yet", "appear here once")) for text in texts]

    assert promising() == [True, True, True]
    admission.cycle.closed_at = NOW
    db.session.commit()
    assert promising() == [False, False, False]
