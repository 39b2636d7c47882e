"""How large the text in a box of a Word document may be. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.docx.column import Column
from portal.documents.docx.lengths import of_emu, of_style
from portal.documents.docx.names import DRAWING, SHAPE, VML, WORD_DRAWING
from portal.documents.docx.older_shapes import declarations

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

# Farther than any paper reaches.
FAR = 1e9
INSET_ACROSS, INSET_DOWN = 7.2, 3.6
# How far text may hang out of a box and still be seen.
_HANGING_OUT = 20.0


def column_of_box(box: Element, around: Column) -> Column:
    """The column in a box (a `w:txbxContent`), measured from the left edge of its text.

    Args:
        box: the content of the box.
        around: the column that it hangs on, whose width is taken where that of the box is not known.
    """
    shape = next(box.iterancestors(f"{SHAPE}wsp", f"{VML}textbox"), None)
    if shape is not None and shape.tag == f"{SHAPE}wsp":
        return _of_shape(shape, around)
    if shape is not None:
        return _of_older_shape(shape, around)
    return _unknown(around)


def _unknown(around: Column) -> Column:
    return Column(0.0, around.right - around.left, -FAR, FAR, is_sure=False)


def _of_shape(shape: Element, around: Column) -> Column:
    size = shape.find(f"{SHAPE}spPr/{DRAWING}xfrm/{DRAWING}ext")
    anchor = next(shape.iterancestors(f"{WORD_DRAWING}anchor", f"{WORD_DRAWING}inline"), None)
    extent = anchor.find(f"{WORD_DRAWING}extent") if anchor is not None else None
    is_alone = anchor is not None and sum(1 for _ in anchor.iter(f"{SHAPE}wsp")) == 1
    if size is None or extent is None or not is_alone:
        return _unknown(around)
    body = shape.find(f"{SHAPE}bodyPr")
    attributes = body.attrib if body is not None else {}
    left, top, right = (
        of_emu(attributes[side]) if side in attributes else usual
        for side, usual in (("lIns", INSET_ACROSS), ("tIns", INSET_DOWN), ("rIns", INSET_ACROSS))
    )
    width = of_emu(extent.get("cx")) - left - right
    grows = body is not None and body.find(f"{DRAWING}spAutoFit") is not None
    shrinks = body is not None and body.find(f"{DRAWING}normAutofit") is not None
    is_plain = attributes.get("anchor", "t") == "t" and attributes.get("vert", "horz") == "horz"
    goes_on = shape.find(f"{SHAPE}txbx") is not None and shape.find(f"{SHAPE}txbx").get("id") is not None
    is_cut = is_plain and not (grows or shrinks or goes_on) and attributes.get("wrap") != "none"
    # The extent is that of the drawing; a box that was turned has another.
    is_turned = (shape.find(f"{SHAPE}spPr/{DRAWING}xfrm").get("rot") or "0") != "0"
    if width <= 0 or is_turned:
        return _unknown(around)
    seen = _HANGING_OUT if is_cut else FAR
    cut = of_emu(extent.get("cy")) - top if is_cut else None
    return Column(0.0, width, -seen, width + seen, is_sure=True, cut=cut)


def _of_older_shape(textbox: Element, around: Column) -> Column:
    style = declarations(textbox.getparent().get("style", ""))
    own = declarations(textbox.get("style", ""))
    width, height = (of_style(style.get(side)) for side in ("width", "height"))
    is_turned = "rotation" in style or "layout-flow" in own
    is_in_group = textbox.getparent().getparent().tag == f"{VML}group"
    if not width or not height or is_turned or is_in_group or width <= 2 * INSET_ACROSS:
        return _unknown(around)
    goes_on = any(
        name in {**style, **own} for name in ("mso-next-textbox", "mso-fit-shape-to-text", "mso-fit-text-to-shape")
    )
    is_top = style.get("v-text-anchor", "top") == "top"
    cut = height - INSET_DOWN if is_top and not goes_on and style.get("mso-wrap-style", "square") != "none" else None
    return Column(0.0, width - 2 * INSET_ACROSS, -FAR, FAR, is_sure=True, cut=cut)
