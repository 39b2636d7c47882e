"""The runs of a paragraph of a Word document, without those of boxes in it. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.docx.names import qn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docx.oxml.xmlchemy import BaseOxmlElement as Element

# Moved away or deleted, and properties.
NOT_LAID_OUT = frozenset(
    qn(tag) for tag in ("w:del", "w:moveFrom", "w:pPr", "w:rPr", "w:tblPr", "w:tblGrid", "w:tcPr", "w:trPr", "w:sdtPr")
)


def runs_of(paragraph: Element) -> Iterator[Element]:
    """The runs of a paragraph itself, not those of boxes in it."""
    for child in paragraph.iterchildren("{*}*"):
        if child.tag == qn("w:r"):
            yield child
        elif child.tag not in NOT_LAID_OUT:
            yield from runs_of(child)


def text_of(run: Element) -> str:
    """The letters of a run itself."""
    return "".join(text.text or "" for text in run.iterchildren(qn("w:t")))
