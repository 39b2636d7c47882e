"""Caches applicants' scores for a lab between pages, in memory and on disk beside the index they were computed with.

Reading a resume takes some milliseconds, hence a queue of 2,000 applicants many seconds. A score stays valid until the
applicant states something else, the lab's own profile or a concept changes, or the weights are fitted again; only then
is it recomputed. Edits of other labs do not matter, unless they change how queries are read. The files serve all
processes of a host, and the next; they go when the fit's weights do, and hold nothing of what people state.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import Counter, OrderedDict
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from portal import matching
from portal.config import extension
from portal.labs.live_index.saved import concepts_digest, folder_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from flask import Flask

    from portal.labs.live_index.state import IndexedLabs, ScoredAs
    from portal.matching import Query

logger = logging.getLogger(__name__)

Scores = dict[bytes, float]
"""By the digest of what somebody states."""


def _computed_with(labs: IndexedLabs, slug: str) -> bytes:
    """A digest of what scores depend on: the code, the concepts, the lab's profile, edits that changed reading."""
    edits = labs.corpus.revisions if labs.words else ()
    content = (_code(), concepts_digest(labs.corpus.concepts), labs.index.lab(slug), edits)
    return sha256(repr(content).encode("utf-8", "surrogatepass")).digest()


@cache
def _code() -> str:
    """A digest of the matcher's source files."""
    digest = sha256()
    for file in sorted(Path(matching.__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


EXTENSION = "portal_scoreboard"
WORTH_SAVING = 20  # newly scored people; fewer are scored as quickly as their file is written
READ_AT_ONCE = 20  # people, when their scores are computed ahead: half a second, if their resumes are long
KEPT_EVERY = 500  # people; what was computed by then survives a kill
MOST_LABS = 64  # labs in the cache; the least recently used is dropped


class Scoreboard:
    """The cache of one process; thread-safe."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` is that of the saved index, beside which scores are kept for other processes and the next start."""
        self._folder = folder
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[ScoredAs, Scores]] = OrderedDict()

    def scores(
        self,
        labs: IndexedLabs,
        slug: str,
        stated: Mapping[str, bytes],
        queries: Callable[[Collection[str]], Mapping[str, Query]],
        *,
        at_most: int,
        first: str = "",
    ) -> Mapping[str, float]:
        """The scores of people in `stated` for one lab, by key.

        `stated` maps keys to digests of what people state; `queries` gives the queries of those who must be scored: at
        most `at_most` now, beginning with `first`. The others are missing until the clock or later calls score them.
        Caches the scores. Raises `IndexPreparing` and `UnknownLab` as the index.
        """
        scores = self._valid(labs, slug, stated)
        missing = sorted(_missing(stated, scores), key=lambda key: key != first)[:at_most]
        for match in labs.index.rank_reverse(slug, queries(missing)) if missing else ():
            scores[stated[match.lab]] = match.score
        self._keep(labs, slug, scores, len(missing))
        return {key: scores[digest] for key, digest in stated.items() if digest in scores}

    def score_ahead(
        self,
        labs: IndexedLabs,
        stated: Mapping[str, Mapping[str, bytes]],
        queries: Callable[[Collection[str]], Mapping[str, Query]],
        *,
        goes_on: Callable[[], bool],
    ) -> None:
        """Compute the scores that are missing for several labs, reading what each person states once for all of them.

        `stated` has for each lab what `scores` takes for one; `queries` is called for some people at a time, while
        `goes_on` says so. Caches the scores now and then, also those computed before an error. Raises as `scores`.
        """
        scores = {slug: self._valid(labs, slug, people) for slug, people in stated.items()}
        new = Counter[str]()
        wanted: dict[str, list[str]] = {}
        for slug, stated_to_lab in stated.items():
            for key in _missing(stated_to_lab, scores[slug]):
                wanted.setdefault(key, []).append(slug)
        people = sorted(wanted)

        def keep() -> None:
            for slug, of_lab in scores.items():
                self._keep(labs, slug, dict(of_lab), new[slug])

        try:
            for done in range(0, len(people), READ_AT_ONCE):
                if done and done % KEPT_EVERY == 0:
                    keep()
                if not goes_on():
                    break
                for key, query in queries(people[done : done + READ_AT_ONCE]).items():
                    for slug, score in zip(wanted[key], labs.index.scores(query, wanted[key]), strict=True):
                        scores[slug][stated[slug][key]] = score
                        new[slug] += 1
        finally:
            keep()

    def _valid(self, labs: IndexedLabs, slug: str, stated: Mapping[str, bytes]) -> Scores:
        """The scores that hold still: cached here or, where many are missing, saved by another process."""
        with self._lock:
            scored_as, known = self._known.get(slug, (None, {}))
        known = known if scored_as == labs.scored_as(slug) else {}
        if len(_missing(stated, known)) >= WORTH_SAVING:
            known = {**self._load(labs, slug), **known}
        return {digest: known[digest] for digest in stated.values() if digest in known}

    def _keep(self, labs: IndexedLabs, slug: str, scores: Scores, new: int) -> None:
        """Cache scores, and save them if so many of them are new that it is worth it."""
        with self._lock:
            self._known[slug] = (labs.scored_as(slug), scores)
            self._known.move_to_end(slug)
            while len(self._known) > MOST_LABS:
                self._known.popitem(last=False)
        if new >= WORTH_SAVING:
            self._save(labs, slug, scores)

    def _load(self, labs: IndexedLabs, slug: str) -> Scores:
        """The saved scores for a lab that are still valid; none if the index itself is not saved."""
        file = self._file(labs, slug)
        if file is None or not file.exists():
            return {}
        try:
            with file.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
                if bytes(archive["of"]) != _computed_with(labs, slug):
                    return {}
                stated = [bytes(row) for row in archive["stated"]]
                return dict(zip(stated, archive["scores"].tolist(), strict=True))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            logger.warning("Saved scores are not used, they are computed anew: %s", error)
            return {}

    def _save(self, labs: IndexedLabs, slug: str, scores: Mapping[bytes, float]) -> None:
        """Save the scores of a lab's applicants, in place of those saved before. A full disk is only logged."""
        file = self._file(labs, slug)
        if file is None or not scores or not file.parent.parent.is_dir():
            return
        draft = file.with_name(f"{file.stem}.{os.getpid()}-{threading.get_ident()}.npz")
        try:
            file.parent.mkdir(mode=0o700, exist_ok=True)
            np.savez(
                draft,
                of=np.frombuffer(_computed_with(labs, slug), np.uint8),
                stated=np.frombuffer(b"".join(scores), np.uint8).reshape(len(scores), -1),
                scores=np.array([*scores.values()]),
            )
            draft.replace(file)
        except OSError as error:
            logger.warning("Scores cannot be saved: %s", error)
            draft.unlink(missing_ok=True)

    def _file(self, labs: IndexedLabs, slug: str) -> Path | None:
        """Where a lab's scores are saved; None if the index itself is not."""
        if self._folder is None or not labs.fit.generation:
            return None
        name = sha256(slug.encode()).hexdigest()[:32]
        return folder_of(self._folder, labs.fit.generation) / "scores" / f"{name}.npz"


def _missing(stated: Mapping[str, bytes], scores: Scores) -> list[str]:
    """The keys of people without a score."""
    return [key for key, digest in stated.items() if digest not in scores]


def scoreboard(app: Flask) -> Scoreboard:
    """The cache of an application."""
    return extension(app, EXTENSION, Scoreboard)
