"""Which typed words a work has in the other form of an abbreviation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.terms import keys
from portal.matching.results import ADDED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from portal.matching.query.expansion import Expander
    from portal.matching.query.parts import AnalysedQuery


class TypedForm(NamedTuple):
    """The keys of the terms of a form as typed, and those of the other form, which was added."""

    typed: frozenset[str]
    other: frozenset[str]


def typed_forms(query: AnalysedQuery, expander: Expander) -> tuple[TypedForm, ...]:
    """The forms of abbreviations in a query of which the other form was added."""
    return tuple(dict.fromkeys(_typed_forms(query, expander)))


def with_typed_forms(of_work: Collection[str], forms: tuple[TypedForm, ...]) -> Collection[str]:
    """The keys of a work, with those of each typed form of which it has the whole other form."""
    typed = [form.typed for form in forms if form.other.issubset(of_work)]
    return frozenset(of_work).union(*typed) if typed else of_work


def _typed_forms(query: AnalysedQuery, expander: Expander) -> Iterator[TypedForm]:
    for part in query.parts:
        for via in {term.via for term in part.terms if term.via and term.source in ADDED}:
            for other in expander.other_forms.of(via) if via.isascii() else ():
                yield TypedForm(frozenset(keys([via])), frozenset(keys([other])))
