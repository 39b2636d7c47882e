"""Employers and schools by their place in the entries of a resume, and what stands there beside them."""

from __future__ import annotations

import pytest

from portal.matching import redact
from tests.hanging import no_hanging

WORK = "Anna Schmidt\n\nExperience\n{}\n- Built kernels\n\nSkills\nNeural Dynamics, 2020\n"
PLACED = (
    "Software Engineer, {}, Berlin, Jun 2022 – Present",
    "{} | Lagos | Backend Developer | 07/2020 - 05/2023",
    "2023-now   {}, Lagos: engineer; prompt caching",
    "Senior Developer — {} (Lagos), 2021–2024",
    "1. {}, Lagos (May 2022 - July 2022): Worked on sharded training",
    "{}                                 Lagos\nBackend Engineer               Jan 2021 – Dec 2023",
    "Ingénieur logiciel, {}, Paris – depuis septembre 2022",
)
"""A place behind it leaves no doubt."""
ENTRIES = (
    *PLACED,
    "Software Engineer, {}                Jun 2022 – Present\n- Built\nResearch Intern, Google          2021",
    "Computer Vision Engineer\n{}\nLagos · March 2021 – May 2023",
    "{} - Graduate Trainee (2019 - 2020)",
    "Developer bei {}, 2020",
    "- Database Engineer, {} (2020 – 2022)",
    "2020 – 2022\nMachine Learning Engineer\n{}, Lagos (Nigeria)",
)


def left(text: str) -> str:
    return redact(text).text


@pytest.mark.parametrize(
    ("entry", "employer"),
    [
        *((entry, employer) for entry in ENTRIES for employer in ("Beacon Compute", "Silver Oak")),
        *((entry, employer) for entry in PLACED for employer in ("Neural Dynamics", "Memory Lane")),
    ],
)
def test_an_employer_is_told_by_its_place_in_an_entry(entry: str, employer: str) -> None:
    text = WORK.format(entry.format(employer))
    assert ("employer", employer) in [(item.reason, item.text) for item in redact(text).removed]
    assert "Neural Dynamics, " in left(text)  # below "Skills"


def test_who_an_internship_was_with_is_an_employer() -> None:
    text = redact("Served models\nAfter an internship with Careem Networks they pruned models").text
    assert text.split()[2:] == ["After", "an", "internship", "with", "pruned", "models"]


@pytest.mark.parametrize(
    ("group", "kind"), [("Kolesa Group", "employer"), ("Database Group", ""), ("Haskell Group", ""), ("NLP Group", "")]
)
def test_a_group_that_is_called_by_no_field_is_an_employer(group: str, kind: str) -> None:
    removed = redact(WORK.format(f"Intern, {group}, 2020")).removed
    assert [item.reason for item in removed if group in item.text] == ([kind] if kind else [])


def test_an_employer_is_left_out_wherever_its_name_stands() -> None:
    text = WORK.format("Engineer, Blue River Analytics, 2020\n- Led a team of Blue River Analytics\n- River analytics")
    assert "Blue" not in left(text)
    assert "River analytics" in left(text)


@pytest.mark.parametrize(
    "entry",
    [
        "{}, B.S. in Computer Science, 2018 – 2022",
        "{} | Bachelor of Engineering, Electronics | 2016 - 2020",
        "2015-2019  {}",
        "{}\nMaster's degree, Computer Science · 2019 – 2021",
        "M.Sc. Informatics, {}, Berlin, 2020",
    ],
)
def test_a_school_is_told_by_its_place_in_an_entry(entry: str) -> None:
    removed = redact(f"Anna Schmidt\n\nEducation\n{entry.format('Green Valley')}\n").removed
    assert ("school", "Green Valley") in [(item.reason, item.text) for item in removed]


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("Experience", "Software Engineer, Google, Search Infrastructure, 2020 – 2022"),
        ("Experience", "Machine Learning Engineer, 2019 – 2021"),
        ("Experience", "Research Assistant, Distributed Systems, Stanford University, 2020"),
        ("Experience", "Graph Neural Networks for Traffic, Summer 2021"),
        ("Experience", "Compiler Intern — LLVM, MLIR, TVM — 2022"),
        ("Experience", "Full Stack Developer (React, Node.js), 2017 – 2018"),
        ("Experience", "Web Developer, 2017 – 2018\nPython, Kafka, Spark, Kubernetes"),
        ("Experience", "Research Assistant, Distributed Systems Group, 2021"),
        ("Experience", "Teaching Assistant, Operating Systems, Fall 2022"),
        ("Experience", "Open Source Developer, PyTorch, 2019 – 2020"),
        ("Experience", "Engineer, 2019\nTrained diffusion models on four GPUs\nMemory-efficient attention"),
        ("Experience", "Research Intern, Adaptive Batching for Inference, Jun 2022 – Aug 2022"),
        ("Experience", "PhD Researcher | Secure Aggregation | 2021 – 2023"),
        ("Experience", "Machine Learning Intern, Time Series Forecasting, 2022"),
        ("Experience", "Engineer, Event Sourcing, 2019"),
        ("Experience", "Researcher, Random Walks, 2012"),
        ("Experience", "Engineer, Speculative Execution Attacks, 2020"),
        ("Experience", "Developer, Hadoop, Spark and Hive, 2016"),
        ("Research Experience", "Federated Learning on Edge Devices (Jan 2022 – May 2022)"),
        ("Experience & Projects", "Ray Tracer, Rust, 2020"),
        ("Projects", "Beacon Compute, CUDA, 2021, Berlin"),
        ("Education", "M.Sc., Signal Processing, 2014 – 2018"),
        ("Education", "B.Sc., Bioinformatics, 2019"),
        ("Education", "Thesis: Efficient Transformers, 2020"),
        ("Education", "Relevant Coursework: Operating Systems, Compilers, Databases (2019)"),
    ],
)
def test_what_was_worked_on_stays(heading: str, line: str) -> None:
    removed = redact(f"Anna Schmidt\n\n{heading}\n{line}\n").removed
    text = [item.text for item in removed if item.reason in {"employer", "school", "place"}]
    assert [word for word in text if word not in {"Google", "Stanford University", "Berlin"}] == []


@pytest.mark.parametrize(
    ("lines", "employers"),
    [
        (" " * 20_000, 0),
        ("A, " * 20_000, 0),
        ("Engineer, Beacon Compute, 2020\n" * 3_000, 3_000),
        (" " * 20_000 + "\n" + "A, " * 20_000 + "\n" + "Engineer, Beacon Compute, 2020\n" * 3_000, 3_000),
    ],
    ids=["blanks", "a list of letters", "thousands of entries", "one after the other"],
)
def test_lines_without_end_are_read_in_the_end_and_their_employers_found(lines: str, employers: int) -> None:
    with no_hanging():
        redacted = redact(f"Experience\n{lines}")
    assert [item.text for item in redacted.removed if item.reason == "employer"] == ["Beacon Compute"] * employers
