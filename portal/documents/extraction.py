"""Read what a person handed in: an uploaded file or pasted text."""

from __future__ import annotations

import errno
import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from portal.documents import refusals
from portal.documents.child import READY
from portal.documents.extracted import Extracted, Raw, finish, packed_bytes_at_most, unpacked
from portal.documents.kinds import Kind, kind_of
from portal.documents.limits import STANDARD, Limits
from portal.documents.notices import Notice
from portal.documents.refusals import Busy, ReaderFailed, Reason, RefusedDocument
from portal.documents.supervision import Ended, supervise

if TYPE_CHECKING:
    from portal.documents.slots import Slots

_CHILD = Path(__file__).resolve().with_name("child.py")
_OUT_OF_TIME = (-signal.SIGXCPU, -signal.SIGALRM)
_NO_ROOM = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""Why the system starts no process: too many, no memory, or too many open files."""
_OUT_OF_MEMORY = (-signal.SIGABRT, -signal.SIGKILL)


def extract(data: bytes, *, slots: Slots, limits: Limits = STANDARD) -> Extracted:
    """Read an uploaded file. Starts a child process and waits for it, at most `limits.seconds`.

    May be called from any thread. When it returns or raises, the child is gone.

    Args:
        data: the file as uploaded; what it is called does not matter.
        slots: the places for children on this host; one is held meanwhile.
        limits: the bounds.

    Raises:
        RefusedDocument: it cannot be read; the message says why and what to do.
        Busy: no place became free in time, or the host is too busy to start a child.
        ReaderFailed: the child cannot start its work; the installation is at fault.
    """
    if len(data) > limits.bytes:
        raise refusals.too_large(len(data), limits.bytes)
    kind = kind_of(data)
    order = {
        "package": str(_CHILD.parent.parent),
        "kind": kind,
        "limits": asdict(limits),
    }
    # -I: no variables, no user packages, no current folder; -B: no files written.
    command = [sys.executable, "-I", "-B", "-X", "utf8", str(_CHILD), json.dumps(order)]
    with slots.take() as place:
        try:
            ended = supervise(
                command,
                data,
                seconds=limits.seconds,
                output_bytes=packed_bytes_at_most(limits),
                # The child holds the place as well: it stays taken while a child outlives a killed server.
                inherited=(place,),
            )
        except OSError as problem:
            if problem.errno in _NO_ROOM:
                raise Busy from problem
            raise
    return _concluded(ended, kind, limits)


def pasted(text: str, *, limits: Limits = STANDARD) -> Extracted:
    """Clean and judge text that a person typed or pasted.

    Unlike a file it is never cut: the person can shorten it, and would not notice a missing end.

    Raises:
        RefusedDocument: there is no text, or more than `limits.characters`.
    """
    if not text.strip():
        raise refusals.nothing_pasted()
    if len(text) > limits.raw_characters:
        raise refusals.too_much_pasted(len(text), limits.characters)
    raw = Raw(visible=text)
    extracted = finish(raw, Kind.PASTED, limits)
    if Notice.CUT in extracted.warnings:
        raise refusals.too_much_pasted(len(text), limits.characters)
    return extracted


def _concluded(ended: Ended, kind: Kind, limits: Limits) -> Extracted:
    """The document that the child read, or the exception for how it ended."""
    ready = ended.output.startswith(READY)
    if ended.timed_out:
        # Starting takes a moment; a host that cannot do that in time is overloaded.
        raise refusals.too_slow() if ready else Busy
    if not ready:
        remarks = ended.remarks.decode("utf-8", "replace").strip()
        raise ReaderFailed(f"The reading child ended with {ended.returncode} before it began: {remarks}")
    if ended.overflowed:
        raise refusals.too_much_text(limits.characters)
    try:
        reply = json.loads(ended.output[len(READY) :])
    except (ValueError, RecursionError) as problem:
        raise _without_answer(ended, kind) from problem
    try:
        return _parsed(reply)
    except ValueError as problem:
        raise refusals.damaged(kind.label) from problem


def _parsed(reply: object) -> Extracted:
    match reply:
        case {"extracted": dict(fields)}:
            return unpacked(fields)
        case {"refused": str(reason), "message": str(message)}:
            raise RefusedDocument(Reason(reason), message)
    raise ValueError("This is not what a reader answers.")


def _without_answer(ended: Ended, kind: Kind) -> RefusedDocument:
    """The refusal for a parser that gave up or died, by how it ended."""
    if ended.returncode in _OUT_OF_TIME:
        return refusals.too_slow()
    # pdfium aborts when it gets no memory; nobody but the kernel kills, for the same reason.
    if ended.returncode in _OUT_OF_MEMORY:
        return refusals.too_much_memory()
    return refusals.damaged(kind.label)
