from __future__ import annotations

import io
import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from portal.documents.child import GRACE_SECONDS, READY, adopt_package, answer
from portal.documents.extracted import unpacked
from portal.documents.extraction import Ended, supervise
from portal.documents.kinds import Kind
from portal.documents.limits import MEBIBYTE, Limits
from tests.documents.docxs import resume_docx
from tests.documents.pdfs import RESUME_LINES, resume_pdf, scanned_pdf

CHILD = Path(__file__).resolve().parents[2] / "portal" / "documents" / "child.py"
LIMITS = Limits(memory_bytes=200 * MEBIBYTE, cpu_seconds=1, seconds=30)


def confined(program: str, **limits: float) -> Ended:
    """Run a program under the limits of the reading child, some of them other ones."""
    order = asdict(LIMITS) | limits
    begin = f"import runpy; runpy.run_path({str(CHILD)!r})['confine']({order!r})\n"
    return supervise([sys.executable, "-I", "-c", begin + program], b"", seconds=30, output_bytes=10_000)


def test_a_memory_hog_gets_no_more() -> None:
    ended = confined("try:\n    bytes(300 * 1024 * 1024)\nexcept MemoryError:\n    print('refused')")
    assert ended.output == b"refused\n"


def test_an_endless_loop_is_ended_by_the_kernel() -> None:
    assert confined("while True: pass").returncode == -signal.SIGXCPU


def test_no_file_can_be_written(tmp_path: Path) -> None:
    note = tmp_path / "note"
    ended = confined(f"import pathlib; pathlib.Path({str(note)!r}).write_text('x')")
    assert (ended.returncode, note.stat().st_size) == (1, 0)


def test_only_so_many_files_can_be_open() -> None:
    ended = confined("files = []\nwhile True: files.append(open('/dev/null'))")
    assert b"Too many open files" in ended.remarks


def test_processes_and_core_files_are_forbidden() -> None:
    ended = confined(
        "import resource\nprint(resource.getrlimit(resource.RLIMIT_NPROC), resource.getrlimit(resource.RLIMIT_CORE))"
    )
    assert ended.output == b"(0, 0) (0, 0)\n"


def test_limits_cannot_be_lifted_again() -> None:
    # Root may lift them; the hard limit that binds everybody else is set all the same.
    ended = confined("import resource; print(resource.getrlimit(resource.RLIMIT_AS))")
    assert ended.output == b"(%d, %d)\n" % ((200 * MEBIBYTE,) * 2)


def test_a_lower_limit_of_the_host_stays() -> None:
    order = asdict(LIMITS) | {"cpu_seconds": 9}
    program = f"""
import resource, runpy
runpy.run_path({str(CHILD)!r})["confine"]({order!r})
print(resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_CPU))
"""
    under_limits = [
        "/bin/sh",
        "-c",
        'ulimit -v 150000; ulimit -t 1; exec "$0" "$@"',
        sys.executable,
        "-I",
        "-c",
        program,
    ]
    ended = supervise(under_limits, b"", seconds=30, output_bytes=10_000)
    assert ended.output == b"(%d, %d) (1, 1)\n" % ((150_000 * 1024,) * 2)


def test_a_child_whose_parent_is_gone_ends_by_itself() -> None:
    # Nobody reads the clock here: a sleeping child that had no alarm would be killed by the supervisor instead.
    ended = confined("import time; time.sleep(600)", seconds=0.1 - GRACE_SECONDS)
    assert ended.returncode == -signal.SIGALRM


def answered(kind: Kind, data: bytes) -> dict[str, object]:
    """The answer of the child's own function, in this process."""
    out = io.BytesIO()
    answer({"kind": kind, "limits": asdict(Limits())}, out, io.BytesIO(data))
    ready, line = out.getvalue().split(b"\n", 1)
    assert ready + b"\n" == READY
    told: dict[str, object] = json.loads(line)
    return told


@pytest.mark.parametrize(
    ("kind", "data"),
    [(Kind.PDF, resume_pdf()), (Kind.DOCX, resume_docx()), (Kind.TXT, "\n".join(RESUME_LINES).encode())],
)
def test_each_kind_is_answered_with_its_text(kind: Kind, data: bytes) -> None:
    extracted = unpacked(answered(kind, data)["extracted"])
    assert (extracted.kind, RESUME_LINES[1] in extracted.text) == (kind, True)


def test_a_refusal_is_answered_with_reason_and_message() -> None:
    told = answered(Kind.PDF, scanned_pdf())
    assert (told["refused"], sorted(told)) == ("scanned_only", ["message", "refused"])


def test_what_a_parser_prints_does_not_disturb_the_answer() -> None:
    ended = supervise(
        [
            sys.executable,
            "-I",
            "-c",
            (
                f"import os, runpy; answers = runpy.run_path({str(CHILD)!r})['own_output']()\n"
                "print('noise', flush=True); os.write(1, b'noise'); answers.write(b'answer')"
            ),
        ],
        b"",
        seconds=30,
        output_bytes=100,
    )
    assert ended.output == b"answer"


def test_a_folder_that_is_no_package_is_refused(tmp_path: Path) -> None:
    before = sys.modules["portal"]
    try:
        with pytest.raises(FileNotFoundError):
            adopt_package(str(tmp_path))
    finally:
        sys.modules["portal"] = before
