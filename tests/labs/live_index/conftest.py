from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _saved(index_saved: None) -> None:
    """What this folder is about is shared by processes through the saved index."""
