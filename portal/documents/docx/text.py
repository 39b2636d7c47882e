"""Text of a Word document, with what a reader does not see set apart. Runs in the reading child only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from portal.documents.docx.looks import Looks, Sight, Theme, has_floating_drawings, is_out_of_sight
from portal.documents.docx.package import Package, chosen, found, is_on, parts_in_order, qn, related
from portal.documents.extracted import Extracted
from portal.documents.kinds import Kind
from portal.documents.notices import Notice, is_named_after_icons, title_among
from portal.documents.refusals import Reason, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element as Element

    from portal.documents.docx.package import Part
    from portal.documents.limits import Limits

# Gone, moved away, how a word is read aloud, and properties.
_SKIPPED = frozenset(
    qn(tag) for tag in ("w:del", "w:moveFrom", "w:rt", "w:pPr", "w:rPr", "w:sdtPr", "w:tblPr", "w:tcPr", "w:trPr")
)
_TAKEN_OUT = {qn("w:tr"): "w:trPr/w:del", qn("w:tc"): "w:tcPr/w:cellDel"}
_TEXTS = frozenset(map(qn, ("w:t", "m:t", "a:t")))
_PARAGRAPHS = frozenset(map(qn, ("w:p", "a:p")))
_RUNS = frozenset(map(qn, ("w:r", "m:r", "a:r", "a:fld")))
_REFERENCES = frozenset(map(qn, ("w:footnoteReference", "w:endnoteReference")))
_ALTERNATIVES = qn("mc:AlternateContent")
_SIGNS = {
    **dict.fromkeys(map(qn, ("w:tab", "w:ptab")), "\t"),
    **dict.fromkeys(map(qn, ("w:br", "w:cr")), "\n"),
    qn("w:sym"): " ",  # a picture of a font
    qn("w:noBreakHyphen"): "-",
    qn("w:softHyphen"): "",
}
# A title stands in the first half of the lines: a column beside it may come first.
TITLE_WITHIN = 0.5


def read_docx(data: bytes, limits: Limits) -> Extracted:
    """The text of headers, body, notes and footers, one paragraph a line, in the order of the file.

    A title in the largest letters comes before tables and boxes beside it. The number of pages is the one Word noted
    when it last laid the document out.

    Raises:
        RefusedDocument: see `Package`; too many pages, too much text.
    """
    package = Package(data, limits)
    document = package.root(package.main)
    pages = _pages(document)
    if pages > limits.pages:
        raise refused(Reason.TOO_MANY_PAGES, pages=pages, limit=limits.pages)
    styles, theme = (next((part.root for part in related(package, kind)), None) for kind in ("styles", "theme"))
    headers = [part.root for part in related(package, "header")]
    has_floating = any(map(has_floating_drawings, (document, *headers)))
    looks = Looks(styles, Theme(theme), has_floating=has_floating)
    gathered = _Gathered(looks, package, limits)
    for part in parts_in_order(package, document, gathered.references):
        gathered.read(part)
    notices = (Notice.MAY_BE_HIDDEN,) if gathered.may_be_hidden else ()
    return Extracted(gathered.visible(), Kind.DOCX, pages, notices, gathered.hidden())


def _pages(document: Element) -> int:
    laid_out = sum(1 for _ in document.iter(qn("w:lastRenderedPageBreak")))
    by_hand = sum(1 for mark in document.iter(qn("w:br")) if mark.get(qn("w:type")) == "page")
    return max(laid_out, by_hand) + 1


class _Gathered:
    """Lines of text, in two columns: what is seen and what is hidden."""

    def __init__(self, looks: Looks, package: Package, limits: Limits) -> None:
        self._looks = looks
        self._package = package
        self._limits = limits
        self._left = limits.raw_characters
        self._lines: list[tuple[list[str], list[str]]] = [([], [])]
        # Of the smallest letters of a line, in half points.
        self._sizes: dict[int, float] = {}
        # Where parts begin, and what is in tables and boxes.
        self._starts: list[int] = [0]
        self._apart: set[int] = set()
        # Of every open field, whether its code still goes on: nobody sees that.
        self._fields: list[bool] = []
        # To notes, where a reader sees them.
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
        return "\n".join(lines)

    def read(self, part: Part) -> None:
        """Append the text of a part, all of it as hidden unless it is shown."""
        for value in fill_controls(self._package, part.root):
            self._count(value)
        self._fields = []
        self._starts.append(len(self._lines))
        self._lines.append(([], []))
        self._read(part.root, len(self._lines) - 1, is_hidden=not part.shown)

    def _read(self, element: Element, line: int, *, is_hidden: bool) -> None:
        """Walk the tree (no deeper than libxml2 lets it be); a paragraph inside another follows it."""
        for child in element.iterchildren("{*}*"):
            tag = child.tag
            if tag in _SKIPPED or (tag in _TAKEN_OUT and found(child, _TAKEN_OUT[tag]) is not None):
                continue
            hides = is_hidden or is_out_of_sight(child)
            if tag in _PARAGRAPHS:
                self._begin_line(child)
                self._read(child, len(self._lines) - 1, is_hidden=hides)
            elif tag in _RUNS:
                self._read_run(child, line, is_hidden=hides)
            elif tag == _ALTERNATIVES:
                alternative = chosen(child)
                if alternative is not None:
                    self._read(alternative, line, is_hidden=hides)
            elif tag == qn("v:textpath"):
                self._lines[line][hides].append(child.get("string", ""))
            else:
                if tag in _REFERENCES and not hides:
                    self.references.add(child)
                self._read(child, line, is_hidden=hides)

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
                alternative = chosen(child)
                if alternative is not None:
                    self._read_inside(alternative, line, is_hidden=is_hidden, is_plain=is_plain)
            elif tag in _REFERENCES:
                if is_plain:
                    self.references.add(child)
            elif tag not in _SKIPPED:
                self._read(child, line, is_hidden=is_hidden or is_out_of_sight(child))

    def _enter_field(self, mark: str | None) -> None:
        if mark == "begin":
            self._fields.append(True)
        elif mark == "separate" and self._fields:
            self._fields[-1] = False
        elif mark == "end" and self._fields:
            self._fields.pop()

    def _text_of(self, element: Element) -> str | None:
        if element.tag not in _TEXTS:
            return _SIGNS.get(element.tag)
        # Line ends are how the file is indented; Word shows a space.
        text = (element.text or "").replace("\n", " ")
        fonts = found(element.getparent(), "w:rPr/w:rFonts")
        font = "" if fonts is None else fonts.get(qn("w:ascii"), "")
        if is_named_after_icons(font):
            return "".join(" " if letter.isascii() else letter for letter in text)
        return text

    def _count(self, text: str) -> None:
        self._left -= len(text)
        if self._left < 0:
            raise refused(Reason.TOO_MUCH_TEXT, limit=self._limits.characters)

    def _begin_line(self, paragraph: Element) -> None:
        self._lines.append(([], []))
        if next(paragraph.iterancestors(qn("w:tbl"), qn("w:txbxContent")), None) is not None:
            self._apart.add(len(self._lines) - 1)


# The parts of a package that have a fixed name.
_OF_PACKAGE = {
    "core-properties": "{6C3C8BC8-F283-45AE-878A-BAB7291924A1}",
    "extended-properties": "{6668398D-A668-4E3E-A5EB-62B293D839F1}",
}
_ITEM_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/customXml}itemID"
_PREFIX = re.compile(r"xmlns:([\w.-]+)\s*=\s*([\"'])(.*?)\2")


def fill_controls(package: Package, root: Element) -> Iterator[str]:
    """Put the values in place of the texts that bound controls of plain text or a list in `root` hold, as Word does.

    Yields each value. In others a binding means something else; a date
    is stored in another form than it is shown.
    """
    stores: list[tuple[str, Element]] | None = None
    filled: set[Element] = set()
    for control in list(root.iter(qn("w:sdt"))):
        content, properties = found(control, "w:sdtContent"), found(control, "w:sdtPr")
        binding = found(properties, "w:dataBinding")
        if content is None or properties is None or binding is None:
            continue
        choices = next(properties.iterchildren(qn("w:comboBox"), qn("w:dropDownList")), None)
        is_inside = not filled.isdisjoint(control.iterancestors(qn("w:sdt")))
        if is_inside or (choices is None and found(properties, "w:text") is None):
            continue
        stores = stores if stores is not None else list(_stores_of(package))
        value = _value_at(binding, stores)
        mark = found(properties, "w:showingPlcHdr")
        asks = mark is not None and is_on(mark)
        if value is None or (not value.strip() and asks):
            continue
        if choices is not None:
            value = _choice(choices, value)
        paragraphs = list(content.iter(qn("w:p"))) or [content]
        held = " ".join("".join(text.text or "" for text in line.iter(qn("w:t"))) for line in paragraphs)
        if value is not None and value.split() != held.split():
            filled.add(control)
            _replace(content, value)
            yield value


def _choice(choices: Element, value: str) -> str | None:
    items = (item for item in choices.iterchildren(qn("w:listItem")) if item.get(qn("w:value")) == value)
    shown = next((str(item.get(qn("w:displayText")) or value) for item in items), None)
    return shown or (value if choices.tag == qn("w:comboBox") or not value.strip() else None)


def _value_at(binding: Element, stores: list[tuple[str, Element]]) -> str | None:
    prefixes, path, store = (binding.get(qn(f"w:{name}"), "") for name in ("prefixMappings", "xpath", "storeItemID"))
    try:
        find = etree.XPath(path, namespaces={name: uri for name, _, uri in _PREFIX.findall(prefixes)}, regexp=False)
        for results in (find(root) for name, root in stores if store.upper() in {"", name}):
            first = results[0] if isinstance(results, list) and results else None
            if isinstance(first, str):
                return str(first)
            if isinstance(first, etree._Element) and not len(first):  # noqa: SLF001 - no public name
                return first.text or ""
    except (etree.XPathError, ValueError):
        pass
    return None


def _stores_of(package: Package) -> Iterator[tuple[str, Element]]:
    for relation in package.relations("").values():
        root = package.root_if_any(relation.target) if relation.kind in _OF_PACKAGE else None
        if root is not None:
            yield _OF_PACKAGE[relation.kind], root
    for number, relation in enumerate(package.relations(package.main).values()):
        root = package.root_if_any(relation.target) if relation.kind == "customXml" else None
        if root is not None:
            others = package.relations(relation.target).values()
            about = [package.root_if_any(other.target) for other in others if other.kind == "customXmlProps"]
            named = next((one.get(_ITEM_ID, "").upper() for one in about if one is not None), str(number))
            yield named, root


def _replace(content: Element, value: str) -> None:
    runs = list(content.iter(qn("w:r")))
    if not runs:
        runs = [etree.SubElement(next(content.iter(qn("w:p")), content), qn("w:r"))]
    for run in runs:
        for child in list(run):
            if child.tag != qn("w:rPr"):
                run.remove(child)
    etree.SubElement(runs[0], qn("w:t")).text = value
