"""Where scoring takes long, Discover says so at once, shows how far it is, and then the list."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from portal.jobs.progress import JobProgress
from portal.jobs.queue import JobQueue
from portal.jobs.running import run_job
from portal.labs.live_index.live import live_index
from portal.matching import LabIndex
from portal.models import Interests, Job
from portal.reviews.discover.scoreboard import EXTENSION, SavedScores, Scoreboard
from portal.reviews.discover.scoring import JUST_DONE, LONGEST_WAIT, PERCENT, SCORE
from portal.web.work import job_queue
from tests.admission import Admission, add_admission
from tests.at_once import at_once
from tests.labs.following import recruit_for
from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flask import Flask
    from werkzeug.test import TestResponse

    from portal.matching import Query

NOW = datetime.now(UTC).replace(microsecond=0)
PEOPLE = 4
DISCOVER = "/reviews/systems/discover"


@pytest.fixture
def admission(
    app: Flask,
    index_saved: None,  # noqa: ARG001  (it comes first)
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Admission]:
    """A lab that may find more people than are scored in a request; jobs wait until a test has them run."""
    monkeypatch.setattr("portal.reviews.discover.scoring.SCORED_IN_A_REQUEST", PEOPLE - 1)
    monkeypatch.setattr("portal.reviews.discover.scoreboard.WORTH_SAVING", 2)
    monkeypatch.setattr(JobQueue, "enqueue_job", lambda *_: None)
    with app.app_context():
        made = add_admission(app, now=NOW)
        made.add_lab("Systems")
        for _ in range(PEOPLE):
            made.add_applicant()
        made.session.execute(update(Interests).values(discoverable=True))
        made.session.commit()
        live_index(app).current(made.session)
        yield made


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many labs each person was scored for, one after another."""
    calls: list[int] = []
    ahead = LabIndex.scores

    def counted(index: LabIndex, query: Query, labs_asked: Sequence[str]) -> list[float]:
        calls.append(len(labs_asked))
        return ahead(index, query, labs_asked)

    monkeypatch.setattr(LabIndex, "scores", counted)
    return calls


def jobs(admission: Admission) -> list[Job]:
    admission.session.expire_all()
    return list(admission.session.scalars(select(Job).where(Job.kind == SCORE).order_by(Job.id)))


def run(admission: Admission) -> None:
    """Have another process do the jobs."""
    board = admission.app.extensions[EXTENSION]
    admission.app.extensions[EXTENSION] = Scoreboard(SavedScores(live_index(admission.app).saved.folder))
    queue = job_queue(admission.app)
    for row in jobs(admission):
        run_job(queue._open_session, row.id, lambda: False)
    admission.app.extensions[EXTENSION] = board


def asked(admission: Admission, url: str = DISCOVER) -> TestResponse:
    return admission.leaders["Systems"].sign_in().get(url)


def listed(answer: TestResponse) -> int:
    return answer.text.count('<article class="match')


def test_the_page_answers_at_once_shows_progress_and_arrives_at_the_list(admission: Admission) -> None:
    client = admission.leaders["Systems"].sign_in()
    page = client.get(f"{DISCOVER}?page=1")
    assert (page.status_code, page.headers["Refresh"], page.headers["Cache-Control"]) == (202, "4", "no-store")
    assert ("The scores for this list are being prepared" in page.text, listed(page)) == (True, 0)
    assert "Refresh" not in client.get(f"{DISCOVER}?live=1").headers
    (row,) = jobs(admission)
    assert client.get(f"/jobs/{row.id}").status_code == 200
    row.state, row.beat_at, row.done, row.total = "running", datetime.now(UTC), 40, 100
    admission.session.commit()
    assert 'max="100" value="40"' in client.get(DISCOVER).text
    progress = client.get(f"{DISCOVER}/scores").json
    assert progress == {"state": "running", "done": 40, "total": 100, "doing": ""}
    row.state = "waiting"
    admission.session.commit()
    run(admission)
    (row,) = jobs(admission)
    assert (row.state, row.done, row.total, row.outcome["path"]) == ("done", 100, 100, DISCOVER)
    assert client.get(f"{DISCOVER}/scores").json == {"state": "done"}
    page = client.get(f"{DISCOVER}?live=1")
    assert (page.status_code, listed(page), "Refresh" in page.headers) == (200, PEOPLE, False)


def test_the_page_of_an_applicant_waits_likewise_and_names_nobody(admission: Admission) -> None:
    found = admission.add_applicant("Wanjiru Kamau")
    admission.session.execute(update(Interests).values(discoverable=True))
    admission.session.commit()
    page = asked(admission, f"{DISCOVER}/{found.id}")
    assert (page.status_code, "Wanjiru" in page.text) == (202, False)
    assert asked(admission, f"{DISCOVER}/987654").status_code == 404
    run(admission)
    page = asked(admission, f"{DISCOVER}/{found.id}")
    assert (page.status_code, "Wanjiru" in page.text) == (200, True)


def test_few_people_are_scored_in_the_request(admission: Admission, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portal.reviews.discover.scoring.SCORED_IN_A_REQUEST", PEOPLE)
    page = asked(admission)
    assert (page.status_code, listed(page), jobs(admission)) == (200, PEOPLE, [])


def test_two_who_open_it_in_the_same_moment_and_everybody_after_them_follow_one_job(admission: Admission) -> None:
    clients = [admission.leaders["Systems"].sign_in(), admission.reviewers["Systems"].sign_in()]
    admission.session.rollback()
    answers = at_once(lambda number: clients[number].get(DISCOVER), 2)
    answers += [client.get(DISCOVER) for client in clients]
    assert [answer.status_code for answer in answers] == [202] * 4
    (row,) = jobs(admission)
    # Only who started it may cancel it and open its page; both see how far it is.
    starter = 0 if row.created_by_id == admission.leaders["Systems"].id else 1
    assert [f"/jobs/{row.id}/cancel" in answer.text for answer in answers[2:]] == [starter == 0, starter == 1]
    assert [client.get(f"{DISCOVER}/scores").json["state"] for client in clients] == ["waiting"] * 2  # type: ignore[index]


def test_who_may_not_see_the_list_is_refused_its_progress_and_starts_nothing(admission: Admission) -> None:
    admission.add_lab("Looms")
    stranger, applicant = admission.leaders["Looms"].sign_in(), admission.add_applicant().sign_in()
    for client in (stranger, applicant):
        sent = {"csrf_token": csrf_token(client, "/accounts/")}
        answers = [client.get(DISCOVER), client.get(f"{DISCOVER}/scores"), client.post(f"{DISCOVER}/scores", data=sent)]
        assert [answer.status_code for answer in answers] == [403] * 3
    assert admission.app.test_client().get(f"{DISCOVER}/scores").status_code == 302
    assert jobs(admission) == []


def test_progress_does_not_tell_how_many_people_there_are(
    admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody hidden by a conflict of interest is scored for the others, too, and must not be counted."""
    monkeypatch.setattr("portal.reviews.discover.scoreboard.READ_AT_ONCE", 1)
    steps, step = [], JobProgress.step

    def recorded(progress: JobProgress, done: int, total: int | None, doing: str = "") -> None:
        steps.append((done, total, doing))
        step(progress, done, total, doing)

    monkeypatch.setattr(JobProgress, "step", recorded)
    asked(admission)
    run(admission)
    assert steps == [(percent, 100, PERCENT) for percent in (0, 25, 50, 75)]
    (row,) = jobs(admission)
    assert re.findall(r"\d+", f"{row.title} {row.outcome}") == []


@pytest.mark.parametrize(
    ("state", "error", "said"),
    [
        ("cancelled", "", "It was cancelled before everybody was scored."),
        ("failed", "The index was away.", "The index was away."),
        ("refused", "Matches are being prepared.", "Matches are being prepared."),
    ],
)
def test_what_ended_early_is_not_begun_again_until_somebody_asks(
    admission: Admission, state: str, error: str, said: str
) -> None:
    client = admission.leaders["Systems"].sign_in()
    client.get(DISCOVER)
    (row,) = jobs(admission)
    row.state, row.error, row.finished_at = state, error, datetime.now(UTC)
    admission.session.commit()
    page = client.get(DISCOVER)
    assert (said in page.text, "Prepare the scores" in page.text, "Refresh" in page.headers) == (True, True, False)
    assert len(jobs(admission)) == 1
    sent = {"csrf_token": csrf_token(client, "/accounts/")}
    for _ in range(2):
        assert client.post(f"{DISCOVER}/scores", data=sent).headers["Location"] == DISCOVER
    assert len(jobs(admission)) == 2
    assert "are being prepared" in client.get(DISCOVER).text


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"created_at": NOW - LONGEST_WAIT - timedelta(minutes=1)}, id="nobody begins it"),
        pytest.param({"state": "running", "beat_at": NOW - timedelta(minutes=3)}, id="killed, and not begun again"),
        pytest.param(
            {"state": "done", "finished_at": NOW + timedelta(hours=1)}, id="of another host, whose files are not here"
        ),
    ],
)
def test_where_no_job_helps_people_are_scored_in_the_request(admission: Admission, values: dict[str, object]) -> None:
    asked(admission)
    (row,) = jobs(admission)
    for name, value in values.items():
        setattr(row, name, value)
    admission.session.commit()
    page = asked(admission)
    assert (page.status_code, listed(page), len(jobs(admission))) == (200, PEOPLE, 1)


def test_a_job_that_waits_behind_others_is_waited_for(admission: Admission) -> None:
    asked(admission)
    (row,) = jobs(admission)
    row.created_at -= timedelta(hours=1)
    now = datetime.now(UTC)
    other = Job(kind="test", title="Import", state="running", created_at=now, started_at=now, beat_at=now)
    admission.session.add(other)
    admission.session.commit()
    assert asked(admission).status_code == 202
    other.state = "done"
    admission.session.commit()
    assert asked(admission).status_code == 200


def test_a_lab_whose_job_waits_is_scored_along(admission: Admission, scored: list[int]) -> None:
    admission.add_lab("Looms")
    for lab in ("Systems", "Looms"):
        admission.leaders[lab].sign_in().get(f"/reviews/{lab.lower()}/discover")
    run(admission)
    assert scored == [2] * PEOPLE
    assert [row.state for row in jobs(admission)] == ["done", "done"]


def test_an_administrator_who_looks_through_a_professors_eyes_starts_nothing(admission: Admission) -> None:
    client = admission.admin.sign_in()
    person = f"/admin/people/{admission.leaders['Systems'].id}"
    submit(client, f"{person}/impersonate", {"reason": "They asked for help."}, page=person)
    page = client.get(DISCOVER)
    assert (page.status_code, listed(page), jobs(admission)) == (200, PEOPLE, [])


def test_a_change_of_the_lab_or_many_new_people_are_another_reason_to_prepare(admission: Admission) -> None:
    asked(admission)
    run(admission)
    assert asked(admission).status_code == 200
    recruit_for(admission.app, "systems", "We look for students who braid topological qubits.")
    assert asked(admission).status_code == 202
    run(admission)
    assert asked(admission).status_code == 200
    for row in jobs(admission):
        row.finished_at = datetime.now(UTC) - JUST_DONE
    admission.session.execute(update(Interests).values(version=Interests.version + 1))
    admission.session.commit()
    assert asked(admission).status_code == 202
    run(admission)
    assert (asked(admission).status_code, len(jobs(admission))) == (200, 3)


def test_a_cancelled_job_keeps_whom_it_has_scored(
    admission: Admission, scored: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.reviews.discover.scoreboard.READ_AT_ONCE", PEOPLE // 2)
    monkeypatch.setattr("portal.jobs.progress.BETWEEN_WRITES", 0)
    asked(admission)
    session, (row,) = admission.session, jobs(admission)
    ahead = LabIndex.scores

    def cancelled_meanwhile(index: LabIndex, query: Query, labs_asked: Sequence[str]) -> list[float]:
        session.execute(update(Job).where(Job.id == row.id).values(cancel_asked=True))
        session.commit()
        return ahead(index, query, labs_asked)

    with monkeypatch.context() as patch:
        patch.setattr(LabIndex, "scores", cancelled_meanwhile)
        run(admission)
    assert (jobs(admission)[0].state, len(scored)) == ("cancelled", PEOPLE // 2)
    session.execute(update(Job).values(state="waiting", cancel_asked=False))
    session.commit()
    run(admission)
    assert (jobs(admission)[0].state, len(scored)) == ("done", PEOPLE)
