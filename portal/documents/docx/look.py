"""How a run of a Word document looks, as far as it decides whether a reader sees it. Runs in the reading child only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.documents.docx.colours import NAMED
from portal.documents.docx.names import WORD_2010, qn
from portal.documents.docx.switches import is_on

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.colours import Colour
    from portal.documents.docx.colours import Theme

# Of 100,000: letters that let nearly all of what is behind them through.
MOST_TRANSPARENT = 90_000
# What is left of the size of raised and lowered letters.
RAISED_SHARE = 0.65
USUAL_HALF_POINTS = 20


@dataclass(frozen=True)
class Look:
    """What decides whether a run can be seen.

    Attributes:
        vanished: set as hidden text.
        unfilled: painted without any fill.
        colour: colour of the letters; None is Word's automatic colour, which always contrasts.
        half_points: size of the letters; None when nothing says it.
        complex_half_points: the same for letters from right to left and others that are joined; None likewise.
        is_complex: whether that counts.
        is_raised: whether the letters are raised or lowered, and smaller for it.
        percent: width of the letters, of what it usually is.
        fitted_twips: width into which the whole run is pressed; None where it is not.
        twips_apart: room added between letters; less than none where they are moved together.
        half_points_up: how far the letters stand above their line; less than none for below.
        outline: colour of a line around the letters; None when there is none.
        font: name of the font; None when nothing says it.
        ground: colour right behind the letters, by highlight or shading; None when there is none.
    """

    vanished: bool = False
    unfilled: bool = False
    colour: Colour | None = None
    half_points: float | None = None
    complex_half_points: float | None = None
    is_complex: bool = False
    is_raised: bool = False
    percent: float = 100
    fitted_twips: float | None = None
    twips_apart: float = 0
    half_points_up: float = 0
    outline: Colour | None = None
    font: str | None = None
    ground: Colour | None = None

    @property
    def size(self) -> float:
        """The size of the letters, in half points."""
        size = self.half_points
        if self.is_complex and self.complex_half_points is not None:
            size = self.complex_half_points
        return USUAL_HALF_POINTS if size is None else size

    @property
    def painted(self) -> float:
        """The size in which the letters are painted, in half points."""
        return self.size * (RAISED_SHARE if self.is_raised else 1.0)


def changed(look: Look, properties: Element | None, theme: Theme) -> Look:
    """`look` changed by a `w:rPr` element."""
    if properties is None:
        return look
    look = _sized(shaded(look, properties, theme), properties, theme)
    vanish = properties.find(qn("w:vanish"))
    if vanish is not None:
        look = replace(look, vanished=is_on(vanish))
    colour = properties.find(qn("w:color"))
    if colour is not None:
        look = replace(look, colour=theme.of_attribute(colour, "w:val", "w:theme"))
    look = _filled(look, properties.find(f"{WORD_2010}textFill"), theme)
    line = properties.find(f"{WORD_2010}textOutline")
    if line is not None:
        look = replace(look, outline=theme.drawn(line.find(f"{WORD_2010}solidFill")))
    highlight = value_of(properties, "w:highlight")
    return replace(look, ground=NAMED[highlight]) if highlight in NAMED else look


def shaded(look: Look, properties: Element | None, theme: Theme) -> Look:
    """`look` with the shading of a `w:rPr` or `w:pPr`."""
    shade = shade_of(properties, theme)
    return look if shade is None else replace(look, ground=shade)


def shade_of(properties: Element | None, theme: Theme) -> Colour | None:
    """The colour of a `w:shd` child."""
    shade = properties.find(qn("w:shd")) if properties is not None else None
    return None if shade is None else theme.of_shade(shade)


def value_of(element: Element | None, tag: str) -> str | None:
    """The `w:val` of a child."""
    child = element.find(qn(tag)) if element is not None else None
    return None if child is None else child.get(qn("w:val"))


def _sized(look: Look, properties: Element, theme: Theme) -> Look:
    """`look` with what a `w:rPr` says of the font, size and place of letters."""
    fonts = properties.find(qn("w:rFonts"))
    if fonts is not None:
        named = theme.font(fonts.get(qn("w:asciiTheme"), "")) or fonts.get(qn("w:ascii")) or fonts.get(qn("w:hAnsi"))
        look = replace(look, font=named or look.font)
    size, complex_size = (half_points_of(value_of(properties, tag)) for tag in ("w:sz", "w:szCs"))
    if size is not None:
        look = replace(look, half_points=size)
    if complex_size is not None:
        look = replace(look, complex_half_points=complex_size)
    switches = [switch for tag in ("w:rtl", "w:cs") if (switch := properties.find(qn(tag))) is not None]
    if switches:
        look = replace(look, is_complex=any(map(is_on, switches)))
    raised = value_of(properties, "w:vertAlign")
    if raised is not None:
        look = replace(look, is_raised=raised in {"superscript", "subscript"})
    percent = number_of((value_of(properties, "w:w") or "").removesuffix("%"))
    if percent is not None:
        look = replace(look, percent=percent)
    fitted = number_of(value_of(properties, "w:fitText"))
    if fitted is not None:
        look = replace(look, fitted_twips=fitted)
    spacing, up = (_signed(value_of(properties, tag)) for tag in ("w:spacing", "w:position"))
    if spacing is not None:
        look = replace(look, twips_apart=spacing)
    return look if up is None else replace(look, half_points_up=up)


def _filled(look: Look, fill: Element | None, theme: Theme) -> Look:
    """Letters that are filled like a drawing; this goes before their colour."""
    if fill is None:
        return look
    if fill.find(f"{WORD_2010}noFill") is not None:
        return replace(look, unfilled=True)
    solid = fill.find(f"{WORD_2010}solidFill")
    if solid is not None:
        return replace(look, colour=theme.drawn(solid), unfilled=_is_transparent(solid))
    stops = list(fill.iter(f"{WORD_2010}gs"))
    colours = {theme.drawn(stop) for stop in stops}
    if stops and all(map(_is_transparent, stops)):
        return replace(look, unfilled=True)
    # What is white throughout is white.
    pale = [colour for colour in colours if colour is not None]
    is_told = len(pale) == len(colours) > 0
    return replace(
        look, colour=min(pale, key=sum) if is_told and min(map(min, pale)) >= _PALEST else None, unfilled=False
    )


# A gradient between colours that are all paler than that has no colour of its own.
_PALEST = 235


def _is_transparent(fill: Element) -> bool:
    alpha = next(fill.iter(f"{WORD_2010}alpha"), None)
    share = number_of(alpha.get(f"{WORD_2010}val")) if alpha is not None else None
    return share is not None and share >= MOST_TRANSPARENT


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
