"""The styles of a Word document. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.docx.names import qn
from portal.documents.docx.switches import OFF

if TYPE_CHECKING:
    from collections.abc import Mapping

    from docx.oxml.xmlchemy import BaseOxmlElement as Element

DEEPEST_STYLE = 32


def styles_by_id(styles: Element | None) -> dict[str, Element]:
    """The `w:style` elements of a document that has `styles`, by their ids."""
    children = styles.iterchildren(qn("w:style")) if styles is not None else ()
    return {style.get(qn("w:styleId"), ""): style for style in children}


def chain_of(styles: Mapping[str, Element], name: str | None) -> list[Element]:
    """A style and those that it is based on, itself first; empty if there is no such style."""
    chain: list[Element] = []
    while name is not None and name in styles and len(chain) < DEEPEST_STYLE:
        chain.append(styles[name])
        base = styles[name].find(qn("w:basedOn"))
        name = None if base is None else base.get(qn("w:val"))
    return chain


def usual_paragraph_style(styles: Mapping[str, Element]) -> str | None:
    """The id of the style of paragraphs that name none."""
    for name, style in styles.items():
        if style.get(qn("w:type")) == "paragraph" and style.get(qn("w:default"), "0") not in OFF:
            return name
    return None
