"""What nobody needs any more is deleted after its time, and nothing that somebody may still need."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.models import Job, Notification, OutboxMail, User
from portal.models.job import JOB_STATES
from portal.models.mail import OUTBOX_STATES
from portal.web.work import KEPT_JOBS, KEPT_MAIL, KEPT_NEWS, purge

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from tests.people import Person

NOW = datetime(2026, 11, 21, 3, 30, tzinfo=UTC)
AGES = {"just kept": timedelta(0), "too old": timedelta(seconds=1)}  # beyond the time for which something is kept


def test_mails_that_ended_are_deleted_and_those_that_may_still_be_sent_stay(session: Session) -> None:
    for (age, beyond), state in itertools.product(AGES.items(), OUTBOX_STATES):
        name, at = f"{state}, {age}", NOW - KEPT_MAIL - beyond
        session.add(
            OutboxMail(kind=name, address="r@x.example", message_id=name, state=state, due_at=at, created_at=at)
        )
    session.flush()
    before = set(session.scalars(select(OutboxMail.kind)))
    purge(session, NOW)
    assert before - set(session.scalars(select(OutboxMail.kind))) == {"sent, too old", "cancelled, too old"}


def test_jobs_that_ended_are_deleted_and_others_stay(session: Session) -> None:
    for (age, beyond), state in itertools.product(AGES.items(), JOB_STATES):
        session.add(Job(kind=f"{state}, {age}", title="X", state=state, created_at=NOW - KEPT_JOBS - beyond))
    session.flush()
    before = set(session.scalars(select(Job.kind)))
    purge(session, NOW)
    ended = {f"{state}, too old" for state in ("done", "refused", "failed", "cancelled")}
    assert before - set(session.scalars(select(Job.kind))) == ended


def test_news_that_was_read_is_deleted_and_news_that_nobody_saw_stays(session: Session, applicant: Person) -> None:
    person = session.scalars(select(User).where(User.email == applicant.email)).one()
    for (age, beyond), state in itertools.product(AGES.items(), ("read", "new")):
        at = NOW - KEPT_NEWS - beyond
        news = Notification(user_id=person.id, kind="x", text=f"{state}, {age}", created_at=at)
        news.read_at = at if state == "read" else None
        session.add(news)
    session.flush()
    before = set(session.scalars(select(Notification.text)))
    purge(session, NOW)
    assert before - set(session.scalars(select(Notification.text))) == {"read, too old"}
