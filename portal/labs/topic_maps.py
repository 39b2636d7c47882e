"""The topic map of the labs, made once for each fit of the index, and what a page shows of it."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from portal.labs.map_drawing import FOR_DESKS, FOR_PHONES, draw
from portal.matching.lab_terms import topic_map
from portal.matching.topic_map import Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask import Flask

    from portal.labs.live_index.labs import Fit
    from portal.labs.live_index.live import IndexedLabs
    from portal.labs.map_drawing import Drawing
    from portal.matching import Match
    from portal.matching.topic_map import Direction, TopicMap

logger = logging.getLogger(__name__)

EXTENSION = "portal_topic_maps"
DRAWN_AT_ONCE = 150  # labs; reading more takes longer than a page may
LISTED = 12
MIDDLE = Point(0.0, 0.0)


@dataclass(frozen=True)
class NearLab:
    """A lab near the query on the map, with its place in the ranking, 0 where it does not fit."""

    slug: str
    name: str
    position: int


@dataclass(frozen=True)
class MapView:
    """The map as a page shows it.

    `nearest` are the labs from the query outwards, or from the middle where the query fits no lab. `waiting` counts
    labs that came after the map was made, `silent` those that say nothing that could place them.
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
        """Whether the query has a place."""
        return self.for_desks.you is not None


class TopicMaps:
    """Keeps the maps of one process. Those of many labs are made by a thread beside the pages."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: WeakKeyDictionary[Fit, TopicMap] = WeakKeyDictionary()
        self._under_way: WeakKeyDictionary[Fit, threading.Thread] = WeakKeyDictionary()
        self._newest: TopicMap | None = None

    def of(self, labs: IndexedLabs) -> TopicMap | None:
        """The map for the fit of these labs; while it is being made the one before, None where there was none.

        Side effect: the first call after a fit makes the map, at once or, of many labs, by a thread.
        """
        made = self._made.get(labs.fit)
        if made is not None:
            return made
        if len(labs.index) <= DRAWN_AT_ONCE:
            self._make(labs)
            return self._made[labs.fit]
        with self._lock:
            if labs.fit not in self._made and labs.fit not in self._under_way:
                thread = threading.Thread(target=self._make_aside, args=(labs,), name="topic-map", daemon=True)
                self._under_way[labs.fit] = thread
                thread.start()
        return self._newest

    def wait(self) -> None:
        """Return when no map is being made any more."""
        for thread in list(self._under_way.values()):
            thread.join()

    def _make(self, labs: IndexedLabs) -> None:
        index = labs.index
        made = topic_map(index.lab(key) for key in index.keys())  # noqa: SIM118 - an index is no mapping
        with self._lock:
            self._made[labs.fit] = self._newest = made
            self._under_way.pop(labs.fit, None)

    def _make_aside(self, labs: IndexedLabs) -> None:
        """`_make` in a thread of its own. A map that cannot be made is not tried again before the next fit."""
        try:
            self._make(labs)
        except Exception:  # pages do without the map; somebody must read why
            logger.exception("The topic map of %d labs could not be made", len(labs.index))


def map_view(labs: IndexedLabs, made: TopicMap, ranked: Sequence[Match]) -> MapView:
    """The map of the labs that are there now, for a query with this ranking."""
    names = {slug: profile.name or slug for slug, profile in labs.profiles.items()}
    order = [match.lab for match in ranked if match.lab in names]
    position = {slug: number for number, slug in enumerate(order, start=1)}
    you = made.place({match.lab: match.score for match in ranked if match.lab in names})
    near = made.nearest(you or MIDDLE, len(made.places))
    nearest = [NearLab(slug, names[slug], position.get(slug, 0)) for slug, _ in near if slug in names]
    for_desks, for_phones = (draw(made.places, names, order, you, size) for size in (FOR_DESKS, FOR_PHONES))
    silent = len(names.keys() & set(made.unplaced))
    return MapView(
        for_desks,
        for_phones,
        made.across,
        made.up,
        nearest[:LISTED],
        placed=len(nearest),
        waiting=len(names) - len(nearest) - silent,
        silent=silent,
    )


def topic_maps(app: Flask) -> TopicMaps:
    """The maps of an application."""
    held = app.extensions[EXTENSION]
    if not isinstance(held, TopicMaps):
        raise TypeError(f"{EXTENSION} holds a {type(held).__name__}")
    return held
