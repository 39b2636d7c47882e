"""The child process that reads or draws one file: started by path, bounded before it imports any parser.

It gets its order as one JSON argument, the document on standard input, and answers on standard output with
the line "ready" and then one line of JSON: {"extracted": …} or {"refused": reason, "message": …}. When a
parser raises anything else, or dies, no answer is written, and the parent draws the conclusion.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.documents.extracted import Extracted
    from portal.documents.kinds import Kind
    from portal.documents.limits import Limits

READY = b"ready\n"
# The parent ends the child on time. The alarm is for a child whose parent was killed.
GRACE_SECONDS = 2.0


def confine(order: dict[str, Any]) -> None:
    """Set the limits of this process, for good; where the host has set a lower one, that one stays."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, order["seconds"] + GRACE_SECONDS)
    for resource_kind, soft, hard in (
        (resource.RLIMIT_AS, order["memory_bytes"], order["memory_bytes"]),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NOFILE, order["open_files"], order["open_files"]),
        (resource.RLIMIT_NPROC, 0, 0),
        # Past the first the process is told (and ends), past the second it is killed.
        (resource.RLIMIT_CPU, order["cpu_seconds"], order["cpu_seconds"] + 1),
    ):
        highest = resource.getrlimit(resource_kind)[1]
        most = max(soft, hard) if highest == resource.RLIM_INFINITY else highest
        resource.setrlimit(resource_kind, (min(soft, most), min(hard, most)))


def own_output() -> BinaryIO:
    """The pipe to the parent, out of reach for anything that prints: from here on, descriptor 1 is /dev/null."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.close(devnull)
    return answers


def adopt_package(folder: str) -> None:
    """Make `folder` the package `portal`, without a folder on the search path that would bring all beside it."""
    start = Path(folder) / "__init__.py"
    spec = importlib.util.spec_from_file_location("portal", start, submodule_search_locations=[folder])
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} is not a package.")
    package = importlib.util.module_from_spec(spec)
    sys.modules["portal"] = package
    spec.loader.exec_module(package)


def answer(order: dict[str, Any], answers: BinaryIO, documents: BinaryIO) -> None:
    """Read the document, of the `kind` and with the `limits` of the order, and write the answer."""
    from portal.documents.limits import Limits
    from portal.documents.refusals import Reason, RefusedDocument, refused

    limits = Limits(**order["limits"])
    read = packing_reader_of(order["kind"])
    problem = refused(Reason.TOO_MUCH_MEMORY)
    # Made before there is no memory left for it.
    out_of_memory = json.dumps({"refused": problem.reason, "message": problem.message}).encode()
    answers.write(READY)
    try:
        line = b'{"extracted": %s}' % read(documents.read(), limits)
    except RefusedDocument as problem:
        line = json.dumps({"refused": problem.reason, "message": problem.message}).encode()
    except MemoryError:
        line = out_of_memory
    answers.write(line + b"\n")


def packing_reader_of(kind: str) -> Callable[[bytes, Limits], bytes]:
    """What reads a file of this kind into JSON, its parser imported."""
    from portal.documents.extracted import finish
    from portal.documents.kinds import Kind
    from portal.documents.pictures import PAGES, PHOTO, drawn, packed_pictures, reencoded

    if kind == PAGES:
        return lambda data, _limits: packed_pictures(drawn(data))
    if kind == PHOTO:
        import PIL.Image  # noqa: F401  (before the file is read: a lack of memory is then the file's fault)

        return lambda data, _limits: packed_pictures([reencoded(data)])
    read = reader_of(Kind(kind))
    return lambda data, limits: json.dumps(asdict(finish(read(data, limits), limits))).encode()


def reader_of(kind: Kind) -> Callable[[bytes, Limits], Extracted]:
    """The reader for `kind`, its parser imported; it may raise anything a parser comes up with."""
    if kind == "pdf":
        from portal.documents.pdf.text import read_pdf

        return read_pdf
    if kind == "docx":
        from portal.documents.docx.text import read_docx

        return read_docx
    from portal.documents.decoding import read_txt

    return read_txt


def main() -> None:
    """Carry out the order in the first argument: `package`, `kind` and `limits`."""
    order = json.loads(sys.argv[1])
    confine(order["limits"])
    adopt_package(order["package"])
    answer(order, own_output(), sys.stdin.buffer)


if __name__ == "__main__":
    main()
