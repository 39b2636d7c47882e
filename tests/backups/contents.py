"""What a portal holds, read past the code under test; commands run; archives changed."""

from __future__ import annotations

import hashlib
import json
import zipfile
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from portal.backups.backup_command import backup
from portal.backups.restore_command import restore
from portal.db import db

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result
    from flask import Flask


def run_backup(app: Flask, *arguments: object) -> Result:
    return _without_a_fault(app.test_cli_runner().invoke(backup, list(map(str, arguments))))


def run_restore(app: Flask, *arguments: object) -> Result:
    return _without_a_fault(app.test_cli_runner().invoke(restore, list(map(str, arguments))))


def archive_of(app: Flask, path: Path) -> Path:
    done = run_backup(app, path)
    assert (done.exit_code, done.exception) == (0, None), done.output
    return path


def rows(app: Flask) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables as the models read them, without what a restore changes on purpose."""
    with app.app_context():
        found = {}
        for table in db.metadata.sorted_tables:
            columns = [column for column in table.columns if column.name != "fs_uniquifier"]
            statement = select(*columns).order_by(*table.primary_key.columns)
            found[table.name] = [tuple(row) for row in db.session.execute(statement)]
        db.session.remove()
    # A restore is an entry of the log itself.
    found["audit_entry"] = [row for row in found["audit_entry"] if "backup.restore" not in row]
    del found["audit_head"]
    return found


def files(app: Flask) -> dict[str, bytes]:
    store = app.extensions["portal_files"]
    return {one.key: store.get(one.key) for one in store.list("")}


def changed(archive: Path, new: Path, change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> Path:
    """The archive with another manifest or other parts, by their names in the archive."""
    with zipfile.ZipFile(archive) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    manifest = json.loads(parts.pop("manifest.json"))
    change(manifest, parts)
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as written:
        for name, data in parts.items():
            written.writestr(name, data)
        written.writestr("manifest.json", json.dumps(manifest))
    return new


def sealed(manifest: dict[str, Any], parts: dict[str, bytes]) -> None:
    """Have the manifest agree with parts that were changed."""
    for table in manifest["tables"]:
        data = parts[f"tables/{table['name']}.jsonl"]
        table.update(size=len(data), sha256=hashlib.sha256(data).hexdigest(), rows=data.count(b"\n"))


def _without_a_fault(result: Result) -> Result:
    """What came of a command; any error but a sentence for the terminal is the test's."""
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result
