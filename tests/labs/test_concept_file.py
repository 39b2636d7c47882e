"""The concept file: read once, again when it changes, and never replaced by one that cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal import create_app
from portal.config import SettingsError
from portal.labs.concept_file import ConceptFile, shipped_concepts
from portal.matching import Concept, ConceptError

if TYPE_CHECKING:
    from pathlib import Path

CARD = Concept(("video card",), ("GPU",), "Sold so.", "Ada")
TEXT = """[[concept]]
plain = ["video card"]
terms = ["GPU"]
why = "Sold so."
added_by = "Ada"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "concepts.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_it_is_read_once_and_again_when_it_changes(file: Path) -> None:
    concepts = ConceptFile(file)
    first = concepts.current()
    assert first == (CARD,)
    assert concepts.current() is first
    file.write_text("", encoding="utf-8")
    assert concepts.current() == ()


@pytest.mark.parametrize("broken", ["[[concept", TEXT.replace("Sold so.", ""), "\udcff"])
def test_a_broken_change_is_logged_once_and_leaves_the_concepts_in_use(
    file: Path, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    concepts = ConceptFile(file)
    first = concepts.current()
    file.write_bytes(broken.encode("utf-8", "surrogateescape"))
    assert concepts.current() is first
    assert concepts.current() is first
    assert len(caplog.records) == 1
    assert f"The changed concept file is not used: {file}" in caplog.text
    file.unlink()
    assert concepts.current() is first


def test_a_broken_file_is_refused_at_the_start(file: Path) -> None:
    file.write_text("[[concept]]\nplain = 1", encoding="utf-8")
    with pytest.raises(ConceptError, match=r"concepts\.toml: concept 1: "):
        ConceptFile(file).current()


def test_the_setting_names_a_file_that_exists(settings: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="PORTAL_CONCEPTS takes the path of a file, and there is none at"):
        create_app({**settings, "PORTAL_CONCEPTS": str(tmp_path / "none.toml")})


def test_the_shipped_file_has_concepts() -> None:
    assert len(shipped_concepts()) > 500
