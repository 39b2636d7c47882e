"""What the tests of reading documents ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.documents.limits import Slots

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def slots(tmp_path: Path) -> Slots:
    """Two places in a folder of this test's own."""
    return Slots(tmp_path / "slots", count=2, wait_seconds=0.2)
