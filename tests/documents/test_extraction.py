from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from portal.documents.extraction import extract, read_resume
from portal.documents.kinds import Kind
from portal.documents.limits import STANDARD, Limits, Slots
from portal.documents.notices import Notice
from portal.documents.refusals import Busy, Reason, RefusedDocument
from tests.documents.docxs import paragraph, repacked, resume_docx, with_body_xml
from tests.documents.pdfs import (
    RESUME_LINES,
    Pdf,
    encrypted_pdf,
    lines,
    pdf_of_pages,
    resume_pdf,
    scanned_pdf,
    shown,
    slow_pdf,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from click.testing import Result

ROOT = Path(__file__).resolve().parents[2]
RESUME_TEXT = "\n".join(RESUME_LINES)


@pytest.fixture(autouse=True)
def no_child_is_left_behind() -> Iterator[None]:
    before = children()
    yield
    assert children() == before


def children() -> set[int]:
    """Processes whose parent is this one."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(fields[1]) == os.getpid():
                found.add(int(entry.name))
    return found


def refusal_of(data: bytes, slots: Slots, limits: Limits = STANDARD) -> Reason:
    with pytest.raises(RefusedDocument) as caught:
        extract(data, slots=slots, limits=limits)
    return caught.value.reason


def deflated(content: bytes, times: int) -> bytes:
    """`content` so many times, packed once: each block begins anew, so that the same may follow."""
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(content) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = 1
    for _ in range(times):
        checksum = zlib.adler32(content, checksum)
    return b"\x78\xda" + block * times + zlib.compressobj(9, wbits=-15).flush() + checksum.to_bytes(4, "big")


def pdf_of_stream(packed_stream: bytes) -> bytes:
    pdf = Pdf()
    stream = pdf.add(b"<</Filter/FlateDecode/Length %d>>stream\n%b\nendstream" % (len(packed_stream), packed_stream))
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>"
    pdf.pages.append(pdf.add(page % stream))
    return pdf.data


def test_a_pdf_becomes_clean_text(slots: Slots) -> None:
    extracted = extract(resume_pdf(), slots=slots)
    assert (extracted.text, extracted.kind, extracted.pages) == (RESUME_TEXT, Kind.PDF, 1)
    assert (extracted.warnings, extracted.hidden) == ((), "")


def test_a_word_document_becomes_clean_text(slots: Slots) -> None:
    extracted = extract(resume_docx(), slots=slots)
    assert (extracted.text, extracted.kind) == ("Resume\n" + RESUME_TEXT, Kind.DOCX)


def test_a_text_file_becomes_clean_text(slots: Slots) -> None:
    extracted = extract(RESUME_TEXT.replace("\n", "\r\n").encode("utf-16"), slots=slots)
    assert (extracted.text, extracted.kind, extracted.pages) == (RESUME_TEXT, Kind.TXT, None)


@pytest.mark.parametrize(
    "data",
    [
        resume_pdf(shown("secret words", y=300, before="1 g")),
        with_body_xml(paragraph("secret words", "<w:vanish/>")),
    ],
    ids=["pdf", "docx"],
)
def test_hidden_text_is_set_apart_and_flagged(data: bytes, slots: Slots) -> None:
    extracted = extract(data, slots=slots)
    assert (extracted.hidden, extracted.warnings) == ("secret words", (Notice.HIDDEN_TEXT,))
    assert "secret" not in extracted.text


def test_a_long_document_is_cut_with_a_warning(slots: Slots) -> None:
    extracted = extract(RESUME_TEXT.encode() * 3, slots=slots, limits=Limits(characters=500))
    assert (len(extracted.text) <= 500, extracted.warnings) == (True, (Notice.CUT,))


def test_an_inferred_encoding_is_flagged(slots: Slots) -> None:
    text = "我的研究兴趣是大语言模型的推理系统，在实验室参与了分布式训练的项目。" * 4
    extracted = extract(text.encode("gb18030"), slots=slots)
    assert (extracted.text, extracted.warnings) == (text, (Notice.NOT_UTF8,))


# Made when asked for: some take a second, and every process of tests reads this file.
HOSTILE: dict[str, tuple[Callable[[], bytes], Reason]] = {
    "empty": (lambda: b"", Reason.EMPTY),
    "blank": (lambda: b" \n" * 100, Reason.EMPTY),
    "one byte of nothing": (lambda: b"\x00", Reason.EMPTY),
    "one sign": (lambda: b"-", Reason.NO_TEXT),
    "a byte over the limit": (lambda: bytes(STANDARD.bytes + 1), Reason.TOO_LARGE),
    "noise": (lambda: random.Random(1).randbytes(STANDARD.bytes), Reason.UNKNOWN_KIND),  # noqa: S311 - noise, not a secret
    "noise that says it is a PDF": (
        lambda: b"%PDF-1.7\n" + random.Random(2).randbytes(1_000_000) + b"startxref\n9",  # noqa: S311 - noise, not a secret
        Reason.DAMAGED,
    ),
    "half a PDF": (lambda: resume_pdf()[:900], Reason.DAMAGED),
    "a thousand pages": (lambda: pdf_of_pages(1_000), Reason.TOO_MANY_PAGES),
    "a protected PDF": (encrypted_pdf, Reason.ENCRYPTED),
    "a PDF with a script": (lambda: resume_pdf(catalog=b"/OpenAction<</S/JavaScript/JS(x)>>"), Reason.MACROS),
    "a scan": (scanned_pdf, Reason.SCANNED_ONLY),
    "a PDF of hidden text alone": (
        lambda: pdf_of_stream(zlib.compress(shown("secret", before="3 Tr"))),
        Reason.NO_TEXT,
    ),
    "a PDF that unpacks to a gigabyte": (
        lambda: pdf_of_stream(deflated(b" " * 10_000_000, 100)),
        Reason.TOO_MUCH_MEMORY,
    ),
    "a PDF of too much text": (lambda: pdf_of_stream(deflated(lines() * 500, 3)), Reason.TOO_MUCH_TEXT),
    "a Word file with macros": (lambda: repacked(resume_docx(), {"word/vbaProject.bin": b"x"}), Reason.MACROS),
    "a Word bomb": (lambda: repacked(resume_docx(), {"word/bomb.xml": bytes(70_000_000)}), Reason.TOO_MUCH_MEMORY),
    "a Word file without a document": (lambda: repacked(resume_docx(), {"word/document.xml": None}), Reason.DAMAGED),
    "a Word file of broken markup": (
        lambda: repacked(resume_docx(), {"word/document.xml": b"<w:document>"}),
        Reason.DAMAGED,
    ),
    "a text of five megabytes": (lambda: b"word " * 1_000_000, Reason.TOO_MUCH_TEXT),
}


@pytest.mark.parametrize(("hostile", "reason"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_files_are_refused_with_their_reason(
    hostile: Callable[[], bytes], reason: Reason, slots: Slots
) -> None:
    assert refusal_of(hostile(), slots) == reason


def test_a_document_that_takes_too_much_processor_time_is_stopped(slots: Slots) -> None:
    assert refusal_of(slow_pdf(), slots, Limits(cpu_seconds=1, seconds=60)) == Reason.TOO_SLOW


@pytest.mark.thorough
def test_a_document_that_takes_too_long_is_stopped_on_the_clock(slots: Slots) -> None:
    # The child is ready within a fraction of the time given, and its document would take minutes.
    assert refusal_of(slow_pdf(), slots, Limits(seconds=6, cpu_seconds=60)) == Reason.TOO_SLOW


def test_a_host_that_cannot_even_start_the_child_is_busy_and_the_document_not_to_blame(slots: Slots) -> None:
    with pytest.raises(Busy):
        extract(resume_pdf(), slots=slots, limits=Limits(seconds=0.001))


def test_when_all_places_are_taken_the_caller_is_told_so(slots: Slots) -> None:
    with slots.take(), slots.take(), pytest.raises(Busy):
        extract(resume_pdf(), slots=slots)
    assert extract(resume_pdf(), slots=slots).text == RESUME_TEXT


def test_a_file_that_is_refused_at_sight_takes_no_place(slots: Slots) -> None:
    with slots.take(), slots.take():
        assert refusal_of(b"\x89PNG\r\n\x1a\n" + bytes(100), slots) == Reason.UNKNOWN_KIND


def test_places_are_free_again_after_refusals(slots: Slots) -> None:
    assert {refusal_of(scanned_pdf(), slots) for _ in range(3)} == {Reason.SCANNED_ONLY}
    with slots.take(), slots.take():
        pass


def test_a_child_that_outlives_a_killed_server_keeps_its_place(tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from pathlib import Path\n"
        "from portal.documents.extraction import extract\n"
        "from portal.documents.limits import Limits\n"
        "from portal.documents.limits import Slots\n"
        "from tests.documents.pdfs import slow_pdf\n"
        "limits = Limits(seconds=60, cpu_seconds=3)\n"
        "extract(slow_pdf(), slots=Slots(Path(sys.argv[1]), count=1), limits=limits)\n"
    )
    server = subprocess.Popen([sys.executable, "-c", program, str(tmp_path), str(ROOT)])
    child = child_of(server.pid)
    server.kill()
    server.wait()
    with pytest.raises(Busy), Slots(tmp_path, count=1, wait_seconds=0).take():
        pass
    assert Path(f"/proc/{child}").exists()
    # Its own limit on processor time ends it, and that frees the place.
    with Slots(tmp_path, count=1, wait_seconds=60).take():
        pass


def child_of(parent: int) -> int:
    """The number of the first child of a process, waited for."""
    listing = Path(f"/proc/{parent}/task/{parent}/children")
    while not (found := listing.read_text().split()):
        time.sleep(0.01)
    return int(found[0])


def test_threads_of_a_server_read_at_the_same_time(tmp_path: Path) -> None:
    slots = Slots(tmp_path, count=2, wait_seconds=60)
    texts: list[str] = []
    threads = [threading.Thread(target=lambda: texts.append(extract(resume_pdf(), slots=slots).text)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == [RESUME_TEXT] * 6


def test_the_package_is_found_wherever_it_lies_and_wherever_the_server_runs(tmp_path: Path) -> None:
    site = tmp_path / "some where" / "site"
    site.mkdir(parents=True)
    shutil.copytree(ROOT / "portal" / "documents", site / "portal" / "documents")
    (site / "portal" / "__init__.py").write_text("")
    # Neither folder below may reach the child.
    (site / "json.py").write_text("raise SystemExit('a stranger in place of the standard library')")
    program = (
        f"import sys; sys.path.append({str(site)!r}); sys.modules.pop('portal', None)\n"
        "import json, importlib.util\n"
        f"spec = importlib.util.spec_from_file_location('portal', {str(site / 'portal' / '__init__.py')!r}, "
        f"submodule_search_locations=[{str(site / 'portal')!r}])\n"
        "sys.modules['portal'] = importlib.util.module_from_spec(spec)\n"
        "from pathlib import Path\n"
        "from portal.documents.extraction import extract\n"
        "from portal.documents.limits import Slots\n"
        "print(extract(sys.stdin.buffer.read(), slots=Slots(Path('slots'))).pages)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=resume_pdf(),
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "nowhere"), "PYTHONSTARTUP": "nothing"},
    )
    assert (done.stdout, done.stderr) == (b"1\n", b"")


def printed(folder: Path, data: bytes, *options: str) -> Result:
    file = folder / "resume"
    file.write_bytes(data)
    return CliRunner().invoke(read_resume, [str(file), *options])


def test_text_hidden_and_warnings_are_printed(tmp_path: Path) -> None:
    result = printed(tmp_path, with_body_xml(paragraph("secret", "<w:vanish/>")))
    assert result.exit_code == 0
    assert "\n".join(RESUME_LINES) in result.output
    assert "Hidden text:\nsecret\n" in result.output
    assert "Warning: This file holds text that a reader cannot see" in result.output


def test_the_same_is_printed_as_json(tmp_path: Path) -> None:
    told = json.loads(printed(tmp_path, resume_pdf(b""), "--json").output)
    assert (told["kind"], told["pages"], told["hidden"]) == ("pdf", 1, "")
    assert told["text"] == "\n".join(RESUME_LINES)


def test_a_refusal_is_printed_with_its_reason_and_ends_with_a_status(tmp_path: Path) -> None:
    result = printed(tmp_path, scanned_pdf())
    assert (result.exit_code, "pictures of text" in result.output) == (1, True)
    told = printed(tmp_path, scanned_pdf(), "--json")
    assert (told.exit_code, json.loads(told.output)["refused"]) == (1, "scanned_only")
