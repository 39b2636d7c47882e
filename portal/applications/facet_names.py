"""Wanted facets in words people read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from portal.labs.wording import degree_name

if TYPE_CHECKING:
    from portal.labs.matches.views import LabMatch
    from portal.matching import FacetCheck

DEGREE = "degree"


def value_in_words(facet: str, value: str) -> str:
    """A value as people write it: degrees are kept as codes."""
    return degree_name(value) if facet == DEGREE else value


def with_facets_in_words(match: LabMatch) -> LabMatch:
    """The match with the values of its facets as people write them."""
    return replace(
        match,
        facets_met=tuple(map(_in_words, match.facets_met)),
        facets_missed=tuple(map(_in_words, match.facets_missed)),
    )


def _in_words(check: FacetCheck) -> FacetCheck:
    return replace(
        check,
        wanted=tuple(value_in_words(check.name, value) for value in check.wanted),
        lab_values=tuple(value_in_words(check.name, value) for value in check.lab_values),
    )
