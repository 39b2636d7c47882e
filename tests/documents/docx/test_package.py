from __future__ import annotations

import io
import random
import struct
import warnings
import zipfile
from typing import TYPE_CHECKING

import pytest

from portal.documents.docx.package import Package
from portal.documents.docx.text import read_docx
from portal.documents.limits import MEBIBYTE, STANDARD, Limits
from portal.documents.refusals import Reason, RefusedDocument
from tests.documents.docxs import paragraph, repacked, resume_docx, with_body_xml
from tests.documents.pdfs import RESUME_LINES

if TYPE_CHECKING:
    from collections.abc import Callable

DOCUMENT_TYPE = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


def refusal_of(data: bytes, limits: Limits = STANDARD) -> RefusedDocument:
    with pytest.raises(RefusedDocument) as caught:
        Package(data, limits)
    return caught.value


def with_part(name: str, content: bytes) -> bytes:
    return repacked(resume_docx(), {name: content})


def with_flag(data: bytes, flag: int) -> bytes:
    """All directory entries and local headers with one more flag bit."""
    changed = bytearray(data)
    for signature, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        start = changed.find(signature)
        while start >= 0:
            changed[start + offset] |= flag
            start = changed.find(signature, start + 4)
    return bytes(changed)


def with_declared_size(data: bytes, name: bytes, size: int) -> bytes:
    """The directory entry of one part with another unpacked size."""
    changed = bytearray(data)
    start = changed.find(b"PK\x01\x02")
    while changed[start + 46 : start + 46 + len(name)] != name:
        start = changed.find(b"PK\x01\x02", start + 4)
    struct.pack_into("<I", changed, start + 24, size)
    return bytes(changed)


def test_an_honest_document_passes() -> None:
    assert Package(resume_docx(), STANDARD).content("word/document.xml")


def template_at(place: str) -> bytes:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate"
    relation = f'<Relationship Type="{kind}" Target="{place}" TargetMode="External"/>'
    return f"<Relationships>{relation}</Relationships>".encode()


def test_a_document_with_pictures_and_an_archive_inside_passes() -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb", bytes(3 * MEBIBYTE))
    Package(with_part("word/embeddings/inner.zip", inner.getvalue()), STANDARD)


@pytest.mark.parametrize(
    ("bomb", "limits"),
    [
        (lambda: with_part("word/bomb.xml", bytes(70 * MEBIBYTE)), STANDARD),
        (lambda: with_part("word/media/bomb.bmp", bytes(20 * MEBIBYTE)), STANDARD),
        (lambda: with_part("word/media/picture.bmp", bytes(range(256)) * 8), Limits(unpacked_bytes=2_000)),
        (lambda: with_part("word/large.xml", random.Random(1).randbytes(2_000) * 9_000), STANDARD),  # noqa: S311 - no secret
        (resume_docx, Limits(parts=3)),
    ],
    ids=["too large", "packed too well", "over a small limit", "too much markup", "too many parts"],
)
def test_a_bomb_is_refused_before_it_goes_off(bomb: Callable[[], bytes], limits: Limits) -> None:
    assert refusal_of(bomb(), limits).reason == Reason.TOO_MUCH_MEMORY


@pytest.mark.parametrize("declared", [10, 2**31])
def test_a_part_that_lies_about_its_size_does_not_pass(declared: int) -> None:
    data = with_part("word/bomb.xml", bytes(range(1, 256)) * 4_000)
    assert refusal_of(with_declared_size(data, b"word/bomb.xml", declared)).reason in {
        Reason.DAMAGED,
        Reason.TOO_MUCH_MEMORY,
    }


@pytest.mark.parametrize(
    "data",
    [
        with_part("word/vbaProject.bin", b"macro"),
        with_part("word/VBAProject.BIN", b"macro"),
        with_part("word/activeX/activeX1.xml", b"<a/>"),
        repacked(resume_docx(), replaced={DOCUMENT_TYPE: b"application/vnd.ms-word.document.macroEnabled.main+xml"}),
        repacked(
            resume_docx(),
            replaced={
                b"</Types>": b'<Default Extension="x" ContentType="application/vnd.ms-office.vbaProject"/></Types>'
            },
        ),
        with_part(
            "word/_rels/settings.xml.rels",
            b'<Relationships><Relationship Type="http://x/relationships/attachedTemplate" '
            b'Target="https://example.com/a.dotm" TargetMode="External"/></Relationships>',
        ),
        with_part(
            "word/_rels/settings.xml.rels",
            b'<Relationships><Relationship Target="\\\\host\\a.dotm" '
            b'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate"/></Relationships>',
        ),
        with_part("word/_rels/SETTINGS.XML.RELS", template_at("http://example.com/a.dotm")),
        with_part("word/_rels/settings.xml.rels", template_at("mhtml:http://example.com/a.dotm")),
        with_part("word/_rels/settings.xml.rels", template_at("//host/a.dotm")),
        with_part("word/_rels/settings.xml.rels", template_at("file:////host/a.dotm")),
    ],
    ids=[
        "macros",
        "macros in capitals",
        "controls",
        "docm",
        "macros by type",
        "remote template",
        "template on a share",
        "remote template in capitals",
        "remote template by another scheme",
        "template on a share, with slashes",
        "template on a share, as an address",
    ],
)
def test_macros_are_refused(data: bytes) -> None:
    assert refusal_of(data).reason == Reason.MACROS


def with_external(kind: str, place: str) -> bytes:
    """A document with a relation to something outside of it."""
    kind = f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}"
    relation = f'<Relationship Id="rX" TargetMode="External" Type="{kind}" Target="{place}"/></Relationships>'
    return repacked(resume_docx(), replaced={b"</Relationships>": relation.encode()})


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("oleObject", "http://example.com/a.html!"),
        ("frame", "https://example.com/a.html"),
        ("subDocument", r"\\host\a.docx"),
        ("image", r"\\host\a.png"),
        ("image", "file://host/a.png"),
    ],
)
def test_what_word_fetches_from_another_computer_is_refused(kind: str, place: str) -> None:
    assert refusal_of(with_external(kind, place)).reason == Reason.MACROS


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("hyperlink", "https://example.com"),
        ("hyperlink", "mailto:mei@example.edu"),
        ("image", "https://example.com/a.png"),
        ("image", "cid:image001.png@01"),
        ("oleObject", "file:///C:/Users/wang/a.xlsx"),
    ],
)
def test_links_and_pictures_of_the_web_are_not(kind: str, place: str) -> None:
    assert Package(with_external(kind, place), STANDARD).content("word/document.xml")


@pytest.mark.parametrize("place", ["file:///C:/Users/wang/Normal.dotm", r"C:\Users\wang\Normal.dotm", "Normal.dotm"])
def test_a_local_template_is_no_macro(place: str) -> None:
    data = with_part("word/_rels/settings.xml.rels", template_at(place))
    assert Package(data, STANDARD).content("word/document.xml")


def test_encrypted_parts_are_refused() -> None:
    assert refusal_of(with_flag(resume_docx(), 0x1)).reason == Reason.ENCRYPTED


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (repacked(resume_docx(), {"[Content_Types].xml": None}), "a ZIP archive"),
        (repacked(resume_docx(), replaced={DOCUMENT_TYPE: b"spreadsheetml.sheet.main+xml"}), "an Excel workbook"),
        (repacked(resume_docx(), replaced={b"document.main+xml": b"template.main+xml"}), "a Word template"),
    ],
)
def test_what_is_no_word_document_is_named(data: bytes, found: str) -> None:
    refused = refusal_of(data)
    assert (refused.reason, refused.message.startswith(f"This is {found}")) == (Reason.UNKNOWN_KIND, True)


LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "'
    + b"&a;" * 100
    + b'"><!ENTITY c "'
    + b"&b;" * 100
    + b'">]><w:document>&c;</w:document>'
)
OUTSIDE = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document>&a;</w:document>'


def twice_the_same_name() -> bytes:
    out = io.BytesIO(resume_docx())
    with warnings.catch_warnings(), zipfile.ZipFile(out, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("word/document.xml", b"<other/>")
    return out.getvalue()


def packed_by(method: int) -> bytes:
    out = io.BytesIO(resume_docx())
    with zipfile.ZipFile(out, "a", method) as archive:
        archive.writestr("word/extra.xml", b"<a/>" * 100)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        with_part("word/document.xml", LAUGHS),
        with_part("word/document.xml", OUTSIDE),
        with_part("word/styles.xml", OUTSIDE.decode().encode("utf-16")),
        twice_the_same_name(),
        with_part("Word/Document.xml", b"<other/>"),
        packed_by(zipfile.ZIP_LZMA),
        packed_by(zipfile.ZIP_BZIP2),
        resume_docx()[:-200],
        resume_docx()[: len(resume_docx()) // 2],
        b"PK\x03\x04" + bytes(100),
        resume_docx().replace(b"PK\x03\x04", b"PK\x03\x05"),
    ],
    ids=[
        "laughs",
        "outside",
        "outside in UTF-16",
        "twice",
        "twice but for capitals",
        "lzma",
        "bzip2",
        "cut",
        "half",
        "zeros",
        "no headers",
    ],
)
def test_broken_and_booby_trapped_archives_are_called_damaged(data: bytes) -> None:
    assert refusal_of(data).reason == Reason.DAMAGED


def test_the_parser_itself_expands_no_entities() -> None:
    # The check above keeps document type declarations out; a parser that followed them would still be a risk.
    raw = read_docx(with_body_xml(paragraph("a &amp;amp; b")), STANDARD)
    assert raw.text.split()[:3] == ["a", "&amp;", "b"]
    assert RESUME_LINES[0] in raw.text
