"""A version of the portal with one more migration than this one, for tests of upgrades and of older archives."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from flask_migrate import Migrate

from portal.config import PACKAGE

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

LATER = '''
"""Writes a table anew to which many refer, as SQLite needs for most changes."""

from alembic import op

revision = "later"
down_revision = "first"


def upgrade() -> None:
    with op.batch_alter_table("user_account", recreate="always"):
        pass


def downgrade() -> None:
    upgrade()
'''


def use_later_version(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Have the newest migration of every application be one that follows the first; returns its name."""
    shutil.copytree(PACKAGE / "migrations", folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions/20300101_0000_later.py").write_text(LATER)
    monkeypatch.setattr(Migrate, "directory", property(lambda _: str(folder), lambda *_: None), raising=False)
    return "later"
