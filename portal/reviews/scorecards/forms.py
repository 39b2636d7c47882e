"""Parses the scorecard form; errors are by field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.applications.stated import running_text
from portal.models.review import CRITERIA
from portal.reviews.scorecards.rubric import CONFIDENCE, POINTS
from portal.reviews.scorecards.shown import LONGEST_COMMENT, LONGEST_REASON
from portal.reviews.scorecards.values import CardValues
from portal.web.whole_numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LEVELS = tuple(anchor.points for anchor in CONFIDENCE.anchors)


def card_from(sent: Mapping[str, str]) -> tuple[CardValues, dict[str, list[str]]]:
    """The card in a form and its errors by field. Points out of range count as not set."""
    errors: dict[str, list[str]] = {}
    points = {key: _chosen(sent, key, POINTS, errors) for key in CRITERIA}
    values = CardValues(
        **points,
        confidence=_chosen(sent, "confidence", LEVELS, errors),
        comment=_text(sent, "comment", LONGEST_COMMENT, errors),
        abstained=bool(sent.get("abstained")),
        abstain_reason=_text(sent, "abstain_reason", LONGEST_REASON, errors),
    )
    return values, errors


def version_in(sent: Mapping[str, str]) -> int:
    """The version with which the form was opened; -1, which no card has, if invalid."""
    version = whole_number(sent.get("version", ""))
    return -1 if version is None else version


def _chosen(sent: Mapping[str, str], name: str, allowed: Sequence[int], errors: dict[str, list[str]]) -> int | None:
    text = sent.get(name, "")
    if not text:
        return None
    points = next((value for value in allowed if str(value) == text), None)
    if points is None:
        errors[name] = [f"Choose one of {', '.join(map(str, allowed))}, or nothing yet."]
    return points


def _text(sent: Mapping[str, str], name: str, longest: int, errors: dict[str, list[str]]) -> str:
    text = running_text(sent.get(name, "")).strip()
    if len(text) > longest:
        errors[name] = [f"Keep this to {longest:,} characters; it has {len(text):,}."]
    return text
