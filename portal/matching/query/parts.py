"""The parts of a query as weighted terms, each with its source."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.query.resume_terms import NOTHING_UNUSED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.matching.language.spelling import Correction
    from portal.matching.language.terms import Kind
    from portal.matching.query.resume_terms import Unused
    from portal.matching.results import Source


class PartTerm(NamedTuple):
    """A term of one part of the query; `weight` is its coordinate, the part having length 1.

    `written` is empty if the term is in the text itself, from `start` to `end`. `named` marks words that must not carry
    a match by themselves: words of a system's name, single words of an expanded abbreviation, a web page's own words if
    there are no others, and common words next to a subject that no lab has.
    """

    key: str
    weight: float
    start: int
    end: int
    written: str
    source: Source
    kind: Kind
    via: str = ""
    named: bool = False


part_term = partial(tuple.__new__, PartTerm)
"""The same as `PartTerm._make`, but entirely in C: a resume has hundreds of terms."""


class QueryPart(NamedTuple):
    """One part of the query with its share of the whole: a part contributes `mix` × its terms' weights.

    A tuple, as is `AnalysedQuery`, because creating one takes less than half of the time of a frozen dataclass.
    """

    source: Source
    text: str
    mix: float
    terms: tuple[PartTerm, ...]
    certain_names: tuple[str, ...]
    """Keys of the systems that the part certainly means: it is nothing but a name, or spells one unmistakably."""
    corrections: tuple[Correction, ...] = ()
    is_apart: bool = False
    """Whether labs have its words only apart from one another, so that a lab must be a better match to fit."""
    unused: Unused = NOTHING_UNUSED
    """What does not count in the score but in the question whether a lab fits."""

    def with_mix(self, mix: float) -> QueryPart:
        """A copy of the part with another share."""
        return QueryPart(self.source, self.text, mix, *self[3:])

    def surface(self, term: PartTerm) -> str:
        """A term of the part as the applicant wrote it; an added term as the field writes it."""
        if term.written:
            return term.written
        stretch = self.text[term.start : term.end]
        # The only space that counts as printable is the plain one.
        return stretch if stretch.isprintable() and "  " not in stretch else " ".join(stretch.split())


class AnalysedQuery(NamedTuple):
    """The parts of a query, and the mixed vector (length 1, or empty) as key → coordinate, by key.

    `length` is that of the mixed vector before it was scaled to 1.
    """

    parts: tuple[QueryPart, ...]
    vector: Mapping[str, float]
    length: float
