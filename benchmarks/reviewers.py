"""Researchers who rated how well they could review papers, as lines for `portal evaluate`.

    git clone https://github.com/niharshah/goldstandard-reviewer-paper-match
    python -m benchmarks.reviewers goldstandard-reviewer-paper-match | portal evaluate -

Reads a clone of that repository (Stelmakh, Wieting, Xi, Neubig and Shah, "A Gold Standard Dataset for the Reviewer
Assignment Problem", arXiv:2303.16750): each researcher is a lab with the papers of one of the ten profiles as works
(`--profile`), and the papers that they rated are texts. Words are weighed by the researchers' own papers alone. We may
not ship the data: its titles and abstracts belong to others.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PAPERS = 10  # that a researcher rated at most


def main() -> None:
    """Write the lines, and tell of researchers and papers that are not there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path, nargs="?")
    parser.add_argument("--profile", default="d_20_1")
    asked = parser.parse_args()
    if asked.clone is None:
        print("Give the folder of a clone; `--help` says of what.", file=sys.stderr)
        return
    for line in lines(asked.clone, asked.profile):
        print(json.dumps(line, ensure_ascii=False))


def lines(clone: Path, profile: str) -> Iterator[dict[str, object]]:
    """A lab for each researcher with a profile, and their ratings. What is missing is told on standard error."""
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
