"""Every form of the portal, sent twice in the same moment: by one person, and by two who may both send it.

Neither answer is a fault of ours, and afterwards the database holds as many rows as after the form was sent once. The
two meet right before each of them writes for the first time: both have read by then, and neither has seen the other.
"""

from __future__ import annotations

import re
import shutil
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event, func, select, text

from portal.db import db
from portal.jobs.queue import JobQueue
from tests.busy_portal import busy_portal
from tests.databases import begin_requests_anew, over
from tests.forms_found import walk
from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from sqlalchemy import Connection, Table

    from tests.busy_portal import BusyPortal
    from tests.conftest import Settings
    from tests.forms_found import Form

STARTS = {
    "admin": ("/admin/", "/admin/operations", "/accounts/"),
    "leader": ("/reviews/",),
    "drafting": ("/me/",),
    "submitted": ("/me/",),
    "new": ("/me/",),
    "found": ("/me/",),
    "Fay Interview": ("/me/",),
    "Lu Released": ("/me/",),
}
ALSO = {"admin": ("second admin", "/admin/new-lab"), "leader": ("second leader", "/reviews/systems/settings")}
# What both who send it may have, or each click makes anew.
MORE_THAN_ONCE = {
    "tokens.new": "the token of the first click, which nobody saw, is revoked",
}
# What two administrators do for themselves.
OF_EACH = {"admin.imports", "notices.mail", "accounts.name"}
FEWEST_FORMS = 100
# Where there is PostgreSQL, two really write at once; SQLite has one wait for the other, and both would take too long.
HAS_POSTGRES = any(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
WRITES = re.compile(r'(INSERT INTO|UPDATE|DELETE FROM) "?(\w+)')
MEETING = 0.25  # seconds to wait for the other, who may have nothing to write


@dataclass
class Stage:
    """A portal that is put back to its beginning before each try."""

    app: Flask
    made: BusyPortal
    file: Path | None
    sessions: dict[str, str] = field(default_factory=dict)
    written: set[tuple[str, str]] = field(default_factory=set)  # what was done since to which table
    numbers: str = ""  # the statements that lead each sequence on PostgreSQL back to its number

    def keep(self) -> None:
        """From here on this is the beginning."""
        with self._database() as connection:
            if self.file:
                shutil.copy(self.file, f"{self.file}.kept")
                return
            connection.execute(text("CREATE SCHEMA kept"))
            for table in self._tables():
                connection.execute(text(f"CREATE TABLE kept.{table} AS TABLE {table}"))
            known = "SELECT quote_ident(sequencename), last_value FROM pg_sequences WHERE schemaname = 'public'"
            counters = connection.execute(text(known)).all()
            self.numbers = ";".join(
                f"SELECT setval('{name}', {last or 1}, {last is not None})" for name, last in counters
            )
            event.listen(connection.engine, "before_cursor_execute", self._note)

    def _note(self, _connection: Any, _cursor: Any, statement: str, *_more: object) -> None:  # noqa: ANN401
        if (found := WRITES.match(statement)) is not None:
            self.written.add((found[1], found[2]))

    def put_back(self) -> None:
        """Undo all that was done since."""
        with self._database() as connection:
            if self.file:
                for also in ("-wal", "-shm"):
                    self.file.with_name(self.file.name + also).unlink(missing_ok=True)
                # Another file, so that a connection that is open all the same keeps the old one.
                Path(shutil.copy(f"{self.file}.kept", f"{self.file}.new")).replace(self.file)
                return
            # One round trip; a new database from a template would take several times as long.
            tables = [self._quoted(table) for table in self._to_put_back()]
            again = (f"DELETE FROM {table}; INSERT INTO {table} TABLE kept.{table}" for table in tables)  # noqa: S608 - our own names
            connection.exec_driver_sql(";".join(("SET LOCAL session_replication_role = replica", *again, self.numbers)))
            self.written.clear()

    def _to_put_back(self) -> list[Table]:
        """The tables that were written to, and those that may have lost rows with the rows of another."""
        poorer = {table for act, table in self.written if act == "DELETE FROM"}
        tables = db.metadata.sorted_tables  # what refers to a table stands behind it
        for table in tables:
            if any(key.column.table.name in poorer for key in table.foreign_keys):
                poorer.add(table.name)
        return [table for table in tables if table.name in poorer | {name for _, name in self.written}]

    def drop(self) -> None:
        """Leave nothing on a server that others use."""
        if not self.file:
            with self._database() as connection:
                connection.execute(text("DROP SCHEMA kept CASCADE"))

    @contextmanager
    def _database(self) -> Iterator[Connection]:
        """The database. A file of SQLite is open nowhere else meanwhile, so that it can be another one afterwards."""
        with self.app.app_context():
            db.session.remove()
            if self.file:
                db.engine.dispose()
            with db.engine.begin() as connection:
                yield connection
            if self.file:
                db.engine.dispose()

    def _tables(self) -> list[str]:
        with self.app.app_context():
            return [self._quoted(table) for table in db.metadata.sorted_tables]

    def _quoted(self, table: Table) -> str:
        return db.engine.dialect.identifier_preparer.format_table(table)

    def client(self, who: str) -> FlaskClient:
        """A browser of its own, in which this person is signed in."""
        client = self.app.test_client()
        client.set_cookie("session", self.sessions[who])
        return client

    def rows(self) -> dict[str, int]:
        """How many rows each table has."""
        with self.app.app_context(), db.engine.connect() as connection:
            counts = [
                select(func.count()).select_from(table).scalar_subquery().label(table.name)
                for table in db.metadata.sorted_tables
            ]
            return dict(connection.execute(select(*counts)).mappings().one())


@pytest.fixture(params=[pytest.param("postgres", marks=pytest.mark.postgres) if HAS_POSTGRES else "sqlite"])
def stage(request: pytest.FixtureRequest, settings: Settings, tmp_path: Path) -> Iterator[Stage]:
    """The portal in the middle of its work, with everybody signed in."""
    app = over(request, settings)
    begin_requests_anew(app)
    with app.app_context():
        made = busy_portal(app)
        db.session.remove()
    one = Stage(app, made, None if request.param == "postgres" else tmp_path / "instance" / "portal.sqlite")
    for who in (*STARTS, *(other for other, _ in ALSO.values())):
        cookie = made.people[who].sign_in().get_cookie("session")
        assert cookie is not None
        one.sessions[who] = cookie.value
    one.keep()
    yield one
    one.drop()


class Meeting:
    """Lets two requests wait for each other right before each writes for the first time."""

    def __init__(self, app: Flask) -> None:
        self._barrier = threading.Barrier(2)
        self._mine = threading.local()
        with app.app_context():
            event.listen(db.engine, "before_cursor_execute", self._before)

    def of_two(self) -> None:
        """The next two."""
        self._barrier = threading.Barrier(2)

    def join(self) -> None:
        """This thread is one of the two."""
        self._mine.waits = True

    def _before(self, _connection: Any, _cursor: Any, statement: str, *_more: object) -> None:  # noqa: ANN401
        if getattr(self._mine, "waits", False) and statement.startswith(("INSERT", "UPDATE", "DELETE")):
            self._mine.waits = False
            with suppress(threading.BrokenBarrierError):
                self._barrier.wait(MEETING)


def sent(stage: Stage, meeting: Meeting, form: Form, tokens: dict[str, str], *senders: str) -> list[int | str]:
    """The statuses of the answers when all send the form at once; what was raised instead, if anything was."""
    told: list[int | str] = []
    meeting.of_two()

    def send(who: str) -> None:
        if len(senders) > 1:
            meeting.join()
        try:
            with stage.client(who).post(form.action, data=form.sent(tokens[who])) as answer:
                told.append(answer.status_code)
        except Exception as failure:  # noqa: BLE001  (which a server would answer with 500)
            told.append(repr(failure))

    threads = [threading.Thread(target=send, args=(who,)) for who in senders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


def difference(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in before if after[name] != before[name]}


def second_click(
    stage: Stage, meeting: Meeting, form: Form, tokens: dict[str, str], who: str, endpoint: str
) -> list[str]:
    """What is wrong with the answer to a second click, after the first: it is to refuse nothing, and to do nothing."""
    before = stage.rows()
    answers = sent(stage, meeting, form, tokens, who)
    after = difference(before, stage.rows())
    refused = [f"{endpoint} by {who}, once more: {answers}"] if answers not in ([200], [302]) else []
    more = [f"{endpoint} by {who}, once more: {after} again"] if after and endpoint not in MORE_THAN_ONCE else []
    return refused + more


def test_a_form_that_is_sent_twice_in_the_same_moment_does_what_it_does_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, *, thorough: bool
) -> None:
    known: set[object] = set()
    forms = [
        (who, form)
        for who, starts in STARTS.items()
        for form in walk(stage.app, stage.client(who), *starts, known=known)
    ]
    assert len(forms) > FEWEST_FORMS
    tokens = {other: csrf_token(stage.client(other), page) for other, page in ALSO.values()}
    # Jobs stay open, as where the queue does not answer: a second click must find the job of the first.
    monkeypatch.setattr(JobQueue, "_put", lambda *_: None)
    stage.put_back()
    before, meeting = stage.rows(), Meeting(stage.app)
    urls, wrong, done, is_as_kept = stage.app.url_map.bind("localhost"), [], 0, True
    for who, form in forms:
        endpoint, _ = urls.match(form.action.partition("?")[0], method="POST")
        mine = {**tokens, who: form.token}
        if not is_as_kept:
            stage.put_back()
        alone = sent(stage, meeting, form, mine, who)
        once = difference(before, stage.rows())
        is_as_kept = not once and alone in ([400], [403], [404], [422])
        if alone != [302] and not once:
            continue  # the form was filled in in vain; the tests of its page know why
        done += 1
        wrong += second_click(stage, meeting, form, mine, who, endpoint)
        others = (who,) if thorough or who not in ALSO or endpoint in OF_EACH else ()
        for other in (*others, *ALSO.get(who, ())[:1]):
            stage.put_back()
            answers = sent(stage, meeting, form, mine, who, other)
            twice = difference(before, stage.rows())
            says = f"{endpoint} by {who} and {other}: {answers}"
            if any(not isinstance(answer, int) or answer >= 500 for answer in answers):
                wrong.append(says)
            is_shared = other == who or (who == "admin" and endpoint not in OF_EACH)
            if is_shared and endpoint not in MORE_THAN_ONCE and twice != once:
                wrong.append(f"{says}: {twice} instead of {once}")
    assert done > FEWEST_FORMS / 2
    assert wrong == []
