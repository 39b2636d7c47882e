"""Reading pages as a browser does: strict HTML, its text, its links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import html5lib

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree import ElementTree as ET

XHTML = "{http://www.w3.org/1999/xhtml}"
INLINE = {"a", "b", "cite", "code", "em", "mark", "small", "span", "strong", "time"}


class Document:
    """A page; opening it fails on the first error in its HTML."""

    def __init__(self, source: str) -> None:
        parser = html5lib.HTMLParser(strict=True, tree=html5lib.getTreeBuilder("etree"))
        self.root: ET.Element = parser.parse(source)

    def all(self, tag: str, **attributes: str) -> Iterator[ET.Element]:
        """The elements of this name with these attributes (class_ for class), in their order."""
        values = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        for element in self.root.iter(XHTML + tag):
            if all(value == element.get(name) for name, value in values.items()):
                yield element

    def one(self, tag: str, **attributes: str) -> ET.Element:
        """The one such element."""
        (element,) = self.all(tag, **attributes)
        return element

    def within(self, element_id: str) -> str:
        """The text inside the element with this id, blanks joined."""
        (element,) = (element for element in self.root.iter() if element.get("id") == element_id)
        return text_of(element)

    @property
    def text(self) -> str:
        """The text of the content."""
        return text_of(self.one("main"))

    @property
    def title(self) -> str:
        """The title of the page."""
        return text_of(self.one("title"))

    @property
    def links(self) -> dict[str, str]:
        """Every link of the content: its address by its text; of equal texts, the first."""
        links: dict[str, str] = {}
        for link in self.one("main").iter(XHTML + "a"):
            links.setdefault(text_of(link), link.get("href", ""))
        return links

    @property
    def ids(self) -> list[str]:
        """Every id of the page."""
        return [element.attrib["id"] for element in self.root.iter() if "id" in element.attrib]


def text_of(element: ET.Element) -> str:
    """The text of an element as it is read: blocks on lines of their own, blanks joined."""
    return " ".join("".join(_pieces(element)).split())


def _pieces(element: ET.Element) -> Iterator[str]:
    apart = " " if element.tag.removeprefix(XHTML) not in INLINE else ""
    yield apart + (element.text or "")
    for child in element:
        yield from _pieces(child)
        yield child.tail or ""
    yield apart
