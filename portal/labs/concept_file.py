"""The concept file (plain words and the field's terms for them): read at start, and again when it changes."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from portal.config import RESOURCES
from portal.matching import Concept, ConceptError, read_concepts

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger(__name__)

SHIPPED = RESOURCES / "seeds" / "concepts.toml"


class ConceptFile:
    """The concepts of one file, which may be replaced at any time. One per process."""

    def __init__(self, path: Path) -> None:
        """`path` is read when the concepts are first asked for."""
        self.path = path
        self._lock = threading.Lock()
        self._state: object = None
        self._concepts: tuple[Concept, ...] | None = None

    def current(self) -> tuple[Concept, ...]:
        """The concepts of the file, the same object while it does not change. Costs one look at the file's state.

        Side effects: reads the file after a change. If it cannot be used then, that is logged once, and the concepts
        that were read before stay in use.

        Raises:
            ConceptError: The file cannot be used, and none was read before.
        """
        state = self._state_now()
        concepts = self._concepts
        if concepts is not None and state == self._state:
            return concepts
        with self._lock:
            if self._concepts is None:
                self._concepts = read_file(self.path)
            elif state != self._state:
                try:
                    self._concepts = read_file(self.path)
                except ConceptError as error:
                    logger.error("The changed concept file is not used: %s", error)  # noqa: TRY400  (the message says it all)
            self._state = state
            return self._concepts

    def _state_now(self) -> object:
        try:
            stat = self.path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino


def read_file(path: Path) -> tuple[Concept, ...]:
    """The concepts of a file.

    Raises:
        ConceptError: It cannot be read, or is no concept file.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConceptError(f"{path} cannot be read: {error}") from None
    try:
        return read_concepts(text)
    except ConceptError as error:
        raise ConceptError(f"{path}: {error}") from None


def shipped_concepts() -> tuple[Concept, ...]:
    """The concepts of the file that comes with the portal.

    Raises:
        ConceptError: The file is invalid.
    """
    return read_file(SHIPPED)
