"""Splits a score by its sources, for a bar and for figures that add up to the score as printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.matching.results import Source

Kind = Literal["topic", "statement", "resume", "added"]
KINDS: tuple[Kind, ...] = ("topic", "statement", "resume", "added")
"""In the order of the bar."""
_KIND_OF: dict[str, Kind] = {kind: kind for kind in KINDS}


class Share(Protocol):
    """The part of a score that comes from one source or one term."""

    @property
    def source(self) -> Source:
        """Where it came from."""

    @property
    def share(self) -> float:
        """How much of the score it is."""


class ScorePart(NamedTuple):
    """The part of a score from one kind of source: `x` and `width` on the bar in per cent, and its printed figures."""

    kind: Kind
    x: float
    width: float
    points: float
    per_cent: int


def kind_of_source(source: Source | Kind) -> Kind:
    """The kind under which pages show a source; all terms that the matcher added are one kind."""
    return _KIND_OF.get(source, "added")


def score_parts(shares: Iterable[Share], score: float, full: float = 1.0) -> Iterator[ScorePart]:
    """The parts of `score` that are above zero, on a bar that a score of `full` fills.

    Each figure is the difference of two rounded sums, so that they add up to the rounded score, and to 100 per cent.
    """
    totals = dict.fromkeys(KINDS, 0.0)
    for item in shares:
        totals[kind_of_source(item.source)] += item.share
    scale = 100 / (max(full, score) or 1)
    parts = [(kind, share) for kind, share in totals.items() if share > 0]
    so_far, points, per_cent = 0.0, 0.0, 0
    for kind, share in parts:
        x, so_far = so_far * scale, so_far + share
        whole = score if kind == parts[-1][0] else so_far
        part = ScorePart(kind, x, share * scale, round(whole, 3) - points, round(100 * whole / (score or 1)) - per_cent)
        points, per_cent = points + part.points, per_cent + part.per_cent
        yield part
