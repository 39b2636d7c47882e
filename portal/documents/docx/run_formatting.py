"""How the runs of a Word document look, as far as it decides whether a reader sees them.

Formatting is inherited: document defaults, table style, paragraph style, character style, the run itself; a later
one overrides an earlier one. Backgrounds: run, paragraph, cells outwards, text box, page. Runs in the reading child
only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from docx.oxml.ns import nsmap, qn

from portal.documents.colours import WHITE, Colour, alike
from portal.documents.docx.behind import Behind
from portal.documents.docx.colours import NAMED, Theme, colour_of

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

SMALLEST_READABLE_HALF_POINTS = 4
NARROWEST_READABLE_PERCENT = 12
# Letters moved together by this share of their size lie on each other.
PILED_UP_SHARE = 0.5
USUAL_HALF_POINTS = 20
# Letters moved up or down by more are off the paper, or nearly.
OFF_LINE_HALF_POINTS = 800
# Of 100,000: letters that let nearly all of what is behind them through.
MOST_TRANSPARENT = 90_000
DEEPEST_STYLE = 32

_WORD_2010 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_SHAPE = "{http://schemas.microsoft.com/office/word/2010/wordprocessingShape}"
_VML = "{urn:schemas-microsoft-com:vml}"
_DRAWING = f"{{{nsmap['a']}}}"
_OFF = frozenset({"0", "false", "off"})


@dataclass(frozen=True)
class Look:
    """What decides whether a run can be seen.

    Attributes:
        vanished: set as hidden text, or painted without any fill.
        colour: colour of the letters; None is Word's automatic colour, which always contrasts.
        half_points: size of the letters; None when nothing says it.
        percent: width of the letters, of what it usually is.
        twips_apart: room added between letters; less than none where they are moved together.
        half_points_up: how far the letters stand above their line; less than none for below.
        outline: colour of a line around the letters; None when there is none.
        ground: colour right behind the letters, by highlight or shading; None when there is none.
    """

    vanished: bool = False
    colour: Colour | None = None
    half_points: float | None = None
    percent: float = 100
    twips_apart: float = 0
    half_points_up: float = 0
    outline: Colour | None = None
    ground: Colour | None = None


class Looks:
    """Looks of runs, given the styles and the theme of their document."""

    def __init__(self, styles: Element | None, page_ground: Colour, theme: Theme) -> None:
        self._page_ground = page_ground
        self._theme = theme
        self._behind = Behind(theme, page_ground)
        self._styles: dict[str, Element] = {}
        self._defaults = Look()
        if styles is not None:
            self._styles = {style.get(qn("w:styleId"), ""): style for style in styles.iterchildren(qn("w:style"))}
            defaults = styles.find(f"{qn('w:docDefaults')}/{qn('w:rPrDefault')}/{qn('w:rPr')}")
            self._defaults = self._with(Look(), defaults)
        self._paragraph_default = next(
            (
                name
                for name, style in self._styles.items()
                if style.get(qn("w:type")) == "paragraph" and style.get(qn("w:default")) in {"1", "true", "on"}
            ),
            None,
        )

    def enter(self, root: Element, *, shown: bool) -> None:
        """Begin with the runs of another part."""
        self._behind.enter(root, shown=shown)

    def half_points(self, run: Element) -> float | None:
        """The size of the letters of `run` (a `w:r` element); None where a reader of the document cannot see them."""
        look = self._look(run)
        size = USUAL_HALF_POINTS if look.half_points is None else look.half_points
        return None if self._hides(look, size, run) else size

    def _hides(self, look: Look, size: float, run: Element) -> bool:
        if look.vanished or look.percent <= NARROWEST_READABLE_PERCENT:
            return True
        if size <= SMALLEST_READABLE_HALF_POINTS or abs(look.half_points_up) >= OFF_LINE_HALF_POINTS:
            return True
        if look.twips_apart / 10 <= -PILED_UP_SHARE * size or self._behind.is_covered(run):
            return True
        return look.colour is not None and self._is_as_its_ground(look.colour, look, run)

    def _is_as_its_ground(self, colour: Colour, look: Look, run: Element) -> bool:
        """Whether letters of a colour, and their outline, cannot be told from what is behind them."""
        ground = look.ground if look.ground is not None else self._ground_around(run)
        if ground is None or not alike(colour, ground):
            return False
        if look.outline is not None and not alike(look.outline, ground):
            return False
        is_paper = look.ground is None and ground == self._page_ground
        return not (is_paper and self._behind.may_lie_behind(run))

    def _look(self, run: Element) -> Look:
        properties = run.find(qn("w:rPr"))
        paragraph = next(run.iterancestors(qn("w:p")), None)
        paragraph_properties = paragraph.find(qn("w:pPr")) if paragraph is not None else None
        table = next(run.iterancestors(qn("w:tbl")), None)
        look = self._defaults
        if table is not None:
            look = self._styled(look, value_of(table.find(qn("w:tblPr")), "w:tblStyle"))
        look = self._styled(look, value_of(paragraph_properties, "w:pStyle") or self._paragraph_default)
        look = self._with_shade(look, paragraph_properties)
        look = self._styled(look, value_of(properties, "w:rStyle"))
        return self._with(look, properties)

    def _styled(self, look: Look, name: str | None) -> Look:
        chain: list[Element] = []
        while name is not None and name in self._styles and len(chain) < DEEPEST_STYLE:
            chain.append(self._styles[name])
            name = value_of(self._styles[name], "w:basedOn")
        for style in reversed(chain):
            look = self._with(self._with_shade(look, style.find(qn("w:pPr"))), style.find(qn("w:rPr")))
        return look

    def _ground_around(self, run: Element) -> Colour | None:
        """The colour the run stands on, looking outwards; None where it cannot be told."""
        for element in run.iterancestors():
            if element.tag == qn("w:tc"):
                shade = self._shade(element.find(qn("w:tcPr")))
                if shade is not None:
                    return shade
            elif element.tag == qn("w:tbl"):
                properties = element.find(qn("w:tblPr"))
                shade = self._shade(properties)
                if shade is not None:
                    return shade
                style = self._styles.get(value_of(properties, "w:tblStyle") or "")
                shades = list(style.iter(qn("w:shd"))) if style is not None else []
                if style is not None and shades:
                    # Which cells a table style shades depends on where they stand, unless it shades all alike.
                    cells = style.find(qn("w:tcPr"))
                    is_all = len(shades) == 1 and cells is not None and shades[0].getparent() is cells
                    return self._shade(cells) if is_all else None
            elif element.tag == f"{_SHAPE}wsp":
                return self._ground_of_shape(element)
            elif element.tag == f"{_VML}textbox":
                return self._ground_of_older_shape(element.getparent())
        return self._page_ground

    def _ground_of_shape(self, shape: Element) -> Colour | None:
        """The fill of a text box: its colour, the page when it has none, None when it cannot be told."""
        properties = shape.find(f"{_SHAPE}spPr")
        if properties is not None:
            if properties.find(f"{_DRAWING}noFill") is not None:
                return self._page_ground
            solid = properties.find(f"{_DRAWING}solidFill")
            if solid is not None:
                return self._theme.drawn(solid)
            if any(properties.find(f"{_DRAWING}{fill}") is not None for fill in ("gradFill", "blipFill", "pattFill")):
                return None
        return self._page_ground if shape.find(f"{_SHAPE}style") is None else None

    def _ground_of_older_shape(self, shape: Element | None) -> Colour | None:
        """The same in the older drawing language, where a shape is white unless it says otherwise."""
        if shape is None or shape.get("filled", "t")[:1] in {"f", "0"}:
            return self._page_ground
        fill = shape.find(f"{_VML}fill")
        if fill is not None and fill.get("type", "solid") != "solid":
            return None
        return colour_of(shape.get("fillcolor", "white"))

    def _with(self, look: Look, properties: Element | None) -> Look:
        """`look` changed by a `w:rPr` element."""
        if properties is None:
            return look
        look = self._with_shade(look, properties)
        vanish = properties.find(qn("w:vanish"))
        if vanish is not None:
            look = replace(look, vanished=vanish.get(qn("w:val"), "1").lower() not in _OFF)
        colour = properties.find(qn("w:color"))
        if colour is not None:
            look = replace(look, colour=self._theme.of_attribute(colour, "w:val", "w:theme"))
        look = self._filled(look, properties.find(f"{_WORD_2010}textFill"))
        line = properties.find(f"{_WORD_2010}textOutline")
        if line is not None:
            look = replace(look, outline=self._theme.drawn(line.find(f"{_WORD_2010}solidFill")))
        size = half_points_of(value_of(properties, "w:sz"))
        if size is not None:
            look = replace(look, half_points=size)
        percent = number_of((value_of(properties, "w:w") or "").removesuffix("%"))
        if percent is not None:
            look = replace(look, percent=percent)
        spacing, raised = (_signed(value_of(properties, tag)) for tag in ("w:spacing", "w:position"))
        if spacing is not None:
            look = replace(look, twips_apart=spacing)
        if raised is not None:
            look = replace(look, half_points_up=raised)
        highlight = value_of(properties, "w:highlight")
        return replace(look, ground=NAMED[highlight]) if highlight in NAMED else look

    def _filled(self, look: Look, fill: Element | None) -> Look:
        """Letters that are filled like a drawing; this goes before their colour."""
        if fill is None:
            return look
        if fill.find(f"{_WORD_2010}noFill") is not None:
            return replace(look, vanished=True)
        solid = fill.find(f"{_WORD_2010}solidFill")
        if solid is None:
            return replace(look, colour=None)
        transparent = next(
            (number_of(alpha.get(f"{_WORD_2010}val")) for alpha in solid.iter(f"{_WORD_2010}alpha")), None
        )
        if transparent is not None and transparent >= MOST_TRANSPARENT:
            return replace(look, vanished=True)
        return replace(look, colour=self._theme.drawn(solid))

    def _with_shade(self, look: Look, properties: Element | None) -> Look:
        shade = self._shade(properties)
        return look if shade is None else replace(look, ground=shade)

    def _shade(self, properties: Element | None) -> Colour | None:
        """The colour of a `w:shd` child."""
        shade = properties.find(qn("w:shd")) if properties is not None else None
        return None if shade is None else self._theme.of_shade(shade)


def ground_of_page(document: Element, settings: Element | None) -> Colour:
    """The page colour of a `w:document` element; white unless it has one and its settings say to show it."""
    background = document.find(qn("w:background"))
    shown = settings.find(qn("w:displayBackgroundShape")) if settings is not None else None
    if shown is None or shown.get(qn("w:val"), "1").lower() in _OFF:
        return WHITE
    colour = colour_of(background.get(qn("w:color"))) if background is not None else None
    return colour or WHITE


def value_of(element: Element | None, tag: str) -> str | None:
    """The `w:val` of a child."""
    child = element.find(qn(tag)) if element is not None else None
    return None if child is None else child.get(qn("w:val"))


def half_points_of(value: str | None) -> float | None:
    """A size in half points, as a number or (in points) with a unit."""
    if value is not None and value.endswith("pt"):
        points = number_of(value.removesuffix("pt"))
        return None if points is None else 2 * points
    return number_of(value)


def _signed(value: str | None) -> float | None:
    """A number that may be negative."""
    number = number_of(value.removeprefix("-")) if value is not None else None
    return -number if number is not None and value is not None and value.startswith("-") else number


def number_of(value: str | None) -> float | None:
    """A number that is not negative; None for anything else."""
    return float(value) if value is not None and value.replace(".", "", 1).isdecimal() else None
