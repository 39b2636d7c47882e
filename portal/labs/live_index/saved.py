"""The fitted index on disk, shared by all processes of a host and mapped into their memory.

Each fit is a folder of its own, `generations/<name>/`. The file `current.json` names the one in use and is replaced
atomically once the folder is complete, so a process killed while saving leaves the previous index usable.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from portal.labs import lab_docs
from portal.labs.live_index.state import Fit
from portal.matching import IndexRefused, LabIndex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from portal.labs.live_index.state import IndexedLabs, Revision

logger = logging.getLogger(__name__)

FORMAT = "portal live index"
VERSION = 1
CURRENT = "current.json"
CORPUS = "corpus.json"
INDEX = "index"
MANIFEST = "manifest.json"


@dataclass(frozen=True, eq=False)
class SavedLabs:
    """A saved index, the revisions that it was fitted to, and the digest of its concepts."""

    index: LabIndex
    revisions: Mapping[str, Revision]
    concepts: str
    fit: Fit


@dataclass(frozen=True)
class SavedIndex:
    """The folder with the saved index; created on the first save."""

    folder: Path

    def mark(self) -> tuple[int, int] | None:
        """A value that changes whenever another index is saved; None if there is none. Costs one stat call."""
        try:
            stat = (self.folder / CURRENT).stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_ino

    def load(self) -> SavedLabs | None:
        """The saved index, or None if there is none that can be used.

        A damaged one, or one of another version of the portal, is refused with a line in the log.
        """
        before = self.mark()
        while before is not None:
            try:
                return self._load()
            except (IndexRefused, OSError) as refusal:
                # Another process may have saved the next one meanwhile, and removed this one.
                mark, before = before, self.mark()
                if before == mark:
                    logger.warning("The saved index is not used, another one will be built: %s", refusal)
                    return None
        return None

    def save(self, labs: IndexedLabs) -> Fit:
        """Save a new fit in place of the previous index; only for the holder of `claim`.

        Raises:
            OSError: It cannot be written; the previous index stays.
        """
        generation = f"{labs.fit.at:%Y%m%dT%H%M%S%f}-{os.getpid()}"
        fit = Fit(labs.fit.at, labs.fit.works, generation)
        folder = folder_of(self.folder, generation)
        self._remove_others(self._current_generation())
        try:
            folder.mkdir(parents=True, mode=0o700)
            labs.index.save(folder / INDEX)
            (folder / CORPUS).write_text(json.dumps(_corpus_data(labs)), encoding="ascii")
            checksums = {name: _checksum(folder / name) for name in (CORPUS, f"{INDEX}/{MANIFEST}")}
            pointer = {"format": FORMAT, "version": VERSION, "generation": generation, "sha256": checksums}
            draft = self.folder / f"{CURRENT}.new"
            draft.write_text(json.dumps(pointer), encoding="ascii")
            draft.replace(self.folder / CURRENT)
        except BaseException:  # an interrupt must not leave half an index behind either
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._remove_others(generation)
        return fit

    @contextmanager
    def claim(self) -> Iterator[bool]:
        """Whether the body of the `with` may build and save; False while another process of this host does.

        The kernel releases the claim of a killed process. If the folder is not writable, nobody can save there, and
        every process may build for itself.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            logger.warning("The folder for the saved index cannot be used: %s", error)
            yield True
            return
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True
        finally:
            os.close(descriptor)

    def is_claimed(self) -> bool:
        """Whether a process of this host is building an index."""
        if not (self.folder / "lock").exists():
            return False
        with self.claim() as mine:
            return not mine

    def _load(self) -> SavedLabs:
        pointer = _read(self.folder / CURRENT)
        if pointer.get("format") != FORMAT or pointer.get("version") != VERSION:
            raise IndexRefused(f"{self.folder / CURRENT} is of a kind or version that is not known here")
        try:
            return self._labs_of(pointer)
        except IndexRefused:  # a ValueError that says itself what is wrong
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise IndexRefused(f"{self.folder} is damaged: {error!r}") from error

    def _labs_of(self, pointer: dict[str, Any]) -> SavedLabs:
        """The generation that a pointer names. Raises whatever a part that is not as it was saved leads to."""
        generation, checksums = str(pointer["generation"]), dict(pointer["sha256"])
        folder = folder_of(self.folder, generation)
        for name in (CORPUS, f"{INDEX}/{MANIFEST}"):
            if _checksum(folder / name) != checksums[name]:
                raise IndexRefused(f"{folder} is damaged: {name} is not what was saved")
        data = _read(folder / CORPUS)
        if data["reading"] != _reading():
            raise IndexRefused(f"{folder} was saved by a version of the portal that reads profiles in another way")
        index = LabIndex.load(folder / INDEX)
        revisions = {slug: (revision_id, saved_at) for slug, (revision_id, saved_at) in data["revisions"].items()}
        if index.keys() != tuple(sorted(revisions)):
            raise IndexRefused(f"{folder} is damaged: it holds other labs than it says")
        fit = Fit(datetime.fromisoformat(data["fitted_at"]), data["works"], generation)
        return SavedLabs(index, revisions, data["concepts"], fit)

    def _current_generation(self) -> str:
        try:
            return str(_read(self.folder / CURRENT).get("generation"))
        except (IndexRefused, OSError):
            return ""

    def _remove_others(self, generation: str) -> None:
        """Remove all generations but this one; a process that has one mapped can still use it."""
        if not (self.folder / "generations").is_dir():
            return
        for folder in (self.folder / "generations").iterdir():
            if folder.name != generation:
                shutil.rmtree(folder, ignore_errors=True)


def folder_of(folder: Path, generation: str) -> Path:
    """The folder of a fit, which may also hold what is computed from it."""
    return folder / "generations" / Path(generation).name


def concepts_digest(concepts: object) -> str:
    """Identifies a set of concepts."""
    return sha256(repr(concepts).encode("utf-8", "surrogatepass")).hexdigest()


def _corpus_data(labs: IndexedLabs) -> dict[str, Any]:
    return {
        "reading": _reading(),
        "fitted_at": labs.fit.at.isoformat(),
        "works": labs.fit.works,
        "concepts": concepts_digest(labs.corpus.concepts),
        "revisions": labs.corpus.revisions,
    }


def _reading() -> str:
    """Identifies the code that turns profiles into documents: an index of other documents cannot be used."""
    return _checksum(Path(lab_docs.__file__))


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="ascii"))
    except (ValueError, RecursionError) as error:
        raise IndexRefused(f"{path} is damaged: {error}") from error
    if not isinstance(data, dict):
        raise IndexRefused(f"{path} is damaged: it holds no table")
    return data


def _checksum(path: Path) -> str:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
