"""The daily digest: once a day, what is unread, counted, and only for those who want it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.db import db
from portal.mail import tell
from portal.mail.news import MOST_LINES, write_digests
from portal.models import Notification, User

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from tests.people import Person

NOW = datetime(2026, 11, 21, 7, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def test_a_digest_tells_what_is_unread_once_a_day(app: Flask, person: Callable[..., Person]) -> None:
    readers = [person("professor").id for _ in range(2)]
    with app.app_context():
        session = db.session()
        ada, suspended = (session.get_one(User, number) for number in readers)

        def choose(person: User, lab: str) -> None:
            tell(session, person, "new_choices", {"cycle": "2027", "lab": lab}, now=NOW, path=f"/reviews/{lab}/")

        for lab in ("ada", "ada", "bel", "read"):
            choose(ada, lab)
        choose(suspended, "ada")
        session.scalars(select(Notification).where(Notification.text.startswith("read"))).one().read_at = NOW
        suspended.active = False
        assert [write_digests(session, NOW) for _ in range(2)] == [1, 0]
        choose(ada, "later")
        assert [write_digests(session, moment) for moment in (NOW + HOUR, NOW + DAY, NOW + 2 * DAY)] == [0, 1, 0]
        first, second = app.extensions["mailman"].outbox
        assert (first.to, first.subject) == ([ada.email], "Your news for 21 Nov 2026")
        assert [line for line in first.body.splitlines() if line.startswith("- ")] == [
            "- ada: 2 new applicants in 2027.",
            "- bel: a new applicant in 2027.",
        ]
        assert [line for line in second.body.splitlines() if line.startswith("- ")] == [
            "- later: a new applicant in 2027."
        ]


def test_a_long_digest_says_how_much_more_there_is(app: Flask, professor: Person) -> None:
    with app.app_context():
        reader = db.session.get_one(User, professor.id)
        for number in range(MOST_LINES + 3):
            tell(db.session(), reader, "new_choices", {"cycle": "2027", "lab": f"{number}"}, now=NOW)
        write_digests(db.session(), NOW)
        (mail,) = app.extensions["mailman"].outbox
        assert (mail.body.count("a new applicant"), "- And 3 more." in mail.body) == (MOST_LINES, True)


def test_several_of_a_kind_are_one_line_that_leads_to_the_page_above_them(app: Flask, professor: Person) -> None:
    with app.app_context():
        reader = db.session.get_one(User, professor.id)
        paths = [f"/reviews/ada/choices/{number}" for number in range(8, 13)]
        for path in (*paths, "/reviews/bel/choices/1", "/reviews/bel/choices/22", "/reviews/dan/choices/1"):
            lab = path.split("/")[2]
            tell(db.session(), reader, "new_choices", {"cycle": "2027", "lab": lab}, now=NOW, path=path)
        for path in ("", "/a", "/b", "/c"):
            tell(db.session(), reader, "new_choices", {"cycle": "2027", "lab": "cem"}, now=NOW, path=path)
        write_digests(db.session(), NOW)
        (mail,) = app.extensions["mailman"].outbox
        assert "- cem: 4 new applicants in 2027.\n\n" in mail.body
        lines = mail.body.splitlines()
        start = lines.index("- ada: 5 new applicants in 2027.")
        assert [line.strip().removeprefix("http://localhost:8000") for line in lines[start + 1 : start + 6]] == [
            "/reviews/ada/choices/",
            "- bel: 2 new applicants in 2027.",
            "/reviews/bel/choices/",
            "- dan: a new applicant in 2027.",
            "/reviews/dan/choices/1",
        ]
