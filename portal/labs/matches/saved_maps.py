"""Topic maps on disk, beside the index whose labs they show: one process of a host draws a map, the others read it.

Drawing one takes a second and loads scikit-learn, 80 MB in each process that does.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from portal.labs.live_index.saved import folder_of
from portal.matching.topic_map import Direction, Point, TopicMap

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from portal.labs.live_index.labs import Fit

logger = logging.getLogger(__name__)

VERSION = 1
"""To be raised with every change of how maps are drawn: until the next fit, portals show the map that they have."""


@dataclass(frozen=True)
class SavedMaps:
    """The files, each in the folder of a fit, below the `folder` of the saved index."""

    folder: Path

    def load(self, fit: Fit) -> TopicMap | None:
        """The map of a fit; None if there is none, or none that can be used."""
        file = self._file(fit)
        if file is None or not file.exists():
            return None
        try:
            return _map_of(json.loads(file.read_text(encoding="ascii")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            logger.warning("The saved topic map is not used, it is drawn anew: %r", error)
            return None

    def save(self, fit: Fit, topic_map: TopicMap) -> None:
        """Save the map of a fit, if the fit itself is saved. A full disk is only logged."""
        file = self._file(fit)
        if file is None or not file.parent.is_dir():
            return
        draft = file.with_name(f"{file.stem}.{os.getpid()}.json")
        try:
            draft.write_text(json.dumps(_values_of(topic_map)), encoding="ascii")
            draft.replace(file)
        except OSError as error:
            logger.warning("The topic map cannot be saved: %s", error)
            draft.unlink(missing_ok=True)

    @contextmanager
    def turn(self, fit: Fit) -> Iterator[None]:
        """Keep other processes of this host from drawing the map of a fit meanwhile; wait for one that is drawing it.

        Where no file can be written, each draws its own.
        """
        file = self._file(fit)
        try:
            lock = None if file is None else os.open(file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            lock = None
        try:
            if lock is not None:
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            if lock is not None:
                os.close(lock)

    def _file(self, fit: Fit) -> Path | None:
        return folder_of(self.folder, fit.generation) / "topic_map.json" if fit.generation else None


def _values_of(topic_map: TopicMap) -> dict[str, Any]:
    return {
        "version": VERSION,
        "places": topic_map.places,
        "unplaced": topic_map.unplaced,
        "across": topic_map.across,
        "up": topic_map.up,
    }


def _map_of(values: dict[str, Any]) -> TopicMap | None:
    if values["version"] != VERSION:
        return None
    across, up = (Direction(*map(tuple, values[axis])) for axis in ("across", "up"))
    places = {str(key): Point(float(x), float(y)) for key, (x, y) in values["places"].items()}
    return TopicMap(places, tuple(values["unplaced"]), across, up)
