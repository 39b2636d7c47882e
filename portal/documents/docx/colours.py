"""Colours of a Word document: plain, by name, and by the theme. Runs in the reading child only."""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING

from portal.documents.appearance import WHITE
from portal.documents.docx.markup import qn

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

    from portal.documents.appearance import Colour

# What Word uses where a document has no theme, and other names for the same.
_OFFICE = {"dk1": (0, 0, 0), "lt1": WHITE, "dk2": (68, 84, 106), "lt2": (231, 230, 230)}
_SLOTS = {
    **dict.fromkeys(("dark1", "text1", "tx1"), "dk1"),
    **dict.fromkeys(("light1", "background1", "bg1"), "lt1"),
    **dict.fromkeys(("dark2", "text2", "tx2"), "dk2"),
    **dict.fromkeys(("light2", "background2", "bg2"), "lt2"),
    "hyperlink": "hlink",
    "followedHyperlink": "folHlink",
}
NAMED: dict[str, Colour] = {
    "black": (0, 0, 0),
    "blue": (0, 0, 255),
    "cyan": (0, 255, 255),
    "green": (0, 255, 0),
    "magenta": (255, 0, 255),
    "red": (255, 0, 0),
    "yellow": (255, 255, 0),
    "white": WHITE,
    "darkBlue": (0, 0, 128),
    "darkCyan": (0, 128, 128),
    "darkGreen": (0, 128, 0),
    "darkMagenta": (128, 0, 128),
    "darkRed": (128, 0, 0),
    "darkYellow": (128, 128, 0),
    "darkGray": (128, 128, 128),
    "lightGray": (192, 192, 192),
    "gray": (128, 128, 128),
    "silver": (192, 192, 192),
    "navy": (0, 0, 128),
    "window": WHITE,
    "windowText": (0, 0, 0),
}
_OF_OPACITY = frozenset({"alpha", "alphaMod", "alphaOff"})
_PLAIN = {"clear": 0.0, "nil": 0.0, "solid": 1.0}
# Stripes and crosses cover about as much of the ground.
_STRIPES = 0.3


class Theme:
    """The colours that a document names by their place in its theme."""

    def __init__(self, root: Element | None) -> None:
        self._colours: dict[str, Colour] = dict(_OFFICE)
        scheme = next(root.iter(qn("a:clrScheme")), None) if root is not None else None
        for slot in scheme.iterchildren("{*}*") if scheme is not None else ():
            for definition in slot.iterchildren("{*}*"):
                colour = colour_of(definition.get("lastClr") or definition.get("val"))
                if colour is not None:
                    self._colours[slot.tag.rpartition("}")[2]] = colour

    def of_attribute(self, element: Element, plain: str, prefix: str) -> Colour | None:
        """The colour of an attribute such as `w:val` or `w:fill`; the theme, if named, goes before it.

        Args:
            element: what has the attributes.
            plain: the attribute with the colour itself, "w:val".
            prefix: how the attributes about the theme begin, "w:theme" or "w:themeFill".
        """
        colour = self._named(element.get(qn("w:themeColor" if prefix == "w:theme" else prefix)))
        if colour is None:
            return colour_of(element.get(qn(plain)))
        shade, tint = (_share_of(element.get(qn(f"{prefix}{change}"))) for change in ("Shade", "Tint"))
        return _between(_between(colour, (0, 0, 0), shade), WHITE, tint)

    def of_shade(self, shade: Element | None) -> Colour | None:
        """The colour of a `w:shd`: its fill, or a mix with the colour of its pattern; None where neither is set."""
        if shade is None:
            return None
        fill = self.of_attribute(shade, "w:fill", "w:themeFill")
        pattern = shade.get(qn("w:val"), "clear")
        percent = pattern.removeprefix("pct")
        share = _PLAIN.get(pattern, int(percent) / 100 if percent.isdecimal() else _STRIPES)
        if share == 0:
            return fill
        colour = self.of_attribute(shade, "w:color", "w:theme")
        return colour if share == 1 else _between(colour or (0, 0, 0), fill or WHITE, share)

    def drawn(self, fill: Element | None) -> Colour | None:
        """The colour of a solid fill of a drawing (or of letters that are filled like one)."""
        for element in fill.iterchildren("{*}*") if fill is not None else ():
            value = _attribute(element, "lastClr") or _attribute(element, "val")
            is_named = element.tag.rpartition("}")[2] == "schemeClr"
            return _shifted(self._named(value) if is_named else colour_of(value), element)
        return None

    def _named(self, name: str | None) -> Colour | None:
        return None if name is None else self._colours.get(_SLOTS.get(name, name))


def _attribute(element: Element, name: str) -> str | None:
    value: str | None = element.get(name) or element.get(qn(f"w14:{name}"))
    return value


def _shifted(colour: Colour | None, element: Element) -> Colour | None:
    """A colour made lighter or darker by what its element says; None for changes of another kind."""
    for change in element.iterchildren("{*}*"):
        name, share = change.tag.rpartition("}")[2], _attribute(change, "val") or ""
        if name in _OF_OPACITY:
            continue
        if colour is None or not share.isdecimal():
            return None
        weight = min(int(share) / 100_000, 1.0)
        if name in {"tint", "shade"}:
            colour = _between(colour, WHITE if name == "tint" else (0, 0, 0), weight)
        elif name in {"lumMod", "lumOff"}:
            hue, lightness, saturation = colorsys.rgb_to_hls(*(channel / 255 for channel in colour))
            lightness = lightness * weight if name == "lumMod" else min(1.0, lightness + weight)
            red, green, blue = (round(255 * channel) for channel in colorsys.hls_to_rgb(hue, lightness, saturation))
            colour = red, green, blue
        else:
            return None
    return colour


def _share_of(digits: str | None) -> float:
    """A share in 255ths, as two hexadecimal digits; 1 where there is none."""
    try:
        return int(digits, 16) / 255 if digits else 1.0
    except ValueError:
        return 1.0


def _between(colour: Colour, other: Colour, weight: float) -> Colour:
    red, green, blue = (
        round(channel * weight + other_channel * (1 - weight))
        for channel, other_channel in zip(colour, other, strict=True)
    )
    return red, green, blue


def colour_of(value: str | None) -> Colour | None:
    """Six (or three) hexadecimal digits or a name as a colour; None for "auto" and anything else."""
    value = (value or "").split(" ", 1)[0]
    if value in NAMED:
        return NAMED[value]
    digits = value.removeprefix("#")
    if len(digits) == len("fff"):
        digits = "".join(digit * 2 for digit in digits)
    try:
        red, green, blue = bytes.fromhex(digits)
    except ValueError:
        return None
    return red, green, blue
