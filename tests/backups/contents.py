"""A portal's content, read without the code under test; running the commands; changing archives."""

from __future__ import annotations

import hashlib
import json
import zipfile
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from portal.backups.backup import backup
from portal.backups.restore import restore
from portal.db import db

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result
    from flask import Flask


def run_backup(app: Flask, *arguments: object) -> Result:
    return _checked(app.test_cli_runner().invoke(backup, list(map(str, arguments))))


def run_restore(app: Flask, *arguments: object) -> Result:
    return _checked(app.test_cli_runner().invoke(restore, list(map(str, arguments))))


def archive_of(app: Flask, path: Path) -> Path:
    done = run_backup(app, path)
    assert (done.exit_code, done.exception) == (0, None), done.output
    return path


def rows(app: Flask) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables as the models read them, except what a restore changes on purpose."""
    with app.app_context():
        rows_by_table = {}
        for table in db.metadata.sorted_tables:
            columns = [column for column in table.columns if column.name != "fs_uniquifier"]
            statement = select(*columns).order_by(*table.primary_key.columns)
            rows_by_table[table.name] = [tuple(row) for row in db.session.execute(statement)]
        db.session.remove()
    # A restore writes an audit entry itself.
    rows_by_table["audit_entry"] = [row for row in rows_by_table["audit_entry"] if "backup.restore" not in row]
    del rows_by_table["audit_head"]
    return rows_by_table


def files(app: Flask) -> dict[str, bytes]:
    store = app.extensions["portal_files"]
    return {stored.key: store.get(stored.key) for stored in store.list("")}


def changed(archive: Path, new: Path, change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> Path:
    """A copy of the archive after `change` of its manifest and its parts, which have their names in the archive."""
    with zipfile.ZipFile(archive) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    manifest = json.loads(parts.pop("manifest.json"))
    change(manifest, parts)
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts.items():
            file.writestr(name, data)
        file.writestr("manifest.json", json.dumps(manifest))
    return new


def sealed(manifest: dict[str, Any], parts: dict[str, bytes]) -> None:
    """Make the manifest agree with the parts after a change."""
    for table in manifest["tables"]:
        data = parts[f"tables/{table['name']}.jsonl"]
        table.update(size=len(data), sha256=hashlib.sha256(data).hexdigest(), rows=data.count(b"\n"))


def _checked(result: Result) -> Result:
    """The result of a command; raises any error that it did not turn into a sentence."""
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result
