"""Text of a Word document, with what a reader does not see set apart. Runs in the reading child only."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import docx
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml

from portal.documents import refusals
from portal.documents.docx_looks import Looks, ground_of_page
from portal.documents.docx_package import check_package
from portal.documents.extracted import Raw

if TYPE_CHECKING:
    from docx.document import Document
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.limits import Limits

_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_DATE_OF_LAYOUT = qn("w:lastRenderedPageBreak")

# Moved away, properties, and the second of two renderings of the same drawing.
_SKIPPED = frozenset(
    {qn(tag) for tag in ("w:moveFrom", "w:pPr", "w:rPr", "w:sdtPr", "w:tblPr", "w:tcPr")}
    | {f"{_COMPATIBILITY}Fallback"}
)
_SIGNS = {
    qn("w:tab"): "\t",
    qn("w:ptab"): "\t",
    qn("w:br"): "\n",
    qn("w:cr"): "\n",
    qn("w:noBreakHyphen"): "-",
    qn("w:softHyphen"): "",
}


def read_docx(data: bytes, limits: Limits) -> Raw:
    """The text of headers, body, notes and footers, one paragraph a line, in the order of the file.

    Tables, text boxes, content controls, links and tracked insertions are read where they stand; repeated
    headers and footers once. The number of pages is the one Word noted when it last laid the document out.

    Raises:
        RefusedDocument: see `docx_package.check_package`; too many pages, too much text.
    """
    check_package(data, limits)
    document = docx.Document(io.BytesIO(data))
    pages = _pages(document.element.body)
    if pages > limits.pages:
        raise refusals.too_many_pages(pages, limits.pages)
    looks = Looks(_styles(document), ground_of_page(document.element))
    gathered = _Gathered(looks, limits)
    for kind in ("header", None, "footnotes", "endnotes", "footer"):
        for root in [document.element.body] if kind is None else _parts(document, kind):
            gathered.read(root)
    return Raw(visible=gathered.visible(), hidden=gathered.hidden(), pages=pages)


def _pages(body: Element) -> int:
    """Pages as last laid out; without such marks, pages the author broke by hand."""
    laid_out = sum(1 for _ in body.iter(_DATE_OF_LAYOUT))
    by_hand = sum(1 for mark in body.iter(qn("w:br")) if mark.get(qn("w:type")) == "page")
    return max(laid_out, by_hand) + 1


def _styles(document: Document) -> Element | None:
    roots = _parts(document, "styles")
    return roots[0] if roots else None


def _parts(document: Document, kind: str) -> list[Element]:
    """The roots of the parts that the document relates to as `kind`, each distinct content once."""
    blobs = [
        relation.target_part.blob
        for relation in document.part.rels.values()
        if not relation.is_external and relation.reltype == _RELATIONSHIPS + kind
    ]
    return [parse_xml(blob) for blob in dict.fromkeys(blobs)]


class _Gathered:
    """Lines of text, in two columns: what is seen and what is hidden."""

    def __init__(self, looks: Looks, limits: Limits) -> None:
        self._looks = looks
        self._limits = limits
        self._left = limits.raw_characters
        self._lines: list[tuple[list[str], list[str]]] = [([], [])]

    def visible(self) -> str:
        """What a reader sees."""
        return "\n".join("".join(seen) for seen, _ in self._lines)

    def hidden(self) -> str:
        """What a reader does not see."""
        return "\n".join("".join(unseen) for _, unseen in self._lines if unseen)

    def read(self, root: Element) -> None:
        """Append the text under `root`."""
        self._read(root, 0)

    def _read(self, element: Element, line: int) -> None:
        """Walk the tree (no deeper than libxml2 lets it be); a paragraph inside another follows it."""
        for child in element.iterchildren("{*}*"):
            tag = child.tag
            if tag in _SKIPPED:
                continue
            if tag == qn("w:p"):
                self._lines.append(([], []))
                self._read(child, len(self._lines) - 1)
            elif tag == qn("w:r"):
                self._read_run(child, line)
            else:
                self._read(child, line)

    def _read_run(self, run: Element, line: int) -> None:
        hidden = self._looks.is_hidden(run)
        for child in run.iterchildren("{*}*"):
            text = (child.text or "") if child.tag == qn("w:t") else _SIGNS.get(child.tag)
            if text is not None:
                self._left -= len(text)
                if self._left < 0:
                    raise refusals.too_much_text(self._limits.characters)
                self._lines[line][hidden].append(text)
            elif child.tag not in _SKIPPED:
                self._read(child, line)
