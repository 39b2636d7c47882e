"""Text of a Word document, with what a reader does not see set apart. Runs in the reading child only."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import docx
from docx.oxml.ns import qn

from portal.documents import refusals
from portal.documents.docx.colours import Theme
from portal.documents.docx.package import check_package
from portal.documents.docx.parts import parts_in_order, related
from portal.documents.docx.places import is_out_of_sight
from portal.documents.docx.run_formatting import Looks, ground_of_page
from portal.documents.docx.symbols import sign_of
from portal.documents.extracted import Raw
from portal.documents.title import title_among

if TYPE_CHECKING:
    from docx.document import Document
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.limits import Limits

_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATHS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_WORD_ART = "{urn:schemas-microsoft-com:vml}textpath"
_UNDERSTOOD = ("http://schemas.microsoft.com/office/", "urn:schemas-microsoft-com:")
_DATE_OF_LAYOUT = qn("w:lastRenderedPageBreak")

# Gone, moved away, properties, and how an annotation of a character is read aloud.
_SKIPPED = frozenset(
    qn(tag) for tag in ("w:del", "w:moveFrom", "w:pPr", "w:rPr", "w:sdtPr", "w:tblPr", "w:tcPr", "w:trPr")
)
_TEXTS = frozenset({qn("w:t"), f"{_MATHS}t"})
_LAID_OUT_APART = (qn("w:tbl"), qn("w:txbxContent"))
# A title stands in the first half of the lines: a column beside it may come first.
TITLE_WITHIN = 0.5
_RUNS = frozenset({qn("w:r"), f"{_MATHS}r"})


def read_docx(data: bytes, limits: Limits) -> Raw:
    """The text of headers, body, notes and footers, one paragraph a line, in the order of the file.

    Tables, text boxes, content controls, links and tracked insertions are read where they stand, but a title in the
    largest letters before tables and boxes; repeated headers and footers once. The number of pages is the one Word
    noted when it last laid the document out.

    Raises:
        RefusedDocument: see `docx_package.check_package`; too many pages, too much text.
    """
    check_package(data, limits)
    document = docx.Document(io.BytesIO(data))
    pages = _pages(document.element.body)
    if pages > limits.pages:
        raise refusals.too_many_pages(pages, limits.pages)
    ground = ground_of_page(document.element, _first(document, "settings"))
    looks = Looks(_first(document, "styles"), ground, theme=Theme(_first(document, "theme")))
    gathered = _Gathered(looks, limits)
    for part in parts_in_order(document):
        gathered.read(part.root, shown=part.shown)
    return Raw(visible=gathered.visible(), hidden=gathered.hidden(), pages=pages)


def _pages(body: Element) -> int:
    """Pages as last laid out; without such marks, pages the author broke by hand."""
    laid_out = sum(1 for _ in body.iter(_DATE_OF_LAYOUT))
    by_hand = sum(1 for mark in body.iter(qn("w:br")) if mark.get(qn("w:type")) == "page")
    return max(laid_out, by_hand) + 1


def _first(document: Document, kind: str) -> Element | None:
    roots = related(document, kind)
    return roots[0] if roots else None


def _is_deleted(row: Element) -> bool:
    """Whether a row of a table is only there as a change that was not yet accepted."""
    return row.find(f"{qn('w:trPr')}/{qn('w:del')}") is not None


def _is_initial(paragraph: Element) -> bool:
    """Whether a paragraph is the large initial of the next one."""
    frame = paragraph.find(f"{qn('w:pPr')}/{qn('w:framePr')}")
    return frame is not None and frame.get(qn("w:dropCap"), "none") != "none"


def _chosen(alternatives: Element) -> Element | None:
    """Of several renderings of the same thing, the first that Word understands."""
    one: Element
    for one in alternatives.iterchildren("{*}*"):
        if one.tag == f"{_COMPATIBILITY}Fallback":
            return one
        needed = [one.nsmap.get(prefix, "") for prefix in one.get("Requires", "").split()]
        if needed and all(name.startswith(_UNDERSTOOD) for name in needed):
            return one
    return None


def _codes_of_fields(root: Element) -> set[Element]:
    """The runs between the begin of a field and its result: instructions, which nobody sees."""
    codes: set[Element] = set()
    open_fields: list[list[Element] | None] = []
    for run in root.iter(qn("w:r")):
        kind = next((mark.get(qn("w:fldCharType")) for mark in run.iterchildren(qn("w:fldChar"))), None)
        if kind == "begin":
            open_fields.append([])
        elif kind == "separate" and open_fields:
            codes.update(open_fields[-1] or ())
            open_fields[-1] = None
        elif kind == "end" and open_fields:
            codes.update(open_fields.pop() or ())
        elif open_fields:
            for field in open_fields:
                if field is not None:
                    field.append(run)
    return codes


class _Gathered:
    """Lines of text, in two columns: what is seen and what is hidden."""

    def __init__(self, looks: Looks, limits: Limits) -> None:
        self._looks = looks
        self._limits = limits
        self._left = limits.raw_characters
        self._lines: list[tuple[list[str], list[str]]] = [([], [])]
        self._codes: set[Element] = set()
        # The last line is a large initial, which goes on in the next paragraph.
        self._has_initial = False
        # Of the smallest letters of a line, in half points.
        self._sizes: dict[int, float] = {}
        # Where parts begin, and what is in tables and boxes.
        self._starts: list[int] = [0]
        self._apart: set[int] = set()

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
        return "\n".join("".join(unseen) for _, unseen in self._lines if unseen)

    def read(self, root: Element, *, shown: bool) -> None:
        """Append the text under `root`, all of it as hidden unless it is `shown`."""
        self._codes = _codes_of_fields(root)
        self._has_initial = False
        self._starts.append(len(self._lines))
        self._lines.append(([], []))
        self._read(root, len(self._lines) - 1, hidden=not shown)

    def _read(self, element: Element, line: int, *, hidden: bool) -> None:
        """Walk the tree (no deeper than libxml2 lets it be); a paragraph inside another follows it."""
        for child in element.iterchildren("{*}*"):
            tag = child.tag
            if tag in _SKIPPED or (tag == qn("w:tr") and _is_deleted(child)):
                continue
            unseen = hidden or is_out_of_sight(child)
            if tag == qn("w:p"):
                if not self._has_initial:
                    self._lines.append(([], []))
                self._has_initial = _is_initial(child)
                if next(child.iterancestors(*_LAID_OUT_APART), None) is not None:
                    self._apart.add(len(self._lines) - 1)
                self._read(child, len(self._lines) - 1, hidden=unseen)
            elif tag in _RUNS:
                self._read_run(child, line, hidden=unseen)
            elif tag == f"{_COMPATIBILITY}AlternateContent":
                chosen = _chosen(child)
                if chosen is not None:
                    self._read(chosen, line, hidden=unseen)
            elif tag == _WORD_ART:
                self._lines[line][unseen].append(child.get("string", ""))
            else:
                self._read(child, line, hidden=unseen)

    def _read_run(self, run: Element, line: int, *, hidden: bool) -> None:
        size = None if hidden or run in self._codes else self._looks.half_points(run)
        if size is not None and any((text.text or "").strip() for text in run.iterchildren(qn("w:t"))):
            self._sizes[line] = min(size, self._sizes.get(line, size))
        self._read_inside(run, line, hidden=hidden, unseen=size is None)

    def _read_inside(self, element: Element, line: int, *, hidden: bool, unseen: bool) -> None:
        """What stands in a run: its own letters are `unseen` or not, boxes in it have looks of their own."""
        for child in element.iterchildren("{*}*"):
            text = (child.text or "") if child.tag in _TEXTS else sign_of(child)
            if text is not None:
                self._left -= len(text)
                if self._left < 0:
                    raise refusals.too_much_text(self._limits.characters)
                self._lines[line][unseen].append(text)
            elif child.tag == f"{_COMPATIBILITY}AlternateContent":
                chosen = _chosen(child)
                if chosen is not None:
                    self._read_inside(chosen, line, hidden=hidden, unseen=unseen)
            elif child.tag not in _SKIPPED:
                self._read(child, line, hidden=hidden or is_out_of_sight(child))
