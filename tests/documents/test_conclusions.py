"""What the end of a child, or what it says, means for its document."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest

from portal.documents import extraction
from portal.documents.extracted import Extracted, finish, packed_bytes_at_most, unpacked
from portal.documents.extraction import extract
from portal.documents.kinds import Kind
from portal.documents.limits import STANDARD
from portal.documents.notices import Notice
from portal.documents.refusals import Busy, ReaderFailed, Reason, RefusedDocument
from tests.documents.pdfs import resume_pdf

if TYPE_CHECKING:
    from pathlib import Path

    from portal.documents.limits import Slots


def refusal_of(data: bytes, slots: Slots) -> Reason:
    with pytest.raises(RefusedDocument) as caught:
        extract(data, slots=slots)
    return caught.value.reason


def test_a_broken_installation_is_not_blamed_on_the_document(
    slots: Slots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "portal" / "documents" / "child.py"
    child.parent.mkdir(parents=True)
    shutil.copy(extraction._CHILD, child)
    monkeypatch.setattr(extraction, "_CHILD", child)
    with pytest.raises(ReaderFailed, match="before it began"):
        extract(resume_pdf(), slots=slots)


@pytest.mark.parametrize("reason", [errno.EAGAIN, errno.ENOMEM, errno.EMFILE])
def test_a_host_that_starts_no_further_process_is_busy(
    reason: int, slots: Slots, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*_: object, **__: object) -> None:
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(Busy):
        extract(resume_pdf(), slots=slots)


def test_a_program_that_is_not_there_is_no_busy_host(slots: Slots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(FileNotFoundError):
        extract(resume_pdf(), slots=slots)


LYING_CHILDREN = {
    "no answer": "pass",
    "no JSON": "print('{')",
    "nested without end": "print('[' * 100_000)",
    "another shape": "print('[1]')",
    "half of the fields": 'print(\'{"extracted": {"text": "a"}}\')',
    "an unknown reason": 'print(\'{"refused": "whim", "message": "no"}\')',
    "failure": "raise SystemExit(1)",
}


@pytest.mark.parametrize("program", LYING_CHILDREN.values(), ids=LYING_CHILDREN.keys())
def test_a_child_that_was_taken_over_can_only_have_its_document_refused(
    program: str, slots: Slots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child.py"
    child.write_text(f"print('ready', flush=True)\n{program}\n")
    monkeypatch.setattr(extraction, "_CHILD", child)
    assert refusal_of(resume_pdf(), slots) == Reason.DAMAGED


def test_a_child_that_floods_its_answer_is_stopped(
    slots: Slots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child.py"
    child.write_text("print('ready', flush=True)\nwhile True: print('x' * 100000)\n")
    monkeypatch.setattr(extraction, "_CHILD", child)
    assert refusal_of(resume_pdf(), slots) == Reason.TOO_MUCH_TEXT


@pytest.mark.parametrize("number", [9, 6])
def test_a_child_that_dies_for_want_of_memory_is_reported_as_such(
    number: int, slots: Slots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child.py"
    child.write_text(f"import os\nprint('ready', flush=True)\nos.kill(os.getpid(), {number})\n")
    monkeypatch.setattr(extraction, "_CHILD", child)
    assert refusal_of(resume_pdf(), slots) == Reason.TOO_MUCH_MEMORY


def test_what_was_extracted_survives_the_pipe_also_in_its_longest_form() -> None:
    found = Extracted("\U0001f393a" * 30_000, Kind.PDF, 20, (Notice.NOT_UTF8,), hidden="\U00020000" * 5_000)
    extracted = finish(found, STANDARD)
    line = json.dumps(asdict(extracted)).encode()
    assert len(line) <= packed_bytes_at_most(STANDARD)
    assert unpacked(json.loads(line)) == extracted
