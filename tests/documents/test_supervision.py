from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from portal.documents.extraction import Ended, supervise


def run(program: str, data: bytes = b"", *, seconds: float = 30, output_bytes: int = 1_000) -> Ended:
    command = [sys.executable, "-I", "-c", program]
    return supervise(command, data, seconds=seconds, output_bytes=output_bytes)


def run_over_time(program: str) -> Ended:
    """The end of a program that never ends by itself: it has said something by then, however slowly it started."""
    seconds = 0.25
    while not (ended := run(program, seconds=seconds)).output:
        seconds *= 2
    return ended


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not collected by its new parent yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def gone_soon(pid: int) -> bool:
    """Killing is asynchronous: the kernel may need a moment."""
    deadline = time.monotonic() + 120
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(pid)


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_child_gets_its_input_and_its_output_comes_back() -> None:
    ended = run("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])", b"abc")
    assert ended == Ended(output=b"cba", remarks=b"", returncode=0)


def test_large_input_and_output_pass_through_at_the_same_time() -> None:
    data = bytes(range(256)) * 8_000
    ended = run(
        "import sys\nwhile chunk := sys.stdin.buffer.read(1000): sys.stdout.buffer.write(chunk)",
        data,
        output_bytes=len(data),
    )
    assert ended.output == data


def test_a_child_that_does_not_read_its_input_ends_all_the_same() -> None:
    assert run("print('done')", bytes(3_000_000)).output == b"done\n"


def test_a_failing_child_is_reported_with_its_code_and_remarks() -> None:
    ended = run("import sys; sys.stderr.write('why'); sys.exit(3)")
    assert (ended.returncode, ended.remarks) == (3, b"why")


def test_a_flood_of_remarks_is_drained_and_not_kept() -> None:
    ended = run("import sys; sys.stderr.write('x' * 3_000_000)")
    assert (ended.returncode, len(ended.remarks)) == (0, 4_096)


def test_a_flood_of_output_is_stopped() -> None:
    ended = run("import sys\nwhile True: sys.stdout.write('x' * 10_000)", output_bytes=100_000)
    assert (ended.overflowed, len(ended.output) < 300_000) == (True, True)


@pytest.mark.parametrize(
    "ending",
    [
        "while True: pass",
        "import time; time.sleep(600)",
        # Deaf to polite signals.
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
        # Nothing more to say, and no end.
        "import sys, os, time; os.close(1); os.close(2); time.sleep(600)",
    ],
)
def test_a_child_that_does_not_end_is_killed(ending: str) -> None:
    ended = run_over_time(f"import os; os.write(1, str(os.getpid()).encode())\n{ending}")
    assert (ended.timed_out, ended.returncode) == (True, None)
    assert not alive(int(ended.output))


def test_processes_that_a_child_leaves_behind_are_killed_with_it() -> None:
    ended = run(
        "import os, time\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    os.close(1); os.close(2); time.sleep(600)\n"
        "os.write(1, str(pid).encode())"
    )
    assert ended.returncode == 0
    assert gone_soon(int(ended.output))


def test_a_grandchild_that_keeps_the_pipe_open_does_not_outlive_the_deadline() -> None:
    ended = run_over_time(
        "import os, time\npid = os.fork()\nif pid == 0: time.sleep(600)\nos.write(1, str(pid).encode())"
    )
    assert ended.timed_out
    assert gone_soon(int(ended.output))


def test_a_child_sees_no_environment_no_open_files_and_not_our_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORTAL_SECRET_KEY", "do not tell")
    secret = (tmp_path / "secret").open("w")
    os.set_inheritable(secret.fileno(), True)
    with secret:
        ended = run(
            "import os\n"
            "print('PORTAL_SECRET_KEY' in os.environ, os.getcwd(), os.getsid(0) == os.getpid())\n"
            "print(sorted(int(name) for name in os.listdir('/proc/self/fd'))[:4])"
        )
    # Descriptor 3 is the listing itself.
    assert ended.output == b"False / True\n[0, 1, 2, 3]\n"


def test_an_interrupted_caller_leaves_no_child_behind(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    # It notes its number once it was fed: by then the caller waits for it.
    program = f"import os, time; os.read(0, 1); open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(600)"

    def interrupt() -> None:
        while not (note.exists() and note.read_text()):
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    with pytest.raises(KeyboardInterrupt):
        run(program, b"x")
    interrupter.join()
    assert not alive(int(note.read_text()))


def test_a_program_that_does_not_exist_is_an_error_of_the_installation(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        supervise([str(tmp_path / "nothing")], b"", seconds=1, output_bytes=10)


def test_no_descriptor_stays_open() -> None:
    run("pass")
    before = open_descriptors()
    run("pass")
    assert open_descriptors() == before
