from __future__ import annotations

import io
import zipfile

import pytest

from portal.documents.kinds import Kind, kind_of
from portal.documents.refusals import Reason, RefusedDocument
from tests.documents.docxs import resume_docx
from tests.documents.pdfs import resume_pdf


def refusal_of(data: bytes) -> RefusedDocument:
    with pytest.raises(RefusedDocument) as caught:
        kind_of(data)
    return caught.value


def zipped(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (resume_pdf(), Kind.PDF),
        (b"\xef\xbb\xbf\r\n" + resume_pdf(), Kind.PDF),
        (b"HTTP/1.1 200 OK\r\n\r\n" + resume_pdf(), Kind.PDF),
        (resume_docx(), Kind.DOCX),
        (b"My resume, plainly", Kind.TXT),
        (b"Notes on the header %PDF-1.7 that PDF files begin with", Kind.TXT),
        (b"BMW Group, research engineer", Kind.TXT),
        (b"MZ Zhang, applicant", Kind.TXT),
        ("\ufeffR\u00e9sum\u00e9".encode("utf-16"), Kind.TXT),
        ("\u738b\u5c0f\u660e\u7684\u7b80\u5386".encode(), Kind.TXT),
        (b"\\documentclass{article}", Kind.TXT),
        (b"1", Kind.TXT),
    ],
)
def test_the_kind_follows_from_the_content(data: bytes, kind: Kind) -> None:
    assert kind_of(data) == kind


@pytest.mark.parametrize("data", [b"", b" \r\n\t", b"\xef\xbb\xbf", b"\x00" * 500])
def test_a_file_without_content_is_empty(data: bytes) -> None:
    assert refusal_of(data).reason == Reason.EMPTY


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "a PNG picture"),
        (b"\xff\xd8\xff\xe0" + bytes(50), "a JPEG picture"),
        (b"GIF89a" + bytes(50), "a GIF picture"),
        (b"BM" + bytes(50), "a BMP picture"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "a WebP picture"),
        (b"\x00\x00\x00\x20ftypheic" + bytes(20), "a picture or a film"),
        (b"{\\rtf1\\ansi Resume}", "a rich text file (RTF)"),
        (b"\xef\xbb\xbf{\\rtf1\\ansi Resume}", "a rich text file (RTF)"),
        (b"\r\n {\\rtf1\\ansi Resume}", "a rich text file (RTF)"),
        (b'<?xml version="1.0"?><w:wordDocument/>', "an XML file"),
        (b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n", "a web archive (MHT)"),
        (b"[InternetShortcut]\r\nURL=https://docs.example.org/1\r\n", "only a link to a file"),
        (b'{"url": "https://docs.example.org/1", "doc_id": "1"}', "only a link to a file"),
        (b"%!PS-Adobe-3.0", "a PostScript file"),
        (b"MZ\x90\x00\x03" + bytes(50), "a program"),
        (b"\x7fELF\x02\x01" + bytes(50), "a program"),
        (b"#!/bin/sh\nrm -rf /", "a program script"),
        (b"\x1f\x8b\x08" + bytes(50), "a compressed archive"),
        (b"  <!DOCTYPE html><p>Resume", "a web page (HTML) or a drawing (SVG)"),
        (b"<!-- a --><!-- b -->\n<HTML>", "a web page (HTML) or a drawing (SVG)"),
        (b"<?xml version='1.0'?><svg/>", "a web page (HTML) or a drawing (SVG)"),
        ("\ufeff<html>".encode("utf-16"), "a web page (HTML) or a drawing (SVG)"),
        (bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), "an older Office file (such as .doc)"),
        (bytes.fromhex("d0cf11e0a1b11ae1") + b"HWP Document File" + bytes(600), "a Hangul document (HWP)"),
        (zipped({"Index/Document.iwa": b"a"}), "a Pages document"),
        (zipped({"mimetype": b"application/hwp+zip"}), "a Hangul document (HWPX)"),
        (zipped({"a.txt": b"a"}), "a ZIP archive"),
        (zipped({}), "a ZIP archive"),
        (zipped({"[Content_Types].xml": b"", "xl/workbook.xml": b""}), "an Excel workbook"),
        (zipped({"[Content_Types].xml": b"", "ppt/slides.xml": b""}), "a PowerPoint presentation"),
        (zipped({"mimetype": b"application/vnd.oasis.opendocument.text"}), "an OpenDocument file"),
        (zipped({"mimetype": b"application/epub+zip"}), "an EPUB book"),
        (b"\x00\x01\x02\x03" * 20, "a file of a kind we do not know"),
    ],
)
def test_other_kinds_are_named_in_the_refusal(data: bytes, found: str) -> None:
    refused = refusal_of(data)
    assert refused.reason == Reason.UNKNOWN_KIND
    assert refused.message.startswith(f"This is {found}")


def test_a_picture_that_also_is_a_pdf_is_a_picture() -> None:
    assert refusal_of(b"GIF89a" + resume_pdf()).message.startswith("This is a GIF picture")


def test_a_word_file_with_a_password_is_called_encrypted() -> None:
    data = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    assert refusal_of(data).reason == Reason.ENCRYPTED


def test_many_comments_before_no_page_are_no_trap() -> None:
    # A pattern that tried every way to split them would not end within the life of the universe.
    assert kind_of(b"<!---->" * 500 + b"text") == Kind.TXT
