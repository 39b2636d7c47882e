"""Which parts of a Word document are shown, in which order, and pages and texts that it includes. In the child only.

Programs that turn pages into Word documents include them as they are (`w:altChunk`): the document is empty, and Word
reads the page beside it.
"""

from __future__ import annotations

import email
import email.policy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree
from lxml import html as html_parser

from portal.documents import refusals
from portal.documents.appearance import WHITE, alike
from portal.documents.decoding import decode
from portal.documents.docx.colours import colour_of
from portal.documents.docx.markup import declarations, is_on, points_of, qn
from portal.documents.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from lxml.etree import _Element as Element

    from portal.documents.docx.package import Package
    from portal.documents.extracted import Raw

_ZIP = b"PK\x03\x04"
_NO_TEXT = frozenset({"head", "script", "style", "template", "title"})
_WITHIN_LINES = frozenset(
    {
        *("a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd"),
        *("mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr"),
    }
)
SMALLEST_READABLE_POINTS = 2.0


@dataclass(frozen=True, slots=True)
class Part:
    """Something to read: its root, and whether the document shows it at all."""

    root: Element
    shown: bool = True


def parts_in_order(
    package: Package, document: Element, read: Callable[[bytes], Raw], seen: AbstractSet[Element]
) -> Iterator[Part]:
    """Headers, body, texts of diagrams and charts, notes, footers; each distinct content once.

    A header for first or even pages counts as shown where such pages have one, a note where the text refers to
    it; what the document holds beyond is read as not shown.

    Args:
        package: the parts.
        document: the root of the main part.
        read: reads a Word document inside of it.
        seen: what refers to notes, diagrams and charts in the parts read so far, where a reader sees it.
    """
    yield from _margins(package, document, "header")
    _take_in_chunks(package, document, read)
    yield Part(document)
    shown_ids = {name for element in seen for name in (element.get(qn("r:id")), element.get(qn("r:dm"))) if name}
    for kind in ("diagramData", "chart"):
        for root, is_shown in related(package, kind, shown_ids):
            yield Part(_body_of(_texts_of_drawing(root)), shown=is_shown)
    for kind in ("footnote", "endnote"):
        referenced = {element.get(qn("w:id")) for element in seen if element.tag == qn(f"w:{kind}Reference")}
        for root, _ in related(package, f"{kind}s"):
            for note in root.iterchildren(qn(f"w:{kind}")):
                if note.get(qn("w:type"), "normal") == "normal":
                    yield Part(note, shown=note.get(qn("w:id")) in referenced)
    yield from _margins(package, document, "footer")


def related(package: Package, kind: str, ids: AbstractSet[str] = frozenset()) -> list[tuple[Element, bool]]:
    """The roots of the parts that the document relates to as `kind`, and whether one of the `ids` leads there."""
    contents: dict[bytes, bool] = {}
    for name, relation in package.relations(package.main).items():
        if relation.kind == kind:
            content = package.content(relation.target)
            contents[content] = contents.get(content, False) or name in ids
    # Those of a kind that is only looked at may be broken, as Word opens the document all the same.
    return [(root, shown) for content, shown in contents.items() if (root := _parsed(content)) is not None]


def _parsed(content: bytes) -> Element | None:
    from portal.documents.docx.package import parsed

    try:
        return parsed(content)
    except etree.XMLSyntaxError:
        return None


def _margins(package: Package, document: Element, kind: str) -> Iterator[Part]:
    """Headers or footers: those of all pages, and those of first and even pages where these are told apart."""
    kinds_in_use = {"default"}
    if any(is_on(mark) for mark in document.iter(qn("w:titlePg"))):
        kinds_in_use.add("first")
    if any(is_on(mark) for root, _ in related(package, "settings") for mark in root.iter(qn("w:evenAndOddHeaders"))):
        kinds_in_use.add("even")
    shown = {
        mark.get(qn("r:id"))
        for mark in document.iter(qn(f"w:{kind}Reference"))
        if mark.get(qn("w:type"), "default") in kinds_in_use
    }
    for root, is_shown in related(package, kind, shown):
        yield Part(root, is_shown)


def _texts_of_drawing(root: Element) -> Iterator[str]:
    """The paragraphs of a diagram or a chart, and the names of what the chart counts, each once."""
    named: dict[str, None] = {}
    for element in root.iter(qn("a:p"), qn("c:strCache")):
        if element.tag == qn("a:p"):
            yield "".join(text.text or "" for text in element.iter(qn("a:t")))
        else:
            named.update(dict.fromkeys(value.text or "" for value in element.iter(qn("c:v"))))
    yield from named


def _body_of(shown: Iterable[str], hidden: Iterable[str] = ()) -> Element:
    """A body with a paragraph for each text."""
    body = etree.Element(qn("w:body"))
    for lines, is_hidden in ((shown, False), (hidden, True)):
        for line in lines:
            run = etree.SubElement(etree.SubElement(body, qn("w:p")), qn("w:r"))
            if is_hidden:
                etree.SubElement(etree.SubElement(run, qn("w:rPr")), qn("w:vanish"))
            text = "".join(letter for letter in line if letter >= " " and not "\ud7ff" < letter < "\ue000")
            etree.SubElement(run, qn("w:t")).text = text.translate({0xFFFE: None, 0xFFFF: None})
    return body


def _take_in_chunks(package: Package, document: Element, read: Callable[[bytes], Raw]) -> None:
    """Insert the text of every chunk in place of it; hidden text of a page becomes a hidden run.

    Raises:
        RefusedDocument: a chunk is of a kind that only Word reads.
    """
    relations = package.relations(package.main)
    for chunk in list(document.iter(qn("w:altChunk"))):
        relation = relations.get(chunk.get(qn("r:id"), ""))
        if relation is None:
            continue
        content = package.content(relation.target)
        if content.startswith(_ZIP):
            raw = read(content)
            lines = raw.visible.split("\n"), raw.hidden.split("\n") if raw.hidden else []
        else:
            lines = _lines_of(content)
        for line in list(_body_of(*lines)):
            chunk.addprevious(line)


def _lines_of(content: bytes) -> tuple[list[str], list[str]]:
    """The lines of a page, a letter with a page, or a text: those that show, and those that do not."""
    start = content[:1_000].lower()
    if b"mime-version" in start or b"content-type: multipart" in start:
        letter = email.message_from_bytes(content, policy=email.policy.default)
        part = letter.get_body(("html", "plain"))
        if part is None:
            raise refusals.damaged(Kind.DOCX.label)
        text = str(part.get_content())
        return (
            _lines_of_page(text.encode(), "utf-8") if part.get_content_subtype() == "html" else (text.splitlines(), [])
        )
    if start.startswith(b"{\\rtf"):
        raise refusals.damaged(Kind.DOCX.label)
    if b"<" not in start:
        return decode(content).text.splitlines(), []
    return _lines_of_page(content, None if b"charset" in start else "utf-8")


def _lines_of_page(content: bytes, encoding: str | None) -> tuple[list[str], list[str]]:
    columns: tuple[list[str], list[str]] = ([""], [""])
    page = html_parser.document_fromstring(content, parser=html_parser.HTMLParser(encoding=encoding))
    _read_page(page, columns, is_hidden=False, on_colour=False)
    shown, hidden = ([line for line in map(str.strip, lines) if line] for lines in columns)
    return shown, hidden


def _read_page(element: Element, columns: tuple[list[str], list[str]], *, is_hidden: bool, on_colour: bool) -> None:
    """Collect the lines below an element of a page: those shown, and those that its own styles hide."""
    if not isinstance(element.tag, str) or element.tag in _NO_TEXT:
        return
    style = declarations(element.get("style", ""))
    on_colour = on_colour or "bgcolor" in element.attrib or any(name.startswith("background") for name in style)
    is_hidden = is_hidden or "hidden" in element.attrib or _hides(style, element.get("color"), on_colour=on_colour)
    if element.tag not in _WITHIN_LINES:
        _break(columns)
    columns[is_hidden][-1] += " ".join((element.text or "").split("\n"))
    for child in element:
        _read_page(child, columns, is_hidden=is_hidden, on_colour=on_colour)
        columns[is_hidden][-1] += " ".join((child.tail or "").split("\n"))
    if element.tag not in _WITHIN_LINES:
        _break(columns)


def _break(columns: tuple[list[str], list[str]]) -> None:
    for lines in columns:
        lines.append("")


def _hides(style: dict[str, str], plain: str | None, *, on_colour: bool) -> bool:
    """Whether the styles of an element hide it; in front of a colour of its own or around it, white may well show."""
    if style.get("display") == "none" or style.get("visibility") == "hidden" or style.get("mso-hide") == "all":
        return True
    size, opacity = style.get("font-size", "12pt"), style.get("opacity", "1")
    if opacity.startswith("0") and not opacity.strip("0.").startswith(tuple("123456789")):
        return True
    if size.endswith(("pt", "px")) and points_of(size, 1) <= SMALLEST_READABLE_POINTS:
        return True
    colour = colour_of(style.get("color", plain))
    return colour is not None and not on_colour and alike(colour, WHITE)
