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
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lxml import etree

from portal.documents.kinds import Kind
from portal.documents.limits import MEBIBYTE
from portal.documents.refusals import ACTIVE_DOCX, Reason, RefusedDocument, refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from lxml.etree import _Element as Element

    from portal.documents.limits import Limits

_OPEN = "http://schemas.openxmlformats.org/"
_PREFIXES = {
    "w": f"{_OPEN}wordprocessingml/2006/main",
    "r": f"{_OPEN}officeDocument/2006/relationships",
    "m": f"{_OPEN}officeDocument/2006/math",
    "a": f"{_OPEN}drawingml/2006/main",
    "wp": f"{_OPEN}drawingml/2006/wordprocessingDrawing",
    "mc": f"{_OPEN}markup-compatibility/2006",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "v": "urn:schemas-microsoft-com:vml",
}
_UNDERSTOOD = ("http://schemas.microsoft.com/office/", "urn:schemas-microsoft-com:")
ON, OFF = frozenset({"1", "true", "on"}), frozenset({"0", "false", "off"})
DEEPEST_STYLE = 32


@cache
def qn(name: str) -> str:
    """The full name of an element or attribute such as "w:p", as lxml has it."""
    prefix, _, local = name.partition(":")
    return f"{{{_PREFIXES[prefix]}}}{local}"


@cache
def path_of(names: str) -> str:
    """The path for lxml's `find` from names such as "w:tcPr/w:shd"."""
    return "/".join(map(qn, names.split("/")))


def found(element: Element | None, names: str) -> Element | None:
    """The first element below another one that is at a path such as "w:tcPr/w:shd"."""
    return None if element is None else element.find(path_of(names))


def value_of(element: Element | None, names: str) -> str | None:
    """The `w:val` of what is at a path."""
    child = found(element, names)
    return None if child is None else child.get(qn("w:val"))


def is_on(switch: Element) -> bool:
    """Whether a switch such as `w:hidden` is on, as it is without a value."""
    return switch.get(qn("w:val"), "1").lower() not in OFF


def number_of(value: str | None) -> float | None:
    """A number, which may be negative; None for anything else."""
    return float(value) if value is not None and re.fullmatch(r"-?\d{1,12}(?:\.\d{1,12})?", value) else None


def chosen(alternatives: Element) -> Element | None:
    """The first of several renderings of the same thing that Word understands."""
    for alternative in alternatives.iterchildren("{*}*"):
        if alternative.tag == qn("mc:Fallback"):
            return alternative
        needed = [alternative.nsmap.get(prefix, "") for prefix in alternative.get("Requires", "").split()]
        if needed and all(name.startswith(_UNDERSTOOD) for name in needed):
            return alternative
    return None


def chain_of(styles: Mapping[str, Element], name: str | None) -> list[Element]:
    """The styles that a style is based on, the first one first and itself last; empty if there is no such style."""
    chain: list[Element] = []
    while name is not None and name in styles and len(chain) < DEEPEST_STYLE:
        chain.append(styles[name])
        name = value_of(styles[name], "w:basedOn")
    return chain[::-1]


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
# Word fetches all that is on another host but links, with its macros, when it opens a document. A picture of the web
# does no harm; one on a computer of the network makes the reader sign in there.
_ON_A_SHARE = r"[\\/]{2}|file:[\\/]{2}(?:[^\\/]|[\\/]{2})"
_REMOTE = re.compile(rf"(?!file:)[a-z][a-z0-9+.-]+:|{_ON_A_SHARE}", re.IGNORECASE)
_FETCHED = {"hyperlink": re.compile("(?!)"), "image": re.compile(_ON_A_SHARE, re.IGNORECASE)}
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
            raise refused(Reason.DAMAGED, name=Kind.DOCX.label) from problem
        for name, content in self._xml.items():
            _check_part(name, content)
            if _STRICT in content:
                self._xml[name] = _STRICT_NAME.sub(_USUAL_NAME, content)
        for name in self._xml:
            if name.lower().endswith(".rels"):
                self._check_relations(name)
        main = [relation.target for relation in self.relations("").values() if relation.kind == "officeDocument"]
        self.main = main[0] if main else "word/document.xml"

    def _check_relations(self, name: str) -> None:
        for relation in self.root(name).iter("{*}Relationship"):
            kind = relation.get("Type", "").rpartition("/")[2]
            if _FETCHED.get(kind, _REMOTE).match(relation.get("Target", "").strip()):
                raise RefusedDocument(Reason.MACROS, ACTIVE_DOCX)

    def content(self, name: str) -> bytes:
        """The bytes of a part."""
        try:
            return self._xml[name] if name in self._xml else self._archive.read(name)
        except (*_BROKEN, KeyError) as problem:
            raise refused(Reason.DAMAGED, name=Kind.DOCX.label) from problem

    def root(self, name: str) -> Element:
        """A part, parsed.

        Raises:
            RefusedDocument: it is no XML.
        """
        root = self.root_if_any(name)
        if root is None:
            raise refused(Reason.DAMAGED, name=Kind.DOCX.label)
        return root

    def root_if_any(self, name: str) -> Element | None:
        """A part, parsed; None if it is no XML: Word ignores some of these."""
        try:
            root: Element = etree.fromstring(self.content(name), _PARSER)
        except etree.XMLSyntaxError:
            return None
        return root

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
        for spelling in (target, unquote(target), target.replace("\\", "/")):
            name = posixpath.normpath(posixpath.join("/", folder, spelling)).lstrip("/").lower()
            if name in self._names:
                return self._names[name]
        return None


def _check_directory(parts: list[zipfile.ZipInfo], limits: Limits) -> None:
    """Check the archive's directory before anything is unpacked."""
    names = [part.filename for part in parts]
    if _CONTENT_TYPES not in names:
        raise refused(Reason.UNKNOWN_KIND, found="a ZIP archive")
    # Readers disagree about which one counts; to Word, names are the same in capitals.
    if len({name.casefold() for name in names}) != len(names):
        raise refused(Reason.DAMAGED, name=Kind.DOCX.label)
    if any(part.flag_bits & _ENCRYPTED_FLAG for part in parts):
        raise refused(Reason.ENCRYPTED, name=Kind.DOCX.label)
    if any(part.compress_type not in _METHODS for part in parts):
        raise refused(Reason.DAMAGED, name=Kind.DOCX.label)
    if len(parts) > limits.parts or sum(part.file_size for part in parts) > limits.unpacked_bytes:
        raise refused(Reason.TOO_MUCH_MEMORY)
    if sum(part.file_size for part in parts if _is_xml(part)) > limits.xml_bytes:
        raise refused(Reason.TOO_MUCH_MEMORY)
    if any(part.file_size > RATIO_COUNTS_FROM and part.file_size > limits.ratio * part.compress_size for part in parts):
        raise refused(Reason.TOO_MUCH_MEMORY)
    if any(_ACTIVE_NAME.search(name) for name in names):
        raise RefusedDocument(Reason.MACROS, ACTIVE_DOCX)


def _is_xml(part: zipfile.ZipInfo) -> bool:
    return part.filename.lower().endswith((".xml", ".rels"))


def _check_part(name: str, content: bytes) -> None:
    plain = content.replace(b"\x00", b"")  # UTF-16 as well
    if _DOCTYPE in plain:  # Office Open XML has none; only attacks on XML parsers do
        raise refused(Reason.DAMAGED, name=Kind.DOCX.label)
    if name == _CONTENT_TYPES:
        if any(active in plain.lower() for active in _ACTIVE_TYPES):
            raise RefusedDocument(Reason.MACROS, ACTIVE_DOCX)
        if _DOCUMENT not in plain:
            description = next((description for mark, description in _OTHERS if mark in plain), "a ZIP archive")
            raise refused(Reason.UNKNOWN_KIND, found=description)


@dataclass(frozen=True, slots=True)
class Part:
    """Something to read: its root, and whether the document shows it at all."""

    root: Element
    shown: bool = True


def parts_in_order(package: Package, document: Element, seen: AbstractSet[Element]) -> Iterator[Part]:
    """Headers, body, notes, footers; each distinct content once.

    A header for first or even pages counts as shown where such pages have one, a note where the text refers to
    it; what the document holds beyond is read as not shown.

    `seen` is what refers to notes in the parts read so far, where a reader sees it.
    """
    yield from _margins(package, document, "header")
    yield Part(document)
    for kind in ("footnote", "endnote"):
        referenced = {element.get(qn("w:id")) for element in seen if element.tag == qn(f"w:{kind}Reference")}
        for part in related(package, f"{kind}s"):
            for note in part.root.iterchildren(qn(f"w:{kind}")):
                if note.get(qn("w:type"), "normal") == "normal":
                    yield Part(note, shown=note.get(qn("w:id")) in referenced)
    yield from _margins(package, document, "footer")


def related(package: Package, kind: str, ids: AbstractSet[str] = frozenset()) -> list[Part]:
    """The parts that the document relates to as `kind`, shown if one of the `ids` leads there."""
    shown: dict[bytes, tuple[str, bool]] = {}
    for name, relation in package.relations(package.main).items():
        if relation.kind == kind:
            content = package.content(relation.target)
            shown[content] = relation.target, name in ids or shown.get(content, ("", False))[1]
    return [Part(package.root(target), is_shown) for target, is_shown in shown.values()]


def _margins(package: Package, document: Element, kind: str) -> Iterator[Part]:
    kinds_in_use = {"default"}
    if any(is_on(mark) for mark in document.iter(qn("w:titlePg"))):
        kinds_in_use.add("first")
    if any(is_on(mark) for part in related(package, "settings") for mark in part.root.iter(qn("w:evenAndOddHeaders"))):
        kinds_in_use.add("even")
    marks = document.iter(qn(f"w:{kind}Reference"))
    shown = {mark.get(qn("r:id")) for mark in marks if mark.get(qn("w:type"), "default") in kinds_in_use}
    yield from related(package, kind, shown)
