"""The demo's own small files."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

import pytest

from portal.demo import _kept

if TYPE_CHECKING:
    from pathlib import Path


def test_a_full_disk_leaves_no_empty_password_behind(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # No file may grow: every write fails, as on a full disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            _kept(tmp_path / "demo-password", "first try")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert _kept(tmp_path / "demo-password", "second try") == "second try"
    assert _kept(tmp_path / "demo-password", "third try") == "second try"
    assert (tmp_path / "demo-password").stat().st_mode & 0o777 == 0o600
