"""A match as JSON values and back, so that a stored match can be shown again."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from portal.labs.matches.views import EvidenceView, GapView, LabMatch, ProfileView, SourceShare
from portal.matching import FacetCheck, TermShare


def match_to_json(match: LabMatch) -> dict[str, Any]:
    """Everything a page shows of a match, as JSON values."""
    values = asdict(match)
    values["terms"] = [term._asdict() for term in match.terms]
    values["evidence"] = [asdict(item) for item in match.evidence]
    values["missing"] = [asdict(gap) for gap in match.missing]
    return values


def match_from_json(values: dict[str, Any]) -> LabMatch:
    """The match that `match_to_json` wrote.

    Raises:
        KeyError: A value is missing.
    """
    return LabMatch(
        **{
            **values,
            "shares_by_source": tuple(SourceShare(**share) for share in values["shares_by_source"]),
            "terms": tuple(TermShare(**{**term, "works": tuple(term["works"])}) for term in values["terms"]),
            "evidence": tuple(_evidence(item) for item in values["evidence"]),
            "missing": tuple(GapView(**{**gap, "works": tuple(gap["works"])}) for gap in values["missing"]),
            "facets_met": _facets(values["facets_met"]),
            "facets_missed": _facets(values["facets_missed"]),
            "profile": _profile(values.get("profile")),
        }
    )


def _evidence(values: dict[str, Any]) -> EvidenceView:
    spans = {name: tuple((start, end) for start, end in values[name]) for name in ("spans", "mine_spans")}
    return EvidenceView(**{**values, **spans, "systems": tuple(values["systems"])})


def _profile(values: dict[str, Any] | None) -> ProfileView | None:
    """None also for matches stored before profiles were part of the evidence."""
    if values is None:
        return None
    return ProfileView(**{**values, "spans": tuple((start, end) for start, end in values["spans"])})


def _facets(values: list[dict[str, Any]]) -> tuple[FacetCheck, ...]:
    return tuple(FacetCheck(check["name"], tuple(check["wanted"]), tuple(check["lab_values"])) for check in values)
