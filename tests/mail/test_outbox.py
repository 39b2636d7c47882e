"""News and mail are written with what they tell, once, and as their reader wants them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.db import db
from portal.mail import Attachment, cancel, tell, write_to
from portal.mail.outbox import prefer, preferences_of
from portal.models import Notification, OutboxMail, User
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask

    from tests.people import Person

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CHOICE = {"cycle": "2027", "lab": "Ada Lab"}


@pytest.fixture
def reader(app: Flask, person: Callable[..., Person]) -> Iterator[User]:
    """A professor, with a transaction open."""
    number = person("professor", name="Ada").id
    with app.app_context():
        yield db.session.get_one(User, number)


def news() -> list[tuple[str, bool]]:
    return [(row.text, row.in_digest) for row in db.session.scalars(select(Notification).order_by(Notification.id))]


def mails() -> list[tuple[str, str]]:
    return [(row.kind, row.state) for row in db.session.scalars(select(OutboxMail).order_by(OutboxMail.id))]


def test_news_goes_to_the_portal_and_to_mail_or_digest_as_usual(reader: User) -> None:
    tell(db.session(), reader, "new_choices", CHOICE, now=NOW, path="/reviews/")
    calendar = Attachment("a.ics", "text/calendar; method=REQUEST", "BEGIN:VCALENDAR")
    tell(db.session(), reader, "offer_answered", CHOICE, now=NOW, path="/reviews/", attachments=[calendar])
    assert news() == [
        ("Ada Lab: a new applicant in 2027.", True),
        ("Ada Lab: an applicant has answered your offer.", False),
    ]
    (mail,) = db.session.scalars(select(OutboxMail))
    assert (mail.user_id, mail.address, mail.due_at) == (reader.id, reader.email, NOW)
    assert mail.context == {**CHOICE, "name": "Ada", "path": "/reviews/"}
    assert [item["text"] for item in mail.attachments] == ["BEGIN:VCALENDAR"]


def test_no_part_of_an_address_stands_for_a_name(reader: User) -> None:
    reader.name = ""
    tell(db.session(), reader, "offer_answered", CHOICE, now=NOW)
    assert [mail.context["name"] for mail in db.session.scalars(select(OutboxMail))] == [""]


def test_a_reader_chooses_how_each_kind_comes_but_not_for_what_must_arrive(reader: User) -> None:
    prefer(db.session(), reader, {"offer_answered": "never", "new_choices": "at_once", "interview_picked": "never"})
    db.session.flush()
    chosen = {kind.name: how for kind, how in preferences_of(db.session(), reader)}
    assert [chosen[name] for name in ("offer_answered", "new_choices")] == ["never", "at_once"]
    assert chosen["interview_picked"] == "at_once"


def test_what_only_others_are_told_is_nothing_to_choose(reader: User) -> None:
    assert "decision_released" not in {kind.name for kind, _ in preferences_of(db.session(), reader)}


def test_news_comes_as_its_reader_chose(reader: User) -> None:
    prefer(db.session(), reader, {"offer_answered": "never", "new_choices": "at_once"})
    db.session.flush()
    for kind in ("offer_answered", "new_choices"):
        tell(db.session(), reader, kind, CHOICE, now=NOW)
    assert (len(news()), mails()) == (2, [("new_choices", "waiting")])


def test_a_way_that_is_none_of_the_three_is_refused(reader: User) -> None:
    with pytest.raises(ValueError, match="not 'weekly'"):
        prefer(db.session(), reader, {"new_choices": "weekly"})


def test_the_same_news_is_told_once_per_person(reader: User, applicant: Person) -> None:
    other = db.session.get_one(User, applicant.id)
    for person in (reader, reader, other):
        tell(db.session(), person, "offer_answered", CHOICE, now=NOW, dedupe="offer:1:answered")
    assert (len(news()), len(mails())) == (2, 2)


def test_a_suspended_account_is_told_nothing(reader: User) -> None:
    reader.active = False
    tell(db.session(), reader, "offer_answered", CHOICE, now=NOW)
    assert (news(), mails()) == ([], [])


def test_what_is_no_longer_true_is_taken_back_and_may_be_told_again(reader: User) -> None:
    for key in ("offer:1:reminder", "offer:1", "offer:12", "offer:1_", "OFFER:1:reminder"):
        tell(db.session(), reader, "offer_answered", CHOICE, now=NOW, dedupe=key)
    db.session.scalars(select(Notification)).first().read_at = NOW  # type: ignore[union-attr]
    cancel(db.session(), "offer:1")
    assert [state for _, state in mails()] == ["cancelled", "cancelled", "waiting", "waiting", "waiting"]
    assert len(news()) == 4
    tell(db.session(), reader, "offer_answered", CHOICE, now=NOW, dedupe="offer:1")
    assert [state for _, state in mails()][-1] == "waiting"


@pytest.mark.sqlite
def test_news_and_mails_are_taken_back_without_looking_through_all_of_them(app: Flask, reader: User) -> None:
    assert reader.active
    with statements_sent(app) as sent:
        cancel(db.session(), "offer:1")
    changes = [statement for statement in sent if "dedupe_key" in statement]
    assert len(changes) == 2
    for change in changes:
        values = ("x",) * change.count("?")
        plan = [line[3] for line in db.session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {change}", values)]
        looked_up = [line for line in plan if line.startswith(("SEARCH", "SCAN"))]
        assert len(looked_up) == 2
        assert all("(dedupe_key" in line for line in looked_up), plan


def test_a_referee_without_an_account_gets_one_mail_per_name_of_the_news(reader: User) -> None:
    said = {"applicant": "Li Wei", "cycle": "2027", "zone": "UTC", "until": NOW.isoformat()}
    session = db.session()
    first, second = (
        write_to(session, "r@x.example", "R", "referee_request", said, now=NOW, path="/letters/t", dedupe="referee:1")
        for _ in range(2)
    )
    assert (first.id, first.user_id, reader.email != first.address) == (second.id, None, True)
