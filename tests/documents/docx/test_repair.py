from __future__ import annotations

import re

import pytest

from portal.documents.docx.text import read_docx
from portal.documents.limits import STANDARD
from tests.documents.docxs import paragraph, repacked, resume_docx, with_body_xml
from tests.documents.pdfs import RESUME_LINES

IMAGE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
USUAL = re.compile(rb"http://schemas\.openxmlformats\.org/(wordprocessingml|officeDocument|drawingml)/2006/(\w+)")


def related_to(target: str, *parts: str) -> bytes:
    """A resume with one more relation, and with parts of no known type."""
    relation = f'<Relationship Id="rId99" Type="{IMAGE}" Target="{target}"/></Relationships>'
    changed = repacked(resume_docx(), dict.fromkeys(parts, b"RIFF"))
    return repacked(changed, replaced={b"</Relationships>": relation.encode()})


def strict(data: bytes) -> bytes:
    names = {found[0]: rb"http://purl.oclc.org/ooxml/%b/%b" % found.groups() for found in USUAL.finditer(NAMES)}
    return repacked(data, replaced=names)


NAMES = b" ".join(
    b"http://schemas.openxmlformats.org/" + name
    for name in (
        b"wordprocessingml/2006/main",
        b"officeDocument/2006/relationships",
        b"drawingml/2006/main",
        b"officeDocument/2006/math",
    )
)


@pytest.mark.parametrize(
    "data",
    [
        related_to("../NULL"),
        related_to("#_Toc1"),
        related_to("media/my%20photo.webp", "word/media/my photo.webp"),
        related_to("media\\Photo.webp", "word/media/photo.webp"),
        strict(resume_docx()),
    ],
    ids=["to nothing", "to a place in the text", "escaped", "as on Windows", "strict"],
)
def test_documents_that_word_opens_are_read(data: bytes) -> None:
    lines = [line for line in read_docx(data, STANDARD).text.split("\n") if line.strip()]
    assert lines == ["Resume", *RESUME_LINES]


def test_tiny_letters_of_a_strict_document_are_hidden() -> None:
    raw = read_docx(strict(with_body_xml(paragraph("secret", '<w:sz w:val="1pt"/>'))), STANDARD)
    assert (raw.hidden, "secret" in raw.text) == ("secret", False)
