"""Single words: their folded form, their stem, and caches of what is known of them."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from snowballstemmer.porter_stemmer import PorterStemmer

Value = TypeVar("Value")

LONGEST_WORD = 100
"""Characters. Nothing is cached of longer words: pasted data would make the caches grow without bound."""
_APOSTROPHE_ENDINGS = ("'s", "'re", "'ve", "'ll", "'d", "'m", "'t")
_TWO_SYLLABLES = "babab"
_BRITISH = (
    (re.compile(r"(?<=[a-z]{2})([iy])s(?=(?:e|ed|es|er|ers|ing|able|ation|ations)$)"), r"\1z"),
    (re.compile(r"(?<=[a-z]{3})our(?=(?:s|ed|ing|al|able|hood|hoods)?$)"), "or"),
    (re.compile(r"(?<=[a-z]{3})tre(?=s?$)"), "ter"),
    (re.compile(r"(?<=gram)me?(?=s?$)"), ""),
)
_MAY_BE_BRITISH = re.compile("[iy]s[aei]|our|tre|gramm")
_SHORT = 2
"""Words of fewer letters stay as they are, as Porter's paper says."""
_IRREGULAR = {"one": "one", "ones": "one", "engineer": "engineer", "engineers": "engineer"}
"""Words whose Porter stem is that of another word: "on GPUs" is not "one GPU", nor an engineer engineering."""
_HAN = range(0x3400, 0xA000)
_ANY_HAN = re.compile(f"[{chr(_HAN[0])}-{chr(_HAN[-1])}]")


class WordCache(dict[str, Value]):
    """What `compute` gives for words, as `cache[word]`; emptied once it has `most` words. Safe to use from threads."""

    def __init__(self, compute: Callable[[str], Value], most: int) -> None:
        super().__init__()
        self._compute, self._most = compute, most

    def __missing__(self, word: str) -> Value:
        value = self._compute(word)
        if len(word) <= LONGEST_WORD:
            if len(self) >= self._most:
                self.clear()
            self[word] = value
        return value


def cached_by_word(most: int) -> Callable[[Callable[[str], Value]], Callable[[str], Value]]:
    """Decorate a function of a word so that what it gives for `most` words is cached."""

    def cached(compute: Callable[[str], Value]) -> Callable[[str], Value]:
        return WordCache(compute, most).__getitem__

    return cached


@cached_by_word(65_536)
def fold(word: str) -> str:
    """`word` without case, Latin accents, underscores and the ending of a possessive, in simplified characters."""
    form = word.replace("’", "'").casefold()
    for ending in _APOSTROPHE_ENDINGS:
        if form.endswith(ending) and len(form) > len(ending):
            form = form.removesuffix(ending)
            break
    form = form.replace("'", "").replace("_", "").replace(",", "")
    if "++" in form:
        form = form[: form.index("++") + 2]
    if not form.isascii():
        form = simplified(_without_latin_accents(form))
    return form


def _without_latin_accents(form: str) -> str:
    characters: list[str] = []
    base = ""
    for character in unicodedata.normalize("NFD", form):
        if unicodedata.combining(character):
            if base.isascii():
                continue
        else:
            base = character
        characters.append(character)
    return unicodedata.normalize("NFC", "".join(characters))


def simplified(text: str) -> str:
    """`text` with simplified Chinese characters in place of traditional ones, each for one, so that spans stay right.

    Characters alone do not tell when one stands for several (乾 for 干 in some words only); which one is taken does not
    matter as long as it is always the same.
    """
    return text if text.isascii() or not _ANY_HAN.search(text) else text.translate(_simplified_of())


@cache
def _simplified_of() -> dict[int, str]:
    """The simplified character for each traditional one, by its code point."""
    from opencc import OpenCC

    characters = list(map(chr, _HAN))
    converted = OpenCC("t2s").convert("\n".join(characters)).split("\n")
    pairs = zip(characters, converted, strict=True)
    return {ord(written): simple for written, simple in pairs if simple != written and len(simple) == 1}


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


@cached_by_word(262_144)
def tail(form: str) -> str:
    """The stem of a word that is the last part of a longer one: "tun" for "tuning".

    Porter's rules depend on how much precedes an ending; any two syllables suffice. So the key of a pair is the key of
    its words written together, and only single words ever need to be stemmed.
    """
    return stem(_TWO_SYLLABLES + form).removeprefix(_TWO_SYLLABLES) if form.isalpha() else form


def _american(form: str) -> str:
    """Replace British endings with American ones ("optimisation", "centre", "programme"). Only for keys."""
    if _MAY_BE_BRITISH.search(form):
        for british, american in _BRITISH:
            form = british.sub(american, form)
    return form
