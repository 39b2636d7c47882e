"""Names near to one that nobody has: “Jonson” is near to Johnson, “wangxiaoming” to Wang Xiaoming, 王晓明 to 王小明.

Pure: a search that finds nobody offers them, spelt as their owners spell them. Offering one of them finds somebody.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from rapidfuzz import fuzz, process

from portal.labs.folding import FIRST_IDEOGRAPH, folded_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_OFFERED = 3
MOST_COMPARED = 10_000  # names that a search which found nobody reads, in some 0.2 s
MOST_WORDS = 6  # of a text
SHORTEST = 3  # letters; a shorter word is near only to itself
NEAR = 75  # of 100, by rapidfuzz's ratio: of eight letters, two may be others
NEAR_TOGETHER = 88  # a whole name is longer, so that fewer of its letters may be others
NEAR_IDEOGRAPHS = 60  # of three, one may be another, or all in another order
HOLDING = 99.0  # a word that holds the typed one; the same word is nearer


def near_names(names: Iterable[str], text: str) -> tuple[str, ...]:
    """Up to `MOST_OFFERED` texts near to `text`, the nearest first, made of words of `names`.

    Names to which all words of the text are near come first; if there are none, single words near to one of its words.

    Args:
        names: The names to offer; of more than `MOST_COMPARED`, the first.
        text: What somebody typed.
    """
    words = [word for word in map(folded_name, text.split()[:MOST_WORDS]) if word]
    if not words:
        return ()
    distinct = list(dict.fromkeys(islice(names, MOST_COMPARED)))
    people = [_parts(name) for name in distinct]
    spellings = {folded: word for parts in people for folded, word in parts.items()}
    nearness = [_nearness(word, spellings) for word in words]
    scores: dict[str, float] = {}
    for parts in people:
        nearest = [max(parts, key=lambda folded: near.get(folded, 0.0), default="") for near in nearness]
        if all(folded in near for folded, near in zip(nearest, nearness, strict=True)):
            offered = " ".join(parts[folded] for folded in dict.fromkeys(nearest))
            scores[offered] = sum(near[folded] for folded, near in zip(nearest, nearness, strict=True))
    if len(words) == 1:
        scores |= _written_together(words[0], distinct)
    if not scores:
        scores = {spellings[folded]: score for near in nearness for folded, score in near.items() if score < HOLDING}
    return tuple(sorted(scores, key=lambda offered: (-scores[offered], offered))[:MOST_OFFERED])


def _parts(name: str) -> dict[str, str]:
    """The words of a name as they are written, by their folded form, then the parts of those with a hyphen."""
    words = name.split()
    halves = [half for word in words if "-" in word for half in word.split("-")]
    parts = {folded_name(word): word for word in reversed([*words, *halves])}
    return {folded: parts[folded] for folded in map(folded_name, [*words, *halves]) if folded}


def _nearness(word: str, spellings: Iterable[str]) -> Mapping[str, float]:
    """How near each of the folded words of names is to `word`, of those that are near enough."""
    parts = {spelling: HOLDING for spelling in spellings if word in spelling}
    if len(word) < SHORTEST:
        return parts
    cutoff = NEAR_IDEOGRAPHS if word >= FIRST_IDEOGRAPH else NEAR
    close = process.extract(word, list(spellings), scorer=fuzz.ratio, score_cutoff=cutoff, limit=None)
    return parts | {spelling: max(score, parts.get(spelling, 0.0)) for spelling, score, _index in close}


def _written_together(word: str, people: Iterable[str]) -> Mapping[str, float]:
    """The names of several words that `word` writes as one, in either order."""
    whole: dict[str, str] = {}
    for name in people:
        parts = [folded_name(part) for part in name.split()]
        if len(parts) > 1:
            whole |= {"".join(parts): name, "".join([parts[-1], *parts[:-1]]): name}
    close = process.extract(word, list(whole), scorer=fuzz.ratio, score_cutoff=NEAR_TOGETHER, limit=MOST_OFFERED)
    return {whole[spelling]: score for spelling, score, _index in close}
