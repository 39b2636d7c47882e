"""Several renderings of the same thing, of which Word shows one. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.docx.names import qn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docx.oxml.xmlchemy import BaseOxmlElement as Element

_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
ALTERNATIVES = f"{_COMPATIBILITY}AlternateContent"
_UNDERSTOOD = ("http://schemas.microsoft.com/office/", "urn:schemas-microsoft-com:")


def chosen(alternatives: Element) -> Element | None:
    """The first of several renderings of the same thing that Word understands."""
    alternative: Element
    for alternative in alternatives.iterchildren("{*}*"):
        if alternative.tag == f"{_COMPATIBILITY}Fallback":
            return alternative
        needed = [alternative.nsmap.get(prefix, "") for prefix in alternative.get("Requires", "").split()]
        if needed and all(name.startswith(_UNDERSTOOD) for name in needed):
            return alternative
    return None


def texts_not_chosen(alternatives: Element) -> Iterator[str]:
    """The text of every rendering that Word does not show."""
    shown = chosen(alternatives)
    for alternative in alternatives.iterchildren("{*}*"):
        if alternative is not shown:
            yield " ".join(text.text or "" for text in alternative.iter(qn("w:t")))


def is_chosen(element: Element) -> bool:
    """Whether all renderings that an element is in are those that Word shows."""
    inner = element
    for outer in element.iterancestors():
        if outer.tag == ALTERNATIVES and chosen(outer) is not inner:
            return False
        inner = outer
    return True
