"""Fixtures of all tests: an application over a fresh database, people with roles, signed-in clients."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from itertools import islice
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from flask_migrate import upgrade
from hypothesis import HealthCheck
from sqlalchemy import Engine, event

from portal import create_app
from portal.db import db
from portal.labs.live_index.live import LiveIndex
from tests.compiled_once import sources_compiled_once
from tests.databases import begin_requests_anew
from tests.later_version import use_later_version
from tests.page_links import links_looked_through
from tests.people import Person, add_person
from tests.s3_server import S3Server, s3_server
from tests.servers import PostgresServer, postgres

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from flask import Flask, Response
    from flask.testing import FlaskClient
    from sqlalchemy.orm import Session

Settings = dict[str, str]


# The files that take longest, besides those in journeys/: begun early, none of them runs alone at the end.
LONG = (
    "test_leaks",
    "test_demo",
    "test_round_trip",
    "test_labs",
    "test_pool",
    "moves/test_service",
    "test_work_command",
    "test_seed_labs",
    "test_forms_sent_twice",
)
EXAMPLES, MANY_EXAMPLES = 20, 200  # of each property, by hypothesis
GC_THRESHOLD = 50_000  # objects that were created and not freed since the last garbage collection
SAVING_INDEX = LiveIndex._with_saved
SHORT_BETWEEN = 2  # short files after each long one: a browser waits while other tests compute


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough", action="store_true", help="also run tests that repeat others under further conditions"
    )
    parser.addoption("--postgres", action="store_true", help="run tests over PostgreSQL that do not say which database")


def pytest_configure(config: pytest.Config) -> None:
    """Collect no garbage during imports, which create little: it would take a tenth of the time of all tests."""
    gc.disable()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script; some tests press Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
    examples = MANY_EXAMPLES if config.getoption("thorough") else EXAMPLES
    hypothesis.settings.register_profile(
        "portal", max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    hypothesis.settings.load_profile("portal")


def pytest_collection_finish() -> None:
    """Collect garbage from here on, far less often than usual, which saves half of the time that it takes."""
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD, 10, 10)
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests marked `thorough`, unless they are asked for, and those of SQLite over PostgreSQL. Begin with the
    files that take longest, with others between them; the order within a file stays.
    """
    left_out = {
        *(() if config.getoption("thorough") else ("thorough",)),
        *(("sqlite",) if config.getoption("postgres") else ()),
    }
    by_mark: dict[bool, list[pytest.Item]] = {True: [], False: []}
    for item in items:
        by_mark[any(item.get_closest_marker(mark) for mark in left_out)].append(item)
    items[:] = by_mark[False]
    config.hook.pytest_deselected(items=by_mark[True])
    of_file: dict[Path, list[pytest.Item]] = {}
    for item in items:
        of_file.setdefault(item.path, []).append(item)
    long = [path for path in of_file if "journeys" in path.parts or path.with_suffix("").as_posix().endswith(LONG)]
    short = iter([path for path in of_file if path not in long])
    ordered = [path for one in long for path in (one, *islice(short, SHORT_BETWEEN))]
    items[:] = [item for path in (*ordered, *short) for item in of_file[path]]


@pytest.fixture(scope="session", autouse=True)
def compilation_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Compile URL rules, templates and SQL statements once, not for each application."""
    own = tmp_path_factory.getbasetemp()
    # The folders of all processes of a run have the same parent.
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with sources_compiled_once(shared / "templates"):
        yield


@pytest.fixture(scope="session", autouse=True)
def no_fsync() -> Iterator[None]:
    """Do not wait until commits to SQLite are on disk: no test cuts the power."""

    def set_pragma(connection: Any, _record: object) -> None:  # noqa: ANN401  (the driver's own class)
        if type(connection).__module__.startswith("sqlite3"):
            connection.execute("PRAGMA synchronous = OFF").close()

    event.listen(Engine, "connect", set_pragma)
    yield
    event.remove(Engine, "connect", set_pragma)


@pytest.fixture(scope="session", autouse=True)
def index_not_saved() -> Iterator[None]:
    """Do not save the index of an application: for a few labs, that takes several times as long as fitting it. Tests of
    the saved index use `index_saved`.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LiveIndex, "_with_saved", lambda _, labs: labs)
        yield


@pytest.fixture
def index_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Save the index, as outside of tests."""
    monkeypatch.setattr(LiveIndex, "_with_saved", SAVING_INDEX)


@pytest.fixture
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether `--thorough` was given."""
    return bool(request.config.getoption("thorough"))


@pytest.fixture(scope="session")
def migrated_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with all migrations applied, copied for every test."""
    instance = tmp_path_factory.mktemp("migrated")
    application = create_app({"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(instance), "PORTAL_MAIL_URL": "memory:"})
    with application.app_context():
        upgrade()
        db.engine.dispose()
    return instance / "portal.sqlite"


@pytest.fixture
def later_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a migration that follows the first one, as a later version of the portal would have it."""
    return use_later_version(tmp_path / "later_migrations", monkeypatch)


@pytest.fixture
def settings(tmp_path: Path, migrated_database: Path, request: pytest.FixtureRequest) -> Settings:
    """Settings of the application under test; a fixture may change them before `app` is created."""
    instance = tmp_path / "instance"
    instance.mkdir()
    settings = {"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(instance), "PORTAL_MAIL_URL": "memory:"}
    if request.config.getoption("postgres"):
        return {**settings, "PORTAL_DATABASE_URL": request.getfixturevalue("postgres_url")}
    shutil.copy(migrated_database, instance / "portal.sqlite")
    return settings


@pytest.fixture
def app(settings: Settings) -> Iterator[Flask]:
    """The application over a fresh, migrated, empty database."""
    application = create_app(settings)
    begin_requests_anew(application)
    application.after_request(_with_headers_that_servers_send)
    with links_looked_through(application):
        yield application
    with application.app_context():
        db.engine.dispose()


def _with_headers_that_servers_send(response: Response) -> Response:
    """Fail if a header has characters that the test client accepts but servers cannot send."""
    own = [(name, value) for name, value in response.headers if name != "Location"]  # which Werkzeug encodes later
    assert [header for header in own if not header[1].isascii()] == []
    return response


@pytest.fixture
def session(app: Flask) -> Iterator[Session]:
    """The session of an application context that lasts as long as the test."""
    with app.app_context():
        yield db.session()


@pytest.fixture(scope="session")
def migrated_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A PostgreSQL server with all migrations applied to one database, copied for every test."""
    with postgres() as address:
        server = PostgresServer(address)
        server.create("migrated")
        settings = {"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(tmp_path_factory.mktemp("migrated"))}
        application = create_app({**settings, "PORTAL_DATABASE_URL": server.url("migrated")})
        with application.app_context():
            upgrade()
            db.session.remove()
            db.engine.dispose()
        yield server


@pytest.fixture
def postgres_url(migrated_postgres: PostgresServer, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a migrated, empty PostgreSQL database for one test. What is connected to one afterwards is closed: not
    every application of a test gives its connections back.
    """
    name = f"test_{abs(hash(request.node.nodeid))}"
    opened: list[Any] = []

    def note(connection: Any, _record: object) -> None:  # noqa: ANN401  (the driver's own class)
        if type(connection).__module__.startswith("psycopg"):
            opened.append(connection)

    migrated_postgres.create(name, template="migrated")
    event.listen(Engine, "connect", note)
    yield migrated_postgres.url(name)
    event.remove(Engine, "connect", note)
    for connection in opened:
        connection.close()
    migrated_postgres.drop(name)


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """An empty S3 server, with its endpoint and keys in the environment."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    with s3_server() as server:
        keys = {"AWS_ACCESS_KEY_ID": "key-of-tests", "AWS_SECRET_ACCESS_KEY": "secret-of-tests"}
        for name, value in {"AWS_ENDPOINT_URL": server.address, "AWS_REGION": "eu-central-1", **keys}.items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """The test client of a visitor."""
    return app.test_client()


@pytest.fixture
def person(app: Flask) -> Callable[..., Person]:
    """Creates accounts: person("applicant"), person("professor", email=…). All have the same password."""

    def make(*roles: str, email: str | None = None, name: str = "") -> Person:
        return add_person(app, *roles, email=email, name=name)

    return make


@pytest.fixture
def applicant(person: Callable[..., Person]) -> Person:
    return person("applicant")


@pytest.fixture
def professor(person: Callable[..., Person]) -> Person:
    return person("professor")


@pytest.fixture
def admin(person: Callable[..., Person]) -> Person:
    return person("admin")
