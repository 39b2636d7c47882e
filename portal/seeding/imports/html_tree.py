"""HTML → blocks: only what a reader of the page sees."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from lxml import etree
from lxml import html as lxml_html

from portal.seeding.imports.blocks import NOWHERE, Block, Page, Run
from portal.seeding.imports.html_elements import (
    BLOCKS,
    BOXES,
    EMPHASIS,
    HEADINGS,
    STRONG,
    TITLE_CLASS,
    Element,
    Shape,
    continues_description,
    is_badge,
    is_bold,
    is_hidden,
    is_menu,
    shapes_of,
    tag_of,
)
from portal.seeding.imports.imported import ImportRefused
from portal.seeding.imports.texts import LINE_LIMIT, NAME_LIMIT, plain, visible

if TYPE_CHECKING:
    from portal.seeding.imports.blocks import BlockKind

BYTE_LIMIT = 10_000_000

# An element with more than a quarter of the text is not a menu, whatever its name.
_MENU_SHARE = 4

_PARAGRAPHS_OF_A_ROW = 8
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_DATED = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)|['’]\d{2}(?!\d)")


@dataclass(slots=True)
class _Open:
    """The entry being read."""

    element: Element
    line: int
    depth: int
    is_weak: bool
    runs: list[Run] = field(default_factory=list)
    badges: list[Run] = field(default_factory=list)


def read_html(filename: str, text: str, *, has_lines: bool = False) -> Page:
    """The blocks of a page; with `has_lines`, blocks have their line as "data-line" (made from Markdown).

    Raises:
        ImportRefused: It has more than 10,000,000 characters or 400,000 elements, or is not HTML.
    """
    if len(text) > BYTE_LIMIT:
        raise ImportRefused(
            f"{filename}: the page has {len(text):,} characters; at most {BYTE_LIMIT:,} can be read – save only the "
            "part with the content"
        )
    # huge_tree: pages with unclosed tags exceed the default depth of 256; the limit is then 2,048.
    parser = lxml_html.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True, encoding="utf-8")
    try:
        root = lxml_html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        raise ImportRefused(f"{filename}: the file has no HTML that can be read") from None
    too_deep = next((int(message.line) for message in parser.error_log if message.type_name == "ERR_RESOURCE_LIMIT"), 0)
    shapes = shapes_of(filename, root)
    reader = _Reader(shapes, _base(root), has_lines=has_lines)
    blocks = reader.read(root)
    title = root.findtext(".//title") or ""
    return Page(plain(title, LINE_LIMIT), _author(root), reader.base, tuple(blocks), too_deep)


def _base(root: Element) -> str:
    """The base of relative links, if the page declares it."""
    for path, name in (
        (".//base[@href]", "href"),
        (".//link[@rel='canonical']", "href"),
        (".//meta[@property='og:url']", "content"),
    ):
        element = root.find(path)
        address = (element.get(name) or "").strip() if element is not None else ""
        if re.match(r"https?://[^\s/]+", address):
            return str(address)
    return ""


def _author(root: Element) -> str:
    for path in (".//meta[@name='author']", ".//meta[@property='og:title']", ".//meta[@property='profile:username']"):
        element = root.find(path)
        if element is not None and element.get("content"):
            return plain(element.get("content"), NAME_LIMIT)
    return ""


class _Reader:
    """Walks the tree once and cuts it into blocks."""

    def __init__(self, shapes: dict[Element, Shape], base: str, *, has_lines: bool) -> None:
        self.base = base
        self._has_lines = has_lines
        self._shapes = shapes
        self._blocks: list[Block] = []
        self._runs: list[Run] = []
        self._line = 0
        self._entries: list[_Open] = []
        self._hidden: Element = None
        self._strong = 0
        self._emphasis = 0
        self._badge = 0
        self._hrefs: list[str] = []
        self._heading: Element = None
        self._length = 0
        # The text of a <dt>, which belongs to the following <dd>.
        self._term: list[Run] = []

    def read(self, root: Element) -> list[Block]:
        """All blocks in the order of the page."""
        self._length = self._shapes[root].length
        for event, element in etree.iterwalk(root, events=("start", "end")):
            if event == "start":
                if self._hidden is None and (is_hidden(element) or self._is_side_menu(element)):
                    self._hidden = element
                if self._hidden is None:
                    self._start(element)
            else:
                if self._hidden is None:
                    self._end(element)
                elif self._hidden is element:
                    self._hidden = None
                if self._hidden is None and element.tail and element is not root:
                    self._text(element.tail, self._line_of(element))
        self._flush()
        return self._blocks

    def _is_side_menu(self, element: Element) -> bool:
        return is_menu(element) and self._shapes[element].length * _MENU_SHARE <= self._length

    def _line_of(self, element: Element) -> int:
        while self._has_lines and element is not None:
            text = element.get("data-line") or ""
            if text.isascii() and text.isdigit():
                return int(text[:9])
            element = element.getparent()
        return 0 if element is None else int(element.sourceline or 0)

    def _start(self, element: Element) -> None:
        tag, line = tag_of(element), self._line_of(element)
        if tag in HEADINGS and not self._entries:
            self._flush()
            self._heading = element
        elif self._opens_entry(element, tag):
            term, self._term = (self._term, []) if tag == "dd" else ([], self._term)
            self._flush()
            self._term = term
            depth = sum(tag_of(other.element) == tag for other in self._entries)
            self._entries.append(_Open(element, line, depth, is_weak=tag in BOXES or tag == "tr", runs=self._term))
            self._term = []
        elif tag in BLOCKS:
            self._boundary()
        elif tag == "br":
            self._text("\n", line, verbatim=True)
        title = self._marks(element, tag)
        self._strong += title
        self._emphasis += tag in EMPHASIS
        if tag == "a":
            self._hrefs.append(self._address(element.get("href") or ""))
        if is_badge(element):
            self._badge += 1
        if element.text:
            self._text(element.text, line)

    def _marks(self, element: Element, tag: str) -> bool:
        """Whether an element's text is emphasised: bold, or the title inside an entry."""
        if tag in STRONG or is_bold(element):
            return True
        if not self._entries or element is self._entries[-1].element:
            return False
        has_title_class = any(TITLE_CLASS.search(name) for name in (element.get("class") or "").lower().split())
        return has_title_class or tag in HEADINGS

    def _end(self, element: Element) -> None:
        tag = tag_of(element)
        self._strong -= self._marks(element, tag)
        self._emphasis -= tag in EMPHASIS
        if tag == "a" and self._hrefs:
            self._hrefs.pop()
        if is_badge(element):
            self._badge -= 1
        if self._heading is element:
            self._heading = None
            self._put("heading", self._line_of(element), level=HEADINGS[tag])
        elif self._entries and self._entries[-1].element is element:
            self._close_entry()
        elif tag == "dt" and not self._entries and len(self._runs) and self._heading is None:
            self._term, self._runs = [*self._runs, Run("\n")], []
        elif tag in BLOCKS:
            if tag in ("td", "th") and self._entries and not self._shapes[element].length:
                self._entries[-1].runs.append(Run("–"))  # an empty cell keeps its column
            self._boundary()

    def _opens_entry(self, element: Element, tag: str) -> bool:
        if self._heading is not None:
            return False
        shape = self._shapes[element]
        if tag == "dl" or (tag == "dd" and element.getparent().find("dt") is None):
            # Without terms, the list is one entry, and its descriptions are its lines.
            return tag == "dl" and element.find("dt") is None and shape.inner_items > 1 and not self._entries
        if tag in ("li", "dd"):
            return not (shape.has_heading and shape.inner_items > 1)
        if tag == "tr":
            is_layout = shape.paragraphs > _PARAGRAPHS_OF_A_ROW
            return not shape.has_entry and not shape.has_heading and not is_layout and shape.length > 0
        return tag in BOXES and shape.inner_items == -1 and not self._entries

    def _close_entry(self) -> None:
        entry = self._entries.pop()
        runs = [*entry.runs, *_badge_line(entry)]
        if self._blocks and continues_description(entry.element) and not self._entries:
            last = self._blocks.pop()
            self._blocks.append(replace(last, runs=(*last.runs, Run("\n"), *runs)))
        elif _has_text(runs):
            is_row = tag_of(entry.element) == "tr"
            self._blocks.append(Block("entry", entry.line, tuple(runs), 0, entry.depth, entry.is_weak, is_row))

    def _boundary(self) -> None:
        """A block begins or ends: a new line inside an entry or a heading, else a new paragraph."""
        if self._entries:
            if self._entries[-1].runs and self._entries[-1].runs[-1].text != "\n":
                self._entries[-1].runs.append(Run("\n"))
        elif self._heading is None:
            self._flush()

    def _flush(self) -> None:
        """End what was read outside headings: a paragraph, or an entry's own text around nested ones."""
        if self._entries:
            entry = self._entries[-1]
            if _has_text(entry.runs):
                self._blocks.append(
                    Block("entry", entry.line, tuple(entry.runs), depth=entry.depth, is_weak=entry.is_weak)
                )
            entry.runs = []
        else:
            if self._term:
                self._runs, self._term = [*self._term, *self._runs], []
            self._put("paragraph", self._line)

    def _put(self, kind: BlockKind, line: int, level: int = 0) -> None:
        if _has_text(self._runs):
            self._blocks.append(Block(kind, line, tuple(self._runs), level=level))
        self._runs = []

    def _text(self, text: str, line: int, *, verbatim: bool = False) -> None:
        visible_text = text if verbatim else re.sub(r"\s+", " ", visible(text))
        if not visible_text:
            return
        href = next((href for href in reversed(self._hrefs) if href), "")
        run = Run(visible_text, self._strong > 0, self._emphasis > 0 or self._badge > 0, href)
        if self._entries:
            (self._entries[-1].badges if self._badge else self._entries[-1].runs).append(run)
            return
        if not _has_text(self._runs):
            self._runs = []
            self._line = line
        self._runs.append(run)

    def _address(self, href: str) -> str:
        """The target of a link; NOWHERE if it is relative and the page has no base."""
        href = href.strip()
        if re.match(r"(?i)https?://", href):
            return href
        if not self.base or re.match(r"(?i)[a-z][a-z0-9+.-]*:|#", href) or not href:
            return NOWHERE
        try:
            return urljoin(self.base, href)
        except ValueError:
            return NOWHERE


def _badge_line(entry: _Open) -> list[Run]:
    """An entry's badge as its last line: the short venue, with the entry's year."""
    if not entry.badges:
        return []
    badge = " ".join("".join(run.text for run in entry.badges).split())
    # A title may have a year, too.
    years = _YEAR.findall(" ".join(run.text for run in entry.runs if not run.strong))
    return [Run("\n"), Run(f"{badge} {max(years)}" if years and not _DATED.search(badge) else badge, emphasis=True)]


def _has_text(runs: list[Run]) -> bool:
    return any(character.isalnum() for run in runs for character in run.text)
