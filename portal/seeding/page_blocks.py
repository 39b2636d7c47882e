"""HTML → the blocks of a page, as a reader sees them: headings, paragraphs and entries, without what is hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import urljoin

from lxml import etree
from lxml import html as lxml_html

from portal.seeding.headings import classify
from portal.seeding.pages import UnreadablePage
from portal.seeding.texts import LINE_LIMIT, NAME_LIMIT, is_open_address, latest_year, plain, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# lxml has no type annotations.
Element: TypeAlias = Any
BlockKind = Literal["heading", "paragraph", "entry"]

# A line end of Markdown, shown as a space: it may part an entry of a list.
SOFT_BREAK = "\u2028"
CHARACTERS_LIMIT = 10_000_000
ELEMENTS_LIMIT = 400_000
ATTRIBUTES_LIMIT = 1000

_BLOCKS = frozenset(
    """
    address article aside blockquote body center dd details div dl dt fieldset figcaption figure form h1 h2 h3 h4
    h5 h6 header heading hgroup hr li main ol p pre section summary table tbody td tfoot th thead tr ul caption
    papertitle menu dir
    """.split()  # noqa: SIM905 - a table, not code
)
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6, "heading": 2, "caption": 5}
_STRONG = frozenset(("b", "strong", "papertitle", "th"))
_EMPHASIS = frozenset(("i", "em", "cite", "var", "dfn"))
_BOXES = frozenset(("div", "article", "section", "p"))
_TITLE_CLASS = re.compile(
    r"(?:^|[-_]|(?:^|[-_])(?:paper|pub|publication|article|item|entry|archive__item))(?:title|headline)$"
)
_NEVER_SHOWN = frozenset(
    """
    script style noscript template svg math iframe object embed applet canvas audio video map head nav footer button
    input select textarea dialog frameset datalist meter progress
    """.split()  # noqa: SIM905 - a table, not code
)
_HIDING_CLASSES = frozenset(
    """
    hidden d-none visually-hidden sr-only invisible collapse is-hidden hide screen-reader-text bibtex bibentry navbar
    breadcrumb breadcrumbs pagination masthead greedy-nav skip-link
    """.split()  # noqa: SIM905 - a table, not code
)
_SHOWING_CLASSES = frozenset(("show", "in", "show-on-load"))
_ZERO = r"\s*:\s*0(?![.\d]*[1-9])"
_HIDING_STYLE = re.compile(
    rf"(?i)(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size{_ZERO}|opacity{_ZERO}|"
    rf"text-indent\s*:\s*-\d{{3,}}|(?:left|top)\s*:\s*-\d{{3,}}|clip\s*:\s*rect\(\s*[01]|(?:max-)?(?:width|height){_ZERO})"
)
_LONG_TAG = re.compile(r"<[a-zA-Z][^<>]{4000,}")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_SPACES = re.compile(rf"[^\S{SOFT_BREAK}]+")
_BIBTEX = re.compile(r"\s*@\w{4,20}\s*\{")
_BOLD_STYLE = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_MENU = re.compile(r"(?:^|[-_])(?:menu|nav|navigation|footer|cookies?|breadcrumbs?)(?:$|[-_])")
# A box that holds one publication, with lists in it.
_BOX_CLASS = re.compile(r"(?:^|[-_])(?:paper|pub|publication)[-_]?(?:box|card|item|entry)$")
_BADGE_CLASS = re.compile(r"^(?:abbr|badge|label|venue-badge|tag)$")
_DATED = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)|['’]\d{2}(?!\d)")
# Superscripts are marks of people and affiliations, or powers: letters and digits that names and titles may have.
_RAISED = str.maketrans("0123456789abcdef+-", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠ⁺⁻", ", ;\n")
_RAISED_TEXT = re.compile(r"[\d\s,;*†‡§¶#∗⋆✉+-]+|[\s,;*†‡§¶#∗⋆✉\d]*[a-f](?:[\s,;*†‡§¶#∗⋆✉\d]+[a-f])*[\s,;*†‡§¶#∗⋆✉\d]*")
# An element with more than a quarter of the text is not a menu, whatever its name.
_MENU_SHARE = 4
_PARAGRAPHS_OF_A_ROW = 8
_WEAK_LONGEST = 3000
_WEAK_SHORTEST = 6
_ALIKE = 2
_WORDS_OF_A_HEADING = 3


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text with uniform formatting; a line feed in it is a line break. `href` is empty outside links."""

    text: str
    strong: bool = False
    emphasis: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, paragraph or entry. `level` is a heading's (1–6), `depth` an entry's (0: outermost).

    `is_weak` marks one of several boxes that look alike, an entry only where a list is expected. `is_row` means that
    its lines are the cells of a table row. `children` are the entries nested in an entry.
    """

    kind: BlockKind
    line: int
    runs: tuple[Run, ...]
    level: int = 0
    depth: int = 0
    is_weak: bool = False
    is_row: bool = False
    children: tuple[Block, ...] = ()

    @property
    def is_item(self) -> bool:
        """Whether it is an entry of a list."""
        return self.kind == "entry" and not self.is_weak

    @property
    def text(self) -> str:
        """The text without formatting; line breaks stay."""
        lines = "".join(run.text for run in self.runs).split("\n")
        return "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)

    @property
    def flat(self) -> str:
        """The text on one line."""
        return flat(self.runs)

    @property
    def is_strong(self) -> bool:
        """Whether all of the text is strong."""
        return all(run.strong or not any(map(str.isalnum, run.text)) for run in self.runs)

    @property
    def is_linked(self) -> bool:
        """Whether all of the text is inside links."""
        return all(run.href or not any(map(str.isalnum, run.text)) for run in self.runs)

    def marked(self, *, strong: bool) -> list[str]:
        """The strong stretches, or those that are emphasised but not strong; adjacent ones are merged."""
        runs = groupby(self.runs, lambda run: run.strong if strong else run.emphasis and not run.strong)
        texts = ("".join(run.text for run in stretch) for hit, stretch in runs if hit)
        return [" ".join(text.split()) for text in texts if text.strip()]

    def links(self) -> list[tuple[str, str]]:
        """(label, address) of every link of the block and its nested entries."""
        links: list[tuple[str, str]] = []
        for run in self.runs:
            if run.href and links and links[-1][1] == run.href:
                links[-1] = (links[-1][0] + run.text, run.href)
            elif run.href:
                links.append((run.text, run.href))
        for child in self.children:
            links.extend(child.links())
        return [(" ".join(label.split()).strip("[]() "), href) for label, href in links]


@dataclass(frozen=True, slots=True)
class Page:
    """The visible content of a page, and its metadata. `cut_at` is the line below which it is nested too deeply."""

    title: str
    author: str
    blocks: tuple[Block, ...]
    cut_at: int = 0


def flat(runs: Iterable[Run]) -> str:
    """The text of runs on one line."""
    return " ".join("".join(run.text for run in runs).split())


def lines_of(runs: tuple[Run, ...]) -> Iterator[list[Run]]:
    """The runs of a block, line by line."""
    line: list[Run] = []
    for run in runs:
        first, *more = run.text.split("\n")
        line.append(replace(run, text=first))
        for part in more:
            yield line
            line = [replace(run, text=part)]
    yield line


def filled_lines(runs: tuple[Run, ...]) -> list[list[Run]]:
    """The lines of a block that have a letter or a digit."""
    return [line for line in lines_of(runs) if _has_text(line)]


def joined(lines: Iterable[list[Run]], between: str = "\n") -> tuple[Run, ...]:
    """The runs of lines as one stretch."""
    return tuple(run for index, line in enumerate(lines) for run in ([Run(between), *line] if index else line))


def part_of(runs: tuple[Run, ...], start: int, end: int) -> tuple[Run, ...]:
    """The runs between two places of their text."""
    rest: list[Run] = []
    place = 0
    for run in runs:
        piece = run.text[max(0, start - place) : max(0, end - place)]
        if piece:
            rest.append(replace(run, text=piece))
        place += len(run.text)
    return tuple(rest)


def read_html(filename: str, text: str, *, has_lines: bool = False) -> Page:
    """The blocks of a page; with `has_lines`, blocks have their line as "data-line" (made from Markdown).

    Raises:
        UnreadablePage: It has more than 10,000,000 characters or 400,000 elements, or is not HTML.
    """
    if len(text) > CHARACTERS_LIMIT:
        raise UnreadablePage(f"{filename}: the page is too large; at most {CHARACTERS_LIMIT:,} characters can be read")
    # The parser compares each attribute of a tag with all others.
    for tag in _LONG_TAG.finditer(text):
        if len(re.split(r"[\s=/]+", _QUOTED.sub("", tag[0]))) > ATTRIBUTES_LIMIT * 2:
            raise UnreadablePage(f"{filename}: a tag has too many attributes; at most {ATTRIBUTES_LIMIT:,} can be read")
    # Pages with unclosed tags exceed the default depth of 256; with huge_tree the limit is 2,048.
    parser = lxml_html.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True, encoding="utf-8")
    try:
        root = lxml_html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        raise UnreadablePage(f"{filename}: the file has no HTML that can be read") from None
    too_deep = next((int(message.line) for message in parser.error_log if message.type_name == "ERR_RESOURCE_LIMIT"), 0)
    address = "//base/@href|//link[@rel='canonical']/@href|//meta[@property='og:url']/@content"
    names = ("//meta[@name='author']/@content", "//meta[@property='og:title']/@content")
    base, *authors = (str(root.xpath(f"string(({path})[1])")) for path in (address, *names))
    blocks = _Reader(_shapes_of(filename, root), base if is_open_address(base) else "", has_lines=has_lines).read(root)
    title = plain(root.findtext(".//title") or "", LINE_LIMIT)
    return Page(title, plain(next(filter(None, authors), ""), NAME_LIMIT), tuple(blocks), too_deep)


def _classes(element: Element) -> list[str]:
    return (element.get("class") or "").lower().split()


def _is_hidden(element: Element) -> bool:
    """Whether an element is invisible: by its kind, attributes, common classes or inline style."""
    tag = element.tag
    if tag in _NEVER_SHOWN or (tag == "pre" and _BIBTEX.match("".join(element.itertext()))):
        return True
    if element.get("hidden") is not None or (element.get("aria-hidden") or "").lower() == "true":
        return True
    if (element.get("role") or "").lower() in ("navigation", "menu", "search", "menubar"):
        return True
    classes = set(_classes(element))
    if classes & _HIDING_CLASSES and not classes & _SHOWING_CLASSES and tag not in ("body", "html"):
        return True
    style = element.get("style")
    return bool(style and _HIDING_STYLE.search(style))


def _is_box(element: Element) -> bool:
    return element.tag in _BOXES and any(map(_BOX_CLASS.search, _classes(element)))


@dataclass(slots=True)
class _Shape:
    """What an element contains, known at its end; `is_alike` marks one of several boxes that look alike."""

    length: int = 0
    blocks: int = 0
    headings: int = 0
    items: int = 0
    paragraphs: int = 0
    is_alike: bool = False


def _shapes_of(filename: str, root: Element) -> dict[Element, _Shape]:
    """The shape of every element, the inner ones first."""
    shapes: dict[Element, _Shape] = {}
    alike: dict[str, list[Element]] = {}
    for _, element in etree.iterwalk(root, events=("end",)):
        if len(shapes) > ELEMENTS_LIMIT:
            raise UnreadablePage(f"{filename}: the page has more than {ELEMENTS_LIMIT:,} elements")
        shape = _Shape(length=len((element.text or "").strip()))
        for child in element:
            inner, tag = shapes[child], child.tag
            shape.length += len((child.tail or "").strip()) + inner.length
            shape.blocks += inner.blocks + (tag in _BLOCKS or tag == "br")
            shape.headings += inner.length if tag in _HEADINGS and tag != "caption" else inner.headings
            shape.items += inner.items + (tag in ("li", "tr", "dd"))
            shape.paragraphs += inner.paragraphs + (tag == "p" and inner.length > 0)
        is_box = element.tag in _BOXES and shape.blocks >= _ALIKE and not shape.items
        if is_box and _WEAK_SHORTEST <= shape.length <= _WEAK_LONGEST and shape.headings < shape.length:
            # Similar boxes have tag and first class in common; only articles need none.
            name = ".".join([element.tag, *_classes(element)[:1]])
            alike.setdefault(name, []).append(element)
        shapes[element] = shape
    for name, boxes in alike.items():
        is_named = "." in name or name == "article"
        for box in boxes if is_named and len(boxes) >= _ALIKE else ():
            # A box with a heading such as "Publications" is a section.
            headings = ("".join(heading.itertext()) for heading in box.iter("h1", "h2", "h3"))
            short = (heading for heading in headings if len(heading.split()) <= _WORDS_OF_A_HEADING)
            shapes[box].is_alike = not any(map(classify, short))
    # Of boxes in boxes, the innermost are the entries.
    around: set[Element] = set()
    for element, shape in shapes.items():
        has_box = any(child in around for child in element)
        shape.is_alike &= not has_box
        if shape.is_alike or has_box:
            around.add(element)
    return shapes


@dataclass(slots=True)
class _Open:
    """The entry being read."""

    element: Element
    line: int
    depth: int
    is_weak: bool
    runs: list[Run] = field(default_factory=list)
    badges: list[Run] = field(default_factory=list)


class _Reader:
    """Walks the tree once and cuts it into blocks: a page may be nested too deeply for recursion."""

    def __init__(self, shapes: dict[Element, _Shape], base: str, *, has_lines: bool) -> None:
        self._base = base
        self._has_lines = has_lines
        self._shapes = shapes
        self._blocks: list[Block] = []
        self._runs: list[Run] = []
        self._line = 0
        self._entries: list[_Open] = []
        self._hidden: Element = None
        self._strong = self._emphasis = self._badge = self._raised = 0
        self._hrefs: list[str] = []
        self._heading: Element = None
        self._length = 0

    def read(self, root: Element) -> list[Block]:
        """All blocks in the order of the page."""
        self._length = self._shapes[root].length
        for event, element in etree.iterwalk(root, events=("start", "end")):
            if event == "start":
                if self._hidden is None and (_is_hidden(element) or self._is_side_menu(element)):
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
        """Whether an element's name marks it as a menu or footer, which every page of a site repeats."""
        names = [(element.get("id") or "").lower(), *_classes(element)]
        return any(map(_MENU.search, names)) and self._shapes[element].length * _MENU_SHARE <= self._length

    def _line_of(self, element: Element) -> int:
        while self._has_lines and element is not None:
            text = element.get("data-line") or ""
            if text.isascii() and text.isdigit():
                return int(text[:9])
            element = element.getparent()
        return 0 if element is None else int(element.sourceline or 0)

    def _start(self, element: Element) -> None:
        tag, line = element.tag, self._line_of(element)
        if tag in _HEADINGS and not self._entries:
            self._flush()
            self._heading = element
        elif self._opens_entry(element, tag):
            self._flush()
            depth = sum(other.element.tag == tag for other in self._entries)
            self._entries.append(_Open(element, line, depth, is_weak=tag in _BOXES or tag == "tr"))
        elif tag in _BLOCKS:
            self._boundary()
        elif tag == "br":
            self._text("\n", line, verbatim=True)
        self._mark(element, tag, 1)
        if tag == "a":
            self._hrefs.append(self._address(element.get("href") or ""))
        if element.text:
            self._text(element.text, line)

    def _mark(self, element: Element, tag: str, step: int) -> None:
        self._strong += step * self._is_strong(element, tag)
        self._emphasis += step * (tag in _EMPHASIS)
        # An entry's badge shows the short venue.
        self._badge += step * (tag not in ("a", "li", "tr") and any(map(_BADGE_CLASS.match, _classes(element))))
        self._raised += step * (tag == "sup")

    def _is_strong(self, element: Element, tag: str) -> bool:
        """Whether an element's text stands out: bold, or the title inside an entry."""
        style = element.get("style")
        if tag in _STRONG or (style and _BOLD_STYLE.search(style)):
            return True
        if not self._entries or element is self._entries[-1].element:
            return False
        return tag in _HEADINGS or any(map(_TITLE_CLASS.search, _classes(element)))

    def _end(self, element: Element) -> None:
        tag = element.tag
        self._mark(element, tag, -1)
        if tag == "a" and self._hrefs:
            self._hrefs.pop()
        if self._heading is element:
            self._heading = None
            self._put("heading", self._line_of(element), level=_HEADINGS[tag])
        elif self._entries and self._entries[-1].element is element:
            self._close_entry()
        elif tag in _BLOCKS:
            if tag in ("td", "th") and self._entries and not self._shapes[element].length:
                self._entries[-1].runs.append(Run("–"))  # an empty cell keeps its column
            self._boundary()

    def _opens_entry(self, element: Element, tag: str) -> bool:
        if self._heading is not None:
            return False
        shape = self._shapes[element]
        if tag in ("li", "dd"):
            in_box = bool(self._entries) and _is_box(self._entries[0].element)
            return not in_box and not (shape.headings and shape.items > 1)
        if tag == "tr":
            is_layout = shape.paragraphs > _PARAGRAPHS_OF_A_ROW
            return not shape.items and not shape.headings and not is_layout and shape.length > 0
        return (shape.is_alike or (_is_box(element) and shape.length > 0)) and not self._entries

    def _close_entry(self) -> None:
        entry = self._entries.pop()
        runs = [*entry.runs, *_badge_line(entry)]
        if _has_text(runs):
            is_row = entry.element.tag == "tr"
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
                runs = tuple(entry.runs)
                self._blocks.append(Block("entry", entry.line, runs, depth=entry.depth, is_weak=entry.is_weak))
            entry.runs = []
        else:
            self._put("paragraph", self._line)

    def _put(self, kind: BlockKind, line: int, level: int = 0) -> None:
        if _has_text(self._runs):
            self._blocks.append(Block(kind, line, tuple(self._runs), level=level))
        self._runs = []

    def _text(self, text: str, line: int, *, verbatim: bool = False) -> None:
        shown = text if verbatim else _SPACES.sub(" ", visible(text))
        if self._raised and _RAISED_TEXT.fullmatch(shown):
            shown = shown.translate(_RAISED)
        if not shown:
            return
        href = next((href for href in reversed(self._hrefs) if href), "")
        run = Run(shown, self._strong > 0, self._emphasis > 0 or self._badge > 0, href)
        if self._entries:
            (self._entries[-1].badges if self._badge else self._entries[-1].runs).append(run)
            return
        if not _has_text(self._runs):
            self._runs = []
            self._line = line
        self._runs.append(run)

    def _address(self, href: str) -> str:
        """The target of a link; relative ones are joined with the page's address, if it gives one."""
        is_relative = self._base and href.strip() and not re.match(r"(?i)\s*(?:[a-z][a-z0-9+.-]*:|#)", href)
        try:
            return urljoin(self._base, href.strip()) if is_relative else href.strip() or "#"
        except ValueError:
            return "#"


def _badge_line(entry: _Open) -> list[Run]:
    """An entry's badge as its last line: the short venue, with the entry's year."""
    if not entry.badges:
        return []
    badge = flat(entry.badges)
    # A title may have a year, too.
    year = latest_year(" ".join(run.text for run in entry.runs if not run.strong))
    return [Run("\n"), Run(f"{badge} {year}" if year and not _DATED.search(badge) else badge, emphasis=True)]


def _has_text(runs: list[Run]) -> bool:
    return any(character.isalnum() for run in runs for character in run.text)
