"""What is known of words is cached, but not of words of unusual length, of which a few would fill the memory."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from portal.matching import LabIndex, Query
from portal.matching.language.chunks import Chunks
from portal.matching.language.stretches import _Stretches
from portal.matching.language.word_cache import LONGEST_WORD, WordCache, cached_by_word
from portal.matching.privacy.redacting import redact
from tests.matching.corpus import LABS

if TYPE_CHECKING:
    from portal.matching.query.lexicon import Lexicon

MARK = "qzvx"
LONG = MARK * LONGEST_WORD
TEXT = f"Federated learning of {LONG} on graphs, {LONG.title()}-based {LONG}ing and {LONG}s for {MARK}."


def test_a_word_is_looked_up_once_unless_it_is_of_unusual_length() -> None:
    asked: list[str] = []

    @cached_by_word(2)
    def length(word: str) -> int:
        asked.append(word)
        return len(word)

    usual, unusual = "w" * LONGEST_WORD, "w" * (LONGEST_WORD + 1)
    for word in (usual, unusual, usual, unusual):
        assert length(word) == len(word)
    assert asked == [usual, unusual, unusual]


def test_a_full_cache_is_emptied() -> None:
    cache = WordCache(str.upper, 2)
    assert [cache[word] for word in ("a", "b", "c", "c")] == ["A", "B", "C", "C"]
    assert dict(cache) == {"c": "C"}


def _long_words_in(caches: list[dict[object, object]]) -> set[str]:
    """The words of unusual length, without spaces, by which something is kept."""
    parts = (part for cache in caches for key in list(cache) for part in (key if isinstance(key, tuple) else (key,)))
    return {part for part in parts if isinstance(part, str) and MARK in part.lower() and len(part) > LONGEST_WORD}


def test_nothing_is_kept_of_words_of_unusual_length() -> None:
    index = LabIndex.fit(LABS)
    query = Query(statement=TEXT, resume=f"{TEXT} {TEXT}")
    assert index.rank_explained(query)
    redact(f"Ada {LONG}\n{TEXT}")
    lexicon: Lexicon = index._answers(index._state).question.__self__.lexicon  # type: ignore[attr-defined]
    of_words = (lexicon.uses, lexicon.is_known, lexicon.is_only_of_a_name, lexicon.is_right)
    speller, weights = lexicon._speller, lexicon.weights
    own = [cached.__self__ for cached in of_words]  # type: ignore[attr-defined]
    own += [speller._candidates_by_form, speller._slightly_off, weights._weight_of, weights._occurs]
    own += [layer.segment._used for layer in index._state.layers]
    assert _long_words_in(own) == set()
    del index, query, lexicon, of_words, speller, weights, own
    gc.collect()
    by_characters = (Chunks, _Stretches)  # emptied when they have too many of them
    caches = [each for each in gc.get_objects() if isinstance(each, dict) and not isinstance(each, by_characters)]
    assert _long_words_in(caches) == set()
