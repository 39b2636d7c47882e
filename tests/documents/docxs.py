"""Word documents, honest ones through python-docx, hostile ones part by part."""

from __future__ import annotations

import io
import zipfile
from functools import cache
from typing import TYPE_CHECKING

import docx
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml.parser import parse_xml

from tests.documents.pdfs import RESUME_LINES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from docx.document import Document

_MICROSOFT = "http://schemas.microsoft.com/office/word/2010"
_OPEN = "http://schemas.openxmlformats.org"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{name}"'
    for prefix, name in {
        "w": f"{_OPEN}/wordprocessingml/2006/main",
        "wp": f"{_OPEN}/drawingml/2006/wordprocessingDrawing",
        "a": f"{_OPEN}/drawingml/2006/main",
        "c": f"{_OPEN}/drawingml/2006/chart",
        "dgm": f"{_OPEN}/drawingml/2006/diagram",
        "pic": f"{_OPEN}/drawingml/2006/picture",
        "r": f"{_OPEN}/officeDocument/2006/relationships",
        "m": f"{_OPEN}/officeDocument/2006/math",
        "mc": f"{_OPEN}/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
        "w14": f"{_MICROSOFT}/wordml",
        "w15": "http://schemas.microsoft.com/office/word/2012/wordml",
        "wps": f"{_MICROSOFT}/wordprocessingShape",
        "wpg": f"{_MICROSOFT}/wordprocessingGroup",
    }.items()
)


def saved(document: Document) -> bytes:
    """The bytes of a document."""
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def with_part(name: str, kind: str, xml: str, relation: str, shown_by: str = "") -> Document:
    """A resume with a further part, to which the document relates.

    Args:
        name: the address of the part in the file.
        kind: its content type.
        xml: the part.
        relation: the type of the relation.
        shown_by: what of a drawing shows the part, with "%" for the name of the relation; "" where nothing does.
    """
    document = resume_document()
    part = Part(PackURI(name), kind, xml.encode(), document.part.package)
    relation_name = document.part.relate_to(part, relation)
    if shown_by:
        drawing = f"<w:p {NAMESPACES}><w:r><w:drawing><wp:inline>{shown_by}</wp:inline></w:drawing></w:r></w:p>"
        document.element.body.insert(0, parse_xml(drawing.replace("%", relation_name)))
    return document


def resume_document() -> Document:
    """A short resume to which a test may add."""
    document = docx.Document()
    document.add_heading("Resume")
    for line in RESUME_LINES:
        document.add_paragraph(line)
    return document


@cache
def resume_docx() -> bytes:
    return saved(resume_document())


def repacked(
    data: bytes,
    changes: Mapping[str, bytes | None] | None = None,
    *,
    replaced: Mapping[bytes, bytes] | None = None,
) -> bytes:
    """The archive with parts set or (None) left out, and with bytes replaced in all XML parts."""
    parts: dict[str, bytes | None] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            for old, new in (replaced or {}).items():
                content = content.replace(old, new)
            parts[name] = content
    parts.update(changes or {})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            if part is not None:
                archive.writestr(name, part)
    return out.getvalue()


def with_body_xml(xml: str) -> bytes:
    """The resume with raw WordprocessingML at the start of its body; the usual prefixes are known."""
    start = f"<w:body><w:sdt {NAMESPACES}><w:sdtContent>{xml}</w:sdtContent></w:sdt>"
    return repacked(resume_docx(), replaced={b"<w:body>": start.encode("utf-8")})


def paragraph(text: str, run_properties: str = "", paragraph_properties: str = "") -> str:
    """WordprocessingML of one paragraph with one run."""
    return (
        f"<w:p><w:pPr>{paragraph_properties}</w:pPr><w:r><w:rPr>{run_properties}</w:rPr><w:t>{text}</w:t></w:r></w:p>"
    )
