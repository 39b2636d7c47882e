"""What the matcher takes as works, labs and queries, and what it refuses at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc
from tests.matching.corpus import LABS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NO_TEXT: Any = None
NUMBER: Any = 3
SERVING: Any = "serving"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: WorkDoc("w", NO_TEXT, "About it."), "title and abstract of work 'w' are each a str"),
        (lambda: WorkDoc("w", "A title", NUMBER), "title and abstract of work 'w' are each a str"),
        (lambda: LabDoc("l", NO_TEXT, ()), "the profile of lab 'l' is a str, not None"),
        (lambda: Topic(NO_TEXT), "the text of a topic is a str, not None"),
        (lambda: Query(statement=NO_TEXT), "the statement and the resume are each a str"),
        (lambda: Query(resume=NO_TEXT), "the statement and the resume are each a str"),
        (
            lambda: Query([SERVING]),
            r"topics are a list of Topic, such as \[Topic\('LLM serving'\)\], not of 'serving'",
        ),
        (lambda: Query(SERVING), "topics are a list of Topic"),
        (lambda: Query(facets={"hardware": "GPU"}), r"hardware among the facets is a list, such as \['GPU'\], not"),
        (lambda: LabDoc("l", "", (), {"place": "Lyon"}), "place among the facets is a list"),
        (lambda: WorkDoc("w", "A title", "", systems=SERVING), "systems of work 'w' is a list"),
        (lambda: WorkDoc("w", "A title", "", authors=SERVING), "authors of work 'w' is a list"),
    ],
)
def test_what_is_no_text_is_refused_where_it_is_given(make: Callable[[], object], reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        make()


def test_a_work_without_an_abstract_may_say_none() -> None:
    works = [WorkDoc("w", "Serving language models", NO_TEXT)]
    assert works == [WorkDoc("w", "Serving language models", "")]
    assert LabIndex.fit([LabDoc("l", "", works)]).rank(Query([Topic("language models")]))


def test_an_index_is_saved_and_loaded_by_the_name_of_its_folder(tmp_path: Path) -> None:
    index = LabIndex.fit(LABS)
    index.save(str(tmp_path / "index"))
    query = Query([Topic("LLM serving")])
    assert LabIndex.load(str(tmp_path / "index")).rank(query) == index.rank(query)
