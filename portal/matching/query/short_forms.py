"""Short forms of terms: their long forms, and how to tell them from other words with the same stem."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.matching.language.abbreviations import long_keys
from portal.matching.language.terms import stop_words
from portal.matching.language.words import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from portal.matching.language.abbreviations import Abbreviation
    from portal.matching.query.concepts import Concept

    ShortForms = Mapping[str, frozenset[str]]

_CAPITALS = re.compile(r"[A-Z].*[A-Z]")
_ORDINARY_WORDS = frozenset(("al", "clip", "fog", "got", "pot", "raid", "ran", "react", "sam", "tot", "zero", "zoo"))
"""Short forms that are words in small letters ("et al.", "zero")."""


def short_forms_of(concepts: Iterable[Concept]) -> ShortForms:
    """The short forms of terms in the concepts, folded, by their keys."""
    forms: dict[str, set[str]] = {}
    for concept in concepts:
        for phrase in (*concept.phrases, *concept.terms) if concept.strength == 1 else ():
            keys = long_keys(phrase) if _CAPITALS.search(phrase) else ()
            if len(keys) == 1:
                forms.setdefault(keys[0], set()).add(fold(phrase))
    return {key: frozenset(written) for key, written in forms.items()}


def is_another_word(short_forms: ShortForms, key: str, written: str) -> bool:
    """Whether a word with the key of a short form is not this form: it has other letters, or is an ordinary word.

    HLS is not meant by "hl", AD not by "added", and ZeRO not by "zero".
    """
    forms = short_forms.get(key)
    if forms is None:
        return False
    form = fold(written)
    if forms.isdisjoint((form, form.removesuffix("s"), form.removesuffix("es"))):
        return True
    is_in_capitals = sum(map(str.isupper, written)) > 1
    return not is_in_capitals and (form in _ORDINARY_WORDS or form in stop_words())


class OtherForms:
    """The other forms of short and long forms, from the labs' `abbreviations` and the `long_forms` of concepts."""

    def __init__(
        self, abbreviations: Mapping[str, tuple[Abbreviation, ...]], long_forms: Mapping[tuple[str, str], str]
    ) -> None:
        same = [((form.short, form.long), key) for key, forms in abbreviations.items() for form in forms]
        same += [((short, long), short) for (short, following), long in long_forms.items() if not following]
        self._by_keys: dict[tuple[str, ...], tuple[str, ...]] = {}
        for (short, long), key in same:
            for keys, other in (((key,), long), (long_keys(long), short)):
                self._by_keys[keys] = (*self._by_keys.get(keys, ()), other)

    def of(self, form: str) -> tuple[str, ...]:
        """What else a form is called; nothing if it is neither a short nor a long form."""
        return self._by_keys.get(long_keys(form), ())
