"""Weights of topics, from the lightest to the heaviest."""

from __future__ import annotations

import math

import pytest

from portal.matching import LabIndex, Query, Topic
from portal.matching.records import HEAVIEST

from .corpus import LABS


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf"), 1e101])
def test_weights_that_mean_nothing_are_refused(weight: float) -> None:
    with pytest.raises(ValueError, match=r"topic weight must be a number from 0 to 1e\+100, not"):
        Topic("x", weight)
    with pytest.raises(ValueError, match="resume weight"):
        Query(resume_weight=weight)


def test_the_heaviest_topic_still_finds_its_lab() -> None:
    index = LabIndex.fit(LABS)
    usual, heaviest = (Query((Topic("federated learning", weight), Topic("serving"))) for weight in (1.0, HEAVIEST))
    assert index.rank(heaviest)[0].lab == index.rank(usual)[0].lab == "federated"


@pytest.mark.parametrize("weight", [1e-160, 1e-200, 5e-324])
def test_the_lightest_topic_is_as_good_as_any_if_there_is_no_other(weight: float) -> None:
    index = LabIndex.fit(LABS)
    usual, lightest = (Query((Topic("federated learning", stated),)) for stated in (1.0, weight))
    assert index.rank(lightest) == index.rank(usual) != []
    ((_, explanation),) = index.rank_explained(lightest)
    assert math.fsum(term.share for term in explanation.terms) == pytest.approx(explanation.score, abs=1e-9)
