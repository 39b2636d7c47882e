"""Phrases with more words in the query than in the concept: "graphics card" in "graphics gaming card"."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from portal.matching.language.stemming import stem, tail

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from portal.matching.language.terms import Phrase
    from portal.matching.query.concept_rules import Keys

MOST_WORDS = 200
"""In longer texts, as resumes are, words stand near one another by chance."""
_MOST_WORDS_OF_A_SENTENCE = 25
_WORDS = (
    "a all an any both each every few her his its many more most much my our own quite rather really several so "
    "some such that the their these this those too very your"
)
_SMALL_WORDS = frozenset(map(stem, _WORDS.split()))
"""Articles and what stands in place of one: they change nothing of what a phrase means."""


def gapped(
    keys: Keys, words: Sequence[Phrase], text: str, lengths: Mapping[str, Collection[int]]
) -> Iterator[tuple[Keys, list[Phrase]]]:
    """What could be phrases but for one word within, which has spaces on both sides.

    Gives the keys of each without that word, and its other words. `keys` are those of the `words` of `text`; `lengths`
    has by the key of a first word how many words the phrases have that begin with it.
    """
    for begin, key in enumerate(keys):
        for length in lengths.get(key, ()):
            end = begin + length + 1
            if length < 2 or end > len(keys):  # noqa: PLR2004 - a phrase has two words
                continue
            for gap in range(begin + 1, end - 1):
                if _stands_apart(words[gap - 1 : gap + 2], text):
                    kept = [*words[begin:gap], *words[gap + 1 : end]]
                    yield keys[begin:gap] + keys[gap + 1 : end], kept


def past_small_words(
    keys: Keys, words: Sequence[Phrase], text: str, lengths: Mapping[str, Collection[int]]
) -> Iterator[tuple[Keys, list[Phrase]]]:
    """What could be phrases of a sentence but for small words within, and one other word ("split all of the network").

    As `gapped`, of which it gives nothing again.
    """
    kept = [place for place, key in enumerate(keys) if key not in _SMALL_WORDS]
    if len(kept) == len(keys) or len(keys) > _MOST_WORDS_OF_A_SENTENCE:
        return
    for begin, place in enumerate(kept):
        for length in lengths.get(keys[place], ()):
            for end in (begin + length, begin + length + 1):
                if length < 2 or end > len(kept) or kept[end - 1] - place < end - begin:  # noqa: PLR2004 - a phrase has two words
                    continue
                stretch = words[place : kept[end - 1] + 1]
                if not all(text[one.end : next_one.start].isspace() for one, next_one in pairwise(stretch)):
                    continue
                for gap in range(begin + 1, end - 1) if end > begin + length else (end,):
                    places = [*kept[begin:gap], *kept[gap + 1 : end]]
                    yield tuple([keys[at] for at in places]), [words[at] for at in places]


def _stands_apart(words: Sequence[Phrase], text: str) -> bool:
    """Whether there are but spaces around the second of three words: "vision-language model" is no "vision model"."""
    before, word, after = words
    return text[before.end : word.start].isspace() and text[word.end : after.start].isspace()


def are_plain_words(phrase: Keys, uses: Callable[[str], bool]) -> bool:
    """Whether a phrase is none that the labs use themselves, of two words: "deep residual learning" is something else.

    `phrase` has the keys of the words, `uses` tells which keys some lab uses.
    """
    return len(phrase) != 2 or not uses(phrase[0] + tail(phrase[1]))  # noqa: PLR2004 - a pair
