"""On PostgreSQL, too, of many processes one sends each mail, and the same news is written once."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal import create_app
from portal.db import db
from portal.mail import tell, write_to
from portal.mail.delivery import OutgoingMail, deliver
from portal.models import Notification, OutboxMail, User
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask

pytestmark = pytest.mark.postgres
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def postgres_app(settings: dict[str, str], postgres_url: str) -> Iterator[Flask]:
    app = create_app({**settings, "PORTAL_DATABASE_URL": postgres_url})
    with app.app_context():
        yield app
        db.session.remove()
        db.engine.dispose()


def at_once(app: Flask, work: Callable[[], object]) -> None:
    start = threading.Barrier(6)

    def run() -> None:
        with app.app_context():
            start.wait()
            work()

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_many_at_once_write_and_send_once(postgres_app: Flask) -> None:
    session, sent = db.session(), list[OutgoingMail]()
    number = add_person(postgres_app, "applicant").id
    said = {"applicant": "Li", "cycle": "2027"}
    for each in range(40):
        write_to(session, f"r{each}@x.example", "R", "referee_revoked", said, now=NOW)
    session.info.clear()
    session.commit()
    at_once(
        postgres_app,
        lambda: deliver(db.session(), sent.append, base_url="", clock=lambda: NOW),
    )
    assert sorted(mail.address for mail in sent) == sorted(f"r{each}@x.example" for each in range(40))

    def tell_it() -> None:
        person = db.session.get_one(User, number)
        tell(db.session(), person, "decision_released", {"cycle": "2027"}, now=NOW, dedupe="release:1")
        db.session.commit()

    at_once(postgres_app, tell_it)
    session.expire_all()
    assert session.scalar(select(func.count(Notification.id))) == 1
    assert session.scalars(select(OutboxMail.state).where(OutboxMail.user_id == number)).all() == ["sent"]
    assert len(postgres_app.extensions["mailman"].outbox) == 1
