"""Styles that other pages of the five kinds have, but not the seed pages."""

from __future__ import annotations

import pytest

from portal.seeding.corrections import Corrections
from portal.seeding.people import adviser_in
from portal.seeding.reader import parse_page, seed_texts

TAGGED = """---
layout: default
---
# Wei Zhang

I lead the *Efficient Data Systems Group* at the National University of Singapore.

### Selected Papers
- **[VLDB'25]** VecFlow: A GPU-Native Vector Engine. *Li Na*, Tom Müller, **Wei Zhang**. [[pdf](https://x.example/v.pdf)]
- **[SIGMOD'24]** Towards Cheap Joins on NPUs. Tom Müller, **Wei Zhang**. (Best Paper Runner-up)
- [ICDE 2023] Indexing Without Regret. Raj Patel, Li Na, **Wei Zhang**.
- [Code] Sorting on Wet Paper. Raj Patel, **Wei Zhang**. KDD 2022.
"""
STALLS = """Jane Roe, Kim Doe, Hua Li
[FAST 2025 | First Author] USENIX Conference on File and Storage Technologies
Key-value stores suffer from write stalls. We present StoreKit, a system that removes them.
Kim Doe, Jane Roe, Hua Li
[ATC 2024 | Second Author] USENIX Annual Technical Conference
Log-structured systems waste space. We propose LogLean, which reclaims it.
"""
SCRAPED = f"""Jane Roe
Ph.D. Student
About me
I am a second-year Ph.D. student in Prof. Hua Li's group at Fudan University. I work on storage systems.
Publications
{STALLS}{STALLS}"""


def test_a_venue_in_brackets_before_the_title_is_the_venue() -> None:
    works = parse_page("home.md", TAGGED).draft.works
    assert [(work.title, work.venue, work.year) for work in works] == [
        ("VecFlow: A GPU-Native Vector Engine", "VLDB", 2025),
        ("Towards Cheap Joins on NPUs", "SIGMOD", 2024),
        ("Indexing Without Regret", "ICDE", 2023),
        ("Sorting on Wet Paper", "KDD", 2022),
    ]
    assert works[0].authors == ("Li Na", "Tom Müller", "Wei Zhang")
    assert works[1].awards == ("Best Paper Runner-up",)
    # Three capitalised words could be a person; several people behind them tell that they are the title.
    assert works[2].authors == ("Raj Patel", "Li Na", "Wei Zhang")


def test_the_heading_above_the_first_publication_is_no_title_so_its_copy_is_merged() -> None:
    page = parse_page("jane.txt", SCRAPED)
    assert [(work.title, work.venue, work.year) for work in page.draft.works] == [("", "FAST", 2025), ("", "ATC", 2024)]
    assert [note.outcome for note in page.notes] == ["merged", "merged"]
    assert page.draft.activities == ()


def test_a_member_of_a_named_group_joins_its_lab() -> None:
    (lab,) = seed_texts([("jane.txt", SCRAPED)], Corrections()).labs
    assert (lab.key, lab.leader) == ("hua-li-group", "Hua Li")
    assert [member.name for member in lab.members if member.role == "phd_student"] == ["Jane Roe"]


@pytest.mark.parametrize(
    ("sentence", "adviser"),
    [
        ("I am a student in Prof. Bin Cui's group.", "Bin Cui"),
        ("She works in Professor Ada Lovelace’s data systems lab.", "Ada Lovelace"),
        ("I joined Dr. Grace Hopper's team in 2024.", "Grace Hopper"),
        ("I am in the lab of Prof. Hua Li at Fudan University.", "Hua Li"),
        ("I am advised by Prof. Lei Chen.", "Lei Chen"),
        ("I enjoyed a talk of Prof. Lei Chen on groups.", ""),
    ],
)
def test_an_adviser_is_named_in_several_ways(sentence: str, adviser: str) -> None:
    assert adviser_in(sentence) == adviser
