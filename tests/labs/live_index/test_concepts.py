"""The concept file: refused at the start where it cannot be used, and read again, in every process, when it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal import create_app
from portal.config import SettingsError
from portal.labs.live_index import live as live_module
from portal.labs.live_index.state import SHIPPED_CONCEPTS, ConceptFile, read_concept_file
from portal.matching import Concept, ConceptError, Query, Topic
from tests.labs.following import current, ranked, recruit_for, store_labs

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


def test_it_is_read_once_and_again_when_it_changes(file: Path) -> None:
    concepts = ConceptFile(file)
    first = concepts.current()
    assert first == (CARD,)
    assert concepts.current() is first
    file.write_text("", encoding="utf-8")
    assert concepts.current() == ()


@pytest.mark.parametrize("broken", ["[[concept", TEXT.replace("Sold so.", ""), "[[concept]]\nplain = 1", "\udcff"])
def test_a_broken_file_is_refused_by_name_and_after_a_change_logged_once(
    file: Path, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    concepts = ConceptFile(file)
    first = concepts.current()
    file.write_bytes(broken.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConceptError, match=r"concepts\.toml: "):
        ConceptFile(file).current()
    assert concepts.current() is first
    assert concepts.current() is first
    assert len(caplog.records) == 1
    assert f"The changed concept file is not used: {file}" in caplog.text
    file.unlink()
    assert concepts.current() is first
    file.write_text("", encoding="utf-8")
    assert concepts.current() == ()


def related(app: Flask) -> list[str]:
    """The labs that concepts suggest for plain words."""
    return [match.lab for match in current(app).index.related(Query((Topic("blue marmalade"),)))]


@pytest.mark.parametrize("works", ["few", "many"])
def test_the_next_query_of_every_process_knows_a_change_without_a_fit(
    concept_file: Path, app: Flask, settings: Settings, monkeypatch: pytest.MonkeyPatch, works: str
) -> None:
    if works == "many":
        monkeypatch.setattr(live_module, "FITTED_QUICKLY", 0)
    concept_file.write_text("", encoding="utf-8")
    store_labs(app)
    other = create_app(settings)
    assert (related(app), related(other)) == ([], [])
    before, scored = (current(app), current(other)), current(app).scored_as("lab-001")
    concept_file.write_text(SAID, encoding="utf-8")
    recruit_for(app, "lab-004", "We build compilers for quantum annealers.")
    assert (related(app)[:1], related(other)[:1]) == (["lab-001"], ["lab-001"])
    assert ranked(app) == ["lab-004"]
    assert current(app).scored_as("lab-001") != scored
    assert [current(app).fit, current(other).fit] == [labs.fit for labs in before]
    concept_file.write_text("[[concept", encoding="utf-8")
    assert (related(app)[:1], related(other)[:1]) == (["lab-001"], ["lab-001"])
    concept_file.write_text("", encoding="utf-8")
    assert (related(app), related(other)) == ([], [])


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
