from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Settings

ONE = """\
[[concept]]
plain = ["looms for silk"]
terms = ["jacquard"]
why = "Silk is woven."
added_by = "a test"
"""


@pytest.fixture
def concept_file(settings: Settings) -> Path:
    """A file of one concept for the application: a new process then reads no shipped ones, which takes it seconds."""
    file = Path(settings["PORTAL_INSTANCE"]) / "concepts.toml"
    file.write_text(ONE, encoding="utf-8")
    settings["PORTAL_CONCEPTS"] = str(file)
    return file
