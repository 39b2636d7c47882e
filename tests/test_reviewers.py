"""Public ratings of reviewer assignment, read from a clone: what `portal evaluate` is given."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from benchmarks.reviewers import PAPERS, TOPICS, lines, topics
from portal.matching.evaluation.lines import read_material

if TYPE_CHECKING:
    from pathlib import Path

PROFILE = "d_20_1"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Two researchers, of whom one has a profile; the second of the papers that she rated has no text."""
    columns = [
        "ParticipantID",
        *(f"{name}{place}" for name in ("Paper", "Expertise") for place in range(1, PAPERS + 1)),
    ]
    rated = {"ParticipantID": "7", "Paper1": "p", "Expertise1": "4.5", "Paper2": "lost", "Expertise2": "2"}
    rows = [[rated.get(name, "") for name in columns], ["8", *[""] * (len(columns) - 1)]]
    archive = tmp_path / "evaluation_datasets" / PROFILE / "archives" / "~7.jsonl"
    for file, text in (
        (tmp_path / "data" / "evaluations.csv", "\n".join("\t".join(row) for row in [columns, *rows])),
        (tmp_path / "data" / "papers" / "p.json", json.dumps({"title": "Fast kernels", "abstract": None})),
        (archive, json.dumps({"id": "w", "content": {"title": "Slow kernels", "abstract": "We wait."}}) + "\n"),
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


def test_a_clone_becomes_labs_and_ratings(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = list(lines(clone, PROFILE))
    assert found == [
        {"lab_key": "7", "works": [{"key": "w", "title": "Slow kernels", "abstract": "We wait."}]},
        {"lab": "7", "text": "Fast kernels", "rating": 4.5},
    ]
    assert capsys.readouterr().err == "No text of paper lost.\nNo profile of researcher 8.\n"
    material = read_material(io.BytesIO("\n".join(map(json.dumps, found)).encode()))
    assert (len(material.labs), len(material.ratings), material.problems) == (1, 1, [])


def test_topics_are_judged_for_the_researchers_that_are_there() -> None:
    labelled = [json.loads(line) for line in TOPICS.read_text(encoding="utf-8").splitlines()]
    one, *_ = [key for key, grade in labelled[0]["relevance"].items() if grade == 1]
    asked = {str(query["text"]): query["labs"] for query in topics({one}, least=1)}
    assert asked == {topic["text"]: [one] for topic in labelled if one in topic["relevance"]}
    assert labelled[0]["text"] not in {query["text"] for query in topics({one}, least=2)}
