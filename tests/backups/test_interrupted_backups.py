"""Backups and restores that are killed, interrupted or run out of disk space leave nothing incomplete and can be
repeated.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from portal.backups import restore
from portal.backups.archive import UNFINISHED, TargetError, whole_or_nothing
from portal.labs.commands.console import CommandStages
from tests.backups.contents import archive_of, files, rows, run_backup, run_restore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from flask import Flask

    from portal.backups.archive import Archive
    from portal.backups.manifest import FilePart
    from portal.labs.live_index.state import Stages
    from portal.storage import FileStore
    from tests.backups.conftest import OpenPortal

pytestmark = pytest.mark.sqlite


def reached(stage: str, then: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `then` called at the first step of the stage that matches the expression."""
    begun: list[str] = []

    def begin(_stages: CommandStages, label: str) -> None:
        begun.append(label)

    def done(_stages: CommandStages, _count: int, _total: int) -> None:
        if re.fullmatch(stage, begun[-1]):
            then()

    monkeypatch.setattr(CommandStages, "begin", begin)
    monkeypatch.setattr(CommandStages, "done", done)


KILLED = """
import json, os, re, signal, sys
from flask.cli import ScriptInfo
from portal import create_app
from portal.backups.backup import backup
from portal.backups.restore import restore
from portal.labs.commands.console import CommandStages

settings, stage, command, *arguments = sys.argv[1:]
begun = []
CommandStages.begin = lambda self, label: begun.append(label)
CommandStages.done = lambda self, *_: re.fullmatch(stage, begun[-1]) and os.kill(os.getpid(), signal.SIGKILL)
commands = {"backup": backup, "restore": restore}
commands[command].main(arguments, obj=ScriptInfo(create_app=lambda: create_app(json.loads(settings))))
"""


def killed(instance: Path, stage: str, command: str, *arguments: object) -> None:
    """Run a command in a process of its own that is killed at the first step of a stage."""
    settings = json.dumps({"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(instance), "PORTAL_MAIL_URL": "memory:"})
    program = [sys.executable, "-c", KILLED, settings, stage, command, *map(str, arguments)]
    ended = subprocess.run(program, check=False, capture_output=True, timeout=600)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


def interrupt() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "stage", ["Copying [0-9,]+ rows", pytest.param("Copying [0-9,]+ files", marks=pytest.mark.thorough)]
)
def test_a_killed_backup_leaves_the_one_before_and_can_be_repeated(source: Flask, tmp_path: Path, stage: str) -> None:
    path = tmp_path / "kept.zip"
    path.write_bytes(b"the one before")
    killed(tmp_path / "source", stage, "backup", path, "--force")
    assert path.read_bytes() == b"the one before"
    assert (tmp_path / UNFINISHED).exists()
    assert run_backup(source, path, "--force").exit_code == 0
    assert not (tmp_path / UNFINISHED).exists()
    assert run_restore(source, path, "--check").exit_code == 0


@pytest.mark.parametrize(
    "stage", ["Copying [0-9,]+ rows", pytest.param("Copying [0-9,]+ files", marks=pytest.mark.thorough)]
)
def test_an_interrupted_backup_leaves_nothing(
    source: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    reached(stage, interrupt, monkeypatch)
    stopped = run_backup(source, folder / "kept.zip")
    assert (stopped.exit_code, stopped.stdout) == (130, "")
    assert f"Stopped. Nothing was written to {folder}/kept.zip" in stopped.stderr
    assert list(folder.iterdir()) == []


def test_a_full_disk_leaves_nothing(source: Flask, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))
    try:
        stopped = run_backup(source, folder / "kept.zip")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert stopped.exit_code == 1
    assert f"{folder}/kept.zip cannot be written (File too large). Nothing of it is left." in stopped.stderr
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "stage", ["Restoring [0-9,]+ rows", pytest.param("Restoring [0-9,]+ files", marks=pytest.mark.thorough)]
)
def test_a_killed_restore_can_be_repeated(source: Flask, open_portal: OpenPortal, tmp_path: Path, stage: str) -> None:
    archive = archive_of(source, tmp_path / "kept.zip")
    killed(tmp_path / "target", stage, "restore", archive, "--go-on")
    target = open_portal("target")
    assert rows(target)["user_account"] == []
    assert len(files(target)) >= 1
    assert run_restore(target, archive, "--go-on").exit_code == 0
    assert rows(target) == rows(source)
    assert files(target) == files(source)


def test_an_interrupted_restore_says_so_and_can_be_repeated(
    source: Flask, target: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = archive_of(source, tmp_path / "kept.zip")
    with monkeypatch.context() as patch:
        reached("Restoring [0-9,]+ rows", interrupt, patch)
        stopped = run_restore(target, archive)
    assert (stopped.exit_code, stopped.stdout) == (130, "")
    assert "Stopped. Of the rows all or none are stored." in stopped.stderr
    assert rows(target)["role"] == []
    assert run_restore(target, archive, "--go-on").exit_code == 0
    assert rows(target) == rows(source)


def test_ctrl_c_in_the_moment_of_the_commit_leaves_nothing_to_do(source: Flask, target: Flask, tmp_path: Path) -> None:
    archive = archive_of(source, tmp_path / "kept.zip")

    def press(_session: Session) -> None:
        interrupt()

    event.listen(Session, "after_commit", press)
    try:
        stopped = run_restore(target, archive)
    finally:
        event.remove(Session, "after_commit", press)
    assert (stopped.exit_code, stopped.stdout) == (130, "")
    assert len(rows(target)["user_account"]) == len(rows(source)["user_account"])
    assert run_restore(target, archive).stderr.endswith("There is nothing left to do.\n")


def test_a_restore_that_is_done_again_says_that_nothing_is_left_to_do(
    source: Flask, target: Flask, tmp_path: Path
) -> None:
    archive = archive_of(source, tmp_path / "kept.zip")
    assert run_restore(target, archive).exit_code == 0
    before = rows(target)
    again = run_restore(target, archive)
    assert again.exit_code == 1
    assert re.search(
        r"kept\.zip: It was restored here already, on [0-9: -]+ UTC\. There is nothing left to do\.", again.stderr
    )
    other = run_restore(target, archive_of(source, tmp_path / "other.zip"))
    assert "This database is not empty (rows in " in other.stderr
    assert rows(target) == before


def test_what_a_killed_process_left_of_a_file_is_cleared(source: Flask, target: Flask, tmp_path: Path) -> None:
    archive = archive_of(source, tmp_path / "kept.zip")
    half = tmp_path / "target/uploads/resumes/2/a-_B9#1"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"ha")
    assert run_restore(target, archive).exit_code == 0
    assert not half.exists()


def test_two_restores_at_once_do_not_mix(
    source: Flask, target: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive_path = archive_of(source, tmp_path / "kept.zip")
    add_files = restore.add_files

    def and_another_restore(archive: Archive, parts: Sequence[FilePart], store: FileStore, stages: Stages) -> None:
        monkeypatch.setattr(restore, "add_files", add_files)
        add_files(archive, parts, store, stages)
        assert run_restore(target, archive_path, "--go-on").exit_code == 0

    monkeypatch.setattr(restore, "add_files", and_another_restore)
    second = run_restore(target, archive_path, "--go-on")
    assert second.exit_code == 1
    assert "This database is not empty (rows in " in second.stderr
    assert rows(target) == rows(source)


def test_two_backups_into_one_folder_do_not_mix(tmp_path: Path) -> None:
    with whole_or_nothing(tmp_path / "one", replace=False) as file:
        with (
            pytest.raises(TargetError, match="Another backup is being written"),
            whole_or_nothing(tmp_path / "two", replace=False),
        ):
            pass
        file.write(b"whole")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("one", b"whole")]


@pytest.mark.thorough
def test_a_terminal_gets_bars(source: Flask, tmp_path: Path) -> None:
    assert source
    settings = {"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(tmp_path / "source")}
    master, terminal = pty.openpty()
    code = (
        "import json, sys\n"
        "from flask.cli import ScriptInfo\n"
        "from portal import create_app\n"
        "from portal.backups.backup import backup\n"
        "backup.main([sys.argv[2]], obj=ScriptInfo(create_app=lambda: create_app(json.loads(sys.argv[1]))))\n"
    )
    output = b""
    arguments = [sys.executable, "-c", code, json.dumps(settings), str(tmp_path / "kept.zip")]
    with subprocess.Popen(arguments, stderr=terminal, stdout=subprocess.DEVNULL) as process:
        os.close(terminal)
        with contextlib.suppress(OSError):  # the terminal is closed
            while chunk := os.read(master, 4096):
                output += chunk
    os.close(master)
    assert process.returncode == 0
    steps = [tuple(map(int, step)) for step in re.findall(r"(\d+)/(\d+)", output.decode())]
    assert len(steps) > 10
    assert steps == sorted(steps)
    assert steps[-1][0] == steps[-1][1]
    assert "Copying 2 files … " in output.decode()
