"""The index that answers a process's queries, in step with the saved profiles and the concept file.

Each request first checks for saved changes. Edits enter the index at once, with the weights of the last fit. After
enough of them the weights are fitted again: at once if that is quick, otherwise by a background thread while the
present state keeps answering. One process per host fits and saves; the others load what it saved.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from portal.config import SettingsError, extension, settings_of
from portal.db import db
from portal.labs.live_index.saved import SavedIndex, concepts_digest
from portal.labs.live_index.state import (
    ConceptFile,
    Corpus,
    IndexedLabs,
    IndexPreparing,
    Stamp,
    changed_between,
    fit_labs,
    read_corpus,
    read_revisions,
    read_stamp,
    size,
    unsearchable,
    with_corpus,
)
from portal.labs.live_index.thread import Caretaker
from portal.labs.topic_map import places_of
from portal.matching import ConceptError, Query, Topic, redact

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.labs.live_index.state import Fit, Stages
    from portal.labs.topic_map import Point


MISSPELT = "modles"
"""A word that no lab uses: it has the words counted that it could be corrected to."""
LETTERS = 500


def rehearse(labs: IndexedLabs) -> None:
    """Compute what the first query after a fit would wait for: rank and explain the words of the first lab with a work,
    one of them misspelt.
    """
    index = labs.index
    lab = next((lab for lab in map(index.lab, index.keys()) if lab.works), None)
    if lab is None:
        return
    topic = Topic(f"{lab.works[0].title[:LETTERS]} {MISSPELT}")
    query = Query((topic,), statement=lab.profile[:LETTERS], resume=lab.works[-1].abstract[:LETTERS])
    for _, why in index.rank_explained(query, k=1):
        _ = why.evidence, why.missing
    redact("")  # compiles the patterns of what is left out of resumes


logger = logging.getLogger(__name__)

EXTENSION = "portal_live_index"
READ_QUICKLY = 500  # labs that are read while a request waits
FITTED_QUICKLY = 2_000  # works that are fitted while a request waits
EDITS_AT_ONCE = 20  # labs that are edited while a request waits
MOST_EDITS = 200  # labs; beyond that a fit is as quick as the edits
DRIFT = 0.1  # fraction of the works; once so much changed, the weights are fitted again
CLOSE_ENOUGH = 0.25  # of the labs that may differ from the saved index for it to be used
OLDEST = timedelta(days=1)  # since the fit, if there are edits
BETWEEN_FITS = 60.0  # seconds; or ten times as long as a fit takes, if that is more
LOOK_AGAIN, IDLE = 1.0, 60.0  # seconds between two steps of the thread


class LiveIndex:
    """The index of one process. Checks the database for changes before each answer, and applies them."""

    def __init__(self, app: Flask, folder: Path, *, in_background: bool) -> None:
        """`folder` holds the saved index; the settings name the concept file. With `in_background`, slow work is left
        to a thread.
        """
        self._app = app
        self._in_background = in_background
        self.saved = SavedIndex(folder)
        self.concepts = ConceptFile(settings_of(app).concepts)
        self.places: Mapping[str, Point] = {}
        self._rehearsed: Fit | None = None
        self._known_mark: object = None
        self.newest: IndexedLabs | None = None
        self._previous: IndexedLabs | None = None
        self._next_fit = 0.0
        self._is_behind = False
        self.caretaker = Caretaker("live index", self._step, self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def current(self, session: Session) -> IndexedLabs:
        """The labs as they are stored now.

        Side effects: if any process saved a profile, or the concept file changed, since the last call, edits the index
        or, where that is quick, fits and saves it again. Unchanged profiles are not read again. An index that another
        process saved is taken over, by the thread or, where there is none, at once.

        Raises:
            IndexPreparing: There are many labs, and the thread is reading them for the first time.
        """
        stamp = read_stamp(session, self.concepts)
        is_another_saved = self.saved.mark() != self._known_mark
        if is_another_saved:
            self.caretaker.wake()
        labs = self._known(stamp)
        if labs is not None and (self._in_background or not is_another_saved):
            return labs
        with self._lock:
            if is_another_saved and not self._in_background:
                self._take_over_saved(session, stamp)
            return self._known(stamp) or self._follow(session, stamp)

    def current_if_ready(self, session: Session) -> IndexedLabs | None:
        """`current`, or None while the labs are being read for the first time."""
        try:
            return self.current(session)
        except IndexPreparing:
            return None

    @property
    def failure(self) -> str:
        """Why the last attempt to build it, or to catch up, failed; empty if it did not."""
        return self.caretaker.failure

    def start(self) -> None:
        """Start the thread that builds and maintains the index; do nothing where requests wait for it instead."""
        if self._in_background:
            self.caretaker.start()

    def warm_up(self, session: Session) -> None:
        """Fit and rehearse the index before the first query, if that is quick. Starts no thread, so forking is safe."""
        if size(session)[1] <= FITTED_QUICKLY:
            self._rehearse(self.current(session))

    def _rehearse(self, labs: IndexedLabs) -> None:
        """Rehearse each fit once, and place its labs on the map. A failure is logged; who asks first is told why."""
        if not labs.is_searchable or labs.fit is self._rehearsed:
            return
        self._rehearsed = labs.fit
        try:
            rehearse(labs)
            self.places = places_of(*labs.index.fitted_vectors())
        except Exception:  # as the docstring says
            logger.exception("The index answers, but could not be rehearsed")

    def rebuild(self, session: Session, stages: Stages) -> IndexedLabs | None:
        """Fit and save the index, reporting progress to `stages`; None if another process is doing so.

        Raises:
            OSError: It cannot be saved; the previous index stays.
        """
        with self.saved.claim() as mine:
            if not mine:
                return None
            labs, _works = size(session)
            stages.begin(f"Loading {labs} profiles")
            corpus = read_corpus(session, read_stamp(session, self.concepts))
            session.rollback()  # no transaction stays open during a fit
            fitted = fit_labs(corpus, stages)
            stages.begin("Saving")
            return replace(fitted, fit=self.saved.save(fitted))

    def _known(self, stamp: Stamp) -> IndexedLabs | None:
        """The state with this stamp. A request that began before the last save still reads the previous one."""
        for labs in (self.newest, self._previous):
            if labs is not None and labs.corpus.stamp == stamp:
                return labs
        return None

    def _take_over_saved(self, session: Session, stamp: Stamp) -> None:
        """Answer from the index that another process saved, in place of a present one."""
        present = self.newest
        if present is None or not present.is_searchable:
            return
        labs = self._newly_saved(read_corpus(session, stamp, present.corpus))
        if labs is not None:
            self._swap(labs)

    def _follow(self, session: Session, stamp: Stamp) -> IndexedLabs:
        count, works = size(session)
        present, quick = self.newest, works <= FITTED_QUICKLY
        if present is not None and present.is_searchable:
            labs = self._followed(session, stamp, present, quick=quick)
        elif quick or not self._in_background:
            labs = self._built(read_corpus(session, stamp, present.corpus if present else None), quick=quick)
        elif present is None and count > READ_QUICKLY:
            self._wake()
            raise IndexPreparing
        else:
            labs = unsearchable(read_corpus(session, stamp, present.corpus if present else None))
        if not quick:
            self._wake()
        self._swap(labs)
        return labs

    def _followed(self, session: Session, stamp: Stamp, present: IndexedLabs, *, quick: bool) -> IndexedLabs:
        if self._in_background and not quick:
            return with_corpus(present, read_corpus(session, stamp, present.corpus, EDITS_AT_ONCE))
        corpus = read_corpus(session, stamp, present.corpus)
        if changed_between(present.corpus.revisions, corpus.revisions) > (EDITS_AT_ONCE if quick else MOST_EDITS):
            return self._built(corpus, quick=quick)
        labs = with_corpus(present, corpus)
        return self._built(corpus, quick=quick) if quick and labs.drift() >= DRIFT else labs

    def _built(self, corpus: Corpus, *, quick: bool) -> IndexedLabs:
        """The state loaded from the saved index if that is close enough, otherwise fitted while the caller waits."""
        labs = self._newly_saved(corpus)
        return self._fitted(corpus) if labs is None or (quick and labs.drift() >= DRIFT) else labs

    def _newly_saved(self, corpus: Corpus) -> IndexedLabs | None:
        """The state loaded from the saved index, if that is not the one that this process knows; else None."""
        return self._from_saved(corpus) if self.saved.mark() != self._known_mark else None

    def _from_saved(self, corpus: Corpus) -> IndexedLabs | None:
        """The saved index with the edits since; None if there is none, or too many edits."""
        self._known_mark = self.saved.mark()
        saved = self.saved.load()
        if saved is None:
            return None
        is_current = concepts_digest(corpus.concepts) == saved.concepts
        index = saved.index if is_current else saved.index.with_concepts(corpus.concepts)
        labs = IndexedLabs(index, Corpus({}, saved.revisions, Stamp(concepts=corpus.concepts)), saved.fit)
        differing = changed_between(saved.revisions, corpus.revisions)
        if differing > max(EDITS_AT_ONCE, CLOSE_ENOUGH * len(saved.revisions)):
            logger.info("The saved index is not used: %d of its labs differ from the database", differing)
            return None
        return with_corpus(labs, corpus)

    def _fitted(self, corpus: Corpus) -> IndexedLabs:
        with self.saved.claim() as mine:
            labs = self._fit(corpus)
            return self._with_saved(labs) if mine else labs

    def _fitted_if_mine(self, corpus: Corpus) -> IndexedLabs | None:
        """Fit and save the index, and map it from disk, so that processes share memory; None if another one does so."""
        with self.saved.claim() as mine:
            if not mine:
                return None
            labs = self._fit(corpus)
            labs = self._with_saved(labs)
            return (self._from_saved(corpus) if labs.fit.generation else None) or labs

    def _fit(self, corpus: Corpus) -> IndexedLabs:
        began = time.monotonic()
        try:
            return fit_labs(corpus)
        finally:
            seconds = time.monotonic() - began
            self._next_fit = time.monotonic() + max(BETWEEN_FITS, 10 * seconds)

    def _with_saved(self, labs: IndexedLabs) -> IndexedLabs:
        try:
            labs = replace(labs, fit=self.saved.save(labs))
        except OSError as error:
            logger.warning("The index could not be saved, the next start will build it again: %s", error)
        self._known_mark = self.saved.mark()
        return labs

    def _swap(self, labs: IndexedLabs) -> None:
        if self.newest is not None and self.newest.is_searchable and self.newest.corpus.stamp != labs.corpus.stamp:
            self._previous = self.newest
        self.newest = labs

    def _wake(self) -> None:
        self.start()
        self.caretaker.wake()

    def _step(self) -> float:
        """The thread's work: build, load what another process saved, catch up, fit. Returns its pause."""
        with self._app.app_context():
            session = db.session()
            if size(session)[1] <= FITTED_QUICKLY:
                self.current(session)
            present, stamp = self.newest, read_stamp(session, self.concepts)
            if present is not None and present.corpus.complete and present.corpus.stamp == stamp:
                corpus = present.corpus
            else:
                corpus = read_corpus(session, stamp, present.corpus if present else None)
            if present is None:
                present = self._publish(session, unsearchable(corpus))
            session.rollback()  # no transaction stays open during a fit or a rehearsal
            labs = self._next_state(present, corpus)
            if labs is not None:
                labs = self._publish(session, labs)
                session.rollback()
            self._rehearse(labs or present)
            return IDLE if labs is None and present.is_searchable and not self._is_behind else LOOK_AGAIN

    def _next_state(self, present: IndexedLabs, corpus: Corpus) -> IndexedLabs | None:
        """The state to answer from next; None if the present one will do, or another process is about to save one."""
        self._is_behind = False
        if not present.is_searchable:
            return self._newly_saved(corpus) or self._fitted_if_mine(corpus)
        saved = self._newly_saved(corpus)
        if saved is not None:
            return saved
        too_many = changed_between(present.corpus.revisions, corpus.revisions) > MOST_EDITS
        self._is_behind = too_many or _wants_fit(present)
        if too_many or (self._is_behind and time.monotonic() >= self._next_fit):
            fitted = self._fitted_if_mine(corpus)
            if fitted is not None or too_many:
                return fitted
        return None if present.corpus is corpus else with_corpus(present, corpus)

    def _publish(self, session: Session, labs: IndexedLabs) -> IndexedLabs:
        """Replace the state by `labs`, adding edits saved meanwhile; most of them before taking the lock."""
        labs = self._caught_up(session, labs, MOST_EDITS)
        with self._lock:
            labs = self._caught_up(session, labs, EDITS_AT_ONCE)
            self._swap(labs)
        return labs

    def _caught_up(self, session: Session, labs: IndexedLabs, most: int) -> IndexedLabs:
        session.rollback()
        stamp = read_stamp(session, self.concepts)
        return labs if stamp == labs.corpus.stamp else with_corpus(labs, read_corpus(session, stamp, labs.corpus, most))


def _wants_fit(labs: IndexedLabs) -> bool:
    return labs.drift() >= DRIFT or (bool(labs.edited) and datetime.now(UTC) - labs.fit.at >= OLDEST)


def init_live_index(app: Flask, folder: Path, *, in_background: bool) -> None:
    """Give the application its live index; its thread starts with the process's first request.

    Raises:
        SettingsError: Requests will be served, and the concept file cannot be used.
    """
    live = LiveIndex(app, folder, in_background=in_background)
    if in_background:
        try:
            live.concepts.current()
        except ConceptError as error:
            raise SettingsError(f"PORTAL_CONCEPTS: {error}") from None
    app.extensions[EXTENSION] = live
    app.before_request(live.start)


def live_index(app: Flask) -> LiveIndex:
    """The live index of an application."""
    return extension(app, EXTENSION, LiveIndex)


@dataclass(frozen=True, slots=True)
class SavedState:
    """The saved index beside the database.

    Attributes:
        labs, works: How many the database has.
        fitted_at: When the weights were fitted; None if no saved index can be used.
        edits: Number of labs that changed since.
        is_building: Whether a process of this host is fitting an index.
    """

    labs: int
    works: int
    fitted_at: datetime | None
    edits: int
    is_building: bool


def saved_state(app: Flask, session: Session) -> SavedState:
    """The saved index, compared with the database; reads all of it, so that damage is found."""
    saved_index = live_index(app).saved
    is_building = saved_index.is_claimed()
    saved, revisions = saved_index.load(), read_revisions(session)
    edits = changed_between(saved.revisions if saved else {}, revisions)
    return SavedState(*size(session), saved.fit.at if saved else None, edits, is_building)
