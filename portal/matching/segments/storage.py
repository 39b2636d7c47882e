"""An index as a folder: arrays that are memory-mapped, JSON, and a manifest with checksums. No pickle.

Loaded arrays are shared between all processes of a machine. A folder is written beside its place and moved there when
complete, so a reader finds the old index or the new one.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import numpy as np

from portal.matching.language.abbreviations import Abbreviation
from portal.matching.language.names import Names
from portal.matching.language.spelling import Speller
from portal.matching.language.terms import ANALYZER_VERSION
from portal.matching.query.concepts import Concept
from portal.matching.query.expansion import Expander
from portal.matching.segments.bounds import Bounds
from portal.matching.segments.cells import Cells
from portal.matching.segments.common import Common
from portal.matching.segments.mapping import mapped
from portal.matching.segments.postings import Postings
from portal.matching.segments.rows import Rows
from portal.matching.segments.segment import Segment
from portal.matching.segments.singles import Singles
from portal.matching.segments.stored_labs import StoredLabs, lab_from_json, lab_to_json, pack
from portal.matching.segments.weights import TermTable, Weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from portal.matching.records import LabDoc

    Array = NDArray[Any]

FORMAT = "portal.matching index"
VERSION = 8
MANIFEST = "manifest.json"
_OF_DAMAGE = (LookupError, TypeError, ValueError, AttributeError, RecursionError, EOFError, OSError)
"""What reading a file leads to that is not as it was saved."""


class IndexRefused(ValueError):
    """A folder is not an index, is damaged, or was written by an unknown version."""


@dataclass(frozen=True, slots=True)
class Saved:
    """Everything an index consists of: the labs as fitted, what was learned of words, and the edits since.

    `phrases` are those that are suggested, in their order; None if they were not collected.
    """

    weights: Weights
    base: Segment
    expander: Expander
    speller: Speller
    edited: tuple[LabDoc, ...]
    gone: frozenset[str]
    phrases: Sequence[str] | None = None


def save(saved: Saved, path: Path) -> None:
    """Write an index to the folder `path`, replacing an index that is already there.

    The new folder is complete before it takes the place of the old one, which is renamed first: for a moment there is
    neither, and whoever loads then has to try again.

    Raises:
        IndexRefused: `path` holds something other than an index.
        OSError: It cannot be written, or somebody else saved there at the same moment; the old one or theirs stays.
    """
    if path.exists() and not (path / MANIFEST).is_file():
        raise IndexRefused(f"{path} is not an index, so it is left as it is")
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    fresh, old = beside / "new", beside / "old"
    try:
        _write(saved, fresh)
        if path.exists():
            path.rename(old)
        fresh.rename(path)
    except BaseException:  # an interrupt, too, leaves the old one where it was
        if old.exists() and not path.exists():
            old.rename(path)
        raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _write(saved: Saved, folder: Path) -> None:
    folder.mkdir()
    for name, array in _arrays(saved).items():
        _save_array(array, folder / f"{name}.npy")
    for name, value in _documents(saved).items():
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="ascii")
    files = {file.name: {"sha256": _checksum(file), "bytes": file.stat().st_size} for file in sorted(folder.iterdir())}
    manifest = {"format": FORMAT, "version": VERSION, "analyzer": ANALYZER_VERSION, "files": files}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="ascii")


def _save_array(array: np.ndarray, file: Path) -> None:
    try:
        np.save(file, array, allow_pickle=False)
    except OSError as error:
        if error.errno is not None:
            raise
        # NumPy says how much it wrote and keeps the system's reason to itself: nothing else cuts a write short.
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file)) from error


def load(path: Path, *, verify: bool = True) -> Saved:
    """Read the index in the folder `path`; `verify` reads every file once and compares its checksum.

    What was verified is in memory, so all but the labs' texts are put within reach of this process as well: otherwise
    the first queries would wait for each page of memory that they are the first to touch.

    Raises:
        IndexRefused: the folder is not an index, is damaged, is of an unknown version, or was replaced meanwhile.
    """
    manifest = _manifest(path)
    try:
        saved = _read(path, manifest["files"], verify=verify)
    except IndexRefused:  # a ValueError that says itself what is wrong
        raise
    except _OF_DAMAGE as error:
        raise IndexRefused(f"{path} is damaged: {error!r}") from error
    if _manifest(path) != manifest:
        raise IndexRefused(f"{path} was replaced while it was read")
    return saved


def _read(path: Path, files: Mapping[str, Any], *, verify: bool) -> Saved:
    """Read the files of an index. Raises whatever a file that is not as it was saved leads to."""
    for name, expected in files.items():
        file = path / name
        if not file.is_file() or file.stat().st_size != expected["bytes"]:
            raise IndexRefused(f"{path} is damaged: {name} is missing or has another size than when it was saved")
        if verify and _checksum(file) != expected["sha256"]:
            raise IndexRefused(f"{path} is damaged: {name} is not what was saved")
    wanted = {*(f"{name}.npy" for name in _ARRAYS), *(f"{name}.json" for name in _DOCUMENTS)}
    missing = sorted(wanted - files.keys())
    if missing:
        raise IndexRefused(f"{path} is damaged: its manifest does not list {', '.join(missing)}")
    arrays = {name: mapped(path / f"{name}.npy", in_reach=verify and name != _TEXTS) for name in _ARRAYS}
    documents = {name: json.loads((path / f"{name}.json").read_text(encoding="ascii")) for name in _DOCUMENTS}
    return _restored(arrays, documents)


def _manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="ascii"))
    except (OSError, ValueError, RecursionError) as error:
        raise IndexRefused(f"{path} holds no index: {MANIFEST} cannot be read ({error})") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise IndexRefused(f"{path} holds no index: {MANIFEST} is of another kind")
    for name, expected in (("version", VERSION), ("analyzer", ANALYZER_VERSION)):
        if manifest.get(name) != expected:
            raise IndexRefused(
                f"{path} was saved with {name} {manifest.get(name)!r}, this program knows {expected} only: fit it anew"
            )
    return manifest


_ARRAYS = (
    "first_row",
    "lab_of_row",
    "terms",
    "starts",
    "rows",
    "counts",
    "idf",
    "common_terms",
    "common_starts",
    "common_within",
    "common_cells",
    "common_large_places",
    "common_large",
    "single_starts",
    "single_packed",
    "single_low",
    "inverse_length",
    "inverse_focus",
    "bound_step",
    "bound_starts",
    "bound_labs",
    "bound_steps",
    "bound_dense_row",
    "bound_dense",
    "bound_of_row",
    "lab_block",
    "lab_offsets",
)
_TEXTS = "lab_block"
_OF_A_CONCEPT = tuple(field.name for field in fields(Concept))
_DOCUMENTS = ("lexicon", "names", "edits", "suggestions")


def _arrays(saved: Saved) -> dict[str, Array]:
    base = saved.base
    block, offsets = pack(base.labs)
    arrays = (
        base.rows.first,
        base.rows.lab,
        base.postings.table.numbers,
        base.postings.starts,
        base.postings.rows,
        base.postings.counts,
        base.idf,
        base.common.terms,
        base.common.starts,
        base.common.within,
        base.common.cells.packed,
        base.common.cells.places,
        base.common.cells.large,
        base.singles.starts,
        base.singles.packed,
        base.singles.low,
        base.inverse_length,
        base.inverse_focus,
        base.bounds.step,
        base.bounds.starts,
        base.bounds.labs,
        base.bounds.steps,
        base.bounds.dense_row,
        base.bounds.dense,
        base.bounds.of_row,
        block,
        offsets,
    )
    return dict(zip(_ARRAYS, arrays, strict=True))


def _documents(saved: Saved) -> dict[str, Any]:
    expander = saved.expander
    return {
        "lexicon": {
            "works": saved.weights.works,
            "high_bits": saved.base.singles.high,
            "row_bits": saved.base.common.cells.row_bits,
            "abbreviations": {key: [asdict(form) for form in forms] for key, forms in expander.abbreviations.items()},
            "concepts": [{name: getattr(concept, name) for name in _OF_A_CONCEPT} for concept in expander.concepts],
            "texts": saved.speller.texts,
            "words": saved.speller.frequency,
        },
        "names": {key: sorted(spellings) for key, spellings in saved.base.names.items()},
        "edits": {
            "keys": list(saved.base.keys),
            "gone": sorted(saved.gone),
            "edited": [lab_to_json(lab) for lab in saved.edited],
        },
        "suggestions": saved.phrases,
    }


def _restored(arrays: Mapping[str, Array], documents: Mapping[str, Any]) -> Saved:
    lexicon, edits, phrases = documents["lexicon"], documents["edits"], documents["suggestions"]
    if phrases is not None and (type(phrases), *set(map(type, phrases))) not in {(list,), (list, str)}:
        raise TypeError("what is suggested is no list of texts")
    keys = tuple(edits["keys"])
    table = TermTable(arrays["terms"])
    singles = Singles(arrays["single_starts"], arrays["single_packed"], arrays["single_low"], lexicon["high_bits"])
    weights = Weights(table, arrays["idf"], singles, lexicon["works"])
    base = Segment(
        keys,
        StoredLabs(arrays["lab_block"], arrays["lab_offsets"]),
        Rows(arrays["first_row"], arrays["lab_of_row"]),
        Postings(table, arrays["starts"], arrays["rows"], arrays["counts"]),
        arrays["idf"],
        Common(
            arrays["common_terms"],
            arrays["common_starts"],
            arrays["common_within"],
            Cells(
                arrays["common_cells"],
                lexicon["row_bits"],
                arrays["common_large_places"],
                arrays["common_large"],
            ),
        ),
        singles,
        weights.of_singles,
        arrays["inverse_length"],
        arrays["inverse_focus"],
        Bounds(*(arrays[name] for name in _ARRAYS if name.startswith("bound_"))),
        Names({key: frozenset(spellings) for key, spellings in documents["names"].items()}),
        {key: position for position, key in enumerate(keys)},
    )
    abbreviations = {
        key: tuple(Abbreviation(**form) for form in forms) for key, forms in lexicon["abbreviations"].items()
    }
    concepts = tuple(
        Concept(**{**concept, "plain": tuple(concept["plain"]), "terms": tuple(concept["terms"])})
        for concept in lexicon["concepts"]
    )
    return Saved(
        weights,
        base,
        Expander.build(abbreviations, concepts),
        Speller(lexicon["words"], lexicon["texts"]),
        tuple(lab_from_json(lab) for lab in edits["edited"]),
        frozenset(edits["gone"]),
        phrases,
    )


def _checksum(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
