"""The topic map of the labs, computed once per fit of the index, and its page."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from portal.labs.matches.map_drawing import FOR_DESKS, FOR_PHONES, draw
from portal.matching.lab_terms import topic_map
from portal.matching.topic_map import Point
from portal.web.extensions import extension

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask import Flask

    from portal.labs.live_index.labs import Fit
    from portal.labs.live_index.live import IndexedLabs
    from portal.labs.matches.map_drawing import Drawing
    from portal.labs.matches.saved_maps import SavedMaps
    from portal.matching import Match
    from portal.matching.topic_map import Direction, TopicMap

logger = logging.getLogger(__name__)

EXTENSION = "portal_topic_maps"
DRAWN_AT_ONCE = 150  # labs; for more, computing takes longer than a page may
LISTED = 12
MIDDLE = Point(0.0, 0.0)


@dataclass(frozen=True)
class NearLab:
    """A lab near the query on the map, with its position in the ranking, 0 if it does not fit."""

    slug: str
    name: str
    position: int


@dataclass(frozen=True)
class MapView:
    """The map for a page.

    `nearest` are the labs by distance from the query, or from the middle if no lab fits. `waiting` counts labs added
    after the map was computed, `silent` those without text to place them by.
    """

    for_desks: Drawing
    for_phones: Drawing
    across: Direction
    up: Direction
    nearest: Sequence[NearLab]
    placed: int
    waiting: int
    silent: int

    @property
    def has_you(self) -> bool:
        """Whether the query has a position."""
        return self.for_desks.you is not None


class TopicMaps:
    """Caches the maps of one process. Maps of many labs are computed by a thread."""

    def __init__(self, saved: SavedMaps | None = None) -> None:
        """`saved` are the maps that processes of this host share."""
        self._saved = saved
        self._lock = threading.Lock()
        self._making = threading.Lock()
        self._maps: WeakKeyDictionary[Fit, TopicMap] = WeakKeyDictionary()
        self._under_way: WeakKeyDictionary[Fit, threading.Thread] = WeakKeyDictionary()
        self._newest: TopicMap | None = None

    def of(self, labs: IndexedLabs) -> TopicMap | None:
        """The map for these labs' fit; while it is being computed, the previous one, or None.

        Side effect: the first call after a fit reads or computes it, directly or, for many labs, in a thread.
        """
        existing = self._maps.get(labs.fit)
        if existing is not None:
            return existing
        if len(labs.index) <= DRAWN_AT_ONCE:
            self.draw(labs)
            return self._maps[labs.fit]
        with self._lock:
            if labs.fit not in self._maps and labs.fit not in self._under_way:
                thread = threading.Thread(target=self._make_aside, args=(labs,), name="topic-map", daemon=True)
                self._under_way[labs.fit] = thread
                thread.start()
        return self._newest

    def draw(self, labs: IndexedLabs) -> None:
        """Compute the map for these labs' fit, unless there is one, however many labs they are. Starts no thread."""
        with self._making:  # those who ask meanwhile wait, instead of computing it beside each other
            if labs.fit not in self._maps:
                self._make(labs)

    def wait(self) -> None:
        """Wait until no map is being computed."""
        for thread in list(self._under_way.values()):
            thread.join()

    def _make(self, labs: IndexedLabs) -> None:
        computed = self._saved_or_drawn(labs, self._saved) if self._saved is not None else _drawn(labs)
        with self._lock:
            self._maps[labs.fit] = self._newest = computed
            self._under_way.pop(labs.fit, None)

    @staticmethod
    def _saved_or_drawn(labs: IndexedLabs, saved: SavedMaps) -> TopicMap:
        with saved.turn(labs.fit):
            found = saved.load(labs.fit)
            if found is None:
                found = _drawn(labs)
                saved.save(labs.fit, found)
        return found

    def _make_aside(self, labs: IndexedLabs) -> None:
        """Run `draw` in a thread. A failed map is not retried before the next fit."""
        try:
            self.draw(labs)
        except Exception:  # pages work without the map; the log says why
            logger.exception("The topic map of %d labs could not be made", len(labs.index))


def _drawn(labs: IndexedLabs) -> TopicMap:
    index = labs.index
    return topic_map(index.lab(key) for key in index.keys())  # noqa: SIM118 - an index is no mapping


def map_view(labs: IndexedLabs, lab_map: TopicMap, ranked: Sequence[Match]) -> MapView:
    """The map of the present labs, for a query with this ranking."""
    names = {slug: profile.name or slug for slug, profile in labs.profiles.items()}
    order = [match.lab for match in ranked if match.lab in names]
    position = {slug: rank for rank, slug in enumerate(order, start=1)}
    you = lab_map.place({match.lab: match.score for match in ranked if match.lab in names})
    near = lab_map.nearest(you or MIDDLE, len(lab_map.places))
    nearest = [NearLab(slug, names[slug], position.get(slug, 0)) for slug, _ in near if slug in names]
    for_desks, for_phones = (draw(lab_map.places, names, order, you, size) for size in (FOR_DESKS, FOR_PHONES))
    silent = len(names.keys() & set(lab_map.unplaced))
    return MapView(
        for_desks,
        for_phones,
        lab_map.across,
        lab_map.up,
        nearest[:LISTED],
        placed=len(nearest),
        waiting=len(names) - len(nearest) - silent,
        silent=silent,
    )


def topic_maps(app: Flask) -> TopicMaps:
    """The maps of an application."""
    return extension(app, EXTENSION, TopicMaps)
