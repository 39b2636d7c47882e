"""Where a backup is written: not over other files or among uploads, and in a folder under a name of its time."""

from __future__ import annotations

import json
import os
import zipfile
from typing import TYPE_CHECKING

from portal.backups import manifest as manifest_module
from tests.backups.contents import run_backup

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask


def test_a_backup_is_not_written_over_another_file_or_among_uploads(source: Flask, tmp_path: Path) -> None:
    path = tmp_path / "kept.zip"
    path.write_bytes(b"another")
    refused = run_backup(source, path)
    assert (refused.exit_code, path.read_bytes()) == (1, b"another")
    assert "exists already. Name another file, or replace it with --force." in refused.stderr
    assert "where uploaded files are kept" in run_backup(source, tmp_path / "source/uploads").stderr
    assert "There is no folder " in run_backup(source, tmp_path / "nowhere/kept.zip").stderr
    absent = tmp_path / "backups"
    assert f"There is no folder {absent}. Create it" in run_backup(source, absent).stderr
    assert not absent.exists()
    assert run_backup(source, path, "--force").exit_code == 0
    assert json.loads(zipfile.ZipFile(path).read("manifest.json"))["format"] == manifest_module.FORMAT


def test_a_backup_into_a_folder_is_named_by_its_time(source: Flask, tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    assert run_backup(source, tmp_path / "backups").exit_code == 0
    (archive,) = (tmp_path / "backups").iterdir()
    assert zipfile.is_zipfile(archive)
    assert (archive.name[:9], archive.suffix) == ("portal-20", ".zip")


def test_a_database_without_tables_has_nothing_to_keep(bare_target: Flask, tmp_path: Path) -> None:
    refused = run_backup(bare_target, tmp_path / "kept.zip")
    assert refused.exit_code == 1
    assert "The database has no tables yet, so there is nothing to back up." in refused.stderr
    assert not (tmp_path / "kept.zip").exists()


def test_a_backup_takes_the_place_of_no_device(source: Flask, tmp_path: Path) -> None:
    """As root, `--force /dev/null` would leave a machine without one."""
    os.mkfifo(tmp_path / "pipe")
    refused = run_backup(source, tmp_path / "pipe", "--force")
    assert (refused.exit_code, (tmp_path / "pipe").is_fifo()) == (1, True)
    assert "is no file, but a device or a pipe. Name a file that ends with .zip." in refused.stderr
