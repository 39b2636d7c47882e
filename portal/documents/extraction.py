"""Read what a person handed in: an uploaded file or pasted text. `portal read-resume` prints what comes of a file."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from portal.documents import refusals
from portal.documents.child import READY
from portal.documents.extracted import Extracted, finish, packed_bytes_at_most, unpacked
from portal.documents.kinds import Kind, kind_of
from portal.documents.limits import STANDARD, Limits, Slots
from portal.documents.notices import Notice
from portal.documents.pictures import PACKED_BYTES_AT_MOST, PAGES, PHOTO, PHOTO_LIMITS, unpacked_pictures
from portal.documents.refusals import Busy, ReaderFailed, Reason, RefusedDocument, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


T = TypeVar("T")
_CHILD = Path(__file__).resolve().with_name("child.py")
# Why the system starts no process: too many, no memory, or too many open files.
_NO_ROOM = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
# pdfium aborts when it gets no memory; nobody but the kernel kills, for the same reason.
_BY_SIGNAL = {
    **dict.fromkeys((-signal.SIGXCPU, -signal.SIGALRM), Reason.TOO_SLOW),
    **dict.fromkeys((-signal.SIGABRT, -signal.SIGKILL), Reason.TOO_MUCH_MEMORY),
}


def extract(data: bytes, *, slots: Slots, limits: Limits = STANDARD) -> Extracted:
    """Read an uploaded file. Starts a child process and waits for it, at most `limits.seconds`.

    May be called from any thread. When it returns or raises, the child is gone. One of the places for children on
    this host is held meanwhile.

    Raises:
        RefusedDocument: it cannot be read; the message says why and what to do.
        Busy: no place became free in time, or the host is too busy to start a child.
        ReaderFailed: the child cannot start its work; the installation is at fault.
    """
    if len(data) > limits.bytes:
        raise refusals.too_large(len(data), limits.bytes)
    kind = kind_of(data)
    return _by_child(kind, kind.label, data, slots, limits, packed_bytes_at_most(limits), unpacked)


def draw(data: bytes, *, slots: Slots, limits: Limits = STANDARD) -> list[bytes]:
    """The first pages of a PDF that was read before, as pictures, in such a child as well. Raises as `extract`."""
    return _by_child(PAGES, Kind.PDF.label, data, slots, limits, PACKED_BYTES_AT_MOST, unpacked_pictures)


def shrink_photo(data: bytes, *, slots: Slots) -> bytes:
    """A photo as `pictures.reencoded` makes it anew, in such a child as well.

    Raises:
        RefusedDocument: it is refused; `pictures.PHOTO_REFUSALS` say why.
        Busy, ReaderFailed: as for `extract`.
    """
    if len(data) > PHOTO_LIMITS.bytes:
        raise refusals.too_large(len(data), PHOTO_LIMITS.bytes)
    pictures = _by_child(PHOTO, "image", data, slots, PHOTO_LIMITS, PACKED_BYTES_AT_MOST, unpacked_pictures)
    return b"".join(pictures)


def _by_child(
    task: str, name: str, data: bytes, slots: Slots, limits: Limits, output_bytes: int, unpack: Callable[[object], T]
) -> T:
    """What a child makes of the file, `name` in messages, or the exception for how it ended."""
    order = {"package": str(_CHILD.parent.parent), "kind": task, "limits": asdict(limits)}
    # -I: no variables, no user packages, no current folder; -B: no files written.
    command = [sys.executable, "-I", "-B", "-X", "utf8", str(_CHILD), json.dumps(order)]
    with slots.take() as place:
        try:
            ended = supervise(
                command,
                data,
                seconds=limits.seconds,
                output_bytes=output_bytes,
                # The child holds the place as well: it stays taken while a child outlives a killed server.
                inherited=(place,),
            )
        except OSError as problem:
            if problem.errno in _NO_ROOM:
                raise Busy from problem
            raise
    ready = ended.output.startswith(READY)
    if ended.timed_out:
        # Starting takes a moment; a host that cannot do that in time is overloaded.
        raise refused(Reason.TOO_SLOW) if ready else Busy
    if not ready:
        remarks = ended.remarks.decode("utf-8", "replace").strip()
        raise ReaderFailed(f"The reading child ended with {ended.returncode} before it began: {remarks}")
    if ended.overflowed:
        raise refused(Reason.TOO_MUCH_TEXT, limit=limits.characters)
    try:
        match json.loads(ended.output[len(READY) :]):
            case {"extracted": found}:
                return unpack(found)
            case {"refused": str(reason), "message": str(message)}:
                raise RefusedDocument(Reason(reason), message)
    except (ValueError, RecursionError):
        if ended.returncode in _BY_SIGNAL:
            raise refused(_BY_SIGNAL[ended.returncode]) from None
    raise refused(Reason.DAMAGED, name=name)


def pasted(text: str, *, limits: Limits = STANDARD) -> Extracted:
    """Clean and judge text that a person typed or pasted.

    Raises:
        RefusedDocument: there is no text, or more than `limits.characters`.
    """
    if not text.strip():
        raise RefusedDocument(Reason.EMPTY, refusals.NOTHING_PASTED)
    if len(text) > limits.raw_characters:
        raise refusals.too_much_pasted(len(text), limits.characters)
    extracted = finish(Extracted(text, Kind.PASTED), limits)
    if Notice.CUT in extracted.warnings:
        raise refusals.too_much_pasted(len(text), limits.characters)
    return extracted


CHUNK = 65_536
REMARKS_KEPT = 4_096


@dataclass(frozen=True)
class Ended:
    """How a child ended."""

    output: bytes  # what it wrote to standard output, at most a chunk more than the bytes allowed
    remarks: bytes  # the first 4,096 bytes that it wrote to standard error
    returncode: int | None  # negative for a signal; None when it had to be killed here
    timed_out: bool = False
    overflowed: bool = False


def supervise(
    command: Sequence[str], data: bytes, *, seconds: float, output_bytes: int, inherited: Sequence[int] = ()
) -> Ended:
    """Run `command` with `data` on its standard input until it ends, takes too long or writes too many bytes.

    Whatever happens, the child, which keeps the `inherited` descriptors open, and its group are gone afterwards.

    Raises:
        OSError: the program cannot be started.
    """
    with os.fdopen(os.memfd_create("document"), "w+b") as document:  # a file on no disk
        document.write(data)
        document.seek(0)
        process = subprocess.Popen(  # noqa: S603 - the command is made of our own paths, without a shell
            command,
            stdin=document,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={},
            cwd="/",
            pass_fds=tuple(inherited),
            start_new_session=True,
        )
    try:
        return _heard(process, time.monotonic() + seconds, output_bytes)
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    # The group is named after its first process. A reaped one frees the number only when the group is empty,
    # so the signal reaches what is left of this group or, a moment after the reaping, nobody.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()  # does nothing when it has ended; the waiting below must never be for a living one
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    process.wait()


def _heard(process: subprocess.Popen[bytes], deadline: float, output_bytes: int) -> Ended:
    """Read from the child until it closes its outputs, never longer than until the deadline; wait for its end."""
    output, remarks = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        for pipe, kept in ((process.stdout, output), (process.stderr, remarks)):
            if pipe is not None:
                selector.register(pipe, selectors.EVENT_READ, kept)
        while selector.get_map():
            seconds_left = deadline - time.monotonic()
            if seconds_left <= 0:
                return Ended(bytes(output), bytes(remarks), None, timed_out=True)
            for key, _ in selector.select(seconds_left):
                chunk = os.read(key.fd, CHUNK)
                key.data.extend(chunk)
                if not chunk:
                    selector.unregister(key.fileobj)
            del remarks[REMARKS_KEPT:]
            if len(output) > output_bytes:
                return Ended(bytes(output), bytes(remarks), None, overflowed=True)
    with contextlib.suppress(subprocess.TimeoutExpired):
        returncode = process.wait(max(0.0, deadline - time.monotonic()))
        return Ended(bytes(output), bytes(remarks), returncode)
    return Ended(bytes(output), bytes(remarks), None, timed_out=True)


@click.command("read-resume")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Answer with JSON.")
def read_resume(file: Path, *, as_json: bool) -> None:
    """Print what is read from a resume.

    That is what a person who uploads it would confirm: its text, hidden text and warnings, or why it is refused. A
    file that is refused ends the command with status 1.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            extracted = extract(file.read_bytes(), slots=Slots(Path(folder), count=1))
        except RefusedDocument as refusal:
            if not as_json:
                raise click.ClickException(f"{refusal.message} ({refusal.reason})") from None
            click.echo(json.dumps({"refused": refusal.reason, "message": refusal.message}, ensure_ascii=False))
            raise SystemExit(1) from None
        except (Busy, ReaderFailed) as failure:
            raise click.ClickException(f"{file} cannot be read on this machine: {failure}") from None
    warnings = [{"warning": notice, "sentence": notice.sentence} for notice in extracted.warnings]
    data = asdict(extracted) | {"warnings": warnings}
    click.echo(json.dumps(data, ensure_ascii=False) if as_json else _in_words(extracted))


def _in_words(extracted: Extracted) -> str:
    pages = f", {extracted.pages} pages" if extracted.pages else ""
    parts = [extracted.text, f"({extracted.kind.label}{pages})"]
    if extracted.hidden:
        parts.append(f"Hidden text:\n{extracted.hidden}")
    parts += [f"Warning: {notice.sentence}" for notice in extracted.warnings]
    return "\n\n".join(parts)
