"""What the outside world gets wrong ends a command with a sentence, never with a traceback."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import psycopg
import pytest
from flask.cli import ScriptInfo
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, OperationalError

from portal.cli import OF_EXTENSIONS, OWN, group
from portal.db import db
from portal.jobs.queue import Reachability, on_file
from portal.outages import what_to_mend

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command that fails says on standard error."""
    with pytest.raises(SystemExit) as ended:
        group.main(list(arguments), prog_name="portal")
    assert ended.value.code == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    return shown.err


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An instance folder of its own, in the environment as a terminal has it."""
    monkeypatch.setenv("PORTAL_MODE", "testing")
    monkeypatch.setenv("PORTAL_INSTANCE", str(tmp_path / "instance"))
    return monkeypatch


def test_the_list_of_commands_says_of_each_what_its_own_help_says(app: Flask) -> None:
    with click.Context(group, obj=ScriptInfo(create_app=lambda: app)) as context:
        commands = {name: group.get_command(context, name) for name in group.list_commands(context)}
        of_application = {name: app.cli.get_command(context, name) for name in app.cli.list_commands(context)}
    assert commands == commands | of_application
    helps = {name: place.help for name, place in OWN.items()} | OF_EXTENSIONS
    own = {name: command.get_short_help_str(200) for name, command in commands.items() if command and name in helps}
    assert own == {name: click.Command(name, help=text).get_short_help_str(200) for name, text in helps.items()}


def test_the_commands_are_listed_without_importing_the_application() -> None:
    code = (
        "import atexit, sys; from portal.cli import group;"
        "atexit.register(lambda: print('modules:', *{'portal.app', 'portal.models', 'sqlalchemy'} & set(sys.modules)));"
        "group.main(['--help'], prog_name='portal')"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "\n  rank            Rank the labs for a text.\n" in shown
    assert shown.endswith("modules:\n")


def test_an_unknown_setting_is_named(environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    environment.setenv("PORTAL_DATABSE_URL", "sqlite://")
    assert refusal(capsys, "rank", "gpu").startswith("Error: Unknown setting PORTAL_DATABSE_URL. Known are: ")


def test_an_instance_folder_that_cannot_be_made_is_named(
    environment: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    environment.setenv("PORTAL_INSTANCE", str(tmp_path / "file"))
    said = f"Error: PORTAL_INSTANCE: the folder {tmp_path}/file cannot be made (File exists). Name another one.\n"
    assert refusal(capsys, "rank", "gpu") == said
    assert refusal(capsys, "demo") == said


def test_settings_come_from_the_environment_and_from_no_file_nearby(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("PORTAL_MODE=odd\n", encoding="utf-8")
    environment.chdir(tmp_path)
    shown = [
        subprocess.run([sys.executable, "-m", "portal", asked], capture_output=True, text=True, check=True)
        for asked in ("routes", "--help")
    ]
    assert ["env" in done.stdout for done in shown] == [False, False]
    assert [done.stderr for done in shown] == ["", ""]


def test_an_argument_that_is_no_text_is_said_so(
    environment: pytest.MonkeyPatch, migrated_database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the shell passes on a word of another encoding."""
    environment.setenv("PORTAL_DATABASE_URL", f"sqlite:///{migrated_database}")
    assert refusal(capsys, "import", __file__, "--lab", os.fsdecode(b"J\xfcrgen")) == (
        "Error: What was typed, or the name of a file, is not text in UTF-8. "
        "Type it anew, or name the file otherwise.\n"
    )


def test_a_file_that_is_no_database_is_said_so(
    environment: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("no database " * 100, encoding="utf-8")
    environment.setenv("PORTAL_DATABASE_URL", f"sqlite:///{tmp_path}/notes.txt")
    assert refusal(capsys, "rank", "gpu") == (
        "Error: The database cannot be used (file is not a database). "
        "Look at PORTAL_DATABASE_URL and PORTAL_INSTANCE.\n"
    )


def test_a_database_of_somebody_else_is_said_so(
    environment: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As after a command that root ran; root itself may open anything but what is not there."""
    environment.setenv("PORTAL_DATABASE_URL", f"sqlite:///{tmp_path}/no/folder/portal.sqlite")
    assert refusal(capsys, "rank", "gpu") == (
        "Error: The database cannot be used (unable to open database file). Look at PORTAL_DATABASE_URL and "
        "PORTAL_INSTANCE, and whether the file and its folder are there and belong to the user who runs this.\n"
    )


@pytest.mark.parametrize(
    "server", ["sqlite", pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.thorough])]
)
def test_tables_that_are_missing_are_said_so(
    environment: pytest.MonkeyPatch, request: pytest.FixtureRequest, server: str
) -> None:
    if server == "postgres":
        address = request.getfixturevalue("postgres_url")
        environment.setenv("PORTAL_DATABASE_URL", address)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("DROP TABLE user_account CASCADE")
    # A process of its own, which takes its connections along.
    done = subprocess.run(
        [sys.executable, "-m", "portal", "reset-two-step", "a@example.edu"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == (
        "Error: The database has no tables yet, or those of another version. Run portal db upgrade, then this again.\n"
    )


def test_a_file_of_the_queue_that_cannot_be_used_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError) as failed:
        on_file("portal-jobs", tmp_path / "no folder" / "jobs.sqlite", Reachability("The file of the queue"))
    assert what_to_mend(failed.value) == (
        "The file of the queue, jobs.sqlite in PORTAL_INSTANCE, cannot be used (unable to open database file)."
    )


@pytest.mark.sqlite
def test_a_column_that_is_missing_is_said_so(app: Flask) -> None:
    with app.app_context():
        for statement in ("SELECT recruits FROM lab", "INSERT INTO lab (recruits) VALUES (1)"):
            with pytest.raises(OperationalError) as missing:
                db.session.execute(text(statement))
            assert (what_to_mend(missing.value) or "").startswith("The database has no tables yet, or those of another")
            db.session.rollback()


def test_a_database_that_does_not_answer_is_said_so_without_its_password(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    environment.setenv("PORTAL_DATABASE_URL", "postgresql://portal:secret-word@127.0.0.1:1/portal")
    said = refusal(capsys, "seed", "--dry-run")
    assert said.startswith("Error: The database cannot be used (connection failed: ")
    assert "secret-word" not in said


def _failing(error: Exception) -> click.Command:
    @group.command("fail-for-a-test")
    def fail() -> None:
        raise error

    return fail


@pytest.fixture
def command_that_fails() -> object:
    yield _failing
    group.commands.pop("fail-for-a-test")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/data/portal"), "/data/portal: No space left on device\n"),
        (
            OperationalError("INSERT", {}, sqlite3.OperationalError("disk I/O error")),
            "The database cannot be written (disk I/O error); its disk seems full. Make room, then run this again.\n",
        ),
        (
            OperationalError("INSERT", {}, psycopg.errors.DiskFull("no room")),
            "The database cannot be written (no room); its disk seems full. Make room, then run this again.\n",
        ),
    ],
)
def test_a_full_disk_is_said_so(
    environment: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command_that_fails: type,
    error: Exception,
    said: str,
) -> None:
    assert environment
    command_that_fails(error)
    assert refusal(capsys, "fail-for-a-test") == f"Error: {said}"


def test_a_fault_of_the_portal_keeps_its_traceback(environment: pytest.MonkeyPatch, command_that_fails: type) -> None:
    assert environment
    command_that_fails(IntegrityError("INSERT", {}, Exception("unique")))
    with pytest.raises(IntegrityError):
        group.main(["fail-for-a-test"], prog_name="portal")


@pytest.mark.parametrize("port", ["0", "65536"])
def test_a_port_that_cannot_be_is_refused(capsys: pytest.CaptureFixture[str], port: str) -> None:
    with pytest.raises(SystemExit) as ended:
        group.main(["demo", "--port", port], prog_name="portal")
    assert ended.value.code == 2
    assert "is not in the range 1<=x<=65535" in capsys.readouterr().err
