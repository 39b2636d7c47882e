"""Colours of a Word document: plain, by name, and by the theme. Runs in the reading child only."""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING

from portal.documents.colours import WHITE
from portal.documents.docx.names import DRAWING, WORD_2010, qn

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.colours import Colour

# What Word uses where a document has no theme, and the names of the other two drawing languages for the same.
_OFFICE = {"dk1": (0, 0, 0), "lt1": WHITE, "dk2": (68, 84, 106), "lt2": (231, 230, 230)}
_SLOTS = {
    "dark1": "dk1",
    "text1": "dk1",
    "tx1": "dk1",
    "light1": "lt1",
    "background1": "lt1",
    "bg1": "lt1",
    "dark2": "dk2",
    "text2": "dk2",
    "tx2": "dk2",
    "light2": "lt2",
    "background2": "lt2",
    "bg2": "lt2",
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
    "maroon": (128, 0, 0),
    "teal": (0, 128, 128),
    "purple": (128, 0, 128),
    "window": WHITE,
    "windowText": (0, 0, 0),
}


_SHIFTS = frozenset({"lumMod", "lumOff", "tint", "shade"})
_OF_OPACITY = frozenset({"alpha", "alphaMod", "alphaOff"})
_PLAIN = {"clear": 0.0, "nil": 0.0, "solid": 1.0}
_STRIPES = 0.3


class Theme:
    """The colours and fonts that a document names by their place in its theme."""

    def __init__(self, root: Element | None) -> None:
        self._colours: dict[str, Colour] = dict(_OFFICE)
        scheme = next(root.iter(f"{DRAWING}clrScheme"), None) if root is not None else None
        for slot in scheme.iterchildren("{*}*") if scheme is not None else ():
            for definition in slot.iterchildren("{*}*"):
                colour = colour_of(definition.get("lastClr") or definition.get("val"))
                if colour is not None:
                    self._colours[slot.tag.rsplit("}", 1)[-1]] = colour

        fonts = next(root.iter(f"{DRAWING}fontScheme"), None) if root is not None else None
        self._fonts: dict[str, str] = {}
        for kind in ("major", "minor"):
            latin = fonts.find(f"{DRAWING}{kind}Font/{DRAWING}latin") if fonts is not None else None
            if latin is not None:
                self._fonts[kind] = latin.get("typeface", "")

    def font(self, name: str) -> str | None:
        """The font behind a name like "minorHAnsi" or "majorAscii"."""
        return self._fonts.get(name[:5])

    def named(self, name: str | None) -> Colour | None:
        """The colour behind a name like "background1", "bg1" or "accent2"."""
        return None if name is None else self._colours.get(_SLOTS.get(name, name))

    def of_attribute(self, element: Element, plain: str, prefix: str) -> Colour | None:
        """The colour of an attribute such as `w:val` or `w:fill`; the theme, if named, goes before it.

        Args:
            element: what has the attributes.
            plain: the attribute with the colour itself, "w:val".
            prefix: how the attributes about the theme begin, "w:theme" or "w:themeFill".
        """
        name = element.get(qn("w:themeColor" if prefix == "w:theme" else prefix))
        colour = self.named(name)
        if colour is None:
            return colour_of(element.get(qn(plain)))
        shade, tint = element.get(qn(f"{prefix}Shade")), element.get(qn(f"{prefix}Tint"))
        return _mixed(_mixed(colour, (0, 0, 0), shade), WHITE, tint)

    def of_shade(self, shade: Element) -> Colour | None:
        """The colour of a `w:shd`: its fill, or a mix with the colour of its pattern; None where neither is set."""
        fill = self.of_attribute(shade, "w:fill", "w:themeFill")
        share = _share_of_pattern(shade.get(qn("w:val"), "clear"))
        if share == 0:
            return fill
        colour = self.of_attribute(shade, "w:color", "w:theme")
        return colour if share == 1 else _between(colour or (0, 0, 0), fill or WHITE, share)

    def drawn(self, fill: Element | None) -> Colour | None:
        """The colour of a solid fill of a drawing (or of letters that are filled like one)."""
        for space in (DRAWING, WORD_2010):
            plain = fill.find(f"{space}srgbClr") if fill is not None else None
            if plain is not None:
                return _shifted(colour_of(plain.get("val") or plain.get(f"{space}val")), plain)
            named = fill.find(f"{space}schemeClr") if fill is not None else None
            if named is not None:
                return _shifted(self.named(named.get("val") or named.get(f"{space}val")), named)
            system = fill.find(f"{space}sysClr") if fill is not None else None
            if system is not None:
                return _shifted(colour_of(system.get("lastClr") or system.get(f"{space}lastClr")), system)
        return None


def _shifted(colour: Colour | None, element: Element) -> Colour | None:
    """A colour made lighter or darker by what its element says; None for changes of another kind."""
    for change in element.iterchildren("{*}*"):
        name = change.tag.rsplit("}", 1)[-1]
        share = change.get("val") or change.get(f"{WORD_2010}val") or ""
        if colour is None or name not in _SHIFTS or not share.isdecimal():
            if name in _OF_OPACITY:
                continue
            return None
        hue, lightness, saturation = colorsys.rgb_to_hls(*(channel / 255 for channel in colour))
        weight = min(int(share) / 100_000, 1.0)
        if name == "tint":
            colour = _between(colour, WHITE, weight)
        elif name == "shade":
            colour = _between(colour, (0, 0, 0), weight)
        else:
            lightness = lightness * weight if name == "lumMod" else min(1.0, lightness + weight)
            red, green, blue = (round(255 * channel) for channel in colorsys.hls_to_rgb(hue, lightness, saturation))
            colour = red, green, blue
    return colour


def _mixed(colour: Colour, other: Colour, share: str | None) -> Colour:
    """A mix of `colour`, with a share in 255ths as two hexadecimal digits, and `other` for the rest."""
    try:
        weight = int(share, 16) / 255 if share else 1.0
    except ValueError:
        weight = 1.0
    return _between(colour, other, weight)


def _between(colour: Colour, other: Colour, weight: float) -> Colour:
    red, green, blue = (
        round(channel * weight + other_channel * (1 - weight))
        for channel, other_channel in zip(colour, other, strict=True)
    )
    return red, green, blue


def _share_of_pattern(pattern: str) -> float:
    """How much of the ground a pattern covers: "pct25" a quarter; stripes and crosses about as much."""
    if pattern in _PLAIN:
        return _PLAIN[pattern]
    percent = pattern.removeprefix("pct")
    return int(percent) / 100 if percent.isdecimal() else _STRIPES


def colour_of(value: str | None) -> Colour | None:
    """Six (or three) hexadecimal digits or a name as a colour; None for "auto" and anything else."""
    if value is None:
        return None
    value = value.split(" ", 1)[0]
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
