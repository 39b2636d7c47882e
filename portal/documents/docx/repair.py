"""Repairs documents that Word opens and the parser would not: strict names, and relations to missing parts.

Runs in the reading child only, after `check_package`.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from typing import TYPE_CHECKING
from urllib.parse import unquote

from docx.oxml.parser import parse_xml
from lxml import etree

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

_CONTENT_TYPES = "[Content_Types].xml"
_TYPES = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_ZIP = b"PK\x03\x04"
_UNKNOWN = "application/octet-stream"
# The standard's strict form says the same as the usual one, with other names for its namespaces and relations.
_STRICT = b"purl.oclc.org/ooxml"
_STRICT_NAME = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_USUAL_NAME = rb"http://schemas.openxmlformats.org/\1/2006/\2"


def repaired(data: bytes) -> bytes:
    """The package with usual names, without relations to parts that it does not hold, each part with a type.

    A package that needs none of this is returned as it is.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    original = dict(parts)
    for name, content in original.items():
        if name.lower().endswith((".xml", ".rels")) and _STRICT in content:
            parts[name] = _STRICT_NAME.sub(_USUAL_NAME, content)
    for name in [name for name in parts if name.endswith(".rels")]:
        _mend_relations(parts, name)
    _mend_types(parts)
    return data if parts == original else _packed(parts)


def _mend_relations(parts: dict[str, bytes], name: str) -> None:
    """Make relations lead to the parts that they mean; remove those that lead to none."""
    relations = parse_xml(parts[name])
    # "word/_rels/document.xml.rels" is about "word/document.xml"; what it names is beside that.
    folder = posixpath.dirname(posixpath.dirname(name))
    names = {other.lower(): other for other in parts}
    is_changed = False
    for relation in list(relations.iterchildren("{*}Relationship")):
        target = relation.get("Target", "")
        if relation.get("TargetMode") == "External":
            continue
        part_name = _part_of(target, folder, names)
        if part_name is None:
            relations.remove(relation)
            is_changed = True
        elif posixpath.normpath(posixpath.join("/", folder, target)) != f"/{part_name}":
            relation.set("Target", f"/{part_name}")
            is_changed = True
    if is_changed:
        parts[name] = _written(relations)


def _part_of(target: str, folder: str, names: dict[str, str]) -> str | None:
    """The name of the part that a relation means, however it writes it."""
    for spelling in (target, unquote(target), target.replace("\\", "/")):
        name = posixpath.normpath(posixpath.join("/", folder, spelling)).lstrip("/").lower()
        if name in names:
            return names[name]
    return None


def _mend_types(parts: dict[str, bytes]) -> None:
    """Give every part a type that has none, and no document inside of this one the type of a part of it."""
    types = parse_xml(parts[_CONTENT_TYPES])
    named = {entry.get("PartName", "").lower() for entry in types.iter(f"{_TYPES}Override")}
    endings = {entry.get("Extension", "").lower() for entry in types.iter(f"{_TYPES}Default")}
    packages = [
        entry
        for entry in types.iter(f"{_TYPES}Override")
        if entry.get("ContentType", "").endswith("+xml")
        and parts.get(entry.get("PartName", "").removeprefix("/"), b"").startswith(_ZIP)
    ]
    packages += [entry for entry in types.iter(f"{_TYPES}Default") if entry.get("Extension", "").lower() == "docx"]
    for entry in packages:
        entry.set("ContentType", _UNKNOWN)
    missing = [
        name
        for name in parts
        if name != _CONTENT_TYPES and f"/{name}".lower() not in named and _ending(name) not in endings
    ]
    for name in missing:
        entry = etree.SubElement(types, f"{_TYPES}Override")
        entry.set("PartName", f"/{name}")
        entry.set("ContentType", _UNKNOWN)
    if missing or packages:
        parts[_CONTENT_TYPES] = _written(types)


def _ending(name: str) -> str:
    # "_rels/.rels" has one, too.
    return posixpath.basename(name).lower().rpartition(".")[2]


def _written(root: Element) -> bytes:
    xml: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    return xml


def _packed(parts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()
