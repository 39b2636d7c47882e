"""Which parts of a Word document are laid out, and in which order. Runs in the reading child only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from docx.oxml.ns import nsmap
from docx.oxml.parser import parse_xml

from portal.documents.docx.chunks import paragraphs, take_in_chunks
from portal.documents.docx.names import DRAWING, qn
from portal.documents.docx.switches import is_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from docx.document import Document
    from docx.opc.rel import Relationships
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.extracted import Raw

_RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_ID = qn("r:id")
_DIAGRAM = f"{{{nsmap['r']}}}dm"
_CHART = f"{{{nsmap['c']}}}"


@dataclass(frozen=True, slots=True)
class Part:
    """Something to read: its root, whether the document shows it at all, and what it refers to."""

    root: Element
    shown: bool = True
    relations: Relationships | None = None


def parts_in_order(document: Document, read: Callable[[bytes], Raw], seen: AbstractSet[Element]) -> Iterator[Part]:
    """Headers, body, texts of diagrams and charts, notes, footers; each distinct content once.

    A header for first or even pages counts as shown where such pages have one, a note where the text refers to
    it; what the document holds beyond is read as not shown.

    Args:
        document: the document.
        read: reads a Word document inside of it.
        seen: what refers to notes, diagrams and charts in the parts read so far, where a reader sees it.
    """
    body = document.element.body
    yield from _margins(document, body, "header")
    take_in_chunks(document.part, body, read)
    yield Part(body, relations=document.part.rels)
    shown_ids = {name for reference in seen for name in (reference.get(_ID), reference.get(_DIAGRAM)) if name}
    for kind in ("diagramData", "chart"):
        for root, is_shown in _related(document, kind, shown_ids).items():
            yield Part(paragraphs(_texts_of_drawing(root)), shown=is_shown)
    for kind, mark in (("footnote", "w:footnoteReference"), ("endnote", "w:endnoteReference")):
        referenced = {reference.get(qn("w:id")) for reference in seen if reference.tag == qn(mark)}
        for root in related(document, f"{kind}s"):
            for note in root.iterchildren(qn(f"w:{kind}")):
                if note.get(qn("w:type"), "normal") == "normal":
                    yield Part(note, shown=note.get(qn("w:id")) in referenced)
    yield from _margins(document, body, "footer")


def _related(document: Document, kind: str, ids: AbstractSet[str]) -> dict[Element, bool]:
    """The roots of the parts that the document relates to as `kind`, and whether one of the `ids` leads there."""
    blobs: dict[bytes, bool] = {}
    for name, relation in document.part.rels.items():
        if not relation.is_external and relation.reltype == _RELATIONSHIPS + kind:
            blob = relation.target_part.blob
            blobs[blob] = blobs.get(blob, False) or name in ids
    return {parse_xml(blob): is_shown for blob, is_shown in blobs.items()}


def related(document: Document, kind: str) -> list[Element]:
    """The roots of the parts that the document relates to as `kind`, each distinct content once."""
    return list(_related(document, kind, frozenset()))


def _margins(document: Document, body: Element, kind: str) -> Iterator[Part]:
    """Headers or footers: those of all pages, and those of first and even pages where these are told apart."""
    kinds_in_use = {"default"}
    if any(is_on(mark) for mark in body.iter(qn("w:titlePg"))):
        kinds_in_use.add("first")
    if any(is_on(mark) for root in related(document, "settings") for mark in root.iter(qn("w:evenAndOddHeaders"))):
        kinds_in_use.add("even")
    shown = {
        mark.get(_ID)
        for mark in body.iter(qn(f"w:{kind}Reference"))
        if mark.get(qn("w:type"), "default") in kinds_in_use
    }
    relations = {
        relation.target_part.blob: relation.target_part.rels
        for relation in document.part.rels.values()
        if not relation.is_external and relation.reltype == _RELATIONSHIPS + kind
    }
    roots = _related(document, kind, shown)
    for (root, is_shown), own in zip(roots.items(), relations.values(), strict=True):
        yield Part(root, is_shown, own)


def _texts_of_drawing(root: Element) -> Iterator[str]:
    """The paragraphs of a diagram or a chart, and the names of what the chart counts, each once."""
    named: dict[str, None] = {}
    for element in root.iter(f"{DRAWING}p", f"{_CHART}strCache"):
        if element.tag == f"{DRAWING}p":
            yield "".join(text.text or "" for text in element.iter(f"{DRAWING}t"))
        else:
            named.update(dict.fromkeys(value.text or "" for value in element.iter(f"{_CHART}v")))
    yield from named
