"""Stems of folded words, which are the keys of terms."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

from portal.matching.language.word_cache import cached_by_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from snowballstemmer.porter_stemmer import PorterStemmer

_TWO_SYLLABLES = "babab"
_BRITISH = (
    (re.compile(r"(?<=[a-z]{2})([iy])s(?=(?:e|ed|es|er|ers|ing|able|ation|ations)$)"), r"\1z"),
    (re.compile(r"(?<=[a-z]{3})our(?=(?:s|ed|ing|al|able|hood|hoods)?$)"), "or"),
    (re.compile(r"(?<=[a-z]{3})tre(?=s?$)"), "ter"),
    (re.compile(r"(?<=gram)me?(?=s?$)"), ""),
)
_SHORT = 2
"""Words of fewer letters stay as they are, as Porter's paper says."""
_IRREGULAR = {"one": "one", "ones": "one", "engineer": "engineer", "engineers": "engineer"}
"""Words whose Porter stem is that of another word: "on GPUs" is not "one GPU", nor an engineer engineering."""
_MAY_BE_BRITISH = re.compile("[iy]s[aei]|our|tre|gramm")


class _Stemmers(threading.local):
    """One stemmer per thread, because stemmers have state."""

    def __init__(self) -> None:
        import snowballstemmer

        self.porter: PorterStemmer = snowballstemmer.stemmer("porter")
        if hasattr(self.porter, "maxCacheSize"):
            self.porter.maxCacheSize = 0  # PyStemmer's own cache takes three times as long as its stemmer


_stemmers = _Stemmers()


@cached_by_word(262_144)
def stem(form: str) -> str:
    """The Porter stem of an English-looking word; other forms ("c++", "gpt3") stay."""
    if form in _IRREGULAR:
        return _IRREGULAR[form]
    if len(form) > _SHORT and form.isascii() and form.isalpha():
        stemmed: str = _stemmers.porter.stemWord(_american(form))
        return stemmed
    return form


def stems_and_tails(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """`stem` and `tail` for many words of lower-case ASCII letters at once, without caching."""
    forms: Sequence[str] = [*words, *[_TWO_SYLLABLES + word for word in words]]
    if _MAY_BE_BRITISH.search(" ".join(words)):  # one search for all of them
        forms = list(map(_american, forms))
    stemmed: list[str] = _stemmers.porter.stemWords(forms)
    of_words = zip(words, stemmed, strict=False)
    keys = [_IRREGULAR.get(word, key) if len(word) > _SHORT else word for word, key in of_words]
    return keys, [key.removeprefix(_TWO_SYLLABLES) for key in stemmed[len(words) :]]


def pair_key(first: str, second: str) -> str:
    """The key of a pair of folded words."""
    return stem(first) + tail(second)


@cached_by_word(262_144)
def tail(form: str) -> str:
    """The stem of a word that is the last part of a longer one: "tun" for "tuning".

    Porter's rules depend on how much precedes an ending; any two syllables suffice. So the key of a pair is the key of
    its words written together, and only single words ever need to be stemmed.
    """
    return stem(_TWO_SYLLABLES + form).removeprefix(_TWO_SYLLABLES) if form.isalpha() else form


def _american(form: str) -> str:
    """Replace British endings with American ones ("optimisation", "centre", "programme", "programm"). Only for keys."""
    if _MAY_BE_BRITISH.search(form):
        for british, american in _BRITISH:
            form = british.sub(american, form)
    return form
