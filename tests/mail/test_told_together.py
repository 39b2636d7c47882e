"""What many people are told in a block is written together at its end, and as if it had been told one by one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from portal import mail
from portal.db import db
from portal.mail import outbox
from portal.mail.outbox import prefer
from portal.models import MailPreference, Notification, OutboxMail, User
from tests.databases import application_over_each
from tests.people import add_person
from tests.statements import statements_sent

if TYPE_CHECKING:
    from flask import Flask

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CHOICE = {"cycle": "2027", "lab": "Ada Lab"}
KINDS = ("new_choices", "offer_answered", "interview_invited")
Row = tuple[object, ...]
app = application_over_each()


def told() -> tuple[list[Row], list[Row]]:
    """All news and mails in the tables, in their order."""
    news, mails = Notification, OutboxMail
    return (
        [
            tuple(row)
            for row in db.session.execute(
                select(
                    news.user_id, news.kind, news.text, news.path, news.dedupe_key, news.in_digest, news.created_at
                ).order_by(news.id)
            )
        ],
        [
            tuple(row)
            for row in db.session.execute(
                select(mails.user_id, mails.address, mails.kind, mails.context, mails.attachments, mails.dedupe_key)
                .where(mails.state == "waiting")
                .order_by(mails.id)
            )
        ],
    )


def tell(*people: User, kind: str = "offer_answered", dedupe: str | None = None) -> None:
    for person in people:
        mail.tell(db.session(), person, kind, CHOICE, now=NOW, path="/reviews/", dedupe=dedupe)


def professors(app: Flask, number: int) -> list[User]:
    return [db.session.get_one(User, add_person(app, "professor", name=f"Reader {at}").id) for at in range(number)]


def count(table: type[Notification | OutboxMail]) -> int:
    return db.session.scalar(select(func.count()).select_from(table)) or 0


def test_a_block_writes_what_single_calls_would_have_written(app: Flask) -> None:
    session = db.session()
    usual, at_once, digest, never, suspended = people = professors(app, 5)
    prefer(session, at_once, dict.fromkeys(KINDS, "at_once"))
    prefer(session, digest, dict.fromkeys(KINDS, "digest"))
    prefer(session, never, dict.fromkeys(KINDS, "never"))
    suspended.active = False
    tell(usual, dedupe="choice:1:told-before")
    session.commit()
    before = count(Notification), count(OutboxMail)

    def tell_all() -> None:
        for number, kind in enumerate(KINDS):
            tell(*people, kind=kind, dedupe=f"choice:{number}:told")
        tell(usual, at_once, dedupe="choice:1:told-before")
        tell(usual, at_once, dedupe="choice:1:told-before")
        tell(at_once, at_once)

    tell_all()
    one_by_one = told()
    session.rollback()
    with mail.together(session):
        tell_all()
        assert (count(Notification), count(OutboxMail)) == before
    assert told() == one_by_one
    hows = [(row[0], row[5]) for row in one_by_one[0] if row[1] == "new_choices"]
    assert hows == [(usual.id, True), (at_once.id, False), (digest.id, True), (never.id, False)]
    assert session.info[outbox.WRITTEN]


def test_as_many_statements_for_many_as_for_few_and_a_long_block_is_written_in_parts(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = professors(app, 6)

    def statements(number: int) -> list[str]:
        with statements_sent(app) as sent, mail.together(db.session()):
            tell(*people[:number], kind="new_choices")
        return sent

    few = statements(2)
    assert [len(few), len(statements(6))] == [2, 2]
    monkeypatch.setattr(outbox, "MOST_AT_ONCE", 4)
    assert len(statements(6)) == 4
    assert count(Notification) == 14


def test_what_is_withdrawn_in_a_block_was_told_before(app: Flask) -> None:
    session, (reader,) = db.session(), professors(app, 1)
    with mail.together(session):
        tell(reader, dedupe="choice:1:offer")
        mail.cancel(session, "choice:1")
        tell(reader, dedupe="choice:2:offer")
        context = {"applicant": "Li Wei", "cycle": "2027", "zone": "UTC", "until": NOW.isoformat()}
        mail.write_to(session, "r@x.example", "R", "referee_request", context, now=NOW, path="/letters/t")
        tell(reader, dedupe="choice:1:offer")
    news, mails = told()
    assert [row[4] for row in news] == ["choice:2:offer", "choice:1:offer"]
    assert [row[2] for row in mails] == ["offer_answered", "referee_request", "offer_answered"]


def test_a_block_that_fails_and_what_is_rolled_back_tell_nobody(app: Flask) -> None:
    session, (reader,) = db.session(), professors(app, 1)
    session.commit()

    def fail() -> None:
        tell(reader)
        raise LookupError

    with pytest.raises(LookupError), mail.together(session):
        fail()
    with mail.together(session):
        tell(reader)
        session.rollback()
    with mail.together(session):
        with pytest.raises(LookupError), session.begin_nested():
            fail()
        assert told() == ([], [])
    assert told() == ([], [])


def test_what_was_told_around_a_savepoint_and_before_a_commit_is_kept(app: Flask) -> None:
    session, (reader,) = db.session(), professors(app, 1)
    with mail.together(session):
        tell(reader, dedupe="a")
        with session.begin_nested(), mail.together(session):
            tell(reader, dedupe="in a savepoint")
        with session.begin_nested() as savepoint:
            tell(reader, dedupe="rolled back")
            savepoint.rollback()
        with pytest.raises(IntegrityError), session.begin_nested():
            session.add(MailPreference(user_id=reader.id, kind="new_choices", how="hourly"))
        session.commit()
        assert [row[4] for row in told()[0]] == ["in a savepoint", "a"]
        tell(reader, dedupe="b")
    with session.begin_nested(), mail.together(session):
        tell(reader, dedupe="c")
    assert [row[4] for row in told()[0]] == ["in a savepoint", "a", "b", "c"]
