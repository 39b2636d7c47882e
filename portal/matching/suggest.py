"""Suggestions for the topics field: phrases of the corpus that begin with what was typed."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from portal.matching.explanation.surfaces import Spellings
from portal.matching.language.words import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal.matching.records import LabDoc
    from portal.matching.segments.layers import State

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


@dataclass(frozen=True)
class Suggestions:
    """Phrases as written, most frequent first, pairs before single words of similar frequency."""

    phrases: tuple[str, ...]

    @cached_property
    def folded(self) -> tuple[tuple[str, ...], ...]:
        """The folded words of each phrase; most processes are never asked for suggestions."""
        return tuple(map(_words, self.phrases))

    @classmethod
    def collect(cls, labs: Sequence[LabDoc]) -> Suggestions:
        """Collect from the profiles, systems, titles and abstracts of `labs`; from many labs, not from all texts."""
        spellings = Spellings()
        texts: Counter[str] = Counter()
        count = 0
        for text in _sample(labs):
            count += 1
            texts.update(spellings.add(text))
        names = dict.fromkeys(name for lab in labs for work in lab.works for name in work.systems)
        least = 1 if count < _SMALL_CORPUS else 2
        ranked = sorted(
            (-texts[key] * (_PHRASE_FAVOUR if " " in written else 1), written)
            for key, written in spellings
            if texts[key] >= least
        )
        return cls.of((*(written for _, written in ranked[:_MOST_PHRASES]), *sorted(names)))

    @classmethod
    def of(cls, phrases: Iterable[str]) -> Suggestions:
        """These phrases, each once."""
        return cls(tuple(dict.fromkeys(phrases)))

    def starting_with(self, prefix: str, limit: int) -> list[str]:
        """At most `limit` phrases with a word that begins with `prefix`; phrases that begin with it come first."""
        typed_words = _words(prefix)
        if not typed_words or limit < 1:
            return []
        first: dict[str, str] = {}
        inside: dict[str, str] = {}
        for written, words in zip(self.phrases, self.folded, strict=True):
            place = _place(words, typed_words)
            if place is not None:
                (inside if place else first).setdefault(written.casefold().replace("-", " "), written)
            if len(first) >= limit:
                break
        return [*first.values(), *(written for folded, written in inside.items() if folded not in first)][:limit]


class Suggester:
    """Suggests phrases of an index: those of the labs as they were fitted, and of the labs edited since.

    Few labs are read anew after every edit. Of many, the fitted ones are read once, and phrases of labs that are gone
    remain until the next fit.
    """

    def __init__(self, fitted: Suggestions | None = None) -> None:
        self.fitted = fitted
        self._collecting = threading.Lock()
        self._of_state: tuple[State, Suggestions] | None = None
        self._of_edited: dict[str, tuple[LabDoc, Suggestions]] = {}

    def __reduce__(self) -> tuple[type[Suggester], tuple[()]]:
        """For joblib's processes, which suggest nothing."""
        return Suggester, ()

    def collect(self, state: State) -> Suggestions:
        """Those of the fitted labs; the first call reads all their texts, and the others wait for it."""
        with self._collecting:
            if self.fitted is None:
                self.fitted = Suggestions.collect(state.layers[0].segment.labs)
            return self.fitted

    def starting_with(self, prefix: str, limit: int, state: State, *, wait: bool) -> list[str]:
        """At most `limit` phrases of the labs of `state` with a word that begins with `prefix`.

        Without `wait`, a thread reads many labs that are not read yet, and nothing of them is suggested meanwhile.
        """
        if is_small(state):
            return self._all(state).starting_with(prefix, limit)
        fitted = self.collect(state) if wait else self.fitted
        if fitted is None and not self._collecting.locked():
            threading.Thread(target=self.collect, args=(state,), name="topics to suggest", daemon=True).start()
        parts = [*([fitted] if fitted else ()), *map(self._edited, state.edited())]
        return list(dict.fromkeys(found for part in parts for found in part.starting_with(prefix, limit)))[:limit]

    def _all(self, state: State) -> Suggestions:
        if self._of_state is None or self._of_state[0] is not state:
            labs = [segment.labs[position] for segment, position in map(state.place, state.keys())]
            self._of_state = state, Suggestions.collect(labs)
        return self._of_state[1]

    def _edited(self, lab: LabDoc) -> Suggestions:
        known = self._of_edited.get(lab.key)
        if known is None or known[0] != lab:
            known = self._of_edited[lab.key] = lab, Suggestions.collect([lab])
        return known[1]


def is_small(state: State) -> bool:
    """Whether the labs have so few works that their phrases are collected at once."""
    return sum(len(layer.segment.rows) for layer in state.layers) <= _FEW_ROWS


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
