"""Caches applicants' scores for a lab between pages.

Reading a resume takes some milliseconds, hence a queue of 2,000 applicants many seconds. A score stays valid until the
applicant states something else, the lab's own profile or a concept changes, or the weights are fitted again; only then
is it recomputed. Edits of other labs do not matter, unless they change how queries are read.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from portal.web.extensions import extension

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from flask import Flask

    from portal.labs.live_index.labs import ScoredAs
    from portal.labs.live_index.live import IndexedLabs
    from portal.matching import Query
    from portal.reviews.saved_scores import SavedScores

EXTENSION = "portal_scoreboard"
WORTH_SAVING = 20  # newly scored people; fewer are scored as quickly as their file is written
READ_AT_ONCE = 100  # people, when their scores are computed ahead
MOST_LABS = 64  # labs in the cache; the least recently used is dropped


@dataclass(frozen=True, slots=True)
class _CachedScore:
    """A score, from 0 to 1, and the digest of what it is for. Texts are not kept."""

    digest: bytes
    score: float


@dataclass(frozen=True, slots=True)
class _Board:
    """The scores of one lab, and what they depend on besides the queries."""

    scored_as: ScoredAs
    scores: Mapping[str, _CachedScore]


class Scoreboard:
    """The cache of one process; thread-safe."""

    def __init__(self, saved: SavedScores | None = None) -> None:
        """`saved` is where scores are kept for other processes and the next start."""
        self._saved = saved
        self._lock = threading.Lock()
        self._boards: OrderedDict[str, _Board] = OrderedDict()
        self._turns: dict[str, threading.Lock] = {}

    def scores(
        self,
        labs: IndexedLabs,
        slug: str,
        stated: Mapping[str, bytes],
        queries: Callable[[Collection[str]], Mapping[str, Query]],
    ) -> Mapping[str, float]:
        """The scores of everyone in `stated` for one lab, by key.

        `stated` maps keys to digests of what people state; `queries` returns their queries, and is called only for
        people who must be scored.

        Side effect: caches the scores and drops those of keys not in `stated`. Concurrent callers for one lab wait
        instead of computing everything again.

        Raises:
            IndexPreparing: There is no index yet, or it does not contain the lab yet.
            UnknownLab: The index does not contain the lab.
        """
        with self._turn(slug):
            scores = self._valid(labs, slug, stated)
            missing = [key for key in stated if key not in scores]
            for match in labs.index.rank_reverse(slug, queries(missing)) if missing else ():
                scores[match.lab] = _CachedScore(stated[match.lab], match.score)
            self._keep(labs, slug, scores, len(missing))
        return {key: scores[key].score for key in stated}

    def score_ahead(
        self,
        labs: IndexedLabs,
        stated: Mapping[str, Mapping[str, bytes]],
        queries: Callable[[Collection[str]], Mapping[str, Query]],
        *,
        stops: Callable[[], bool],
    ) -> None:
        """Compute the scores that are missing for several labs, reading what each person states once for all of them.

        `stated` has for each lab what `scores` takes for one; `queries` is called for some people at a time, and
        `stops` before each time whether to end early. Side effect: caches the scores.

        Raises:
            IndexPreparing: There is no index yet, or it does not contain one of the labs yet.
            UnknownLab: The index does not contain one of the labs.
        """
        scores = {slug: self._valid(labs, slug, people) for slug, people in stated.items()}
        wanted: dict[str, list[str]] = {}
        for slug, people in stated.items():
            for key in people.keys() - scores[slug].keys():
                wanted.setdefault(key, []).append(slug)
        new = Counter[str]()
        people_in_turn = iter(sorted(wanted))
        while (batch := list(islice(people_in_turn, READ_AT_ONCE))) and not stops():
            for key, query in queries(batch).items():
                for slug, score in zip(wanted[key], labs.index.scores(query, wanted[key]), strict=True):
                    scores[slug][key] = _CachedScore(stated[slug][key], score)
                    new[slug] += 1
        for slug, of_lab in scores.items():
            self._keep(labs, slug, of_lab, new[slug])

    def _valid(self, labs: IndexedLabs, slug: str, stated: Mapping[str, bytes]) -> dict[str, _CachedScore]:
        """The cached scores that hold still."""
        cached = self._cached(slug, labs.scored_as(slug)) or self._loaded(labs, slug, stated)
        return {key: cached[key] for key, digest in stated.items() if key in cached and cached[key].digest == digest}

    def _keep(self, labs: IndexedLabs, slug: str, scores: Mapping[str, _CachedScore], new: int) -> None:
        """Cache scores, and save them if so many of them are new that it is worth it."""
        self._cache(slug, _Board(labs.scored_as(slug), scores))
        if self._saved is not None and new >= WORTH_SAVING:
            self._saved.save(labs, slug, {cached.digest: cached.score for cached in scores.values()})

    def _loaded(self, labs: IndexedLabs, slug: str, stated: Mapping[str, bytes]) -> Mapping[str, _CachedScore]:
        """The scores that another process saved, or this one before a restart."""
        loaded = self._saved.load(labs, slug) if self._saved is not None else {}
        return {key: _CachedScore(digest, loaded[digest]) for key, digest in stated.items() if digest in loaded}

    def _turn(self, slug: str) -> threading.Lock:
        with self._lock:
            return self._turns.setdefault(slug, threading.Lock())

    def _cached(self, slug: str, scored_as: ScoredAs) -> Mapping[str, _CachedScore]:
        with self._lock:
            board = self._boards.get(slug)
            return board.scores if board is not None and board.scored_as == scored_as else {}

    def _cache(self, slug: str, board: _Board) -> None:
        with self._lock:
            self._boards[slug] = board
            self._boards.move_to_end(slug)
            while len(self._boards) > MOST_LABS:
                self._boards.popitem(last=False)


def scoreboard(app: Flask) -> Scoreboard:
    """The cache of an application."""
    return extension(app, EXTENSION, Scoreboard)
