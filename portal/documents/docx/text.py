"""Text of a Word document, with what a reader does not see set apart. Runs in the reading child only."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import docx
from docx.oxml.ns import nsmap

from portal.documents import refusals
from portal.documents.docx.alternatives import ALTERNATIVES, chosen, texts_not_chosen
from portal.documents.docx.bound import Controls
from portal.documents.docx.colours import Theme
from portal.documents.docx.fields import Fields
from portal.documents.docx.names import DRAWING, qn
from portal.documents.docx.numbering import Numbering
from portal.documents.docx.older_shapes import is_floating
from portal.documents.docx.package import check_package
from portal.documents.docx.paper import papers_of
from portal.documents.docx.parts import parts_in_order, related
from portal.documents.docx.places import is_out_of_sight
from portal.documents.docx.repair import repaired
from portal.documents.docx.run_formatting import Looks, ground_of_page
from portal.documents.docx.symbols import sign_of, words_in_font
from portal.documents.extracted import Raw
from portal.documents.kinds import Kind
from portal.documents.sentences import sentences_in
from portal.documents.title import title_among

if TYPE_CHECKING:
    from collections.abc import Callable

    from docx.document import Document
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.docx.parts import Part
    from portal.documents.limits import Limits

_MATHS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_WORD_ART = "{urn:schemas-microsoft-com:vml}textpath"
_PAGE_BREAK_AS_LAID_OUT = qn("w:lastRenderedPageBreak")

# Gone, moved away, and properties.
_SKIPPED = frozenset(
    qn(tag) for tag in ("w:del", "w:moveFrom", "w:pPr", "w:rPr", "w:sdtPr", "w:tblPr", "w:tcPr", "w:trPr")
)
_TAKEN_OUT = {qn("w:tr"): f"{qn('w:trPr')}/{qn('w:del')}", qn("w:tc"): f"{qn('w:tcPr')}/{qn('w:cellDel')}"}
_TEXTS = frozenset({qn("w:t"), f"{_MATHS}t", f"{DRAWING}t"})
_PARAGRAPHS = frozenset({qn("w:p"), f"{DRAWING}p"})
# Parts of a formula beside or above each other: without a space their words would be one.
_STACKED = frozenset(f"{_MATHS}{part}" for part in ("num", "den", "fName", "lim"))
_LAID_OUT_APART = (qn("w:tbl"), qn("w:txbxContent"))
# A title stands in the first half of the lines: a column beside it may come first.
TITLE_WITHIN = 0.5
_REFERENCES = frozenset(
    {qn("w:footnoteReference"), qn("w:endnoteReference"), f"{{{nsmap['c']}}}chart", f"{_DIAGRAM}relIds"}
)
_RUNS = frozenset({qn("w:r"), f"{_MATHS}r", f"{DRAWING}r", f"{DRAWING}fld"})


def read_docx(data: bytes, limits: Limits) -> Raw:
    """The text of headers, body, notes and footers, one paragraph a line, in the order of the file.

    Tables, text boxes, content controls, links and tracked insertions are read where they stand, but a title in the
    largest letters before tables and boxes; repeated headers and footers once. The number of pages is the one Word
    noted when it last laid the document out.

    Raises:
        RefusedDocument: see `package.check_package`; too many pages, too much text.
    """
    return _read_package(data, limits, lambda inner: _read_package(inner, limits, _read_no_further))


def _read_package(data: bytes, limits: Limits, read: Callable[[bytes], Raw]) -> Raw:
    """The text of a document; documents that it takes in are read by `read`."""
    check_package(data, limits)
    document = docx.Document(io.BytesIO(repaired(data)))
    pages = _pages(document.element.body)
    if pages > limits.pages:
        raise refusals.too_many_pages(pages, limits.pages)
    ground = ground_of_page(document.element, _first(document, "settings"))
    styles, theme = _first(document, "styles"), Theme(_first(document, "theme"))
    numbering = Numbering(_first(document, "numbering"), styles)
    looks = Looks(styles, ground, theme, papers_of(document.element), numbering)
    gathered = _Gathered(looks, numbering, Controls(document), limits)
    for part in parts_in_order(document, read, gathered.references):
        gathered.read(part)
    return Raw(visible=gathered.visible(), hidden=gathered.hidden(), pages=pages)


def _read_no_further(_data: bytes) -> Raw:
    """Refuse a document in a document in a document: no resume has one, and it may contain itself."""
    raise refusals.damaged(Kind.DOCX.label)


def _pages(body: Element) -> int:
    """Pages as last laid out; without such marks, pages the author broke by hand."""
    laid_out = sum(1 for _ in body.iter(_PAGE_BREAK_AS_LAID_OUT))
    by_hand = sum(1 for mark in body.iter(qn("w:br")) if mark.get(qn("w:type")) == "page")
    return max(laid_out, by_hand) + 1


def _first(document: Document, kind: str) -> Element | None:
    roots = related(document, kind)
    return roots[0] if roots else None


def _is_gone(element: Element) -> bool:
    """Whether an element is of a kind without text, or is removed by a tracked change, as a table row may be."""
    change = _TAKEN_OUT.get(element.tag)
    return element.tag in _SKIPPED or (change is not None and element.find(change) is not None)


def _goes_on(paragraph: Element) -> bool:
    """Whether the next paragraph continues the line: after a large initial, or where a change takes its end out."""
    if any(
        paragraph.find(f"{qn('w:pPr')}/{qn('w:rPr')}/{qn(change)}") is not None for change in ("w:del", "w:moveFrom")
    ):
        return True
    frame = paragraph.find(f"{qn('w:pPr')}/{qn('w:framePr')}")
    return frame is not None and frame.get(qn("w:dropCap"), "none") != "none"


@dataclass(frozen=True, slots=True)
class _Sight:
    """What a reader sees of an element.

    Attributes:
        is_unseen: nothing, whatever is in it.
        is_cut_off: no text of its own; what floats in it lies elsewhere.
    """

    is_unseen: bool = False
    is_cut_off: bool = False

    @property
    def is_hidden(self) -> bool:
        """Whether its text is hidden."""
        return self.is_unseen or self.is_cut_off


class _Gathered:
    """Lines of text, in two columns: what is seen and what is hidden."""

    def __init__(self, looks: Looks, numbering: Numbering, controls: Controls, limits: Limits) -> None:
        self._looks = looks
        self._numbering = numbering
        self._controls = controls
        self._limits = limits
        self._left = limits.raw_characters
        self._lines: list[tuple[list[str], list[str]]] = [([], [])]
        self._fields = Fields(None)
        # The last line goes on in the next paragraph.
        self._is_open = False
        # Of the smallest letters of a line, in half points.
        self._sizes: dict[int, float] = {}
        # Where parts begin, and what is in tables and boxes.
        self._starts: list[int] = [0]
        self._apart: set[int] = set()
        # For a line with signs that are read aloud above it, the line of these readings.
        self._readings: dict[int, int] = {}
        # Renderings of something that is shown in another one.
        self._not_chosen: dict[str, None] = {}
        # To notes, diagrams and charts, where a reader sees them.
        self.references: set[Element] = set()

    def visible(self) -> str:
        """What a reader sees, a title before what is laid out apart beside it."""
        lines = ["".join(seen) for seen, _ in self._lines]
        title = title_among([(line, self._sizes.get(place, 0.0)) for place, line in enumerate(lines)])
        start = max((place for place in self._starts if title and place <= title.start), default=0)
        is_high = sum(map(bool, lines[: title.start])) <= TITLE_WITHIN * sum(map(bool, lines))
        before = {place for place in range(start, title.start) if lines[place]} if title else set()
        if before and is_high and before <= self._apart:
            lines[start : title.stop] = lines[title.start : title.stop] + lines[start : title.start]
        return "\n".join(lines)

    def hidden(self) -> str:
        """What a reader does not see."""
        lines = ["".join(unseen) for _, unseen in self._lines if unseen]
        beside = sentences_in(self._not_chosen, "\n".join((self.visible(), *lines))) if self._not_chosen else ""
        return "\n".join([*lines, beside] if beside else lines)

    def read(self, part: Part) -> None:
        """Append the text of a part, all of it as hidden unless it is shown."""
        for value, replaced in self._controls.fill(part.root):
            self._count(value)
            self._remember(replaced)
        self._fields = Fields(part.root)
        self._readings = {}
        self._looks.enter(part)
        self._is_open = False
        self._starts.append(len(self._lines))
        self._lines.append(([], []))
        self._read(part.root, len(self._lines) - 1, _Sight(not part.shown))

    def _read(self, element: Element, line: int, sight: _Sight) -> None:
        """Walk the tree (no deeper than libxml2 lets it be); a paragraph inside another follows it."""
        for child in element.iterchildren("{*}*"):
            tag = child.tag
            if _is_gone(child):
                continue
            inner = self._sight_of(child, sight)
            if tag in _PARAGRAPHS:
                self._begin_line(child)
                self._numbering.write_label(child)
                self._read(child, len(self._lines) - 1, inner)
            elif tag in _RUNS:
                self._read_run(child, line, inner)
            elif tag == ALTERNATIVES:
                alternative = self._chosen(child)
                if alternative is not None:
                    self._read(alternative, line, inner)
            elif tag == _WORD_ART:
                self._lines[line][inner.is_hidden].append(child.get("string", ""))
            else:
                if tag in _REFERENCES and not inner.is_hidden:
                    self.references.add(child)
                target_line = self._line_of_readings(line) if tag == qn("w:rt") else line
                self._read(child, target_line, inner)
                if tag in _STACKED:
                    self._lines[target_line][inner.is_hidden].append(" ")

    def _chosen(self, alternatives: Element) -> Element | None:
        """The rendering that Word shows; what the others say is remembered."""
        for text in texts_not_chosen(alternatives):
            self._remember(text)
        return chosen(alternatives)

    def _remember(self, text: str) -> None:
        """Keep a text that Word shows something else in place of."""
        self._count(text)
        self._not_chosen[text] = None

    def _count(self, text: str) -> None:
        self._left -= len(text)
        if self._left < 0:
            raise refusals.too_much_text(self._limits.characters)

    def _sight_of(self, element: Element, around: _Sight) -> _Sight:
        """What of an element is seen, given what is seen of what it is in."""
        is_unseen = around.is_unseen or is_out_of_sight(element) or self._looks.is_unseen(element)
        is_cut_off = around.is_cut_off and not is_floating(element)
        return _Sight(is_unseen, is_cut_off or self._looks.is_cut_off(element))

    def _begin_line(self, paragraph: Element) -> None:
        if not self._is_open:
            self._lines.append(([], []))
        self._is_open = _goes_on(paragraph)
        if next(paragraph.iterancestors(*_LAID_OUT_APART), None) is not None:
            self._apart.add(len(self._lines) - 1)

    def _line_of_readings(self, line: int) -> int:
        """A line for how signs of `line` are read aloud, apart from it: between them it would divide words."""
        if line not in self._readings:
            self._readings[line] = len(self._lines)
            self._lines.append(([], []))
        for column in self._lines[self._readings[line]]:
            column.append(" ")
        return self._readings[line]

    def _read_run(self, run: Element, line: int, sight: _Sight) -> None:
        size = None if sight.is_hidden else self._looks.half_points(run)
        texts = (text for text in run.iterchildren(qn("w:t")) if text not in self._fields.codes)
        if size is not None and any((text.text or "").strip() for text in texts):
            self._sizes[line] = min(size, self._sizes.get(line, size))
        if run.tag == qn("w:r") and self._looks.has_vanished(run):
            sight = _Sight(is_unseen=True)
        self._read_inside(run, line, sight, is_plain=size is not None)

    def _text_of(self, element: Element) -> str | None:
        """The text of a run's child; None if it contains something other than text."""
        if element in self._fields.shown:
            return self._fields.shown[element]
        return words_in_font(element) if element.tag in _TEXTS else sign_of(element)

    def _read_inside(self, element: Element, line: int, sight: _Sight, *, is_plain: bool) -> None:
        """Read the content of a run: its own letters are hidden unless `is_plain`; boxes in it have their own looks."""
        for child in element.iterchildren("{*}*"):
            text = "" if child in self._fields.nested else self._text_of(child)
            if text is not None:
                self._count(text)
                is_code = child in self._fields.codes and child not in self._fields.shown
                self._lines[line][not is_plain or is_code].append(text)
            elif child.tag == ALTERNATIVES:
                alternative = self._chosen(child)
                if alternative is not None:
                    self._read_inside(alternative, line, sight, is_plain=is_plain)
            elif child.tag in _REFERENCES:
                if not sight.is_hidden:
                    self.references.add(child)
            elif child.tag not in _SKIPPED:
                self._read(child, line, self._sight_of(child, sight))
