"""Filters and boosts the terms of a stated text: some say nothing about what somebody works on, some say most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from portal.matching.language.spelling import is_common
from portal.matching.language.words import fold
from portal.matching.query.filling_words import KEYS, PAIRS
from portal.matching.query.other_languages import is_another, is_foreign
from portal.matching.results import ADDED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from portal.matching.language.names import NameMention
    from portal.matching.language.terms import Kind
    from portal.matching.query.lexicon import Lexicon
    from portal.matching.query.reading import Reading
    from portal.matching.results import Source

    Weighed = tuple[str, float, int, int, str, Source, Kind, str, bool]
    """The fields of a `PartTerm`, in order, before the part is scaled to length 1.

    A plain tuple, because a resume has hundreds, each of which would take ten times as long to create.
    """

_NAME_OVER_REST = 8.0
"""How many times everything else a system's name weighs in a short text; figures in docs/matching-measured.md."""
_VERY_FEW = 3
_FEW = 5
_STRANGE = 2
"""The least number of words unknown to labs and concepts; if they are half of a short text, they are its subject."""
_LEAST_APART = 2
"""Words; a single one is not apart from anything."""
_MOST = 60
"""Terms, including pairs, of two or three sentences. An abstract has more, and there such words matter little."""


def without_filling_words(weighed: list[Weighed], uses: Callable[[str], bool]) -> list[Weighed]:
    """The terms of a short text without words that fill texts of every field, if there are others.

    If there are no others, they carry no match ("recent work"). Pairs with one such word stay if a lab `uses` them.
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
    return rest if _words_of(rest) else [must_not_carry(term) for term in weighed]


def must_not_carry(term: Weighed) -> Weighed:
    """A copy of a term that does not carry a match by itself."""
    return (*term[:8], True)


def without_foreign_words(weighed: list[Weighed], reading: Reading, uses: Callable[[str], bool]) -> list[Weighed]:
    """The terms without those that no lab `uses`, if a text in another language has technical terms in English."""
    if not is_another(reading):
        return weighed
    text = reading.text
    if not any(term[6] == "pair" and text[term[2] : term[3]].isascii() and uses(term[0]) for term in weighed):
        return weighed
    return [term for term in weighed if uses(term[0]) or not is_foreign(fold(text[term[2] : term[3]]))]


def with_names_first(weighed: list[Weighed], named: Sequence[NameMention]) -> list[Weighed]:
    """The terms of a short text, with a system that it means outweighing everything else.

    A name occurs in a work or two, words of the field in many; as one term among others, it would not win.
    """
    meant = {name.key for name in named if name.meant}
    if not meant:
        return weighed
    rest = math.sqrt(math.fsum([term[1] * term[1] for term in weighed if not term[8]]))
    return [
        (*term[:1], max(term[1], _NAME_OVER_REST * rest), *term[2:]) if term[0] in meant else term for term in weighed
    ]


def has_unknown_words(weighed: Sequence[Weighed], text: str, lexicon: Lexicon) -> bool:
    """Whether a text has very few words and no lab uses one of them; no other is about something else.

    A word that only a part of a system's name is counts as one that no lab uses, unless a work has all words of the
    text ("parrot feeding behaviour", but not "federated parrot").
    """
    words = _words_of(weighed)
    if len(words) > _FEW:
        return False
    return not all(lexicon.uses(term[0]) for term in words) or _has_only_a_name(words, text, lexicon)


def is_another_subject(weighed: Sequence[Weighed], text: str, lexicon: Lexicon) -> bool:
    """Whether a text of very few words is about something else.

    That is, at least one word occurs in no lab, no pair does, and the words that do are common ("quantum error codes").
    """
    words = _words_of(weighed)
    if len(words) > _VERY_FEW or _has_pair_of_labs(weighed, lexicon):
        return False
    # Words with digits ("70B models") are not subjects.
    forms = [(lexicon.uses(term[0]), _form(term, text)) for term in words]
    has_subject = any(form.isalpha() for is_used, form in forms if not is_used) or _has_only_a_name(
        words, text, lexicon
    )
    return has_subject and all(is_common(form) for is_used, form in forms if is_used)


def are_mostly_strange(weighed: Sequence[Weighed], text: str, lexicon: Lexicon) -> bool:
    """Whether a text of few words is about something else although concepts know one of them.

    That is, half of its words are common and unknown to labs and concepts, and no lab has any two of them together
    ("Kubernetes salary negotiation for nurses"). A word that only part of a system's name is counts as unknown ("parrot
    behaviour and vocal learning").
    """
    words = _few_without_pair(weighed, lexicon)
    knows = lexicon.expander.scattered_words.knows
    common = [
        (key, form)
        for key, form in ((term[0], _form(term, text)) for term in words)
        if not knows(key) and is_common(form)
    ]
    strange = sum(not lexicon.uses(key) for key, _ in common)
    least = max(_STRANGE, len(words) / 2)
    if 0 < strange < least <= len(common):
        strange += sum(lexicon.uses(key) and lexicon.is_only_of_a_name(form) for key, form in common)
    return strange >= least


def are_only_apart(weighed: Sequence[Weighed], text: str, lexicon: Lexicon) -> bool:
    """Whether a text of two to five common words has neither a pair of words of a lab nor all words of a single work.

    Each word may be one of the field and the text still be about something else ("project management", "CDN"). Nothing
    was added to it.
    """
    words = _few_without_pair(weighed, lexicon)
    if len(words) < _LEAST_APART or any(term[5] in ADDED or term[8] for term in weighed):
        return False
    are_common = all(is_common(_form(term, text)) for term in words)
    return are_common and not lexicon.state.stand_together([term[0] for term in words])


def _few_without_pair(weighed: Sequence[Weighed], lexicon: Lexicon) -> Sequence[Weighed]:
    """The words of a text, or none if it has many or a lab has two of them together."""
    words = _words_of(weighed)
    return () if len(words) > _FEW or _has_pair_of_labs(weighed, lexicon) else words


def _words_of(weighed: Sequence[Weighed]) -> Sequence[Weighed]:
    return [term for term in weighed if term[6] == "word"]


def _has_pair_of_labs(weighed: Sequence[Weighed], lexicon: Lexicon) -> bool:
    """Whether some lab has two words of a text together."""
    return any(term[6] == "pair" and lexicon.uses(term[0]) for term in weighed)


def _form(term: Weighed, text: str) -> str:
    """A word of a text, as corrected, folded."""
    _, _, start, end, written, *_ = term
    return fold(written or text[start:end])


def _has_only_a_name(words: Sequence[Weighed], text: str, lexicon: Lexicon) -> bool:
    """Whether a word is only part of a system's name, and no work has all of the words."""
    has_name = any(lexicon.is_only_of_a_name(_form(term, text)) for term in words)
    return has_name and not lexicon.state.stand_together([term[0] for term in words])
