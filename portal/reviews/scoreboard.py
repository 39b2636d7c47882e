"""Caches applicants' scores for a lab between pages.

Reading a resume takes some milliseconds, hence a queue of 2,000 applicants many seconds. A score stays valid until the
applicant states something else, the lab's own profile or a concept changes, or the weights are fitted again; only then
is it recomputed. Edits of other labs do not matter, unless they change how queries are read.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from flask import Flask

    from portal.labs.live_index.labs import ScoredAs
    from portal.labs.live_index.live import IndexedLabs
    from portal.matching import Query
    from portal.reviews.saved_scores import SavedScores

EXTENSION = "portal_scoreboard"
WORTH_SAVING = 20  # newly scored people; fewer are scored as quickly as their file is written
MOST_LABS = 64  # labs in the cache; the least recently used is dropped


@dataclass(frozen=True, slots=True)
class Score:
    """An applicant's score for a lab, from 0 to 1, and whether it is above the floor."""

    score: float
    fits: bool


@dataclass(frozen=True, slots=True)
class _Kept:
    """A score and the digest of what it is for. Texts are not kept."""

    digest: bytes
    score: Score


@dataclass(frozen=True, slots=True)
class _Board:
    """The scores of one lab, and what they depend on besides the queries."""

    scored_as: ScoredAs
    scores: Mapping[str, _Kept]


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
    ) -> Mapping[str, Score]:
        """The scores of everyone in `stated` for one lab, by key.

        `stated` maps keys to digests of what people state; `queries` returns their queries, and is called only for
        people who must be scored.

        Side effect: caches the scores and drops those of keys not in `stated`. Concurrent callers for one lab wait
        instead of computing everything again.

        Raises:
            IndexPreparing: There is no index yet, or it does not contain the lab yet.
            UnknownLab: The index does not contain the lab.
        """
        scored_as = labs.scored_as(slug)
        with self._turn(slug):
            kept = self._kept(slug, scored_as) or self._loaded(labs, slug, stated)
            scores = {key: kept[key] for key, digest in stated.items() if key in kept and kept[key].digest == digest}
            fresh = [key for key in stated if key not in scores]
            for match in labs.index.rank_reverse(slug, queries(fresh)) if fresh else ():
                scores[match.lab] = _Kept(stated[match.lab], Score(match.score, match.fits))
            self._keep(slug, _Board(scored_as, scores))
            if self._saved is not None and len(fresh) >= WORTH_SAVING:
                known = {score.digest: (score.score.score, score.score.fits) for score in scores.values()}
                self._saved.save(labs, slug, known)
        return {key: scores[key].score for key in stated}

    def _loaded(self, labs: IndexedLabs, slug: str, stated: Mapping[str, bytes]) -> Mapping[str, _Kept]:
        """What another process, or this one before it was started anew, has found."""
        held = self._saved.load(labs, slug) if self._saved is not None else {}
        return {key: _Kept(digest, Score(*held[digest])) for key, digest in stated.items() if digest in held}

    def _turn(self, slug: str) -> threading.Lock:
        with self._lock:
            return self._turns.setdefault(slug, threading.Lock())

    def _kept(self, slug: str, scored_as: ScoredAs) -> Mapping[str, _Kept]:
        with self._lock:
            board = self._boards.get(slug)
            return board.scores if board is not None and board.scored_as == scored_as else {}

    def _keep(self, slug: str, board: _Board) -> None:
        with self._lock:
            self._boards[slug] = board
            self._boards.move_to_end(slug)
            while len(self._boards) > MOST_LABS:
                self._boards.popitem(last=False)


def scoreboard(app: Flask) -> Scoreboard:
    """The cache of an application."""
    held = app.extensions[EXTENSION]
    if not isinstance(held, Scoreboard):
        raise TypeError(f"{EXTENSION} holds a {type(held).__name__}")
    return held
