from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from portal.seeding.reader import seed_from

if TYPE_CHECKING:
    from portal.seeding.assemble import SeedResult

SEEDS = Path(__file__).parents[2] / "seeds"
REVIEWED = Path(__file__).parent / "seed_report.json"


@pytest.fixture(scope="module")
def seeded() -> SeedResult:
    return seed_from(SEEDS / "pages", SEEDS / "corrections.toml")


def test_the_seed_pages_give_what_was_reviewed(seeded: SeedResult) -> None:
    """Compared with the stored report list by list, entry by entry; `portal seed --report --json` writes it anew."""
    reviewed = json.loads(REVIEWED.read_text(encoding="utf-8"))
    report = seeded.as_json()
    assert report.keys() == reviewed.keys()
    for name, listed in reviewed.items():
        assert report[name] == listed


def test_the_report_counts_what_it_lists(seeded: SeedResult) -> None:
    report = seeded.as_json()
    counts = report["counts"]
    assert isinstance(counts, dict)
    assert {name: counts[name] for name in ("pages", "labs", "members", "works", "systems")} == {
        "pages": 5,
        "labs": 4,
        "members": 17,
        "works": 84,
        "systems": 61,
    }
    for name, count in counts.items():
        listed = report[name]
        assert isinstance(listed, list)
        assert len(listed) == count


def test_the_report_for_people_names_labs_and_questions(seeded: SeedResult) -> None:
    lines = seeded.as_lines()
    assert lines[0] == "Relaxed System Lab: 15 member profiles, 30 works, 18 systems"
    assert len(lines[: lines.index("")]) == 4
    assert "Open questions (4)" in lines


def test_the_debugging_widget_is_rejected(seeded: SeedResult) -> None:
    (widget,) = [p for p in seeded.notes if p.outcome == "problem" and p.page.startswith("001")]
    assert (widget.line, widget.reason) == (29, "leftover of the site generator's debugging widget, lines 29–44")


def test_the_sites_own_scores_are_ignored_and_said_so(seeded: SeedResult) -> None:
    ignored = [p.said for p in seeded.notes if p.outcome == "ignored" and p.page.startswith("003") and p.line < 10]
    assert ignored == ["Novelty58%", "AI Score61"]


def test_the_sample_entry_and_every_placeholder_are_rejected(seeded: SeedResult) -> None:
    rejected = [p for p in seeded.notes if p.outcome == "problem" and p.page.startswith("004")]
    assert [p.line for p in rejected] == [11, 99, 111, 114, 115, 118, 119, 122, 123, 126]
    assert rejected[1].said.startswith("Deep Residual Learning")
    assert rejected[1].reason == "sample entry of the page's template (it links to the template's example)"
