"""Pages and texts that a Word document takes in where it is opened."""

from __future__ import annotations

import pytest
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml.ns import qn

from portal.documents.docx.text import read_docx
from portal.documents.limits import STANDARD
from portal.documents.refusals import Reason, RefusedDocument
from tests.documents.docxs import paragraph, resume_document, resume_docx, saved, with_body_xml
from tests.documents.pdfs import RESUME_LINES

A_CHUNK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
ARCHIVE = (
    b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x\n"
    b"Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
    b"<div>Gr=C3=B6=C3=9Fe</div>\n--x--\n"
)


def with_chunk(kind: str, data: bytes, name: str = "chunk.bin") -> bytes:
    """The resume with a chunk before its first paragraph."""
    document = resume_document()
    part = Part(PackURI(f"/word/{name}"), kind, data, document.part.package)
    chunk = document.element.body.makeelement(qn("w:altChunk"))
    chunk.set(qn("r:id"), document.part.relate_to(part, A_CHUNK))
    document.element.body.insert(0, chunk)
    return saved(document)


def told(data: bytes) -> tuple[list[str], str]:
    """The visible lines before those of the resume, and what is hidden."""
    raw = read_docx(data, STANDARD)
    lines = [line.strip() for line in raw.visible.split("\n") if line.strip()]
    assert lines[-len(RESUME_LINES) :] == list(RESUME_LINES)
    return lines[: lines.index("Resume")], raw.hidden


@pytest.mark.parametrize(
    ("kind", "data", "lines"),
    [
        ("text/plain", "„Größe“ – it’s\r\nsecond".encode("cp1252"), ["„Größe“ – it’s", "second"]),
        (
            "text/html",
            b"<title>x</title><p>one <b>bo</b>ld<p>two&amp;<br>three<style>p{}</style>",
            ["one bold", "two&", "three"],
        ),
        ("text/html", b"<meta charset=windows-1252><p>Gr\xf6\xdfe", ["Größe"]),
        (
            "message/rfc822",
            ARCHIVE,
            ["Größe"],
        ),
    ],
    ids=["text of Windows", "page", "page of Windows", "archive"],
)
def test_chunks_are_read_where_they_stand(kind: str, data: bytes, lines: list[str]) -> None:
    assert told(with_chunk(kind, data)) == (lines, "")


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p style='display: none'>word</p>", ([], "word")),
        ("<font color=white>word</font>", ([], "word")),
        ("<p style='color:#fff'>word</p>", ([], "word")),
        ("<p style='font-size:1px'>word</p>", ([], "word")),
        ("<div style='background:#123'><p style='color:#fff'>word</p></div>", (["word"], "")),
        ("<p style='font-size:12px'>word</p>", (["word"], "")),
        ("<div hidden><p>no</p></div>word", (["word"], "no")),
    ],
)
def test_what_a_page_hides_is_set_apart(markup: str, expected: tuple[list[str], str]) -> None:
    assert told(with_chunk("text/html", markup.encode())) == expected


def test_a_document_in_a_document_is_read_with_what_it_hides_apart() -> None:
    inner = with_body_xml(paragraph("inner words") + paragraph("secret", "<w:vanish/>"))
    lines, hidden = told(with_chunk(WORD, inner))
    assert (lines[0], hidden.strip()) == ("inner words", "secret")


def test_documents_in_documents_are_read_once() -> None:
    with pytest.raises(RefusedDocument) as caught:
        read_docx(with_chunk(WORD, with_chunk(WORD, resume_docx())), STANDARD)
    assert caught.value.reason == Reason.DAMAGED


def test_a_chunk_that_only_word_reads_is_refused_with_advice() -> None:
    with pytest.raises(RefusedDocument) as caught:
        read_docx(with_chunk("application/rtf", b"{\\rtf1 words}"), STANDARD)
    assert caught.value.reason == Reason.DAMAGED
    assert "save it again" in caught.value.message
