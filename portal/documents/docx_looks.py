"""How the runs of a Word document look, as far as it decides whether a reader sees them.

Formatting is inherited: document defaults, paragraph style, character style, the run itself; what a later
one says wins. Backgrounds: run, paragraph, cells outwards, text box, page. Runs in the reading child only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from docx.oxml.ns import nsmap, qn

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

Colour = tuple[int, int, int]

SMALLEST_READABLE_HALF_POINTS = 4
SAME_COLOUR_WITHIN = 20
WHITE: Colour = (255, 255, 255)
DEEPEST_STYLE = 32

_WORD_2010 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_SHAPE = "{http://schemas.microsoft.com/office/word/2010/wordprocessingShape}"
_DRAWING = f"{{{nsmap['a']}}}"
_OFF = frozenset({"0", "false", "off"})
_HIGHLIGHTS: dict[str, Colour] = {
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
}


@dataclass(frozen=True)
class Look:
    """What decides whether a run can be seen.

    Attributes:
        vanished: set as hidden text, or painted without any fill.
        colour: colour of the letters; None is Word's automatic colour, which always contrasts.
        half_points: size of the letters; None when nothing says it.
        ground: colour right behind the letters, by highlight or shading; None when there is none.
    """

    vanished: bool = False
    colour: Colour | None = None
    half_points: float | None = None
    ground: Colour | None = None


class Looks:
    """Looks of runs, given the styles of their document."""

    def __init__(self, styles: Element | None, page_ground: Colour) -> None:
        self._page_ground = page_ground
        self._styles: dict[str, Element] = {}
        self._defaults = Look()
        if styles is not None:
            self._styles = {style.get(qn("w:styleId"), ""): style for style in styles.iterchildren(qn("w:style"))}
            defaults = styles.find(f"{qn('w:docDefaults')}/{qn('w:rPrDefault')}/{qn('w:rPr')}")
            self._defaults = _with(Look(), defaults)
        self._paragraph_default = next(
            (
                name
                for name, style in self._styles.items()
                if style.get(qn("w:type")) == "paragraph" and style.get(qn("w:default")) in {"1", "true", "on"}
            ),
            None,
        )

    def is_hidden(self, run: Element) -> bool:
        """Whether a reader of the document cannot see the text of `run` (a `w:r` element)."""
        look = self._look(run)
        if look.vanished:
            return True
        if look.half_points is not None and look.half_points <= SMALLEST_READABLE_HALF_POINTS:
            return True
        if look.colour is None:
            return False
        ground = look.ground if look.ground is not None else self._ground_around(run)
        return ground is not None and _alike(look.colour, ground)

    def _look(self, run: Element) -> Look:
        properties = run.find(qn("w:rPr"))
        paragraph = next(run.iterancestors(qn("w:p")), None)
        paragraph_properties = paragraph.find(qn("w:pPr")) if paragraph is not None else None
        paragraph_style = _value(paragraph_properties, "w:pStyle") or self._paragraph_default
        look = self._styled(self._defaults, paragraph_style)
        look = _with_shade(look, paragraph_properties)
        look = self._styled(look, _value(properties, "w:rStyle"))
        return _with(look, properties)

    def _styled(self, look: Look, name: str | None) -> Look:
        chain: list[Element] = []
        while name is not None and name in self._styles and len(chain) < DEEPEST_STYLE:
            chain.append(self._styles[name])
            name = _value(self._styles[name], "w:basedOn")
        for style in reversed(chain):
            look = _with(_with_shade(look, style.find(qn("w:pPr"))), style.find(qn("w:rPr")))
        return look

    def _ground_around(self, run: Element) -> Colour | None:
        """The colour the run stands on, looking outwards; None where it cannot be told."""
        for element in run.iterancestors():
            if element.tag == qn("w:tc"):
                shade = _shade(element.find(qn("w:tcPr")))
                if shade is not None:
                    return shade
            elif element.tag == qn("w:tbl"):
                properties = element.find(qn("w:tblPr"))
                shade = _shade(properties)
                if shade is not None:
                    return shade
                style = self._styles.get(_value(properties, "w:tblStyle") or "")
                if style is not None and next(style.iter(qn("w:shd")), None) is not None:
                    return None  # which cells a table style shades depends on where they stand
            elif element.tag == f"{_SHAPE}wsp":
                return self._ground_of_shape(element)
            elif element.tag == qn("w:pict"):
                return None  # the older drawing language: fills are too various to tell
        return self._page_ground

    def _ground_of_shape(self, shape: Element) -> Colour | None:
        """The fill of a text box: its colour, the page when it has none, None when it cannot be told."""
        properties = shape.find(f"{_SHAPE}spPr")
        if properties is not None:
            if properties.find(f"{_DRAWING}noFill") is not None:
                return self._page_ground
            colour = properties.find(f"{_DRAWING}solidFill/{_DRAWING}srgbClr")
            if colour is not None:
                return _colour(colour.get("val"))
            if any(properties.find(f"{_DRAWING}{fill}") is not None for fill in ("solidFill", "gradFill", "blipFill")):
                return None
        return self._page_ground if shape.find(f"{_SHAPE}style") is None else None


def ground_of_page(document: Element) -> Colour:
    """The page colour of a `w:document` element; white unless it says otherwise."""
    background = document.find(qn("w:background"))
    colour = _colour(background.get(qn("w:color"))) if background is not None else None
    return colour or WHITE


def _with(look: Look, properties: Element | None) -> Look:
    """`look` with what a `w:rPr` element says on top."""
    if properties is None:
        return look
    look = _with_shade(look, properties)
    vanish = properties.find(qn("w:vanish"))
    if vanish is not None:
        look = replace(look, vanished=vanish.get(qn("w:val"), "1").lower() not in _OFF)
    if properties.find(f"{_WORD_2010}textFill/{_WORD_2010}noFill") is not None:
        look = replace(look, vanished=True)
    colour = properties.find(qn("w:color"))
    if colour is not None:
        look = replace(look, colour=_colour(colour.get(qn("w:val"))))
    size = _number(_value(properties, "w:sz"))
    if size is not None:
        look = replace(look, half_points=size)
    highlight = _value(properties, "w:highlight")
    if highlight in _HIGHLIGHTS:
        look = replace(look, ground=_HIGHLIGHTS[highlight])
    return look


def _with_shade(look: Look, properties: Element | None) -> Look:
    shade = _shade(properties)
    return look if shade is None else replace(look, ground=shade)


def _shade(properties: Element | None) -> Colour | None:
    """The colour of a `w:shd` child: its pattern colour when solid, else the fill under the pattern."""
    shade = properties.find(qn("w:shd")) if properties is not None else None
    if shade is None:
        return None
    return _colour(shade.get(qn("w:color" if shade.get(qn("w:val")) == "solid" else "w:fill")))


def _value(element: Element | None, tag: str) -> str | None:
    child = element.find(qn(tag)) if element is not None else None
    return None if child is None else child.get(qn("w:val"))


def _number(value: str | None) -> float | None:
    return float(value) if value is not None and value.replace(".", "", 1).isdecimal() else None


def _colour(value: str | None) -> Colour | None:
    """Six hexadecimal digits as a colour; None for "auto" and anything else."""
    if value is None:
        return None
    try:
        red, green, blue = bytes.fromhex(value.removeprefix("#"))
    except ValueError:
        return None
    return red, green, blue


def _alike(first: Colour, second: Colour) -> bool:
    return all(abs(one - other) <= SAME_COLOUR_WITHIN for one, other in zip(first, second, strict=True))
