"""Fits an index in a process of its own, so that a large fit delays no query of this one.

The other process is a Python that calls `main`: it reads labs from standard input, a line of JSON each, and saves the
index in a folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, cast

import numpy as np

from portal.matching.fitting import fit
from portal.matching.layers import State
from portal.matching.storage import Saved, lab_from_json, lab_to_json, load, save

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from portal.matching.records import LabDoc

PROGRAM = "import os; os.nice(10); from portal.matching.apart import main; main()"
"""Yields to the process that answers, which would otherwise wait for one of its cores now and then."""
STARTED_IN = Path(__file__).parents[2]
KEEPS_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(1 << 26)}
"""The other process keeps what it frees: pages that are given back and taken anew hold up all others of a machine."""
_PAGE = 4_096


class FitFailed(RuntimeError):
    """The other process ended without an index; it said why on standard error."""


def fit_apart(labs: Iterable[LabDoc], progress: Callable[[int], None] | None = None) -> Saved:
    """What `fit` learns of `labs`, mapped from files that go with this process. Waits for the other process.

    Raises:
        FitFailed: it ended without an index, for instance as two labs have the same key.
    """
    with TemporaryDirectory(prefix="portal-index-") as folder:
        path = Path(folder) / "index"
        command = [sys.executable, "-c", PROGRAM, str(path)]
        environment = os.environ | KEEPS_MEMORY
        with subprocess.Popen(command, stdin=subprocess.PIPE, cwd=STARTED_IN, env=environment) as child:  # noqa: S603 - ourselves
            stdin = cast("IO[bytes]", child.stdin)
            with suppress(BrokenPipeError):  # it ended early, and says so by its return code
                for count, lab in enumerate(labs, start=1):
                    stdin.write(json.dumps(lab_to_json(lab)).encode("ascii") + b"\n")
                    if progress is not None:
                        progress(count)
                stdin.close()
        if child.returncode:
            raise FitFailed(f"the process that fits the index ended with {child.returncode}")
        saved = load(path, verify=False)
        _map_all(saved)
        return saved


def _map_all(saved: Saved) -> None:
    """Read a byte of each page that ranking may read, here, where no query waits for it."""
    layer = saved.state.layers[0]
    of_matrices = (
        values
        for matrix in (layer.rows_by_term, layer.foci_by_term)
        for values in (matrix.indptr, matrix.indices, matrix.data)
    )
    for values in (*of_matrices, layer.terms, saved.weights.idf):
        values.view(np.uint8)[::_PAGE].max(initial=0)


def main() -> None:
    """Fit the labs of standard input and save the index in the folder that the command line names."""
    weights, layer = fit(lab_from_json(json.loads(line)) for line in sys.stdin.buffer)
    save(Saved(weights, State((layer,)), ()), Path(sys.argv[1]))
