"""The floating shapes and pictures of a Word document: where they are, and what is behind them. In the child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docx.oxml.ns import nsmap

from portal.documents.docx import older_shapes
from portal.documents.docx.alternatives import is_chosen
from portal.documents.docx.lengths import of_emu
from portal.documents.docx.names import DRAWING, MICROSOFT_WORD, SHAPE, WORD_DRAWING
from portal.documents.docx.pictures import is_opaque_blip, is_opaque_fill
from portal.documents.docx.shape import Palette, Shape, Span, is_filled_by_style
from portal.documents.docx.switches import ON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docx.oxml.xmlchemy import BaseOxmlElement as Element

_PICTURE = f"{{{nsmap['pic']}}}"
_GROUP = f"{MICROSOFT_WORD}wordprocessingGroup}}"
_CANVAS = f"{MICROSOFT_WORD}wordprocessingCanvas}}wpc"
_SIZES = f"{MICROSOFT_WORD}wordprocessingDrawing}}"
_GROUPS = frozenset({f"{_GROUP}wgp", f"{_GROUP}grpSp", _CANVAS})
_FULL_FORMS = ("rect", "roundRect", "flowChartProcess", "flowChartAlternateProcess", "bevel", "plaque")
_CUT_FORMS = ("round", "snip")
_OVALS = frozenset({"ellipse", "flowChartConnector"})
# What of an oval's sides is a rectangle within it.
OVAL_INSET = 0.15
_QUARTER_TURN = 5_400_000
# A polygon smaller than this share of its drawing lets the text run below nearly all of it.
LEAST_POLYGON_SHARE = 0.5
_POLYGON_UNITS = 21_600
MOST_SHAPES = 200
DEEPEST_GROUP = 16


def shapes_of(root: Element, palette: Palette) -> list[Shape]:
    """The parts of all floating drawings under `root`, also of those written in the older language."""
    shapes: list[Shape] = []
    for anchor in root.iter(f"{WORD_DRAWING}anchor", f"{WORD_DRAWING}inline"):
        if len(shapes) >= MOST_SHAPES:
            break
        if is_chosen(anchor):
            shapes += _parts(anchor, palette)
    for older in older_shapes.drawn(root):
        if len(shapes) >= MOST_SHAPES:
            break
        if is_chosen(older):
            shapes += older_shapes.parts(older, palette)
    return shapes[:MOST_SHAPES]


def span_of(anchor: Element, axis: str) -> Span:
    """Where an anchored drawing is along an axis, "H" or "V"."""
    extent = anchor.find(f"{WORD_DRAWING}extent")
    length = 0.0 if extent is None else of_emu(extent.get("cx" if axis == "H" else "cy"))
    share = anchor.find(f"{_SIZES}sizeRel{axis}")
    if share is not None and any((part.text or "").strip() not in {"", "0"} for part in share):
        # A share of something else, which Word reckons anew.
        return Span("", None, length)
    simple = anchor.find(f"{WORD_DRAWING}simplePos")
    if simple is not None and anchor.get("simplePos") in ON:
        return Span("page", of_emu(simple.get("x" if axis == "H" else "y")), length)
    position = anchor.find(f"{WORD_DRAWING}position{axis}")
    if position is None:
        return Span("", None, length)
    origin = position.get("relativeFrom", "")
    offset, align = position.find(f"{WORD_DRAWING}posOffset"), position.findtext(f"{WORD_DRAWING}align")
    if offset is not None:
        return Span(origin, of_emu(offset.text), length)
    return Span(origin, None, length, (align or "").strip())


def _parts(anchor: Element, palette: Palette) -> list[Shape]:
    across, down = span_of(anchor, "H"), span_of(anchor, "V")
    height = anchor.get("relativeHeight", "0")
    order = float(height) if height.isdecimal() else 0.0
    is_behind = anchor.get("behindDoc") in ON
    is_before = not is_behind and anchor.tag == f"{WORD_DRAWING}anchor" and _lets_text_below(anchor)
    return [
        Shape(
            element=element,
            anchor=anchor,
            across=across.part(left, width),
            down=down.part(top, length),
            order=(order, number),
            is_behind=is_behind,
            is_before=is_before,
            is_opaque=is_opaque,
            is_coloured=is_coloured,
        )
        for number, (element, (left, top, width, length), is_opaque, is_coloured) in enumerate(
            _leaves(anchor, (0.0, 0.0, across.whole, down.whole), palette)
        )
    ]


_Rectangle = tuple[float, float, float, float]


def _leaves(anchor: Element, area: _Rectangle, palette: Palette) -> Iterator[tuple[Element, _Rectangle, bool, bool]]:
    """The shapes and pictures of a drawing, each with its place in it, whether it is opaque and whether coloured."""
    data = anchor.find(f"{DRAWING}graphic/{DRAWING}graphicData")
    leaves = [
        leaf
        for child in (data.iterchildren("{*}*") if data is not None else ())
        for leaf in _within(child, area, palette, DEEPEST_GROUP)
    ]
    # What is in a chart or a diagram is drawn by another part.
    yield from leaves or [(anchor, area, False, True)]


def _within(
    element: Element, area: _Rectangle, palette: Palette, deepest: int
) -> Iterator[tuple[Element, _Rectangle, bool, bool]]:
    tag = element.tag
    if tag in _GROUPS and deepest > 0:
        inner = element.find(f"{_GROUP}grpSpPr/{DRAWING}xfrm")
        for child in element.iterchildren("{*}*"):
            form = child.find("{*}grpSpPr" if child.tag in _GROUPS else "{*}spPr")
            place = form.find(f"{DRAWING}xfrm") if form is not None else None
            yield from _within(child, _placed(area, inner, place), palette, deepest - 1)
    elif tag == f"{SHAPE}wsp":
        yield element, *_drawn(element, f"{SHAPE}spPr", area, palette)
    elif tag == f"{_PICTURE}pic":
        form = element.find(f"{_PICTURE}spPr")
        area, is_full = _full(area, form)
        is_opaque = is_full and is_opaque_blip(element.find(f"{_PICTURE}blipFill"), palette.relations)
        yield element, area, is_opaque, True


def _drawn(shape: Element, form: str, area: _Rectangle, palette: Palette) -> tuple[_Rectangle, bool, bool]:
    properties = shape.find(form)
    area, is_full = _full(area, properties)
    is_opaque = is_full and is_opaque_fill(properties, palette.relations, of_style=is_filled_by_style(shape))
    return area, is_opaque, palette.is_coloured(shape)


def _placed(area: _Rectangle, inner: Element | None, place: Element | None) -> _Rectangle:
    """Where a part of a group is, given the area of the group, its own measure and the part's place in that."""
    own_start, own_size = (inner.find(f"{DRAWING}{tag}") if inner is not None else None for tag in ("chOff", "chExt"))
    if own_start is None and inner is not None:
        own_start, own_size = (inner.find(f"{DRAWING}{tag}") for tag in ("off", "ext"))
    if place is None:
        return area
    start, size = place.find(f"{DRAWING}off"), place.find(f"{DRAWING}ext")
    if start is None or size is None:
        return area
    left, top, width, height = area
    own_width, own_height = ((of_emu(own_size.get(side)) if own_size is not None else 0.0) for side in ("cx", "cy"))
    across = width / own_width if own_width > 0 else 1.0
    down = height / own_height if own_height > 0 else 1.0
    own_left, own_top = ((of_emu(own_start.get(side)) if own_start is not None else 0.0) for side in ("x", "y"))
    return (
        left + across * (of_emu(start.get("x")) - own_left),
        top + down * (of_emu(start.get("y")) - own_top),
        across * of_emu(size.get("cx")),
        down * of_emu(size.get("cy")),
    )


def _full(area: _Rectangle, properties: Element | None) -> tuple[_Rectangle, bool]:
    """The rectangle that a shape surely fills, and whether there is one."""
    left, top, width, height = area
    place = properties.find(f"{DRAWING}xfrm") if properties is not None else None
    turned = (place.get("rot") or "0") if place is not None else "0"
    degrees = int(turned) if turned.removeprefix("-").isdecimal() else 1
    if degrees % _QUARTER_TURN:
        return area, False
    if degrees // _QUARTER_TURN % 2:
        left, top, width, height = left + (width - height) / 2, top + (height - width) / 2, height, width
    form = properties.find(f"{DRAWING}prstGeom") if properties is not None else None
    if form is None:
        own = properties.find(f"{DRAWING}custGeom") if properties is not None else None
        return (left, top, width, height), own is None or _is_rectangle(own)
    name = form.get("prst", "")
    if name in _OVALS:
        return (
            left + OVAL_INSET * width,
            top + OVAL_INSET * height,
            (1 - 2 * OVAL_INSET) * width,
            (1 - 2 * OVAL_INSET) * height,
        ), True
    return (left, top, width, height), name in _FULL_FORMS or name.startswith(_CUT_FORMS)


def _is_rectangle(form: Element) -> bool:
    """Whether a form of its own is one path through the corners of a rectangle."""
    paths = list(form.iter(f"{DRAWING}path"))
    if len(paths) != 1 or any(
        next(paths[0].iter(f"{DRAWING}{curve}"), None) is not None for curve in ("arcTo", "cubicBezTo", "quadBezTo")
    ):
        return False
    points = [(point.get("x", ""), point.get("y", "")) for point in paths[0].iter(f"{DRAWING}pt")]
    sides = [{point[axis] for point in points} for axis in (0, 1)]
    return all(len(side) == 2 for side in sides) and len(set(points)) == 4  # noqa: PLR2004 - of a rectangle


def _lets_text_below(anchor: Element) -> bool:
    """Whether text runs below a drawing, at least below nearly all of it."""
    if any(anchor.find(f"{WORD_DRAWING}{wrap}") is not None for wrap in ("wrapSquare", "wrapTopAndBottom")):
        return False
    for wrap in ("wrapTight", "wrapThrough"):
        around = anchor.find(f"{WORD_DRAWING}{wrap}")
        if around is not None:
            points = [
                (of_emu(point.get("x")), of_emu(point.get("y")))
                for point in around.iter(f"{WORD_DRAWING}start", f"{WORD_DRAWING}lineTo")
            ]
            sides = [max(side) - min(side) for side in zip(*points, strict=True)] if points else []
            least = LEAST_POLYGON_SHARE * of_emu(str(_POLYGON_UNITS))
            return bool(sides) and min(sides) < least
    return True
