"""Suggestions for the topics field: phrases of the corpus that begin with what was typed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.matching.explanation.surfaces import Spellings
from portal.matching.language.words import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal.matching.records import LabDoc

_MOST_TEXTS = 40_000
_SMALL_CORPUS = 200
"""In fewer texts, a phrase that occurs once is suggested, too."""
_PHRASE_FAVOUR = 3
"""The factor by which pairs are preferred to single words."""


@dataclass(frozen=True)
class Suggestions:
    """Phrases as written, most frequent first, pairs before single words of similar frequency.

    `folded` has the folded words of each phrase.
    """

    phrases: tuple[str, ...]
    folded: tuple[tuple[str, ...], ...]

    @classmethod
    def collect(cls, labs: Sequence[LabDoc]) -> Suggestions:
        """Collect from the profiles, systems, titles and abstracts of `labs` (at most 40,000 texts)."""
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
        ordered = tuple(dict.fromkeys((*(written for _, written in ranked), *sorted(names))))
        return cls(ordered, tuple(_words(written) for written in ordered))

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
    """Titles, abstracts and profiles; in a large corpus, those of evenly spaced labs."""
    total = sum(1 + 2 * len(lab.works) for lab in labs)
    step = max(1, -(-total // _MOST_TEXTS))
    for lab in labs[::step]:
        yield lab.profile
        for work in lab.works:
            yield work.title
            yield work.abstract
