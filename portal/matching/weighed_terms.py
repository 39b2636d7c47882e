"""Terms of a stated text while it is weighed: which of them say nothing of what somebody works on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.matching.filling_words import KEYS, PAIRS
from portal.matching.other_languages import is_another, is_foreign
from portal.matching.words import fold

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.matching.reading import Reading
    from portal.matching.results import Source
    from portal.matching.terms import Kind

    Weighed = tuple[str, float, int, int, str, Source, Kind, str, bool]
    """What a `PartTerm` has, in order, before the part is scaled to length 1."""

_MOST = 60
"""Terms, pairs among them, of two or three sentences; an abstract has more, and in it such words matter little."""


def without_filling_words(weighed: list[Weighed], uses: Callable[[str], bool]) -> list[Weighed]:
    """The terms of a text that is not long without words that fill texts of every field, if there are others.

    Pairs with one of them stay where a lab `uses` them, unless both are such words.
    """
    filling = [term for term in weighed if term[0] in KEYS] if len(weighed) <= _MOST else []
    if not filling:
        return weighed
    begins, ends = {term[2] for term in filling}, {term[3] for term in filling}
    rest = [
        term
        for term in weighed
        if term[0] not in KEYS
        and (not (term[2] in begins or term[3] in ends) or (term[0] not in PAIRS and uses(term[0])))
    ]
    return rest if any(term[6] == "word" for term in rest) else weighed


def without_foreign_words(weighed: list[Weighed], reading: Reading, uses: Callable[[str], bool]) -> list[Weighed]:
    """The terms without those that no lab `uses`, if a text in another language has technical terms in English."""
    text = reading.text
    if not is_another(text, [(unit.form, start, end) for sentence in reading.units for unit, start, end in sentence]):
        return weighed
    if not any(term[6] == "pair" and text[term[2] : term[3]].isascii() and uses(term[0]) for term in weighed):
        return weighed
    return [term for term in weighed if uses(term[0]) or not is_foreign(fold(text[term[2] : term[3]]))]
