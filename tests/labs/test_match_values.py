"""A match that was stored as JSON is shown as it was computed."""

from __future__ import annotations

import json
from dataclasses import replace

from portal.labs.matches import (
    EvidenceView,
    GapView,
    LabMatch,
    ProfileView,
    SourceShare,
    match_from_json,
    match_to_json,
)
from portal.matching import FacetCheck, TermShare

MATCH = LabMatch(
    slug="systems",
    name="Systems",
    leader="A Leader",
    place="Hong Kong",
    score=0.25,
    position=2,
    total=7,
    percentile=85.7,
    fits=True,
    shares_by_source=(SourceShare("topic", 0.25, 1.0),),
    terms=(TermShare("serving", 0.2, "topic", ("w1", "w2")), TermShare("large", 0.05, "concept", (), via="LLM")),
    evidence=(
        EvidenceView(
            "w1", "A title", "ICML", 2026, "", ("FlexGen",), 0.5, "A sentence.", ((0, 1),), "Mine.", (), "topic"
        ),
    ),
    missing=(GapView("GPUs", ("A title",)),),
    facets_met=(FacetCheck("place", ("Hong Kong",), ("Hong Kong",)),),
    facets_missed=(FacetCheck("degree", ("phd",), ()),),
    profile=ProfileView("We serve large models.", ((9, 14),), adds=True),
)


def test_a_match_comes_back_from_json_as_it_was() -> None:
    assert match_from_json(json.loads(json.dumps(match_to_json(MATCH)))) == MATCH


def test_a_match_that_was_kept_before_profiles_were_evidence_comes_back_without() -> None:
    values = match_to_json(MATCH)
    del values["profile"]
    assert match_from_json(values) == replace(MATCH, profile=None)
