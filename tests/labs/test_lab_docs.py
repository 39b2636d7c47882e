from __future__ import annotations

import pytest

from portal.labs.lab_docs import lab_doc, states_subject
from portal.seeding.records import LabRecord, OpeningRecord


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 Ph.D. positions from Fall 2027", False),
        ("1 position", False),
        ("PhD; fully funded for 4 years", False),
        ("We have two post-doc openings, starting in September.", False),
        ("", False),
        ("Ph.D. students for work on federated learning", True),
        ("2 positions: LLM serving", True),
        ("分布式系统方向博士生", True),
    ],
)
def test_an_opening_counts_in_matches_only_if_it_says_what_it_is_about(text: str, expected: bool) -> None:  # noqa: FBT001
    assert states_subject(text) is expected
    record = LabRecord("a", "A", topics=("robotics",), openings=(OpeningRecord("phd", "phd", text=text),))
    assert lab_doc(record).profile == "\n\n".join(["robotics", text] if expected else ["robotics"])
