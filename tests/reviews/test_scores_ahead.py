"""Discover is scored ahead by the clock, and reads texts only of whom it shows."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from portal.db import db
from portal.labs.live_index.live import live_index
from portal.matching import LabIndex
from portal.models import Conflict, Interests, QueueVisit
from portal.reviews.clockwork import score_ahead
from portal.reviews.scoreboard import WORTH_SAVING
from portal.web.work import job_queue
from tests.admission import Admission, add_admission
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flask import Flask

    from portal.matching import Match, Query

NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A lab that somebody has read lately, another that nobody reads, and people whom both may find."""
    with app.app_context():
        made = add_admission(app, now=NOW)
        made.add_lab("Read")
        made.add_lab("Unread")
        for _ in range(WORTH_SAVING):
            made.add_applicant()
        made.session.execute(update(Interests).values(discoverable=True))
        reader = made.leaders["Read"].id
        made.session.add(QueueVisit(lab_id=made.labs["Read"], reviewer_id=reader, visited_at=NOW - timedelta(days=3)))
        made.session.commit()
        yield made


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """For which labs the matcher was asked to score somebody, person by person; a page asks lab by lab."""
    calls: list[tuple[str, ...]] = []
    ahead, of_page = LabIndex.scores, LabIndex.rank_reverse

    def counted(index: LabIndex, query: Query, labs: Sequence[str]) -> list[float]:
        calls.append(tuple(sorted(labs)))
        return ahead(index, query, labs)

    def counted_of_page(index: LabIndex, lab: str, queries: Mapping[str, Query]) -> list[Match]:
        calls.append((lab,) * len(queries))
        return of_page(index, lab, queries)

    monkeypatch.setattr(LabIndex, "scores", counted)
    monkeypatch.setattr(LabIndex, "rank_reverse", counted_of_page)
    return calls


def test_labs_that_are_read_are_scored_before_anybody_looks(
    admission: Admission, scored: list[tuple[str, ...]]
) -> None:
    live_index(admission.app).current(db.session())
    score_ahead(db.session(), NOW)
    assert scored == [("read", "unread")] * WORTH_SAVING, "what somebody states is read once for all labs"
    score_ahead(db.session(), NOW)
    for lab in ("Read", "Unread"):
        assert admission.leaders[lab].sign_in().get(f"/reviews/{lab.lower()}/discover").status_code == 200
    assert len(scored) == WORTH_SAVING


def test_a_process_that_is_about_to_end_scores_nobody_else_and_keeps_whom_it_has_scored(
    admission: Admission, scored: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.reviews.scoreboard.READ_AT_ONCE", 5)
    queue = job_queue(admission.app)
    ahead = LabIndex.scores

    def stopping_soon(index: LabIndex, query: Query, labs: Sequence[str]) -> list[float]:
        queue.is_stopping = len(scored) >= 6
        return ahead(index, query, labs)

    monkeypatch.setattr(LabIndex, "scores", stopping_soon)
    score_ahead(db.session(), NOW)
    assert len(scored) == 10
    queue.is_stopping = True
    score_ahead(db.session(), NOW)
    assert len(scored) == 10
    queue.is_stopping = False
    monkeypatch.setattr(LabIndex, "scores", ahead)
    score_ahead(db.session(), NOW)
    assert len(scored) == WORTH_SAVING


def test_no_more_labs_are_scored_ahead_than_are_cached_and_those_first_that_were_read_last(
    admission: Admission, scored: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.reviews.clockwork.MOST_LABS", 1)
    assert len(admission.labs) == 2
    score_ahead(db.session(), NOW)
    assert scored == [("read",)] * WORTH_SAVING


def test_whom_a_request_does_not_score_is_counted_and_ranked_later(
    admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.reviews.discover.SCORED_IN_A_REQUEST", 3)
    client = admission.leaders["Read"].sign_in()
    hidden, last = list(admission.session.scalars(select(Interests.user_id).order_by(Interests.user_id)))[-2:]
    conflict = {"reviewer_id": admission.leaders["Read"].id, "applicant_id": hidden}
    admission.session.add(Conflict(**conflict, state="declared", changed_at=NOW))
    admission.session.commit()
    page = client.get("/reviews/read/discover").text
    everybody = WORTH_SAVING - 1  # whom a conflict hides from the reader is not counted
    assert (page.count('<article class="match'), f"{everybody - 3} more people are not ranked yet" in page) == (3, True)
    assert client.get(f"/reviews/read/discover/{last}").status_code == 200  # whoever is asked for is scored
    score_ahead(db.session(), NOW)
    page = client.get("/reviews/read/discover").text
    assert (f"{everybody} applicants" in page, "not ranked yet" in page) == (True, False)


def test_the_list_reads_texts_of_those_only_whom_it_shows(
    admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is scored already is listed from columns; a page of five reads five resumes."""
    monkeypatch.setattr("portal.reviews.discover.PER_PAGE", 5)
    client = admission.leaders["Read"].sign_in()
    client.get("/reviews/read/discover")
    with statements_sent(admission.app) as statements:
        page = client.get("/reviews/read/discover").text
    (with_texts,) = [statement for statement in statements if "resume.hidden_text" in statement]
    ids = re.search(r"user_account\.id IN \((.*?)\) ORDER BY", with_texts)
    assert ids is not None
    assert ids[1].count(", ") == 5 - 1
    assert page.count('<article class="match') == 5
