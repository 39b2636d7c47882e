"""Whether a DOCX is safe to open: sizes, macros, encryption. Runs in the reading child only."""

from __future__ import annotations

import io
import re
import zipfile
import zlib

from docx.oxml.parser import parse_xml

from portal.documents import refusals
from portal.documents.kinds import Kind
from portal.documents.limits import MEBIBYTE, Limits

CHUNK = 65_536
# Small parts may repeat themselves as much as they like.
RATIO_COUNTS_FROM = MEBIBYTE
_ENCRYPTED_FLAG = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_CONTENT_TYPES = "[Content_Types].xml"
_DOCUMENT = b"wordprocessingml.document.main+xml"
_OTHERS = (
    (b"wordprocessingml.template.main+xml", "a Word template"),
    (b"spreadsheetml", "an Excel workbook"),
    (b"presentationml", "a PowerPoint presentation"),
)
_ACTIVE_TYPES = (b"macroenabled", b"vbaproject", b"activex")
_ACTIVE_NAME = re.compile(r"vbaproject\.bin$|vbadata\.xml$|/activex/", re.IGNORECASE)
# A template on another host is fetched, with its macros, when the document is opened in Word.
_REMOTE = re.compile(r"(?!file:)[a-z][a-z0-9+.-]+:|[\\/]{2}|file:[\\/]{2}(?:[^\\/]|[\\/]{2})", re.IGNORECASE)
_DOCTYPE = b"<!DOCTYPE"


def check_package(data: bytes, limits: Limits) -> None:
    """Refuse what must not reach the parser; every part is unpacked once, in pieces.

    Raises:
        RefusedDocument: damaged, encrypted, not a Word document, macros, or unpacks to too much.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_directory(archive.infolist(), limits)
            for part in archive.infolist():
                _check_part(part.filename, _unpacked(archive, part))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError) as problem:
        raise refusals.damaged(Kind.DOCX.label) from problem


def _check_directory(parts: list[zipfile.ZipInfo], limits: Limits) -> None:
    """Check the archive's directory before anything is unpacked."""
    names = [part.filename for part in parts]
    if _CONTENT_TYPES not in names:
        raise refusals.unknown_kind("a ZIP archive")
    # Readers disagree about which one counts; to Word, names are the same in capitals.
    if len({name.casefold() for name in names}) != len(names):
        raise refusals.damaged(Kind.DOCX.label)
    if any(part.flag_bits & _ENCRYPTED_FLAG for part in parts):
        raise refusals.encrypted(Kind.DOCX.label)
    if any(part.compress_type not in _METHODS for part in parts):
        raise refusals.damaged(Kind.DOCX.label)
    if len(parts) > limits.parts or sum(part.file_size for part in parts) > limits.unpacked_bytes:
        raise refusals.too_much_memory()
    if sum(part.file_size for part in parts if _is_xml(part)) > limits.xml_bytes:
        raise refusals.too_much_memory()
    if any(part.file_size > RATIO_COUNTS_FROM and part.file_size > limits.ratio * part.compress_size for part in parts):
        raise refusals.too_much_memory()
    if any(_ACTIVE_NAME.search(name) for name in names):
        raise refusals.active_docx()


def _unpacked(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    """The content of an XML part; other parts are unpacked as well, so that their size and sum are verified.

    zipfile never gives more than the size declared, which was checked, and compares the sum at the end.
    """
    content = bytearray()
    with archive.open(part) as stream:
        while chunk := stream.read(CHUNK):
            if _is_xml(part):
                content += chunk
    return bytes(content)


def _is_xml(part: zipfile.ZipInfo) -> bool:
    return part.filename.lower().endswith((".xml", ".rels"))


def _check_part(name: str, content: bytes) -> None:
    plain = content.replace(b"\x00", b"")  # UTF-16 as well
    if _DOCTYPE in plain:  # Office Open XML has none; only attacks on XML parsers do
        raise refusals.damaged(Kind.DOCX.label)
    if name == _CONTENT_TYPES:
        if any(active in plain.lower() for active in _ACTIVE_TYPES):
            raise refusals.active_docx()
        if _DOCUMENT not in plain:
            description = next((description for mark, description in _OTHERS if mark in plain), "a ZIP archive")
            raise refusals.unknown_kind(description)
    if name.lower().endswith(".rels") and any(
        relation.get("Type", "").endswith("/attachedTemplate") and _REMOTE.match(relation.get("Target", "").strip())
        for relation in parse_xml(content).iter("{*}Relationship")
    ):
        raise refusals.active_docx()
