"""What a file is, by what it contains; its name is never looked at.

Only the first and last few kilobytes are compared with signatures, so this is safe to run on any bytes.
"""

from __future__ import annotations

import re
from enum import StrEnum

from portal.documents.refusals import Reason, refused

HEAD = 4_096
# ISO 32000 readers accept junk before the header within the first kilobyte.
PDF_HEADER_WITHIN = 1_024
PDF_TRAILER_WITHIN = 2_048


class Kind(StrEnum):
    """The kinds of documents that are read."""

    PDF = "pdf"
    DOCX = "docx"
    TXT = "txt"
    PASTED = "pasted"

    @property
    def label(self) -> str:
        """The name people know the kind by."""
        return _LABELS[self]


_LABELS = {Kind.PDF: "PDF", Kind.DOCX: "Word document", Kind.TXT: "text file", Kind.PASTED: "text"}

_PDF_HEADER = re.compile(rb"%PDF-\d")
_LEADING_BLANKS = b"\xef\xbb\xbf \t\r\n\x00"
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
_HANGUL = b"HWP Document File"
_OLE_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
# Control characters apart from tab, line ends, form feed and escape.
_NOT_IN_TEXT = frozenset(range(0x20)) - frozenset(b"\t\n\v\f\r\x1b")
# What old programs fill their files with: zeros, and the sign for the end of a file.
FILLING = b"\x00\x1a"
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

_PAGE = (
    rb"[\xff\xfe\xef\xbb\xbf]*+\s*+(?:<\?xml[^>]{0,200}+>\s*+|(?><!--.{0,1000}?-->)\s*+)*+"
    rb"<(?:!doctype\s+(?:html|svg)|html|head|body|script|svg)\b"
)
# What people upload by mistake, named so that the refusal can say what it saw. First match wins. Possessive and atomic
# where comments may run on: these must not be split in every possible way.
_NAMED: tuple[tuple[re.Pattern[bytes], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL | re.IGNORECASE), description)
    for pattern, description in (
        (rb"\x89PNG\r\n", "a PNG picture"),
        (rb"\xff\xd8\xff", "a JPEG picture"),
        (rb"GIF8", "a GIF picture"),
        (rb"II\*\x00|MM\x00\*", "a TIFF picture"),
        # Two or three letters could open an honest text as well ("BMW", "MZ"); then the rest must be binary.
        (rb"BM.{0,60}?\x00", "a BMP picture"),
        (rb"RIFF.{4}WEBP", "a WebP picture"),
        (rb".{4}ftyp", "a picture or a film"),
        (rb"%!PS", "a PostScript file"),
        (rb"\x7fELF|MZ.{0,60}?\x00|\xca\xfe\xba\xbe|\xcf\xfa\xed\xfe", "a program"),
        (rb"#!", "a program script"),
        (rb"\x1f\x8b|BZh.{0,60}?\x00|\xfd7zXZ\x00|7z\xbc\xaf\x27\x1c|Rar!\x1a\x07", "a compressed archive"),
        (_PAGE, "a web page (HTML) or a drawing (SVG)"),
        (rb"(?:\xef\xbb\xbf)?\s*\{\\rtf", "a rich text file (RTF)"),
        (rb"(?:\xef\xbb\xbf)?\s*<\?xml\b", "an XML file (as Word 2003, Europass and others write them)"),
        (rb"\s*(?:[\w-]++: ?[^\n]*+\n[ \t]?+){0,9}?content-type: *multipart/related", "a web archive (MHT)"),
        (
            rb"\s*(?:\[InternetShortcut\]|\{\s*\"(?:url|doc_id)\": *\"[^\"]*\",? *\"(?:doc_id|resource|email))",
            "only a link to a file",
        ),
    )
)
_IN_ZIP: tuple[tuple[tuple[bytes, ...], str], ...] = (
    ((b"mimetypeapplication/vnd.oasis.opendocument",), "an OpenDocument file"),
    ((b"mimetypeapplication/epub+zip",), "an EPUB book"),
    ((b"mimetypeapplication/hwp+zip",), "a Hangul document (HWPX)"),
    ((b"[Content_Types].xml", b"word/"), ""),
    ((b"[Content_Types].xml", b"xl/"), "an Excel workbook"),
    ((b"[Content_Types].xml", b"ppt/"), "a PowerPoint presentation"),
    ((b"Index/Document.iwa",), "a Pages document"),
    ((b"Index.zip",), "a Pages document"),
)


def kind_of(data: bytes) -> Kind:
    """The kind of document that `data` claims to be by its content.

    Raises:
        RefusedDocument: empty, encrypted (Word), or of a kind that is not read, named in the message.
    """
    if not data.strip(_LEADING_BLANKS):
        raise refused(Reason.EMPTY)
    if _is_pdf(data):
        return Kind.PDF
    if data.startswith(_ZIP):
        return _kind_of_zip(data)
    if data.startswith(_OLE):
        if _OLE_ENCRYPTED in data:
            raise refused(Reason.ENCRYPTED, name=Kind.DOCX.label)
        if _HANGUL in data:
            raise refused(Reason.UNKNOWN_KIND, found="a Hangul document (HWP)")
        raise refused(Reason.UNKNOWN_KIND, found="an older Office file (such as .doc)")
    description = _named(data)
    if description is not None:
        raise refused(Reason.UNKNOWN_KIND, found=description)
    if _has_binary(data):
        raise refused(Reason.UNKNOWN_KIND, found="a file of a kind we do not know")
    return Kind.TXT


def _is_pdf(data: bytes) -> bool:
    if _PDF_HEADER.match(data[:HEAD].lstrip(_LEADING_BLANKS)):
        return True
    # With junk in front it counts only if it ends like a PDF and does not start like something else:
    # a letter that mentions "%PDF-1.7" is a letter.
    if data.startswith((*_ZIP, _OLE)) or _named(data):
        return False
    header = _PDF_HEADER.search(data, 0, PDF_HEADER_WITHIN)
    return header is not None and b"startxref" in data[-PDF_TRAILER_WITHIN:]


def _kind_of_zip(data: bytes) -> Kind:
    for parts, description in _IN_ZIP:
        if all(part in data for part in parts):
            if not description:
                return Kind.DOCX
            raise refused(Reason.UNKNOWN_KIND, found=description)
    raise refused(Reason.UNKNOWN_KIND, found="a ZIP archive")


def _named(data: bytes) -> str | None:
    # UTF-16 as well.
    starts = data[:HEAD], data[:HEAD].replace(b"\x00", b"")
    return next((description for form, description in _NAMED if any(form.match(start) for start in starts)), None)


def _has_binary(data: bytes) -> bool:
    if data.startswith(_BYTE_ORDER_MARKS):
        return False
    return any(byte in _NOT_IN_TEXT for byte in data[:HEAD].rstrip(FILLING))
