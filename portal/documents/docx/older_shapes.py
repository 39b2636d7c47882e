"""Floating shapes of a Word document in the older drawing language. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.docx.colours import colour_of
from portal.documents.docx.lengths import of_style
from portal.documents.docx.names import VML, WORD_DRAWING, qn
from portal.documents.docx.pictures import is_opaque_relation
from portal.documents.docx.shape import Shape, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.docx.shape import Palette

_ANCHOR = f"{WORD_DRAWING}anchor"
_WORD = "{urn:schemas-microsoft-com:office:word}"
GROUP = f"{VML}group"
_KINDS = tuple(f"{VML}{kind}" for kind in ("shape", "rect", "roundrect", "oval", "image", "group"))
# Numbers of forms of Word that are rectangles: text boxes, pictures, rectangles, those with round corners, processes.
_RECTANGLES = ("_t202", "_t75", "_t1", "_t2", "_t109")
_LEAST_OPACITY = 0.95


def declarations(style: str) -> dict[str, str]:
    """The style of a shape, name by name."""
    pairs = (entry.partition(":") for entry in style.lower().split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def drawn(root: Element) -> Iterator[Element]:
    """The shapes under `root` that are placed by themselves, and groups of shapes."""
    for shape in root.iter(*_KINDS):
        if is_floating(shape) or (shape.tag == GROUP and shape.getparent().tag != GROUP):
            yield shape


def is_floating(drawing: Element) -> bool:
    """Whether a drawing, of either language, is placed by itself and not in a line."""
    if drawing.tag == _ANCHOR:
        return True
    if drawing.tag not in _KINDS or drawing.getparent().tag == GROUP:
        return False
    return declarations(drawing.get("style", "")).get("position") == "absolute"


def is_filled(shape: Element) -> bool:
    """Whether a shape is filled at all."""
    return shape.get("filled", "t")[:1] not in {"f", "0"}


def parts(anchor: Element, palette: Palette) -> list[Shape]:
    """The shapes that a floating shape or group consists of."""
    style = declarations(anchor.get("style", ""))
    width, height = (of_style(style.get(side)) or 0.0 for side in ("width", "height"))
    is_in_line = not is_floating(anchor)
    across = Span(
        style.get("mso-position-horizontal-relative", "text").replace("text", "column"),
        None if is_in_line else _start(style, "margin-left", "left"),
        width,
        _align(style, "mso-position-horizontal"),
    )
    down = Span(
        style.get("mso-position-vertical-relative", "text").replace("text", "paragraph"),
        None if is_in_line else _start(style, "margin-top", "top"),
        height,
        _align(style, "mso-position-vertical"),
    )
    depth = style.get("z-index", "0")
    wrap = next(anchor.iter(f"{_WORD}wrap"), None)
    is_wrapped = wrap is not None and wrap.get("type", "none") not in {"none", "through"}
    order = float(depth) if depth.removeprefix("-").isdecimal() else 0.0
    return [
        Shape(
            element=element,
            anchor=anchor,
            across=across.part(left, part_width),
            down=down.part(top, part_height),
            order=(order, number),
            is_behind=depth.startswith("-"),
            is_before=not (depth.startswith("-") or is_wrapped or is_in_line),
            is_opaque=_is_opaque(element, palette),
            is_coloured=is_coloured(element, palette),
        )
        for number, (element, (left, top, part_width, part_height)) in enumerate(
            _leaves(anchor, (0.0, 0.0, width, height))
        )
    ]


def is_coloured(shape: Element, palette: Palette) -> bool:
    """Whether a shape has another colour than the page, or shows a picture."""
    if shape.find(f"{VML}imagedata") is not None:
        return True
    fill = shape.find(f"{VML}fill")
    is_plain = fill is None or fill.get("type", "solid") == "solid"
    return is_filled(shape) and not (is_plain and palette.is_paper(colour_of(shape.get("fillcolor", "white"))))


def _is_opaque(shape: Element, palette: Palette) -> bool:
    if "rotation" in declarations(shape.get("style", "")):
        return False
    picture = shape.find(f"{VML}imagedata")
    if picture is not None:
        return is_opaque_relation(picture.get(qn("r:id")), palette.relations)
    if shape.tag == f"{VML}oval" or not is_filled(shape):
        return False
    if shape.tag == f"{VML}shape" and not shape.get("type", "").endswith(_RECTANGLES):
        return False
    fill = shape.find(f"{VML}fill")
    return fill is None or _share(fill.get("opacity", "1")) >= _LEAST_OPACITY


def _share(value: str) -> float:
    """A share as a number, in percent or in 65,536ths ("32768f")."""
    for unit, whole in (("f", 65_536.0), ("%", 100.0), ("", 1.0)):
        number = value.removesuffix(unit) if unit and value.endswith(unit) else value
        if (not unit or value.endswith(unit)) and number.replace(".", "", 1).isdecimal():
            return float(number) / whole
    return 0.0


def _leaves(
    shape: Element, area: tuple[float, float, float, float], deepest: int = 16
) -> Iterator[tuple[Element, tuple[float, float, float, float]]]:
    if shape.tag != GROUP:
        yield shape, area
        return
    (own_left, own_top), (own_width, own_height) = (
        _pair(shape.get("coordorigin"), 0.0),
        _pair(shape.get("coordsize"), 1000.0),
    )
    left, top, width, height = area
    across, down = width / (own_width or 1000.0), height / (own_height or 1000.0)
    for child in shape.iterchildren(*_KINDS) if deepest > 0 else ():
        style = declarations(child.get("style", ""))
        start_x, start_y, child_width, child_height = (
            _number(style.get(side)) for side in ("left", "top", "width", "height")
        )
        inner = (
            left + across * (start_x - own_left),
            top + down * (start_y - own_top),
            across * child_width,
            down * child_height,
        )
        # Some give no places inside of a group; then its parts are taken to fill it.
        yield from _leaves(child, inner if child_width and child_height else area, deepest - 1)


def _start(style: dict[str, str], *names: str) -> float | None:
    values = [of_style(style[name]) for name in names if name in style]
    return values[0] if values else 0.0


def _align(style: dict[str, str], name: str) -> str:
    return "" if style.get(name, "absolute") == "absolute" else style[name]


def _pair(value: str | None, usual: float) -> tuple[float, float]:
    first, _, second = (value or "").partition(",")
    return (_number(first), _number(second)) if value else (usual, usual)


def _number(value: str | None) -> float:
    digits = (value or "").strip()
    return float(digits) if digits.removeprefix("-").replace(".", "", 1).isdecimal() else 0.0
