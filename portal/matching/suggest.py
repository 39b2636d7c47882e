"""Suggestions for the topics field: phrases of the corpus that begin with what was typed."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from portal.matching.language.words import fold
from portal.matching.typical import phrases, usual

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal.matching.layers import State
    from portal.matching.records import LabDoc

_MOST_CHARACTERS = 500_000
"""Of profiles and titles, and as many of abstracts: read in a second or two."""
_MOST_PHRASES = 40_000
"""Rarer ones are not suggested, but for the names of systems."""
_FEW_ROWS = 300
"""Works and profiles whose phrases are collected while somebody waits, in less than half a second."""
_SMALL_CORPUS = 200
"""In fewer texts, a phrase that occurs once is suggested, too."""
_PHRASE_FAVOUR = 3
"""The factor by which pairs are preferred to single words."""


class Suggestions:
    """Phrases as written, most frequent first, pairs before single words of similar frequency."""

    def __init__(self, phrases_in_order: Iterable[str]) -> None:
        self.phrases = tuple(dict.fromkeys(phrases_in_order))
        self._folded = [_words(phrase) for phrase in self.phrases]

    def starting_with(self, prefix: str, limit: int) -> list[str]:
        """At most `limit` phrases with a word that begins with `prefix`; phrases that begin with it come first."""
        typed_words = _words(prefix)
        if not typed_words or limit < 1:
            return []
        first: dict[str, str] = {}
        inside: dict[str, str] = {}
        for written, words in zip(self.phrases, self._folded, strict=True):
            place = _place(words, typed_words)
            if place is not None:
                (inside if place else first).setdefault(written.casefold().replace("-", " "), written)
            if len(first) >= limit:
                break
        return [*first.values(), *(written for folded, written in inside.items() if folded not in first)][:limit]


def collected(labs: Sequence[LabDoc]) -> Suggestions:
    """Those of the profiles, systems, titles and abstracts of `labs`; of many labs, not of all texts."""
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    texts: Counter[str] = Counter()
    count = 0
    for text in _sample(labs):
        count += 1
        seen = set()
        for key, written in phrases(text):
            spellings[key][written] += 1
            seen.add(key)
        texts.update(seen)
    least = 1 if count < _SMALL_CORPUS else 2
    ranked = sorted(
        (-texts[key] * (_PHRASE_FAVOUR if " " in written else 1), written)
        for key, written in ((key, usual(counter)) for key, counter in spellings.items())
        if texts[key] >= least
    )
    names = {name for lab in labs for work in lab.works for name in work.systems}
    return Suggestions([*(written for _, written in ranked[:_MOST_PHRASES]), *sorted(names)])


class Suggester:
    """Suggests phrases of an index. Of many labs, those that were fitted are read once, in a thread if nobody waits."""

    def __init__(self) -> None:
        self._collecting = threading.Lock()
        self._of: tuple[object, Suggestions] | None = None

    def __reduce__(self) -> tuple[type[Suggester], tuple[()]]:
        """For joblib's processes, which suggest nothing."""
        return Suggester, ()

    def starting_with(self, prefix: str, limit: int, state: State, *, wait: bool) -> list[str]:
        """At most `limit` phrases of the labs of `state` with a word that begins with `prefix`.

        Without `wait`, many labs that are not read yet are read by a thread, and nothing is suggested meanwhile.
        """
        if wait or is_small(state):
            return self.collect(state).starting_with(prefix, limit)
        known = self._of
        if known is None and not self._collecting.locked():
            threading.Thread(target=self.collect, args=(state,), name="topics to suggest", daemon=True).start()
        return known[1].starting_with(prefix, limit) if known else []

    def collect(self, state: State) -> Suggestions:
        """The suggestions of a state: those of a few labs are up to date, of many those that were fitted."""
        of: object = state if is_small(state) else state.layers[0].terms
        with self._collecting:
            if self._of is None or self._of[0] is not of:
                self._of = of, collected([layer.lab(place) for layer, place in map(state.find, state.keys)])
            return self._of[1]


def is_small(state: State) -> bool:
    """Whether the labs have so few works that their phrases are collected at once."""
    return sum(int(layer.rows.shape[0]) for layer in state.layers) <= _FEW_ROWS


def _words(text: str) -> tuple[str, ...]:
    return tuple(fold(word) for word in text.replace("-", " ").split())


def _place(words: tuple[str, ...], typed_words: tuple[str, ...]) -> int | None:
    """Where the typed words begin in a phrase; the last word may be unfinished."""
    for place in range(len(words) - len(typed_words) + 1):
        *whole, last = words[place : place + len(typed_words)]
        if tuple(whole) == typed_words[:-1] and last.startswith(typed_words[-1]):
            return place
    return None


def _sample(labs: Sequence[LabDoc]) -> Iterable[str]:
    """Profiles and titles, then abstracts; of many, evenly spaced ones."""
    yield from _spaced([text for lab in labs for text in (lab.profile, *(work.title for work in lab.works))])
    yield from _spaced([work.abstract for lab in labs for work in lab.works])


def _spaced(texts: Sequence[str]) -> Sequence[str]:
    return texts[:: max(1, -(-sum(map(len, texts)) // _MOST_CHARACTERS))]
