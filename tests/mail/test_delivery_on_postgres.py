"""On PostgreSQL, too, of many processes one sends each mail, and the same news is written once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event, func, insert, select, text

from portal import create_app
from portal.db import db
from portal.mail import cancel, tell, write_to
from portal.mail.delivery import OutgoingMail, deliver
from portal.mail.rendering import Letterhead
from portal.models import Notification, OutboxMail, User
from tests.at_once import at_once
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from sqlalchemy import Connection

pytestmark = pytest.mark.postgres
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def postgres_app(settings: dict[str, str], postgres_url: str) -> Iterator[Flask]:
    app = create_app({**settings, "PORTAL_DATABASE_URL": postgres_url})
    with app.app_context():
        yield app
        db.session.remove()
        db.engine.dispose()


def test_many_at_once_write_and_send_once(postgres_app: Flask) -> None:
    session, sent = db.session(), list[OutgoingMail]()
    number = add_person(postgres_app, "applicant").id
    said = {"applicant": "Li", "cycle": "2027"}
    for each in range(40):
        write_to(session, f"r{each}@x.example", "R", "referee_revoked", said, now=NOW)
    session.info.clear()
    session.commit()
    at_once(
        lambda _: deliver(db.session(), sent.append, letterhead=Letterhead(""), clock=lambda: NOW), 6, app=postgres_app
    )
    assert sorted(mail.address for mail in sent) == sorted(f"r{each}@x.example" for each in range(40))

    def tell_it(_number: int) -> None:
        person = db.session.get_one(User, number)
        tell(db.session(), person, "decision_released", {"cycle": "2027"}, now=NOW, dedupe="release:1")
        db.session.commit()

    at_once(tell_it, 6, app=postgres_app)
    session.expire_all()
    assert session.scalar(select(func.count(Notification.id))) == 1
    assert session.scalars(select(OutboxMail.state).where(OutboxMail.user_id == number)).all() == ["sent"]
    assert len(postgres_app.extensions["mailman"].outbox) == 1


def test_what_is_taken_back_is_whatever_continues_its_name_by_whole_parts(postgres_app: Flask) -> None:
    session, number = db.session(), add_person(postgres_app, "applicant").id
    keys = ("offer:1", "offer:1:reminder", "offer:12", "offer:1_", "OFFER:1:reminder")
    for key in keys:
        tell(session, session.get_one(User, number), "decision_released", {"cycle": "2027"}, now=NOW, dedupe=key)
    cancel(session, "offer:1")
    assert session.scalars(select(Notification.dedupe_key).order_by(Notification.id)).all() == list(keys[2:])
    states = session.scalars(select(OutboxMail.state).order_by(OutboxMail.id)).all()
    assert states == ["cancelled", "cancelled", "waiting", "waiting", "waiting"]


@pytest.mark.usefixtures("postgres_app")
def test_mails_are_cancelled_without_looking_through_all_that_wait() -> None:
    session = db.session()
    mails = [
        {"kind": "referee_revoked", "address": "r@x.example", "dedupe_key": f"choice:{each}", "message_id": f"{each}"}
        | {"state": "dead", "due_at": NOW, "created_at": NOW}
        for each in range(2_000)
    ]
    session.execute(insert(OutboxMail), mails)
    session.execute(text("ANALYZE outbox_mail"))
    plans: list[str] = []

    def explain(connection: Connection, _cursor: object, statement: str, parameters: Any, *_more: object) -> None:  # noqa: ANN401
        if statement.startswith("UPDATE outbox_mail"):
            plans.extend(line for (line,) in connection.exec_driver_sql(f"EXPLAIN {statement}", parameters))

    event.listen(db.engine, "before_cursor_execute", explain)
    cancel(session, "choice:7")
    event.remove(db.engine, "before_cursor_execute", explain)
    assert "ix_outbox_mail_dedupe_key" in "".join(plans)
