"""Content controls that Word fills with a value from elsewhere in the document. Runs in the reading child only.

A control may be bound to an element of a part with custom XML or of the document's properties (`w:dataBinding`), as
the name at the top of Word's own resume templates is. When the document is opened, the value of the element replaces
whatever text the control holds, and where the value is empty, Word asks for one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docx.oxml.parser import parse_xml
from lxml import etree

from portal.documents.docx.names import qn
from portal.documents.docx.switches import is_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docx.document import Document
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

_CUSTOM = "/customXml"
_PROPERTIES_OF_CUSTOM = "/customXmlProps"
# The parts of a package that have a fixed name, by the end of the relation to them.
_OF_PACKAGE = {
    "/core-properties": "{6C3C8BC8-F283-45AE-878A-BAB7291924A1}",
    "/extended-properties": "{6668398D-A668-4E3E-A5EB-62B293D839F1}",
}
_ITEM_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/customXml}itemID"
_PREFIX = re.compile(r"xmlns:([\w.-]+)\s*=\s*([\"'])(.*?)\2")
# In others, such as rich text, a binding means nothing, or something other than text.
_PLAIN, _DATE, _CHOICES = qn("w:text"), qn("w:date"), (qn("w:comboBox"), qn("w:dropDownList"))
# A date is stored as in 2026-11-27 and shown in words.
LONGEST_DATE = 40
# What asks for a text is no text that is kept from readers.
WORDS_OF_A_REQUEST = 12


class Controls:
    """The bound controls of a document, and the values that they show."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._stores: dict[str, Element] | None = None
        self._values: dict[tuple[str, str, str], str | None] = {}

    def fill(self, root: Element) -> Iterator[tuple[str, str]]:
        """Put the values in place of the texts that controls in `root` hold, as Word does.

        Yields each value with the text that it replaced.
        """
        filled: set[Element] = set()
        for control in list(root.iter(qn("w:sdt"))):
            content = control.find(qn("w:sdtContent"))
            if content is None or any(outer in filled for outer in control.iterancestors(qn("w:sdt"))):
                continue
            held = _text_in(content)
            value = self._shown_in(control, held)
            if value is None or value.split() == held.split():
                continue
            filled.add(control)
            _replace(content, value)
            yield value, "" if _is_request(control, held) else held

    def _shown_in(self, control: Element, held: str) -> str | None:
        """The text that a control shows; None where it is the one that it holds."""
        properties = control.find(qn("w:sdtPr"))
        binding = properties.find(qn("w:dataBinding")) if properties is not None else None
        if properties is None or binding is None:
            return None
        choices = next((child for child in properties if child.tag in _CHOICES), None)
        is_date = properties.find(_DATE) is not None
        if choices is None and not is_date and properties.find(_PLAIN) is None:
            return None
        value = self._value_at(binding)
        if value is None or (not value.strip() and _asks(properties)):
            return None
        if is_date and value.strip():
            is_shown = len(held) <= LONGEST_DATE and any(map(str.isdecimal, held))
            return None if is_shown else value
        return value if choices is None else _choice(choices, value)

    def _value_at(self, binding: Element) -> str | None:
        """What stands where a binding leads; None where it leads nowhere."""
        names = ("prefixMappings", "xpath", "storeItemID")
        key = tuple(binding.get(qn(f"w:{name}"), "") for name in names)
        prefixes, path, store = key
        if (prefixes, path, store) not in self._values:
            self._values[prefixes, path, store] = self._found(prefixes, path, store.upper())
        return self._values[prefixes, path, store]

    def _found(self, prefixes: str, path: str, store: str) -> str | None:
        if self._stores is None:
            self._stores = dict(_stores_of(self._document))
        try:
            find = etree.XPath(path, namespaces={name: uri for name, _, uri in _PREFIX.findall(prefixes)}, regexp=False)
        except (etree.XPathError, ValueError):
            return None
        for name, root in self._stores.items():
            if store in {"", name}:
                value = _first_value(find, root)
                if value is not None:
                    return value
        return None


def _stores_of(document: Document) -> Iterator[tuple[str, Element]]:
    """The roots of the parts that values come from, by their names; parts without one have a number."""
    for relation in document.part.package.rels.values():
        name = next((name for end, name in _OF_PACKAGE.items() if relation.reltype.endswith(end)), None)
        if name is not None and not relation.is_external:
            yield from _parsed(name, relation.target_part.blob)
    for number, relation in enumerate(document.part.rels.values()):
        if relation.is_external or not relation.reltype.endswith(_CUSTOM):
            continue
        part = relation.target_part
        properties = (
            other.target_part.blob
            for other in part.rels.values()
            if not other.is_external and other.reltype.endswith(_PROPERTIES_OF_CUSTOM)
        )
        about = [root for blob in properties for _, root in _parsed("", blob)]
        yield from _parsed(about[0].get(_ITEM_ID, "").upper() if about else str(number), part.blob)


def _parsed(name: str, blob: bytes) -> Iterator[tuple[str, Element]]:
    try:
        yield name, parse_xml(blob)
    except etree.XMLSyntaxError:  # Word ignores such a part
        return


def _first_value(find: etree.XPath, root: Element) -> str | None:
    """The text of the first element or attribute that is found; None if there is none, or it has elements in it."""
    try:
        found = find(root)
    except etree.XPathError:
        return None
    first = found[0] if isinstance(found, list) and found else None
    if isinstance(first, str):
        return str(first)
    return (first.text or "") if isinstance(first, etree._Element) and not len(first) else None  # noqa: SLF001 - no public name


def _asks(properties: Element) -> bool:
    """Whether a control says that it holds no text, but a request for one."""
    mark = properties.find(qn("w:showingPlcHdr"))
    return mark is not None and is_on(mark)


def _is_request(control: Element, held: str) -> bool:
    properties = control.find(qn("w:sdtPr"))
    return properties is not None and _asks(properties) and len(held.split()) <= WORDS_OF_A_REQUEST


def _choice(choices: Element, value: str) -> str | None:
    """What a list shows for a value; of one that it does not have, only a list that can be typed into shows it."""
    for item in choices.iterchildren(qn("w:listItem")):
        if item.get(qn("w:value")) == value:
            return str(item.get(qn("w:displayText")) or value)
    return value if choices.tag == _CHOICES[0] or not value.strip() else None


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
        around = next(content.iter(qn("w:p")), content)
        runs = [around.makeelement(qn("w:r"))]
        around.append(runs[0])
    for run in runs:
        for child in list(run):
            if child.tag != qn("w:rPr"):
                run.remove(child)
    text = runs[0].makeelement(qn("w:t"))
    text.text = value
    runs[0].append(text)
