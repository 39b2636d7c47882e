from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner

from portal.documents.command import read_resume
from tests.documents.docxs import paragraph, with_body_xml
from tests.documents.pdfs import RESUME_LINES, resume_pdf, scanned_pdf

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def run(folder: Path, data: bytes, *options: str) -> Result:
    file = folder / "resume"
    file.write_bytes(data)
    return CliRunner().invoke(read_resume, [str(file), *options])


def test_text_hidden_text_and_warnings_are_printed(tmp_path: Path) -> None:
    result = run(tmp_path, with_body_xml(paragraph("secret", "<w:vanish/>")))
    assert result.exit_code == 0
    assert "\n".join(RESUME_LINES) in result.output
    assert "Hidden text:\nsecret\n" in result.output
    assert "Warning: This file holds text that a reader cannot see" in result.output


def test_the_same_is_printed_as_json(tmp_path: Path) -> None:
    told = json.loads(run(tmp_path, resume_pdf(b""), "--json").output)
    assert (told["kind"], told["pages"], told["hidden_text"]) == ("pdf", 1, "")
    assert told["text"] == "\n".join(RESUME_LINES)


def test_a_refusal_is_printed_with_its_reason_and_ends_with_a_status(tmp_path: Path) -> None:
    result = run(tmp_path, scanned_pdf())
    assert (result.exit_code, "pictures of text" in result.output) == (1, True)
    told = run(tmp_path, scanned_pdf(), "--json")
    assert (told.exit_code, json.loads(told.output)["refused"]) == (1, "scanned_only")
