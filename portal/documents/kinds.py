"""What a file is, by what it contains; its name is never looked at.

Only the first and last few kilobytes are compared with signatures, so this is safe to run on any bytes.
"""

from __future__ import annotations

import re
from enum import StrEnum

import puremagic

from portal.documents import refusals

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
_PAGES_PARTS = (b"Index/Document.iwa", b"Index.zip")
_WORD_PARTS = (b"[Content_Types].xml", b"word/")
# Control characters apart from tab, line ends, form feed and escape.
_NOT_IN_TEXT = frozenset(range(0x20)) - frozenset(b"\t\n\v\f\r\x1b")
# In a text of two bytes a character without a mark, one byte of spaces, line ends and figures is zero.
LEAST_WIDE, LEAST_ZEROS, MOST_OTHER_ZEROS_SHARE = 16, 2, 0.02
# Of the bytes; a text of one byte a character that has a few zeros in it is nearly all of ASCII.
MOST_ASCII = 0.9
# Zeros and signs for the end of a file with which programs fill a text: at its end any number, inside of it few.
FILLING = b"\x00\x1a"
MOSTFILLING = 0.05
# Less text before many zeros is the begin of another kind of file.
LEAST_FILLED = 100
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

# Kinds people upload by mistake, named so that the refusal can say what it saw. First match wins.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"BM", "a BMP picture"),
    (b"%!PS", "a PostScript file"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"#!", "a program script"),
    (b"\x1f\x8b", "a compressed archive"),
    (b"BZh", "a compressed archive"),
    (b"\xfd7zXZ\x00", "a compressed archive"),
    (b"7z\xbc\xaf\x27\x1c", "a compressed archive"),
    (b"Rar!\x1a\x07", "a compressed archive"),
)
# Two or three letters could open an honest text as well ("BMW", "BZh", "MZ"); then the rest must be binary.
_AMBIGUOUS = frozenset({b"BM", b"MZ", b"BZh"})
# What others are made of that people take for a document, at their beginning and behind blanks.
_MADE_OF: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"\{\\rtf"), "a rich text file (RTF)"),
    (re.compile(rb"<\?xml\b"), "an XML file (as Word 2003, Europass and others write them)"),
    (re.compile(rb"(?i)(?:[\w-]++: ?[^\n]*+\n[ \t]?+){0,9}?content-type: *multipart/related"), "a web archive (MHT)"),
    (
        re.compile(rb"\[InternetShortcut\]|\{\s*\"(?:url|doc_id)\": *\"[^\"]*\",? *\"(?:doc_id|resource|email)"),
        "only a link to a file",
    ),
)
_ZIP_MIMETYPES: tuple[tuple[bytes, str], ...] = (
    (b"mimetypeapplication/vnd.oasis.opendocument", "an OpenDocument file"),
    (b"mimetypeapplication/epub+zip", "an EPUB book"),
    (b"mimetypeapplication/hwp+zip", "a Hangul document (HWPX)"),
)
# Possessive and atomic throughout: a run of comments must not be split in every possible way.
_MARKUP = re.compile(
    rb"\s*+(?:<\?xml[^>]{0,200}+>\s*+|(?><!--.{0,1000}?-->)\s*+)*+"
    rb"<(?:!doctype\s+(?:html|svg)|html|head|body|script|svg)\b",
    re.IGNORECASE | re.DOTALL,
)


def kind_of(data: bytes) -> Kind:
    """The kind of document that `data` claims to be by its content.

    A DOCX is recognised by the names of its parts; whether it truly is one is settled when it is opened.

    Raises:
        RefusedDocument: empty, encrypted (Word), or of a kind that is not read, named in the message.
    """
    if not data.strip(_LEADING_BLANKS):
        raise refusals.empty()
    if _is_pdf(data):
        return Kind.PDF
    if data.startswith(_ZIP):
        return _kind_of_zip(data)
    if data.startswith(_OLE):
        if _OLE_ENCRYPTED in data:
            raise refusals.encrypted(Kind.DOCX.label)
        if _HANGUL in data:
            raise refusals.unknown_kind("a Hangul document (HWP)")
        raise refusals.unknown_kind("an older Office file (such as .doc)")
    description = _named_signature(data) or _markup(data)
    if description is not None:
        raise refusals.unknown_kind(description)
    if _has_binary(data):
        raise refusals.unknown_kind(_named_by_library(data))
    return Kind.TXT


def _is_pdf(data: bytes) -> bool:
    if _PDF_HEADER.match(data[:HEAD].lstrip(_LEADING_BLANKS)):
        return True
    # With junk in front it counts only if it ends like a PDF and does not start like something else:
    # a letter that mentions "%PDF-1.7" is a letter.
    if data.startswith((*_ZIP, _OLE)) or _named_signature(data) or _markup(data):
        return False
    header = _PDF_HEADER.search(data, 0, PDF_HEADER_WITHIN)
    return header is not None and b"startxref" in data[-PDF_TRAILER_WITHIN:]


def _kind_of_zip(data: bytes) -> Kind:
    for mimetype, description in _ZIP_MIMETYPES:
        if mimetype in data[:HEAD]:
            raise refusals.unknown_kind(description)
    # Names of parts stand uncompressed in a ZIP archive.
    if not all(part in data for part in _WORD_PARTS):
        if b"[Content_Types].xml" in data and b"xl/" in data:
            raise refusals.unknown_kind("an Excel workbook")
        if b"[Content_Types].xml" in data and b"ppt/" in data:
            raise refusals.unknown_kind("a PowerPoint presentation")
        if any(part in data for part in _PAGES_PARTS):
            raise refusals.unknown_kind("a Pages document")
        raise refusals.unknown_kind("a ZIP archive")
    return Kind.DOCX


def _named_signature(data: bytes) -> str | None:
    for signature, description in _SIGNATURES:
        if data.startswith(signature) and (signature not in _AMBIGUOUS or _has_binary(data)):
            return description
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "a WebP picture"
    if data[4:8] == b"ftyp":
        return "a picture or a film"
    return None


def _markup(data: bytes) -> str | None:
    start = data[:HEAD].removeprefix(b"\xef\xbb\xbf").replace(b"\x00", b"").lstrip(b"\xff\xfe")
    if _MARKUP.match(start):
        return "a web page (HTML) or a drawing (SVG)"
    start = start.lstrip()
    return next((description for form, description in _MADE_OF if form.match(start)), None)


def _has_binary(data: bytes) -> bool:
    """Whether bytes occur at the start that no text in a single-byte or UTF-8 encoding has."""
    if data.startswith(_BYTE_ORDER_MARKS) or wide_encoding(data) is not None:
        return False
    head = data[:HEAD]
    if is_nearly_text(head):
        head = head.translate(None, FILLING)
    return any(byte in _NOT_IN_TEXT for byte in head)


def is_nearly_text(data: bytes) -> bool:
    """Whether the zeros in a text are few enough to be a slip of the program that wrote it."""
    unfilled = data.rstrip(FILLING)
    if len(data) > 2 * len(unfilled) and len(unfilled) < LEAST_FILLED:
        return False
    return sum(unfilled.count(byte) for byte in FILLING) <= MOSTFILLING * len(unfilled)


def wide_encoding(data: bytes) -> str | None:
    """The encoding of a text of two bytes a character without a mark, by which of the two are zero; None for others."""
    if len(data) % 2 or len(data) < LEAST_WIDE or data.startswith(_BYTE_ORDER_MARKS):
        return None
    head = data[:HEAD]
    if sum(0x20 <= byte < 0x7F for byte in head) > MOST_ASCII * len(head):  # noqa: PLR2004 - ASCII
        return None
    first, second = (head[place::2].count(0) for place in (0, 1))
    for zeros, other_zeros, encoding in ((second, first, "utf-16-le"), (first, second, "utf-16-be")):
        if zeros >= LEAST_ZEROS and other_zeros <= MOST_OTHER_ZEROS_SHARE * len(head):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                return None
            return None if any(ord(character) in _NOT_IN_TEXT for character in text[:HEAD]) else encoding
    return None


def _named_by_library(data: bytes) -> str:
    """What puremagic's table of signatures calls the first kilobytes."""
    try:
        matches = puremagic.magic_string(data[:HEAD])
    except puremagic.PureError:
        return "a file of a kind we do not know"
    name = str(matches[0].name).strip() if matches else ""
    return f"a file of another kind ({name})" if name else "a file of a kind we do not know"
