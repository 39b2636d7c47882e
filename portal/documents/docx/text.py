"""Text of a Word document, with what a reader does not see set apart. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents import refusals
from portal.documents.appearance import is_named_after_icons, sentences_in, title_among
from portal.documents.docx.bound import Controls
from portal.documents.docx.colours import Theme
from portal.documents.docx.looks import Looks, Sight, ground_of_page, has_floating_drawings, is_out_of_sight
from portal.documents.docx.markup import chosen, found, qn, texts_not_chosen
from portal.documents.docx.package import Package
from portal.documents.docx.parts import parts_in_order, related
from portal.documents.extracted import Raw
from portal.documents.kinds import Kind
from portal.documents.notices import Notice

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.etree import _Element as Element

    from portal.documents.docx.parts import Part
    from portal.documents.limits import Limits

# Gone, moved away, and properties.
_SKIPPED = frozenset(
    qn(tag) for tag in ("w:del", "w:moveFrom", "w:pPr", "w:rPr", "w:sdtPr", "w:tblPr", "w:tcPr", "w:trPr")
)
_TAKEN_OUT = {qn("w:tr"): "w:trPr/w:del", qn("w:tc"): "w:tcPr/w:cellDel"}
_TEXTS = frozenset(map(qn, ("w:t", "m:t", "a:t")))
_PARAGRAPHS = frozenset(map(qn, ("w:p", "a:p")))
_RUNS = frozenset(map(qn, ("w:r", "m:r", "a:r", "a:fld")))
# Parts of a formula beside or above each other: without a space their words would be one.
_STACKED = frozenset(map(qn, ("m:num", "m:den", "m:fName", "m:lim")))
_REFERENCES = frozenset(map(qn, ("w:footnoteReference", "w:endnoteReference", "c:chart", "dgm:relIds")))
_ALTERNATIVES = qn("mc:AlternateContent")
_SIGNS = {
    **dict.fromkeys(map(qn, ("w:tab", "w:ptab")), "\t"),
    **dict.fromkeys(map(qn, ("w:br", "w:cr")), "\n"),
    qn("w:noBreakHyphen"): "-",
    qn("w:softHyphen"): "",
}
# The Symbol font has Greek letters where others have Latin ones.
_LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_GREEK = str.maketrans(_LATIN, "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖαβχδεφγηιϕκλμνοπθρστυϖωξψζ")
# A title stands in the first half of the lines: a column beside it may come first.
TITLE_WITHIN = 0.5


def read_docx(data: bytes, limits: Limits) -> Raw:
    """The text of headers, body, notes and footers, one paragraph a line, in the order of the file.

    Tables, text boxes, content controls, links and tracked insertions are read where they stand, but a title in the
    largest letters before tables and boxes; repeated headers and footers once. The number of pages is the one Word
    noted when it last laid the document out.

    Raises:
        RefusedDocument: see `Package`; too many pages, too much text.
    """
    return _read_package(data, limits, lambda inner: _read_package(inner, limits, _read_no_further))


def _read_package(data: bytes, limits: Limits, read: Callable[[bytes], Raw]) -> Raw:
    """The text of a document; documents that it takes in are read by `read`."""
    package = Package(data, limits)
    document = package.root(package.main)
    pages = _pages(document)
    if pages > limits.pages:
        raise refusals.too_many_pages(pages, limits.pages)
    styles, theme, settings = (
        next((root for root, _ in related(package, kind)), None) for kind in ("styles", "theme", "settings")
    )
    headers = [root for root, _ in related(package, "header")]
    has_floating = any(map(has_floating_drawings, (document, *headers)))
    looks = Looks(styles, Theme(theme), ground_of_page(document, settings), has_floating=has_floating)
    gathered = _Gathered(looks, Controls(package), limits)
    for part in parts_in_order(package, document, read, gathered.references):
        gathered.read(part)
    notices = (Notice.MAY_BE_HIDDEN,) if gathered.may_be_hidden else ()
    return Raw(visible=gathered.visible(), hidden=gathered.hidden(), pages=pages, notices=notices)


def _read_no_further(_data: bytes) -> Raw:
    """Refuse a document in a document in a document: no resume has one, and it may contain itself."""
    raise refusals.damaged(Kind.DOCX.label)


def _pages(document: Element) -> int:
    """Pages as last laid out; without such marks, pages the author broke by hand."""
    laid_out = sum(1 for _ in document.iter(qn("w:lastRenderedPageBreak")))
    by_hand = sum(1 for mark in document.iter(qn("w:br")) if mark.get(qn("w:type")) == "page")
    return max(laid_out, by_hand) + 1


def _is_gone(element: Element) -> bool:
    """Whether an element is of a kind without text, or is removed by a tracked change, as a table row may be."""
    return element.tag in _SKIPPED or (
        element.tag in _TAKEN_OUT and found(element, _TAKEN_OUT[element.tag]) is not None
    )


def _goes_on(paragraph: Element) -> bool:
    """Whether the next paragraph continues the line: after a large initial, or where a change takes its end out."""
    if any(found(paragraph, f"w:pPr/w:rPr/w:{change}") is not None for change in ("del", "moveFrom")):
        return True
    frame = found(paragraph, "w:pPr/w:framePr")
    return frame is not None and frame.get(qn("w:dropCap"), "none") != "none"


class _Gathered:
    """Lines of text, in two columns: what is seen and what is hidden."""

    def __init__(self, looks: Looks, controls: Controls, limits: Limits) -> None:
        self._looks = looks
        self._controls = controls
        self._limits = limits
        self._left = limits.raw_characters
        self._lines: list[tuple[list[str], list[str]]] = [([], [])]
        # The last line goes on in the next paragraph.
        self._is_open = False
        # Of the smallest letters of a line, in half points.
        self._sizes: dict[int, float] = {}
        # Where parts begin, and what is in tables and boxes.
        self._starts: list[int] = [0]
        self._apart: set[int] = set()
        # For a line with signs that are read aloud above it, the line of these readings.
        self._readings: dict[int, int] = {}
        # Of every open field, whether its code still goes on: nobody sees that.
        self._fields: list[bool] = []
        # Renderings of something that is shown in another one.
        self._not_chosen: dict[str, None] = {}
        # To notes, diagrams and charts, where a reader sees them.
        self.references: set[Element] = set()
        self.may_be_hidden = False

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
        self._readings, self._fields = {}, []
        self._is_open = False
        self._starts.append(len(self._lines))
        self._lines.append(([], []))
        self._read(part.root, len(self._lines) - 1, is_hidden=not part.shown)

    def _read(self, element: Element, line: int, *, is_hidden: bool) -> None:
        """Walk the tree (no deeper than libxml2 lets it be); a paragraph inside another follows it."""
        for child in element.iterchildren("{*}*"):
            tag = child.tag
            if _is_gone(child):
                continue
            hides = is_hidden or is_out_of_sight(child)
            if tag in _PARAGRAPHS:
                self._begin_line(child)
                self._read(child, len(self._lines) - 1, is_hidden=hides)
            elif tag in _RUNS:
                self._read_run(child, line, is_hidden=hides)
            elif tag == _ALTERNATIVES:
                alternative = self._chosen(child)
                if alternative is not None:
                    self._read(alternative, line, is_hidden=hides)
            elif tag == qn("v:textpath"):
                self._lines[line][hides].append(child.get("string", ""))
            else:
                if tag in _REFERENCES and not hides:
                    self.references.add(child)
                target_line = self._line_of_readings(line) if tag == qn("w:rt") else line
                self._read(child, target_line, is_hidden=hides)
                if tag in _STACKED:
                    self._lines[target_line][hides].append(" ")

    def _read_run(self, run: Element, line: int, *, is_hidden: bool) -> None:
        sight = Sight.HIDDEN if is_hidden else self._looks.sight_of(run)
        has_text = any((text.text or "").strip() for text in run.iterchildren(qn("w:t")))
        if sight is not Sight.HIDDEN and has_text:
            size = self._looks.look(run).size
            self._sizes[line] = min(size, self._sizes.get(line, size))
            self.may_be_hidden |= sight is Sight.MAY_BE_HIDDEN
        # All that hangs on a run that is set as hidden is hidden with it; else boxes in it have their own looks.
        is_hidden = is_hidden or self._looks.look(run).vanished
        self._read_inside(run, line, is_hidden=is_hidden, is_plain=sight is not Sight.HIDDEN)

    def _read_inside(self, element: Element, line: int, *, is_hidden: bool, is_plain: bool) -> None:
        """Read the content of a run: its own letters are hidden unless `is_plain`; boxes in it have their own looks."""
        for child in element.iterchildren("{*}*"):
            tag = child.tag
            text = self._text_of(child)
            if tag == qn("w:fldChar"):
                self._enter_field(child.get(qn("w:fldCharType")))
            elif text is not None:
                self._count(text)
                # The result of a field in a code tells the code something ("page 2") and hides nothing.
                if not any(self._fields) or self._fields[-1]:
                    self._lines[line][not is_plain or any(self._fields)].append(text)
            elif tag == _ALTERNATIVES:
                alternative = self._chosen(child)
                if alternative is not None:
                    self._read_inside(alternative, line, is_hidden=is_hidden, is_plain=is_plain)
            elif tag in _REFERENCES:
                if is_plain:
                    self.references.add(child)
            elif tag not in _SKIPPED:
                self._read(child, line, is_hidden=is_hidden or is_out_of_sight(child))

    def _enter_field(self, mark: str | None) -> None:
        """Follow the parts of a field: its code, which nobody sees, and its result."""
        if mark == "begin":
            self._fields.append(True)
        elif mark == "separate" and self._fields:
            self._fields[-1] = False
        elif mark == "end" and self._fields:
            self._fields.pop()

    def _text_of(self, element: Element) -> str | None:
        """The text of a run's child as its font shows it; None if it contains something other than text."""
        if element.tag == qn("w:sym"):
            return _sign_of(element)
        if element.tag not in _TEXTS:
            return _SIGNS.get(element.tag)
        # Line ends are how the file is indented; Word shows a space.
        text = (element.text or "").replace("\n", " ")
        fonts = found(element.getparent(), "w:rPr/w:rFonts")
        font = "" if fonts is None else fonts.get(qn("w:ascii"), "")
        if font.lower() == "symbol":
            return text.translate(_GREEK)
        if is_named_after_icons(font):
            return "".join(" " if letter.isascii() else letter for letter in text)
        return text

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

    def _begin_line(self, paragraph: Element) -> None:
        if not self._is_open:
            self._lines.append(([], []))
        self._is_open = _goes_on(paragraph)
        if next(paragraph.iterancestors(qn("w:tbl"), qn("w:txbxContent")), None) is not None:
            self._apart.add(len(self._lines) - 1)

    def _line_of_readings(self, line: int) -> int:
        """A line for how signs of `line` are read aloud, apart from it: between them it would divide words."""
        if line not in self._readings:
            self._readings[line] = len(self._lines)
            self._lines.append(([], []))
        for column in self._lines[self._readings[line]]:
            column.append(" ")
        return self._readings[line]


def _sign_of(symbol: Element) -> str:
    """The sign that a `w:sym` shows; a space for a picture of a font."""
    try:
        code = int(symbol.get(qn("w:char"), ""), 16)
    except ValueError:
        return " "
    if symbol.get(qn("w:font"), "").lower() == "symbol":
        letter = chr(code & 0xFF)
        return letter.translate(_GREEK) if letter in _LATIN or " " <= letter <= "?" else " "
    return chr(code) if 0x20 <= code < 0xD800 else " "  # noqa: PLR2004 - before the surrogates and private letters
