"""Drawings of a Word document that text runs around, which push it down. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.docx.alternatives import is_chosen
from portal.documents.docx.lengths import of_emu
from portal.documents.docx.names import WORD_DRAWING, qn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docx.oxml.xmlchemy import BaseOxmlElement as Element

_WRAPS = tuple(f"{WORD_DRAWING}{wrap}" for wrap in ("wrapSquare", "wrapTight", "wrapThrough", "wrapTopAndBottom"))
_BESIDE_TEXT = frozenset({"paragraph", "line"})


def wrapped_height(anchor: Element) -> float:
    """How far down a floating drawing may push text; 0 where text runs below or over it."""
    if not any(anchor.find(wrap) is not None for wrap in _WRAPS):
        return 0.0
    extent = anchor.find(f"{WORD_DRAWING}extent")
    height = of_emu(extent.get("cy")) if extent is not None else 0.0
    return height + of_emu(anchor.get("distT")) + of_emu(anchor.get("distB"))


def floats_in(paragraph: Element) -> Iterator[Element]:
    """The floating drawings that hang on a paragraph and move with it."""
    for anchor in paragraph.iter(f"{WORD_DRAWING}anchor"):
        if next(anchor.iterancestors(qn("w:p"))) is paragraph and not _is_on_page(anchor) and is_chosen(anchor):
            yield anchor


def floats_on_page(root: Element) -> Iterator[Element]:
    """The floating drawings of a part that are placed on the page, wherever in the text they hang."""
    for anchor in root.iter(f"{WORD_DRAWING}anchor"):
        if _is_on_page(anchor) and is_chosen(anchor):
            yield anchor


def _is_on_page(anchor: Element) -> bool:
    position = anchor.find(f"{WORD_DRAWING}positionV")
    return position is None or position.get("relativeFrom") not in _BESIDE_TEXT
