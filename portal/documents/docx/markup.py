"""Names, switches and lengths of Word's markup, and which of several renderings Word shows. In the child only."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.etree import _Element as Element

_OPEN = "http://schemas.openxmlformats.org/"
_PREFIXES = {
    "w": f"{_OPEN}wordprocessingml/2006/main",
    "r": f"{_OPEN}officeDocument/2006/relationships",
    "m": f"{_OPEN}officeDocument/2006/math",
    "a": f"{_OPEN}drawingml/2006/main",
    "c": f"{_OPEN}drawingml/2006/chart",
    "dgm": f"{_OPEN}drawingml/2006/diagram",
    "wp": f"{_OPEN}drawingml/2006/wordprocessingDrawing",
    "mc": f"{_OPEN}markup-compatibility/2006",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "v": "urn:schemas-microsoft-com:vml",
}
_UNDERSTOOD = ("http://schemas.microsoft.com/office/", "urn:schemas-microsoft-com:")
ON, OFF = frozenset({"1", "true", "on"}), frozenset({"0", "false", "off"})
DEEPEST_STYLE = 32
EMU_PER_POINT, TWIPS_PER_POINT = 12_700, 20
_LENGTH = re.compile(r"(-?\d{0,9}\.?\d{1,9})(pt|in|cm|mm|px|pc|pi)?")
_POINTS = {"pt": 1.0, "in": 72.0, "cm": 28.35, "mm": 2.835, "px": 0.75, "pc": 12.0, "pi": 12.0}


@cache
def qn(name: str) -> str:
    """The full name of an element or attribute such as "w:p", as lxml has it."""
    prefix, _, local = name.partition(":")
    return f"{{{_PREFIXES[prefix]}}}{local}"


@cache
def path_of(names: str) -> str:
    """The path for lxml's `find` from names such as "w:tcPr/w:shd"."""
    return "/".join(map(qn, names.split("/")))


def found(element: Element | None, names: str) -> Element | None:
    """The first element below another one that is at a path such as "w:tcPr/w:shd"."""
    return None if element is None else element.find(path_of(names))


def value_of(element: Element | None, names: str) -> str | None:
    """The `w:val` of what is at a path."""
    child = found(element, names)
    return None if child is None else child.get(qn("w:val"))


def is_on(switch: Element) -> bool:
    """Whether a switch such as `w:hidden` is on, as it is without a value."""
    return switch.get(qn("w:val"), "1").lower() not in OFF


def number_of(value: str | None) -> float | None:
    """A number, which may be negative; None for anything else."""
    return float(value) if value is not None and re.fullmatch(r"-?\d{1,12}(?:\.\d{1,12})?", value) else None


def points_of(value: str | None, units_of_a_point: float) -> float:
    """A length with a unit, or a plain number of which a point has that many; 0 where there is none."""
    match = _LENGTH.fullmatch((value or "").strip())
    if match is None:
        return 0.0
    return float(match[1]) * _POINTS[match[2]] if match[2] else float(match[1]) / units_of_a_point


def declarations(style: str) -> dict[str, str]:
    """The style of a shape or page, name by name."""
    pairs = (entry.partition(":") for entry in style.lower().split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def is_floating(drawing: Element) -> bool:
    """Whether a drawing, of either language, is placed by itself and not in a line."""
    if drawing.tag == qn("wp:anchor"):
        return True
    return declarations(drawing.get("style", "")).get("position") == "absolute"


def chosen(alternatives: Element) -> Element | None:
    """The first of several renderings of the same thing that Word understands."""
    for alternative in alternatives.iterchildren("{*}*"):
        if alternative.tag == qn("mc:Fallback"):
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


def chain_of(styles: Mapping[str, Element], name: str | None) -> list[Element]:
    """The styles that a style is based on, the first one first and itself last; empty if there is no such style."""
    chain: list[Element] = []
    while name is not None and name in styles and len(chain) < DEEPEST_STYLE:
        chain.append(styles[name])
        name = value_of(styles[name], "w:basedOn")
    return chain[::-1]
