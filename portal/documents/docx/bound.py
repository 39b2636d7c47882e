"""Content controls that Word fills with a value from elsewhere in the document. Runs in the reading child only.

A control may be bound to an element of a part with custom XML or of the document's properties (`w:dataBinding`), as
the name at the top of Word's own resume templates is. When the document is opened, the value of the element replaces
whatever text the control holds, and where the value is empty, Word asks for one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from portal.documents.docx.markup import found, is_on, qn
from portal.documents.docx.package import parsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element as Element

    from portal.documents.docx.package import Package

# The parts of a package that have a fixed name.
_OF_PACKAGE = {
    "core-properties": "{6C3C8BC8-F283-45AE-878A-BAB7291924A1}",
    "extended-properties": "{6668398D-A668-4E3E-A5EB-62B293D839F1}",
}
_ITEM_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/customXml}itemID"
_PREFIX = re.compile(r"xmlns:([\w.-]+)\s*=\s*([\"'])(.*?)\2")
# A date is stored as in 2026-11-27 and shown in words.
LONGEST_DATE = 40
# What asks for a text is no text that is kept from readers.
WORDS_OF_A_REQUEST = 12


class Controls:
    """The bound controls of a document, and the values that they show."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._stores: list[tuple[str, Element]] | None = None

    def fill(self, root: Element) -> Iterator[tuple[str, str]]:
        """Put the values in place of the texts that controls in `root` hold, as Word does.

        Yields each value with the text that it replaced.
        """
        filled: set[Element] = set()
        for control in list(root.iter(qn("w:sdt"))):
            content, properties = found(control, "w:sdtContent"), found(control, "w:sdtPr")
            if content is None or properties is None or not filled.isdisjoint(control.iterancestors(qn("w:sdt"))):
                continue
            held = _text_in(content)
            value = self._shown_in(properties, held)
            if value is None or value.split() == held.split():
                continue
            filled.add(control)
            _replace(content, value)
            yield value, "" if _asks(properties) and len(held.split()) <= WORDS_OF_A_REQUEST else held

    def _shown_in(self, properties: Element, held: str) -> str | None:
        """The text that a control shows; None where it is the one that it holds."""
        binding, is_date = found(properties, "w:dataBinding"), found(properties, "w:date") is not None
        choices = next(properties.iterchildren(qn("w:comboBox"), qn("w:dropDownList")), None)
        # In other controls, such as rich text, a binding means nothing, or something other than text.
        if binding is None or (choices is None and not is_date and found(properties, "w:text") is None):
            return None
        value = self._value_at(
            *(binding.get(qn(f"w:{name}"), "") for name in ("prefixMappings", "xpath", "storeItemID"))
        )
        if value is None or (not value.strip() and _asks(properties)):
            return None
        if is_date and value.strip():
            is_shown = len(held) <= LONGEST_DATE and any(map(str.isdecimal, held))
            return None if is_shown else value
        return value if choices is None else _choice(choices, value)

    def _value_at(self, prefixes: str, path: str, store: str) -> str | None:
        """What stands where a binding leads; None where it leads nowhere."""
        if self._stores is None:
            self._stores = list(_stores_of(self._package))
        try:
            find = etree.XPath(path, namespaces={name: uri for name, _, uri in _PREFIX.findall(prefixes)}, regexp=False)
            values = (_first_value(find(root)) for name, root in self._stores if store.upper() in {"", name})
            return next((value for value in values if value is not None), None)
        except (etree.XPathError, ValueError):
            return None


def _stores_of(package: Package) -> Iterator[tuple[str, Element]]:
    """The roots of the parts that values come from, by their names; parts without one have a number."""
    for relation in package.relations("").values():
        if relation.kind in _OF_PACKAGE:
            yield from ((_OF_PACKAGE[relation.kind], root) for root in _roots(package.content(relation.target)))
    for number, relation in enumerate(package.relations(package.main).values()):
        if relation.kind != "customXml":
            continue
        about = [
            root.get(_ITEM_ID, "").upper()
            for other in package.relations(relation.target).values()
            if other.kind == "customXmlProps"
            for root in _roots(package.content(other.target))
        ]
        yield from ((about[0] if about else str(number), root) for root in _roots(package.content(relation.target)))


def _roots(xml: bytes) -> Iterator[Element]:
    try:
        yield parsed(xml)
    except etree.XMLSyntaxError:  # Word ignores such a part
        return


def _first_value(results: object) -> str | None:
    """The text of the first element or attribute that is found; None if there is none, or it has elements in it."""
    first = results[0] if isinstance(results, list) and results else None
    if isinstance(first, str):
        return str(first)
    return (first.text or "") if isinstance(first, etree._Element) and not len(first) else None  # noqa: SLF001 - no public name


def _asks(properties: Element) -> bool:
    """Whether a control says that it holds no text, but a request for one."""
    mark = found(properties, "w:showingPlcHdr")
    return mark is not None and is_on(mark)


def _choice(choices: Element, value: str) -> str | None:
    """What a list shows for a value; of one that it does not have, only a list that can be typed into shows it."""
    for item in choices.iterchildren(qn("w:listItem")):
        if item.get(qn("w:value")) == value:
            return str(item.get(qn("w:displayText")) or value)
    return value if choices.tag == qn("w:comboBox") or not value.strip() else None


def _text_in(content: Element) -> str:
    """The words that a control holds, in all its paragraphs."""
    return " ".join(
        "".join(text.text or "" for text in paragraph.iter(qn("w:t")))
        for paragraph in (list(content.iter(qn("w:p"))) or [content])
    )


def _replace(content: Element, value: str) -> None:
    """Make `value` the only text of a control, in the look of the first run that it has."""
    runs = list(content.iter(qn("w:r")))
    if not runs:
        runs = [etree.SubElement(next(content.iter(qn("w:p")), content), qn("w:r"))]
    for run in runs:
        for child in list(run):
            if child.tag != qn("w:rPr"):
                run.remove(child)
    etree.SubElement(runs[0], qn("w:t")).text = value
