"""Researchers who rated how well they could review papers, as lines for `portal evaluate`.

    git clone https://github.com/niharshah/goldstandard-reviewer-paper-match
    python -m benchmarks.reviewers goldstandard-reviewer-paper-match | portal evaluate -
    python -m benchmarks.reviewers --topics goldstandard-reviewer-paper-match | portal evaluate -

Reads a clone of that repository (Stelmakh, Wieting, Xi, Neubig and Shah, "A Gold Standard Dataset for the Reviewer
Assignment Problem", arXiv:2303.16750). Each researcher is a lab with the papers of one of the ten profiles as works
(`--profile`), and the papers that they rated are the texts. Words are weighed by the researchers' own papers alone. The
data cannot be shipped, as others own its titles and abstracts.

With `--topics`, names of topics are the queries instead of the papers. `reviewer_topics.jsonl` says which researchers
work on each, labelled from the papers of the profile `d_20_1` before anything was ranked: 2 if it is a main theme, 1 if
at least one paper is about it. `--main` counts only main themes.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

PAPERS = 10  # the most papers that a researcher rated
TOPICS = Path(__file__).with_name("reviewer_topics.jsonl")
MAIN_THEME = 2


def main() -> None:
    """Write the lines to standard output, and which researchers and papers are missing to standard error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path, nargs="?")
    parser.add_argument("--profile", default="d_20_1")
    parser.add_argument("--topics", action="store_true")
    parser.add_argument("--main", action="store_true")
    arguments = parser.parse_args()
    if arguments.clone is None:
        print("Give the folder of a clone; `--help` says of which repository.", file=sys.stderr)
        return
    output_lines = list(lines(arguments.clone, arguments.profile))
    if arguments.topics or arguments.main:
        labs = [line for line in output_lines if "lab_key" in line]
        output_lines = [
            *labs,
            *topics({str(lab["lab_key"]) for lab in labs}, least=MAIN_THEME if arguments.main else 1),
        ]
    for line in output_lines:
        print(json.dumps(line, ensure_ascii=False))


def topics(researchers: Container[str], *, least: int) -> Iterator[dict[str, object]]:
    """The topics on which some of these researchers work, at least as much as `least` says, as judged queries."""
    for line in TOPICS.read_text(encoding="utf-8").splitlines():
        topic = json.loads(line)
        relevance: dict[str, int] = topic["relevance"]
        labs = [key for key, grade in relevance.items() if grade >= least and key in researchers]
        if labs:
            yield {"text": topic["text"], "kind": topic["kind"], "labs": labs}


def lines(clone: Path, profile: str) -> Iterator[dict[str, object]]:
    """A lab for each researcher with a profile, and their ratings. Prints what is missing to standard error."""
    with (clone / "data" / "evaluations.csv").open(encoding="utf-8", newline="") as file:
        rated = list(csv.DictReader(file, delimiter="\t"))
    for row in rated:
        researcher = row["ParticipantID"]
        archive = clone / "evaluation_datasets" / profile / "archives" / f"~{researcher}.jsonl"
        if not archive.is_file():
            print(f"No profile of researcher {researcher}.", file=sys.stderr)
            continue
        papers = [json.loads(line) for line in archive.read_text(encoding="utf-8").splitlines() if line.strip()]
        works = {paper["id"]: paper["content"] for paper in papers}
        yield {"lab_key": researcher, "works": [{"key": key, **_texts(paper)} for key, paper in works.items()]}
        yield from _ratings(clone, row)


def _ratings(clone: Path, row: dict[str, str]) -> Iterator[dict[str, object]]:
    for place in range(1, PAPERS + 1):
        paper, expertise = row[f"Paper{place}"], row[f"Expertise{place}"]
        if not paper or not expertise:
            continue
        file = clone / "data" / "papers" / f"{paper}.json"
        if not file.is_file():
            print(f"No text of paper {paper}.", file=sys.stderr)
            continue
        texts = _texts(json.loads(file.read_text(encoding="utf-8")))
        text = ". ".join(part for part in (texts["title"], texts["abstract"]) if part)
        yield {"lab": row["ParticipantID"], "text": text, "rating": float(expertise)}


def _texts(paper: dict[str, str | None]) -> dict[str, str]:
    return {name: paper.get(name) or "" for name in ("title", "abstract")}


if __name__ == "__main__":
    main()
