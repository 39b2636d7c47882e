"""An index as a folder: arrays that are mapped into memory, JSON, and a manifest with checksums. No pickle.

Loaded arrays are shared between all processes of a machine. A folder is written beside its place and moved there when
complete, so a reader finds the old index or the new one.
"""

from __future__ import annotations

import errno
import json
import shutil
from contextlib import suppress
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np

from portal.matching.concepts import Concept
from portal.matching.fitting import Weights, layer_of
from portal.matching.language.abbreviations import Abbreviation
from portal.matching.language.terms import ANALYZER_VERSION
from portal.matching.layers import Layer, State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from portal.matching.records import LabDoc

    Array = NDArray[Any]

FORMAT = "portal.matching index"
VERSION = 12
MANIFEST = "manifest.json"
ABOUT = "about.json"
_MATRICES = ("rows", "foci", "rows_by_term", "foci_by_term")
_ARRAYS = (
    *("terms", "first_work", "profiles", "factors", "first_sentence", "ends", "first_word", "words", "places"),
    *("whole", "part", "texts", "text_ends"),
)
_OF_WEIGHTS = ("idf", "forms", "counts")
_OF_DAMAGE = (LookupError, TypeError, ValueError, AttributeError, RecursionError, EOFError, OSError)
"""What reading a file leads to that is not as it was saved."""


class IndexRefused(ValueError):
    """A folder is not an index, is damaged, or was written by an unknown version."""


@dataclass(frozen=True, eq=False, slots=True)
class Saved:
    """What an index consists of."""

    weights: Weights
    state: State
    concepts: tuple[Concept, ...]


def save(saved: Saved, path: Path) -> None:
    """Write an index to the folder `path`, replacing an index that is already there.

    The new folder is complete before it takes the place of the old one, which is renamed first: for a moment there is
    neither, and whoever loads then has to try again.

    Raises:
        IndexRefused: `path` holds something other than an index.
    """
    if path.exists() and not _is_index(path):
        raise IndexRefused(f"{path} is not an index and is not replaced")
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    try:
        _write(saved, draft)
        _move(draft, path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def load(path: Path, *, verify: bool = True) -> Saved:
    """The index in the folder `path`, memory-mapped; `verify` compares the checksums of all files.

    Raises:
        IndexRefused: the folder is not an index, is damaged, is of an unknown version, or was replaced meanwhile.
    """
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="ascii"))
        of_format, version = manifest["format"], manifest["version"]
    except _OF_DAMAGE as error:
        raise IndexRefused(f"{path} is not an index: {error!r}") from error
    if of_format != FORMAT:
        raise IndexRefused(f"{path} is not an index")
    if version != [VERSION, ANALYZER_VERSION]:
        raise IndexRefused(f"{path} was saved by another version ({version}); fit the index again")
    try:
        if verify:
            _verify(path, manifest["files"])
        return _read(path)
    except IndexRefused:
        raise
    except _OF_DAMAGE as error:
        raise IndexRefused(f"{path} is damaged: {error!r}") from error


def _verify(path: Path, checksums: dict[str, str]) -> None:
    for name, checksum in checksums.items():
        if _checksum(path / Path(name).name) != checksum:
            raise IndexRefused(f"{path} is damaged: {name} is not what was saved")


def _write(saved: Saved, folder: Path) -> None:
    base, weights = saved.state.layers[0], saved.weights
    arrays: dict[str, Array] = {name: getattr(base, name) for name in _ARRAYS}
    arrays |= {name: getattr(weights, name) for name in _OF_WEIGHTS}
    for name in _MATRICES:
        matrix = getattr(base, name)
        arrays |= {f"{name}.{part}": getattr(matrix, part) for part in ("data", "indices", "indptr")}
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", np.ascontiguousarray(values), allow_pickle=False)
    about = {
        "labs": base.labs,
        "gone": sorted(base.gone),
        "shapes": {name: getattr(base, name).shape for name in _MATRICES},
        "unknown": weights.unknown,
        "read": weights.texts,
        "abbreviations": weights.abbreviations,
        "concepts": [
            [concept.plain, concept.terms, concept.why, concept.added_by, concept.strength]
            for concept in saved.concepts
        ],
        "edited": [lab_to_json(lab) for lab in saved.state.edited()],
    }
    (folder / ABOUT).write_text(json.dumps(about), encoding="ascii")
    manifest = {
        "format": FORMAT,
        "version": [VERSION, ANALYZER_VERSION],
        "files": {file.name: _checksum(file) for file in sorted(folder.iterdir())},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="ascii")


def _read(folder: Path) -> Saved:
    from scipy.sparse import csr_array

    about = json.loads((folder / ABOUT).read_text(encoding="ascii"))
    arrays: dict[str, Any] = {name: _mapped(folder / f"{name}.npy") for name in (*_ARRAYS, *_OF_WEIGHTS)}
    matrices: dict[str, Any] = {}
    for name in _MATRICES:
        parts = tuple(_mapped(folder / f"{name}.{part}.npy") for part in ("data", "indices", "indptr"))
        matrices[name] = csr_array(parts, shape=tuple(about["shapes"][name]), copy=False)
        matrices[name].has_sorted_indices = True
    base = Layer(
        tuple(about["labs"]), **{name: arrays[name] for name in _ARRAYS}, **matrices, gone=frozenset(about["gone"])
    )
    if len(base.first_work) != len(base.labs) + 1 or len(base.terms) != base.rows.shape[1]:
        raise ValueError("its arrays do not belong together")
    weights = Weights(
        base.terms,
        **{name: arrays[name] for name in _OF_WEIGHTS},
        unknown=about["unknown"],
        texts=about["read"],
        abbreviations=tuple(Abbreviation(*pair) for pair in about["abbreviations"]),
    )
    edited = [lab_from_json(lab) for lab in about["edited"]]
    layers = (base, layer_of(edited, weights, base)) if edited else (base,)
    concepts = tuple(
        Concept(tuple(plain), tuple(terms), why, added_by, strength)
        for plain, terms, why, added_by, strength in about["concepts"]
    )
    return Saved(weights, State(layers), concepts)


def _mapped(file: Path) -> Array:
    """The array of a file, mapped into memory (an empty file cannot be mapped and is read)."""
    try:
        return np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))
    except ValueError:
        read: Array = np.load(file, allow_pickle=False)
        return read


def lab_to_json(lab: LabDoc) -> dict[str, Any]:
    """A lab as values of JSON."""
    works = [[work.key, work.title, work.abstract, work.year, work.systems, work.authors] for work in lab.works]
    return {"key": lab.key, "profile": lab.profile, "works": works, "facets": dict(lab.facets)}


def lab_from_json(data: dict[str, Any]) -> LabDoc:
    """The lab that `lab_to_json` gave."""
    from portal.matching.records import LabDoc, WorkDoc

    works = [
        WorkDoc(key, title, abstract, year, tuple(systems), tuple(authors))
        for key, title, abstract, year, systems, authors in data["works"]
    ]
    return LabDoc(data["key"], data["profile"], works, {name: tuple(values) for name, values in data["facets"].items()})


def _is_index(path: Path) -> bool:
    try:
        return bool(json.loads((path / MANIFEST).read_text(encoding="ascii"))["format"] == FORMAT)
    except _OF_DAMAGE:
        return path.is_dir() and not any(path.iterdir())


def _move(draft: Path, path: Path) -> None:
    """Move a complete folder to its place, from which the old one is moved away first."""
    draft.chmod(0o755)
    old = draft.with_name(f"{draft.name}-old")
    with suppress(FileNotFoundError):
        path.rename(old)
    try:
        draft.rename(path)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        shutil.rmtree(path)  # another process was faster; what was saved last stays
        draft.rename(path)
    shutil.rmtree(old, ignore_errors=True)


def _checksum(file: Path) -> str:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
