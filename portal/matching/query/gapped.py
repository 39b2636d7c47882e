"""Finds phrases that have extra words in the query: "graphics card" in "graphics gaming card"."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from portal.matching.language.stemming import stem, tail

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from portal.matching.language.terms import PlacedWord
    from portal.matching.query.concept_rules import Keys

    Form = Sequence[PlacedWord]
    """The words of a short or long form in a text."""

MOST_WORDS = 200
"""In longer texts, such as resumes, words are close to one another by chance."""
_MOST_WORDS_OF_A_SENTENCE = 25
_WORDS = (
    "a all an any both each every few her his its many more most much my our own quite rather really several so "
    "some such that the their these this those too very your"
)
_SMALL_WORDS = frozenset(map(stem, _WORDS.split()))
"""Articles and words in their place, which do not change what a phrase means."""


def gapped(
    keys: Keys, words: Sequence[PlacedWord], text: str, lengths: Mapping[str, Collection[int]]
) -> Iterator[tuple[Keys, list[PlacedWord]]]:
    """Candidates for phrases with one extra word inside, which must have spaces on both sides.

    Yields the keys without the extra word, and the words they belong to. `keys` are those of the `words` of `text`;
    `lengths` maps the key of a first word to the lengths of the phrases that begin with it.
    """
    for begin, key in enumerate(keys):
        for length in lengths.get(key, ()):
            end = begin + length + 1
            if length < 2 or end > len(keys):  # noqa: PLR2004 - a phrase has two words
                continue
            for gap in range(begin + 1, end - 1):
                if _stands_apart(words[gap - 1 : gap + 2], text):
                    words_of_phrase = [*words[begin:gap], *words[gap + 1 : end]]
                    yield keys[begin:gap] + keys[gap + 1 : end], words_of_phrase


def past_small_words(
    keys: Keys, words: Sequence[PlacedWord], text: str, lengths: Mapping[str, Collection[int]]
) -> Iterator[tuple[Keys, list[PlacedWord]]]:
    """Candidates for phrases with small words inside, and one other word ("split all of the network").

    Yields the same as `gapped`, but nothing that `gapped` already yields.
    """
    large_words = [place for place, key in enumerate(keys) if key not in _SMALL_WORDS]
    if len(large_words) == len(keys) or len(keys) > _MOST_WORDS_OF_A_SENTENCE:
        return
    for begin, place in enumerate(large_words):
        for length in lengths.get(keys[place], ()):
            for end in (begin + length, begin + length + 1):
                if length < 2 or end > len(large_words) or large_words[end - 1] - place < end - begin:  # noqa: PLR2004 - a phrase has two words
                    continue
                stretch = words[place : large_words[end - 1] + 1]
                if not all(text[word.end : next_word.start].isspace() for word, next_word in pairwise(stretch)):
                    continue
                for gap in range(begin + 1, end - 1) if end > begin + length else (end,):
                    places = [*large_words[begin:gap], *large_words[gap + 1 : end]]
                    yield tuple([keys[position] for position in places]), [words[position] for position in places]


def _stands_apart(words: Sequence[PlacedWord], text: str) -> bool:
    """Whether the second of three words has spaces around it: "vision-language model" is not a "vision model"."""
    before, word, after = words
    return text[before.end : word.start].isspace() and text[word.end : after.start].isspace()


def are_plain_words(phrase: Keys, uses: Callable[[str], bool]) -> bool:
    """Whether the labs do not use a phrase of two words themselves: "deep residual learning" is not "deep learning".

    `phrase` has the keys of the words; `uses` says which keys some lab uses.
    """
    return len(phrase) != 2 or not uses(phrase[0] + tail(phrase[1]))  # noqa: PLR2004 - a pair


def by_place(forms: Sequence[Form]) -> dict[int, list[Form]]:
    """The forms of more than one word by where each of their words begins."""
    placed: dict[int, list[Form]] = {}
    for form in forms:
        for word in form if len(form) > 1 else ():
            placed.setdefault(word.start, []).append(form)
    return placed


def breaks(matched: Sequence[PlacedWord], form: Form) -> bool:
    """Whether a phrase was found in words of a term's long form that mean nothing without the others.

    "Vision language model" has no "vision model", and "research on machine translation" nothing on machines; but
    somebody who "cuts a neural network" cuts a network.
    """
    inside = [word for word in matched if word in form]
    return bool(inside) and len(inside) < len(form) and (len(inside) == len(matched) or form[-1] not in inside)
