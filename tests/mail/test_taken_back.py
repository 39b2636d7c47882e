"""Mail that is taken back while it is being sent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from portal.db import db
from portal.mail import cancel, write_to
from portal.mail.delivery import LEASE, LONGEST_WAIT, Delivered, deliver, retry
from portal.mail.rendering import Letterhead
from portal.models import OutboxMail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from portal.mail.delivery import OutgoingMail

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SAID = {"applicant": "Li Wei", "cycle": "2027", "zone": "UTC", "until": NOW.isoformat()}


@pytest.fixture
def mail(app: Flask) -> Iterator[OutboxMail]:
    with app.app_context():
        session = db.session()
        mail = write_to(
            session, "r@x.example", "R", "referee_request", SAID, now=NOW, path="/letters/s", dedupe="r:1:l"
        )
        session.info.clear()
        session.commit()
        yield mail


class Server:
    """A mail server that takes a mail or not, after somebody else took it back."""

    def __init__(self, *, takes: bool) -> None:
        self.takes = takes
        self.asked = 0

    def __call__(self, _mail: OutgoingMail) -> None:
        self.asked += 1
        with Session(db.engine) as other:
            cancel(other, "r:1")
            other.commit()
        if not self.takes:
            raise OSError("try again later")


def state_after(mail: OutboxMail, server: Server) -> str:
    session = db.session()
    deliver(session, server, letterhead=Letterhead("https://portal.example.edu"), clock=lambda: NOW)
    deliver(
        session, server, letterhead=Letterhead("https://portal.example.edu"), clock=lambda: NOW + LEASE + LONGEST_WAIT
    )
    session.expire_all()
    return session.scalars(select(OutboxMail.state).where(OutboxMail.id == mail.id)).one()


def test_what_was_taken_back_while_it_was_not_taken_is_not_tried_again(mail: OutboxMail) -> None:
    server = Server(takes=False)
    assert (state_after(mail, server), server.asked) == ("cancelled", 1)
    assert deliver(db.session(), server, letterhead=Letterhead(""), clock=lambda: NOW) == Delivered()


def test_what_was_given_up_and_then_taken_back_cannot_be_tried_again(mail: OutboxMail) -> None:
    session = db.session()
    mail.state, mail.error = "dead", "OSError: down"
    cancel(session, "r:1")
    session.commit()
    assert (mail.state, mail.context) == ("cancelled", {})
    assert retry(session, [mail], now=NOW) == []


def test_what_was_taken_back_and_went_out_all_the_same_is_shown_as_sent(mail: OutboxMail) -> None:
    server = Server(takes=True)
    assert (state_after(mail, server), server.asked) == ("sent", 1)
