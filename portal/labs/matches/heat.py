"""Which sentences of a lab's works carry a match, as values for pages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.labs.formulas import readable_with
from portal.matching.explanation.heat import heat, step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from portal.labs.live_index.live import IndexedLabs
    from portal.labs.matches.views import LabMatch
    from portal.matching.explanation.heat import HeatCell
    from portal.matching.results import Span

WORTH_READING = 0.03
"""Sentences with less of the score are counted, not repeated."""


@dataclass(frozen=True)
class SentenceView:
    """A sentence of a work. `fraction` is its share of the score, `step` how dark it is shown.

    `anchor` is its id on the page; empty if it is too weak to be listed.
    """

    anchor: str
    name: str
    text: str
    spans: tuple[Span, ...]
    fraction: float
    step: int


@dataclass(frozen=True)
class WorkSentences:
    """The sentences of one work, in order; `fraction` is their total share of the score."""

    key: str
    title: str
    fraction: float
    sentences: Sequence[SentenceView]

    @property
    def listed(self) -> list[SentenceView]:
        """The sentences strong enough to be listed."""
        return [sentence for sentence in self.sentences if sentence.anchor]

    @property
    def weaker(self) -> int:
        """How many others carry a share too small to be listed."""
        return sum(1 for sentence in self.sentences if sentence.fraction and not sentence.anchor)


@dataclass(frozen=True)
class LabHeat:
    """The sentences of the works that support one match."""

    works: Sequence[WorkSentences]

    @property
    def sentences(self) -> Iterator[tuple[WorkSentences, SentenceView]]:
        """Every sentence with its work, in order."""
        return ((work, sentence) for work in self.works for sentence in work.sentences)

    @property
    def count(self) -> int:
        """The number of sentences."""
        return sum(len(work.sentences) for work in self.works)

    @property
    def matched(self) -> int:
        """The number of sentences that carry a share."""
        return sum(1 for _, sentence in self.sentences if sentence.fraction)

    @property
    def fraction(self) -> float:
        """Their total share of the score."""
        return math.fsum(work.fraction for work in self.works)

    @property
    def strongest(self) -> tuple[WorkSentences, SentenceView]:
        """The sentence with the largest share, with its work; the first one of equals."""
        return max(self.sentences, key=lambda pair: pair[1].fraction)

    def of(self, work: str) -> WorkSentences | None:
        """The sentences of the work with this key."""
        return next((sentences for sentences in self.works if sentences.key == work), None)


def heat_of(labs: IndexedLabs, match: LabMatch) -> LabHeat | None:
    """The sentences behind `match`, a match with one of `labs`; None if no sentence carries a share."""
    works = {work.key: work for work in labs.index.lab(match.slug).works}
    heated_works = heat([works[item.work_key] for item in match.evidence], match.terms)
    views = [
        WorkSentences(
            item.work_key,
            item.title,
            _part(work.share, match.score),
            tuple(_sentences(work.cells, match.score, f"{match.slug}-{index}", item.sentence)),
        )
        for index, (item, work) in enumerate(zip(match.evidence, heated_works, strict=True), start=1)
    ]
    heated = LabHeat(views)
    return heated if heated.matched else None


def heat_by_lab(labs: IndexedLabs, matches: Iterable[LabMatch]) -> Mapping[str, LabHeat]:
    """The sentences behind each match on a page, by the lab's slug."""
    return {match.slug: lab_heat for match in matches if (lab_heat := heat_of(labs, match)) is not None}


def _sentences(cells: Sequence[HeatCell], score: float, prefix: str, evidence: str) -> Iterator[SentenceView]:
    title_sentences = sum(1 for cell in cells if cell.in_title)
    for index, cell in enumerate(cells, start=1):
        fraction = _part(cell.share, score)
        text, spans = readable_with(cell.sentence, cell.spans)
        listed = fraction >= WORTH_READING or (fraction > 0 and text == evidence)
        yield SentenceView(
            anchor=f"sentence-{prefix}-{index}" if listed else "",
            name="the title" if cell.in_title else f"sentence {index - title_sentences}",
            text=text,
            spans=spans,
            fraction=fraction,
            step=step(cell.share, score),
        )


def _part(share: float, score: float) -> float:
    return share / score if score > 0 else 0.0
