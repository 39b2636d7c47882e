"""Runs one child process that may misbehave in any way, and always returns.

Safe to call from any thread of a server: the child is started by `subprocess` without code between fork
and exec, in a session of its own, with an empty environment and only the descriptors named here.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CHUNK = 65_536
REMARKS_KEPT = 4_096


@dataclass(frozen=True)
class Ended:
    """How a child ended.

    Attributes:
        output: what it wrote to standard output, at most the bytes allowed.
        remarks: the first 4,096 bytes it wrote to standard error.
        returncode: its exit status, negative for a signal; None when it had to be killed here.
        timed_out: it was killed because its time was over.
        overflowed: it was killed because it wrote more than allowed.
    """

    output: bytes
    remarks: bytes
    returncode: int | None
    timed_out: bool = False
    overflowed: bool = False


def supervise(
    command: Sequence[str], data: bytes, *, seconds: float, output_bytes: int, inherited: Sequence[int] = ()
) -> Ended:
    """Run `command` with `data` on its standard input until it ends or breaks a bound.

    Whatever happens, an exception in the caller's thread included, the child and all processes of its
    session group are gone when this returns.

    Args:
        command: program and arguments; no shell is involved.
        data: bytes for its standard input.
        seconds: wall-clock time it may take.
        output_bytes: bytes it may write to standard output.
        inherited: file descriptors it keeps open besides the three standard ones.

    Raises:
        OSError: the program cannot be started.
    """
    process = subprocess.Popen(  # noqa: S603 - the command is made of our own paths, without a shell
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env={},
        cwd="/",
        pass_fds=tuple(inherited),
        start_new_session=True,
    )
    try:
        return _Conversation(process, data, time.monotonic() + seconds, output_bytes).hold()
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    # The group is named after its first process. A reaped one frees the number only when the group is empty,
    # so the signal reaches what is left of this group or, a moment after the reaping, nobody.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()  # does nothing when it has ended; the waiting below must never be for a living one
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    process.wait()


class _Conversation:
    """Writes to one child and reads from it without ever blocking on it."""

    def __init__(self, process: subprocess.Popen[bytes], data: bytes, deadline: float, output_bytes: int) -> None:
        self.process = process
        self.pending = memoryview(data)
        self.deadline = deadline
        self.output_bytes = output_bytes
        self.output = bytearray()
        self.remarks = bytearray()

    def hold(self) -> Ended:
        """Exchange bytes until the child closes its outputs, then wait for its end."""
        with selectors.DefaultSelector() as selector:
            self._register(selector)
            while selector.get_map():
                seconds_left = self.deadline - time.monotonic()
                if seconds_left <= 0:
                    return self._ended(timed_out=True)
                for key, _ in selector.select(seconds_left):
                    if not key.data(key.fileobj):
                        selector.unregister(key.fileobj)
                        # Open until _end for the outputs; for the input, closing is what says “that is all”.
                        if key.fileobj is self.process.stdin:
                            self.process.stdin.close()
                if len(self.output) > self.output_bytes:
                    return self._ended(overflowed=True)
        try:
            returncode = self.process.wait(max(0.0, self.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return self._ended(timed_out=True)
        return self._ended(returncode=returncode)

    def _register(self, selector: selectors.BaseSelector) -> None:
        pipes = (
            (self.process.stdin, selectors.EVENT_WRITE, self._feed),
            (self.process.stdout, selectors.EVENT_READ, self._read_output),
            (self.process.stderr, selectors.EVENT_READ, self._read_errors),
        )
        for pipe, event, act in pipes:
            if pipe is None:  # never: all three were asked for; said for the type checker
                continue
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, event, act)

    def _feed(self, pipe: IO[bytes]) -> bool:
        if self.pending:
            try:
                written = os.write(pipe.fileno(), self.pending[:CHUNK])
            except BrokenPipeError:
                return False
            self.pending = self.pending[written:]
        return bool(self.pending)

    def _read_output(self, pipe: IO[bytes]) -> bool:
        data = os.read(pipe.fileno(), CHUNK)
        self.output += data
        return bool(data)

    def _read_errors(self, pipe: IO[bytes]) -> bool:
        data = os.read(pipe.fileno(), CHUNK)
        self.remarks += data[: max(0, REMARKS_KEPT - len(self.remarks))]
        return bool(data)

    def _ended(self, *, returncode: int | None = None, timed_out: bool = False, overflowed: bool = False) -> Ended:
        return Ended(bytes(self.output), bytes(self.remarks), returncode, timed_out, overflowed)
