"""The concept file: read at the start, and refused where it cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal import create_app
from portal.config import SettingsError
from portal.labs.live_index import live as live_module
from portal.labs.live_index.state import SHIPPED_CONCEPTS, read_concept_file
from portal.matching import Concept, ConceptError, Query, Topic
from tests.labs.following import current, store_labs

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask

    from tests.conftest import Settings

CARD = Concept(("video card",), ("GPU",), "Sold so.", "Ada")
TEXT = """[[concept]]
plain = ["video card"]
terms = ["GPU"]
why = "Sold so."
added_by = "Ada"
"""
SAID = """[[concept]]
plain = ["marmalade"]
terms = ["weaving", "case1"]
why = "A word for it in these tests."
added_by = "the tests"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "concepts.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_a_file_is_read(file: Path) -> None:
    assert read_concept_file(file) == (CARD,)


@pytest.mark.parametrize("broken", ["[[concept", TEXT.replace("Sold so.", ""), "[[concept]]\nplain = 1", "\udcff"])
def test_a_broken_file_is_refused_by_name(file: Path, broken: str) -> None:
    file.write_bytes(broken.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConceptError, match=r"concepts\.toml: "):
        read_concept_file(file)


def related(app: Flask) -> list[str]:
    """The labs that concepts suggest for plain words."""
    return [match.lab for match in current(app).index.related(Query((Topic("blue marmalade"),)))]


@pytest.mark.parametrize("works", ["few", "many"])
def test_a_new_process_takes_the_saved_index_with_the_concepts_of_now(
    concept_file: Path, app: Flask, settings: Settings, monkeypatch: pytest.MonkeyPatch, works: str
) -> None:
    if works == "many":
        monkeypatch.setattr(live_module, "FITTED_QUICKLY", 0)
    concept_file.write_text("", encoding="utf-8")
    store_labs(app)
    fitted = current(app).fit
    assert related(app) == []
    concept_file.write_text(SAID, encoding="utf-8")
    other = create_app(settings)
    assert related(other)[:1] == ["lab-001"]
    assert current(other).fit.generation == fitted.generation
    concept_file.write_text("", encoding="utf-8")
    third = create_app(settings)
    assert (related(third), current(third).corpus.concepts) == ([], ())
    assert current(third).fit.generation == fitted.generation


def test_the_setting_names_a_file_that_exists(settings: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="PORTAL_CONCEPTS takes the path of a file, and there is none at"):
        create_app({**settings, "PORTAL_CONCEPTS": str(tmp_path / "none.toml")})


def test_the_shipped_file_has_concepts() -> None:
    assert len(read_concept_file(SHIPPED_CONCEPTS)) > 500
