"""Mail is never lost and never sent twice, whatever ends in between."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, message_from_string, policy
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from portal import create_app
from portal.db import db
from portal.mail import Attachment, tell, write_to
from portal.mail.delivery import (
    LEASE,
    MOST_FAILURES_IN_A_ROW,
    MOST_TRIES,
    Delivered,
    OutgoingMail,
    deliver,
    retry,
    wait_before_try,
)
from portal.mail.rendering import Letterhead
from portal.mail.transport import post_office
from portal.models import OutboxMail, User
from tests.at_once import at_once
from tests.mail.smtp_server import smtp_server

if TYPE_CHECKING:
    from flask import Flask

    from tests.conftest import Settings
    from tests.people import Person

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
BASE = "https://portal.example.edu"
LETTER = {"applicant": "Li Wei", "cycle": "2027", "zone": "UTC", "until": NOW.isoformat()}


pytestmark = pytest.mark.usefixtures("session")


class Server:
    """A mail server that takes mails, or raises what it is told to."""

    def __init__(self, *trouble: Exception) -> None:
        self.trouble = list(trouble)
        self.taken: list[OutgoingMail] = []

    def __call__(self, mail: OutgoingMail) -> None:
        if self.trouble:
            raise self.trouble.pop(0)
        self.taken.append(mail)


def written(count: int = 1) -> list[OutboxMail]:
    """Mails in the outbox, committed without being set going."""
    session = db.session()
    mails = [
        write_to(session, f"r{number}@x.example", "R", "referee_request", LETTER, now=NOW, path="/letters/s3cret")
        for number in range(count)
    ]
    session.info.clear()
    session.commit()
    return mails


def round_at(moment: datetime, server: Server) -> Delivered:
    return deliver(db.session(), server, letterhead=Letterhead(BASE), clock=lambda: moment)


def test_a_mail_that_was_sent_is_forgotten_but_for_whom_and_when() -> None:
    (mail,), server = written(), Server()
    assert round_at(NOW, server) == Delivered(sent=1)
    assert f"{BASE}/letters/s3cret" in server.taken[0].words.text
    assert (mail.state, mail.sent_at, mail.context, mail.address) == ("sent", NOW, {}, "r0@x.example")
    assert round_at(NOW, server) == Delivered()


def test_a_mail_that_is_not_taken_is_tried_again_later_and_later_and_then_given_up() -> None:
    (mail,), server, moment = written(), Server(*[OSError("down")] * MOST_TRIES), NOW
    waits = []
    for _ in range(MOST_TRIES - 1):
        assert round_at(moment, server) == Delivered(again=1)
        assert round_at(mail.due_at - timedelta(seconds=1), server) == Delivered()
        waits.append((mail.due_at - moment).total_seconds() / 60)
        moment = mail.due_at
    assert waits == [1, 4, 16, 64, 256, 720, 720]
    assert round_at(moment, server) == Delivered(dead=1)
    assert (mail.state, mail.tries, mail.error) == ("dead", MOST_TRIES, "OSError: down")
    assert retry(db.session(), [mail], now=moment) == [mail.id]
    assert round_at(moment, server) == Delivered(sent=1)


def test_a_mail_whose_process_is_killed_at_each_try_is_given_up_and_keeps_no_other_waiting() -> None:
    (mail, other), server = written(2), Server()
    killed = update(OutboxMail).where(OutboxMail.id == mail.id)
    db.session.execute(killed.values(state="sending", tries=MOST_TRIES, lease_until=NOW - timedelta(seconds=1)))
    db.session.commit()
    assert round_at(NOW, server) == Delivered(sent=1, dead=1)
    assert (mail.state, mail.error) == ("dead", "The process was stopped each time while it sent this mail.")
    assert (other.state, [sent.address for sent in server.taken]) == ("sent", ["r1@x.example"])


def test_every_try_is_the_same_mail() -> None:
    written()
    seen: list[str] = []

    def lost_after_taking(mail: OutgoingMail) -> None:
        seen.append(mail.message_id)
        if len(seen) == 1:
            raise OSError("the connection broke after the mail was taken")

    for moment in (NOW, NOW + wait_before_try(1)):
        deliver(db.session(), lost_after_taking, letterhead=Letterhead(BASE), clock=lambda moment=moment: moment)  # type: ignore[misc]
    assert (len(seen), len(set(seen))) == (2, 1)


def test_one_bad_mail_does_not_keep_the_others() -> None:
    bad, *_good = written(3)
    bad.context = {"cycle": "half a context"}
    db.session.commit()
    server = Server()
    assert round_at(NOW, server) == Delivered(sent=2, again=1)
    assert bad.error.startswith("KeyError")


def test_a_round_ends_where_a_mail_server_takes_nothing_and_the_next_goes_on() -> None:
    written(MOST_FAILURES_IN_A_ROW + 2)
    server = Server(*[TimeoutError("timed out")] * MOST_FAILURES_IN_A_ROW)
    assert round_at(NOW, server) == Delivered(again=MOST_FAILURES_IN_A_ROW)
    assert round_at(NOW, server) == Delivered(sent=2)


def test_what_a_killed_process_had_in_hand_is_taken_up_when_its_time_is_over() -> None:
    (mail,) = written()

    class Killed(BaseException):
        """Nothing handles it, as nothing handles kill -9."""

    def die(_mail: OutgoingMail) -> None:
        raise Killed

    with pytest.raises(Killed):
        deliver(db.session(), die, letterhead=Letterhead(BASE), clock=lambda: NOW)
    db.session.rollback()
    server = Server()
    assert round_at(NOW + LEASE - timedelta(seconds=1), server) == Delivered()
    assert round_at(NOW + LEASE + timedelta(seconds=1), server) == Delivered(sent=1)
    assert (mail.state, mail.tries) == ("sent", 2)


@pytest.mark.parametrize(
    "left",
    [
        {"state": "sending", "lease_until": NOW + timedelta(days=400)},
        {"state": "waiting", "due_at": NOW + timedelta(days=400)},
    ],
    ids=["in hand", "to be tried again"],
)
def test_a_mail_does_not_wait_for_the_time_of_a_clock_that_was_set_back(left: dict[str, object]) -> None:
    (mail,) = written()
    db.session.execute(update(OutboxMail).values(tries=1, **left))
    db.session.commit()
    assert round_at(NOW, Server()) == Delivered(sent=1)
    assert (mail.state, mail.tries) == ("sent", 2)


def test_many_at_once_send_each_mail_once(app: Flask) -> None:
    written(30)
    server = Server()
    at_once(lambda _: round_at(NOW, server), 4, app=app)
    assert sorted(mail.address for mail in server.taken) == sorted(f"r{number}@x.example" for number in range(30))


def test_somebody_suspended_meanwhile_gets_nothing_and_a_new_address_is_used(applicant: Person) -> None:
    user = db.session.get_one(User, applicant.id)
    for active, address in ((False, user.email), (True, "new@example.edu")):
        user.active = True
        tell(db.session(), user, "decision_released", {"cycle": "2027"}, now=NOW)
        user.active, user.email = active, address
        db.session().info.clear()
        db.session.commit()
        server = Server()
        round_at(NOW, server)
        assert [mail.address for mail in server.taken] == ([address] if active else [])


def test_a_mail_server_refuses_breaks_off_and_takes_over_one_connection(settings: Settings) -> None:
    written(4)
    for number, address in ((1, "nobody@x.example"), (2, "busy@x.example")):
        db.session.execute(
            update(OutboxMail).where(OutboxMail.address == f"r{number}@x.example").values(address=address)
        )
    db.session.commit()
    with smtp_server() as server:
        app = create_app({**settings, "PORTAL_MAIL_URL": f"smtp://127.0.0.1:{server.server_address[1]}"})
        server.breaks_off = 2
        with app.app_context():
            for moment in (NOW, NOW + wait_before_try(1)):
                with post_office() as post:
                    deliver(db.session(), post, letterhead=Letterhead(BASE), clock=lambda moment=moment: moment)  # type: ignore[misc]
            states = db.session.execute(select(OutboxMail.state, OutboxMail.tries).order_by(OutboxMail.id)).all()
            db.engine.dispose()
    assert [tuple(row) for row in states] == [("sent", 1), ("dead", 1), ("waiting", 2), ("sent", 2)]
    mails = [message_from_string(text, policy=policy.default) for text in server.mails]
    assert [mail["To"] for mail in mails] == ["r0@x.example", "r3@x.example", "r3@x.example"]
    # The copy after the lost answer is the same mail to everybody who looks.
    assert (mails[0]["Message-ID"] != mails[1]["Message-ID"], mails[1]["Message-ID"]) == (True, mails[2]["Message-ID"])


def test_mail_leaves_with_the_commit_and_never_with_a_rollback(app: Flask) -> None:
    session = db.session()
    write_to(session, "a@x.example", "A", "referee_request", LETTER, now=NOW, path="/x")
    session.rollback()
    calendar = Attachment("i.ics", "text/calendar; method=REQUEST", "BEGIN:VCALENDAR\r\nSUMMARY:Gespräch\r\n")
    with session.begin_nested():
        mail = write_to(session, "b@x.example", "B", "referee_request", LETTER, now=NOW, path="/x")
        mail.attachments = [asdict(calendar)]
    assert not hasattr(app.extensions["mailman"], "outbox")
    session.commit()
    (sent,) = app.extensions["mailman"].outbox
    read = message_from_bytes(sent.message().as_bytes(), policy=policy.default)
    (part,) = read.iter_attachments()
    assert (sent.to, read["Auto-Submitted"]) == (["b@x.example"], "auto-generated")
    assert (part.get_content_type(), part["Content-Type"].params["method"]) == ("text/calendar", "REQUEST")
    assert "Gespräch" in part.get_content()
