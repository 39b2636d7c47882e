"""The package of a Word document: whether it is safe to open, its parts and their relations, strict or broken ones too.

Runs in the reading child only. Sizes are checked in the directory of the archive before anything is unpacked, and every
XML part before it is parsed. Parts are found however a relation writes their name, as Word finds them.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lxml import etree

from portal.documents import refusals
from portal.documents.kinds import Kind
from portal.documents.limits import MEBIBYTE

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

    from portal.documents.limits import Limits

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
# The standard's strict form says the same as the usual one, with other names for its namespaces and relations.
_STRICT = b"purl.oclc.org/ooxml"
_STRICT_NAME = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_USUAL_NAME = rb"http://schemas.openxmlformats.org/\1/2006/\2"
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError)


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a part leads: `kind` is the last word of the relation's type; `target` the name of the part it means."""

    kind: str
    target: str


class Package:
    """The checked parts of a document.

    Raises:
        RefusedDocument: damaged, encrypted, not a Word document, macros, or unpacks to too much.
    """

    def __init__(self, data: bytes, limits: Limits) -> None:
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            parts = self._archive.infolist()
            _check_directory(parts, limits)
            self._names = {part.filename.lower(): part.filename for part in parts}
            self._xml = {part.filename: self._archive.read(part) for part in parts if _is_xml(part)}
        except _BROKEN as problem:
            raise refusals.damaged(Kind.DOCX.label) from problem
        for name, content in self._xml.items():
            _check_part(name, content)
            if _STRICT in content:
                self._xml[name] = _STRICT_NAME.sub(_USUAL_NAME, content)
        main = [relation.target for relation in self.relations("").values() if relation.kind == "officeDocument"]
        self.main = main[0] if main else "word/document.xml"

    def content(self, name: str) -> bytes:
        """The bytes of a part."""
        try:
            return self._xml[name] if name in self._xml else self._archive.read(name)
        except (*_BROKEN, KeyError) as problem:
            raise refusals.damaged(Kind.DOCX.label) from problem

    def root(self, name: str) -> Element:
        """A part, parsed.

        Raises:
            RefusedDocument: it is no XML.
        """
        try:
            return parsed(self.content(name))
        except etree.XMLSyntaxError as problem:
            raise refusals.damaged(Kind.DOCX.label) from problem

    def relations(self, name: str) -> dict[str, Relation]:
        """Where a part leads within the package, by the names of the relations; for "" the package itself."""
        folder, base = posixpath.split(name)
        relations_name = posixpath.join(folder, "_rels", f"{base}.rels")
        if relations_name not in self._xml:
            return {}
        relations = {}
        for element in self.root(relations_name).iter("{*}Relationship"):
            target = self._part_named(element.get("Target", ""), folder)
            if element.get("TargetMode") != "External" and target is not None:
                kind = element.get("Type", "").rpartition("/")[2]
                relations[element.get("Id", "")] = Relation(kind, target)
        return relations

    def _part_named(self, target: str, folder: str) -> str | None:
        """The name of the part that a relation means, however it writes it."""
        for spelling in (target, unquote(target), target.replace("\\", "/")):
            name = posixpath.normpath(posixpath.join("/", folder, spelling)).lstrip("/").lower()
            if name in self._names:
                return self._names[name]
        return None


def parsed(xml: bytes) -> Element:
    """The root of a part; nothing is fetched, and no entity is replaced."""
    root: Element = etree.fromstring(xml, _PARSER)
    return root


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
    if name.lower().endswith(".rels"):
        try:
            relations = list(parsed(content).iter("{*}Relationship"))
        except etree.XMLSyntaxError as problem:
            raise refusals.damaged(Kind.DOCX.label) from problem
        if any(
            relation.get("Type", "").endswith("/attachedTemplate") and _REMOTE.match(relation.get("Target", "").strip())
            for relation in relations
        ):
            raise refusals.active_docx()
