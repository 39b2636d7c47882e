"""Classifies HTML elements as a reader sees them: hidden, block, list entry."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import dropwhile, islice
from typing import Any, TypeAlias

from lxml import etree

from portal.seeding.imports.imported import ImportRefused
from portal.seeding.names import are_names

# lxml has no type annotations.
Element: TypeAlias = Any

ELEMENTS_LIMIT = 400_000

BLOCKS = frozenset(
    """
    address article aside blockquote body center dd details div dl dt fieldset figcaption figure form h1 h2 h3 h4
    h5 h6 header heading hgroup hr li main ol p pre section summary table tbody td tfoot th thead tr ul caption
    papertitle menu dir
    """.split()  # noqa: SIM905 - a table, not code
)
HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6, "heading": 2, "caption": 5}
STRONG = frozenset(("b", "strong", "papertitle", "th"))
EMPHASIS = frozenset(("i", "em", "cite", "var", "dfn"))
BOXES = frozenset(("div", "article", "section", "p"))
TITLE_CLASS = re.compile(
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
    rf"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size{_ZERO}|opacity{_ZERO}|"
    rf"text-indent\s*:\s*-\d{{3,}}|(?:left|top)\s*:\s*-\d{{3,}}|clip\s*:\s*rect\(\s*[01]|(?:max-)?(?:width|height){_ZERO})",
    re.IGNORECASE,
)
_BOLD_STYLE = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_MENU = re.compile(r"(?:^|[-_])(?:menu|nav|navigation|footer|cookies?|breadcrumbs?)(?:$|[-_])")
_BADGE_CLASS = re.compile(r"^(?:abbr|badge|label|venue-badge|tag)$")
_WEAK_LONGEST = 3000
_WEAK_SHORTEST = 12
_WORDS_OF_A_TITLE = 3
_MOST_DESCRIPTIONS = 8
_ALIKE = 2


@dataclass(slots=True)
class Shape:
    """What an element contains, known at its end."""

    length: int = 0
    blocks: int = 0
    has_heading: bool = False
    has_entry: bool = False
    inner_items: int = 0
    paragraphs: int = 0


def tag_of(element: Element) -> str:
    """The name of an element in lower case, "" for comments and the like."""
    return element.tag.lower() if isinstance(element.tag, str) else ""


def is_hidden(element: Element) -> bool:
    """Whether an element is invisible: by its kind, attributes, common classes or inline style."""
    if tag_of(element) in _NEVER_SHOWN and not (tag_of(element) == "head" and element.getparent() is None):
        return True
    if element.get("hidden") is not None or (element.get("aria-hidden") or "").lower() == "true":
        return True
    if (element.get("role") or "").lower() in ("navigation", "menu", "search", "menubar"):
        return True
    classes = set((element.get("class") or "").lower().split())
    if classes & _HIDING_CLASSES and not classes & _SHOWING_CLASSES and tag_of(element) not in ("body", "html"):
        return True
    style = element.get("style")
    return bool(style and _HIDING_STYLE.search(style))


def is_menu(element: Element) -> bool:
    """Whether an element's name marks it as a menu or footer, which every page of a site repeats."""
    names = f"{element.get('id') or ''} {element.get('class') or ''}".lower()
    return tag_of(element) not in ("body", "html", "main") and any(_MENU.search(name) for name in names.split())


def is_bold(element: Element) -> bool:
    """Whether an element's own style makes its text bold."""
    style = element.get("style")
    return bool(style and _BOLD_STYLE.search(style))


def continues_description(element: Element) -> bool:
    """Whether a <dd> is a further line about the same <dt>, a title, behind a <dd> that lists its people."""
    before = list(islice(element.itersiblings(preceding=True), _MOST_DESCRIPTIONS)) if tag_of(element) == "dd" else []
    above = list(dropwhile(lambda other: tag_of(other) == "dd", before))
    if not above or len(above) == len(before) or len("".join(above[0].itertext()).split()) < _WORDS_OF_A_TITLE:
        return False
    return are_names("".join(before[len(before) - len(above) - 1].itertext()))


def signature(element: Element) -> str:
    """What similar boxes have in common: tag and first class; "" without a class."""
    classes = (element.get("class") or "").split()
    return f"{tag_of(element)}.{classes[0]}" if classes else ""


def is_badge(element: Element) -> bool:
    """Whether an element is an entry's badge, which shows the short venue."""
    return tag_of(element) not in ("a", "li", "tr") and any(
        _BADGE_CLASS.match(name) for name in (element.get("class") or "").lower().split()
    )


def shapes_of(filename: str, root: Element) -> dict[Element, Shape]:
    """The shape of every element.

    Raises:
        ImportRefused: There are more than 400,000 elements.
    """
    shapes: dict[Element, Shape] = {}
    signatures: Counter[str] = Counter()
    count = 0
    for _, element in etree.iterwalk(root, events=("end",)):
        count += 1
        if count > ELEMENTS_LIMIT:
            raise ImportRefused(
                f"{filename}: the page has more than {ELEMENTS_LIMIT:,} elements; save only the part with the content"
            )
        tag = tag_of(element)
        shape = Shape(length=len((element.text or "").strip()))
        for child in element:
            inner = shapes.get(child)
            shape.length += len((child.tail or "").strip())
            if inner is None:
                continue
            shape.length += inner.length
            child_tag = tag_of(child)
            shape.blocks += inner.blocks + (child_tag in BLOCKS or child_tag == "br")
            shape.has_heading |= inner.has_heading or (child_tag in HEADINGS and child_tag != "caption")
            is_item = child_tag in ("li", "tr", "dd")
            shape.has_entry |= inner.has_entry or is_item
            shape.inner_items += inner.inner_items + is_item
            shape.paragraphs += inner.paragraphs + (child_tag == "p" and inner.length > 0)
        if (
            tag in BOXES
            and shape.blocks >= _ALIKE
            and _WEAK_SHORTEST <= shape.length <= _WEAK_LONGEST
            and not shape.has_entry
        ):
            signatures[signature(element)] += 1
        shapes[element] = shape
    _mark_alike(root, shapes, signatures)
    return shapes


def _mark_alike(root: Element, shapes: dict[Element, Shape], signatures: Counter[str]) -> None:
    """Mark (as `inner_items` = -1) the innermost boxes of several lines that occur more than once."""
    marked: set[Element] = set()
    for _, element in etree.iterwalk(root, events=("end",)):
        shape = shapes[element]
        inside = any(child in marked for child in element)
        if inside:
            marked.add(element)
            continue
        is_repeated = signatures[signature(element)] >= _ALIKE and signature(element)
        fits = tag_of(element) in BOXES and _WEAK_SHORTEST <= shape.length <= _WEAK_LONGEST and not shape.has_entry
        if is_repeated and fits and shape.blocks >= _ALIKE:
            shape.inner_items = -1
            marked.add(element)
