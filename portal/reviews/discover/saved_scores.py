"""Scores of Discover on disk, beside the index that they were computed with: for all processes of a host, and the next.

They are files of the fit's own folder, so they go when its weights do. Nothing of what people state is in them.
"""

from __future__ import annotations

import logging
import os
import threading
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from portal import matching
from portal.labs.live_index.saved import concepts_digest, folder_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.labs.live_index.labs import IndexedLabs

logger = logging.getLogger(__name__)

Scores = dict[bytes, float]
"""By the digest of what somebody states."""


@dataclass(frozen=True)
class SavedScores:
    """The files, in the `folder` of the saved index."""

    folder: Path

    def load(self, labs: IndexedLabs, slug: str) -> Scores:
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

    def save(self, labs: IndexedLabs, slug: str, scores: Mapping[bytes, float]) -> None:
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
        if not labs.fit.generation:
            return None
        name = sha256(slug.encode()).hexdigest()[:32]
        return folder_of(self.folder, labs.fit.generation) / "scores" / f"{name}.npz"


def scored_with(labs: IndexedLabs, slug: str) -> str:
    """What identifies all on which a lab's saved scores depend besides people, alike in all processes that share them;
    empty if scores cannot be saved.
    """
    return f"{labs.fit.generation} {_computed_with(labs, slug).hex()}" if labs.fit.generation else ""


def _computed_with(labs: IndexedLabs, slug: str) -> bytes:
    """A digest of what scores depend on, the same in every process: the code, the concepts, the lab's profile and, if
    an edit of another lab changed how queries are read, all edits.
    """
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
