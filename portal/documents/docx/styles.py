"""The styles of a Word document. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.docx.names import qn
from portal.documents.docx.switches import OFF

if TYPE_CHECKING:
    from collections.abc import Mapping

    from docx.oxml.xmlchemy import BaseOxmlElement as Element


def styles_by_id(styles: Element | None) -> dict[str, Element]:
    """The `w:style` elements of a document that has `styles`, by their ids."""
    children = styles.iterchildren(qn("w:style")) if styles is not None else ()
    return {style.get(qn("w:styleId"), ""): style for style in children}


def usual_paragraph_style(styles: Mapping[str, Element]) -> str | None:
    """The id of the style of paragraphs that name none."""
    for name, style in styles.items():
        if style.get(qn("w:type")) == "paragraph" and style.get(qn("w:default"), "0") not in OFF:
            return name
    return None
