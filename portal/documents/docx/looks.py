"""How the text of a Word document looks, as far as it decides whether a reader sees it. Runs in the reading child only.

Formatting is inherited: document defaults, table style, paragraph style, character style, the run itself; a later one
overrides an earlier one. Backgrounds: run, paragraph, cells outwards, text box, page. Where things lie on the page only
Word knows: letters in the colour of the page are called hidden, but not in a document with floating drawings, one of
which may lie behind them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TYPE_CHECKING

from portal.documents.appearance import WHITE, alike
from portal.documents.docx.colours import NAMED, colour_of
from portal.documents.docx.markup import (
    EMU_PER_POINT,
    ON,
    TWIPS_PER_POINT,
    chain_of,
    declarations,
    found,
    is_floating,
    is_on,
    number_of,
    points_of,
    qn,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element as Element

    from portal.documents.appearance import Colour
    from portal.documents.docx.colours import Theme

SMALLEST_READABLE_HALF_POINTS, NARROWEST_READABLE_PERCENT = 4, 12
# Letters moved together by this share of their size lie on each other; those moved farther up are off the paper.
PILED_UP_SHARE, OFF_LINE_HALF_POINTS = 0.5, 800
RAISED_SHARE = 0.65
USUAL_HALF_POINTS = 20
# Of 100,000: letters that let nearly all of what is behind them through.
MOST_TRANSPARENT = 90_000
# A gradient between colours that are all paler than that has no colour of its own.
_PALEST = 235
# Lines, rows and boxes lower than this show nothing of their letters; no paper of a resume reaches as far as that.
LOWEST_READABLE_POINTS, OFF_PAPER_POINTS, BEFORE_PAPER_POINTS = 2.5, 1_000.0, -300.0


_SWITCHES = {"vanish": "vanished", "rtl": "is_complex", "cs": "is_complex"}
_NUMBERS = {
    "sz": "half_points",
    "szCs": "complex_half_points",
    "w": "percent",
    "spacing": "twips_apart",
    "position": "half_points_up",
}


class Sight(Enum):
    """Whether a reader sees a run; what has the colour of the paper may stand on a drawing."""

    SEEN = auto()
    HIDDEN = auto()
    MAY_BE_HIDDEN = auto()


@dataclass(frozen=True)
class Look:
    """What decides whether a run can be seen.

    Attributes:
        vanished: set as hidden text.
        unfilled: painted without any fill.
        colour: colour of the letters; None is Word's automatic colour, which always contrasts.
        half_points: size of the letters.
        complex_half_points: the same for scripts from right to left and others that are joined; None likewise.
        is_complex: whether that counts.
        is_raised: whether the letters are raised or lowered, and smaller for it.
        percent: width of the letters, of what it usually is.
        twips_apart: room added between letters; less than none where they are moved together.
        half_points_up: how far the letters stand above their line.
        outline: colour of a line around the letters; None when there is none.
        ground: colour right behind the letters, by highlight or shading; None when there is none.
    """

    vanished: bool = False
    unfilled: bool = False
    colour: Colour | None = None
    half_points: float = USUAL_HALF_POINTS
    complex_half_points: float | None = None
    is_complex: bool = False
    is_raised: bool = False
    percent: float = 100
    twips_apart: float = 0
    half_points_up: float = 0
    outline: Colour | None = None
    ground: Colour | None = None

    @property
    def size(self) -> float:
        """The size of the letters, in half points."""
        is_other = self.is_complex and self.complex_half_points is not None
        return self.complex_half_points or 0.0 if is_other else self.half_points

    @property
    def is_illegible(self) -> bool:
        """Whether nobody can read the letters, whatever is behind them."""
        painted = self.size * (RAISED_SHARE if self.is_raised else 1.0)
        return (
            self.vanished
            or self.unfilled
            or self.percent <= NARROWEST_READABLE_PERCENT
            or painted <= SMALLEST_READABLE_HALF_POINTS
            or abs(self.half_points_up) >= OFF_LINE_HALF_POINTS
            or self.twips_apart / 10 <= -PILED_UP_SHARE * painted
        )


class Looks:
    """Looks of runs, given the styles and the theme of their document, and the colour of its page."""

    def __init__(self, styles: Element | None, theme: Theme, page_ground: Colour, *, has_floating: bool) -> None:
        self._theme = theme
        self._page_ground = page_ground
        self._has_floating = has_floating
        children = styles.iterchildren(qn("w:style")) if styles is not None else ()
        self._styles = {style.get(qn("w:styleId"), ""): style for style in children}
        self._looks: dict[Element, Look] = {}
        self._of_styles: dict[tuple[Look, str | None], Look] = {}
        self._defaults = _changed(Look(), found(styles, "w:docDefaults/w:rPrDefault/w:rPr"), theme)
        self._usual_style = next(
            (
                name
                for name, style in self._styles.items()
                if style.get(qn("w:type")) == "paragraph" and style.get(qn("w:default"), "0") in ON
            ),
            None,
        )

    def look(self, run: Element) -> Look:
        """How a run looks."""
        look = self._looks.get(run)
        if look is None:
            look = self._looks[run] = self._find_look(run)
        return look

    def sight_of(self, run: Element) -> Sight:
        """Whether a reader of the document sees the letters of a run."""
        look = self.look(run)
        if look.is_illegible:
            return Sight.HIDDEN
        if look.colour is None:
            return Sight.SEEN
        ground = look.ground if look.ground is not None else self._ground_around(run)
        if ground is None or not alike(look.colour, ground):
            return Sight.SEEN
        if look.outline is not None and not alike(look.outline, ground):
            return Sight.SEEN
        is_paper = look.ground is None and ground == self._page_ground
        return Sight.MAY_BE_HIDDEN if is_paper and self._has_floating else Sight.HIDDEN

    def _find_look(self, run: Element) -> Look:
        paragraph = next(run.iterancestors(qn("w:p")), None)
        of_paragraph, properties = found(paragraph, "w:pPr"), found(run, "w:rPr")
        look = self._defaults
        around = next(run.iterancestors(qn("w:tc"), qn("w:txbxContent")), None)
        if around is not None and around.tag == qn("w:tc"):
            for style in self._styles_of_table(around):
                look = _changed(look, found(style, "w:rPr"), self._theme)
        look = self._styled(look, value_of(of_paragraph, "w:pStyle") or self._usual_style)
        look = self._shaded(look, of_paragraph)
        style = value_of(properties, "w:rStyle")
        if style is not None:
            own = self._styled(replace(look, vanished=False), style)
            # Hidden by the style of the paragraph and by that of its letters is shown again.
            look = replace(own, vanished=own.vanished != look.vanished)
        return _changed(look, properties, self._theme)

    def _styled(self, look: Look, name: str | None) -> Look:
        known = self._of_styles.get((look, name))
        if known is None:
            known = look
            for style in chain_of(self._styles, name):
                known = self._shaded(known, found(style, "w:pPr"))
                known = _changed(known, found(style, "w:rPr"), self._theme)
            self._of_styles[look, name] = known
        return known

    def _shaded(self, look: Look, properties: Element | None) -> Look:
        shade = self._theme.of_shade(found(properties, "w:shd"))
        return look if shade is None else replace(look, ground=shade)

    def _styles_of_table(self, cell: Element) -> list[Element]:
        table = next(cell.iterancestors(qn("w:tbl")), None)
        return chain_of(self._styles, value_of(table, "w:tblPr/w:tblStyle"))

    def _ground_around(self, run: Element) -> Colour | None:
        """The colour the run stands on, looking outwards; None where it cannot be told."""
        for element in run.iterancestors():
            if element.tag == qn("wps:wsp"):
                return self._ground_of_shape(element)
            if element.tag == qn("v:textbox"):
                return self._ground_of_older_shape(element.getparent())
            if element.tag == qn("w:tc"):
                shades = [found(element, "w:tcPr/w:shd"), *self._shades_of_table(element)]
                shade = next((colour for colour in map(self._theme.of_shade, shades) if colour is not None), None)
                if shade is not None:
                    return shade
                if any(found(style, "w:tblStylePr") is not None for style in self._styles_of_table(element)):
                    return None
        return self._page_ground

    def _shades_of_table(self, cell: Element) -> Iterator[Element | None]:
        table = next(cell.iterancestors(qn("w:tbl")), None)
        yield found(table, "w:tblPr/w:shd")
        for style in reversed(self._styles_of_table(cell)):
            yield from (found(style, "w:tcPr/w:shd"), found(style, "w:tblPr/w:shd"))

    def _ground_of_shape(self, shape: Element) -> Colour | None:
        """The fill of a text box: its colour, the page when it has none, None when it cannot be told."""
        properties = found(shape, "wps:spPr")
        if found(properties, "a:noFill") is not None:
            return self._page_ground
        solid = found(properties, "a:solidFill")
        if solid is not None:
            return self._theme.drawn(solid)
        has_other = any(found(properties, f"a:{fill}") is not None for fill in ("gradFill", "blipFill", "pattFill"))
        return None if has_other or found(shape, "wps:style") is not None else self._page_ground

    def _ground_of_older_shape(self, shape: Element | None) -> Colour | None:
        """The same in the older drawing language, where a shape is white unless it says otherwise."""
        if shape is None or shape.get("filled", "t")[:1] in {"f", "0"}:
            return self._page_ground
        fill = found(shape, "v:fill")
        if fill is not None and fill.get("type", "solid") != "solid":
            return None
        return colour_of(shape.get("fillcolor", "white"))


def _changed(look: Look, properties: Element | None, theme: Theme) -> Look:
    """`look` changed by a `w:rPr`."""
    changes: dict[str, object] = {}
    for child in properties.iterchildren("{*}*") if properties is not None else ():
        name, value = child.tag.rpartition("}")[2], child.get(qn("w:val"))
        if name in _SWITCHES:
            changes[_SWITCHES[name]] = is_on(child) or (name == "cs" and look.is_complex)
        elif name in _NUMBERS:
            number = _half_points((value or "").removesuffix("%"))
            changes |= {} if number is None else {_NUMBERS[name]: number}
        elif name == "vertAlign":
            changes["is_raised"] = value in {"superscript", "subscript"}
        elif name in {"color", "textFill"}:
            # Letters that are filled like a drawing: this goes before the colour, wherever it stands.
            colour = {"colour": theme.of_attribute(child, "w:val", "w:theme")} if name == "color" else {}
            changes = colour | changes if colour else changes | _filled(child, theme)
        elif name == "textOutline":
            changes["outline"] = theme.drawn(found(child, "w14:solidFill"))
        elif name == "shd":
            changes.setdefault("ground", theme.of_shade(child) or look.ground)
        elif name == "highlight" and value in NAMED:
            changes["ground"] = NAMED[value]
    return replace(look, **changes) if changes else look  # type: ignore[arg-type]  # by the names of the fields


def _half_points(value: str | None) -> float | None:
    """A size in half points, as a number or (in points) with a unit."""
    if value is not None and value.endswith("pt"):
        return 2 * (number_of(value.removesuffix("pt")) or 0.0)
    return number_of(value)


def _filled(fill: Element, theme: Theme) -> dict[str, object]:
    """The changes by letters that are filled like a drawing."""
    if found(fill, "w14:noFill") is not None:
        return {"unfilled": True}
    fills = list(fill.iter(qn("w14:solidFill"), qn("w14:gs")))
    colours = [theme.drawn(element) for element in fills]
    pale = [colour for colour in colours if colour is not None]
    is_pale = len(pale) == len(colours) > 0 and (len(pale) == 1 or min(map(min, pale)) >= _PALEST)
    # What is white throughout is white.
    return {
        "unfilled": bool(fills) and all(map(_is_transparent, fills)),
        "colour": min(pale, key=sum) if is_pale else None,
    }


def _is_transparent(fill: Element) -> bool:
    alpha = next(fill.iter(qn("w14:alpha")), None)
    share = number_of(alpha.get(qn("w14:val"))) if alpha is not None else None
    return share is not None and share >= MOST_TRANSPARENT


def ground_of_page(document: Element, settings: Element | None) -> Colour:
    """The page colour of a `w:document` element; white unless it has one and its settings say to show it."""
    shown = found(settings, "w:displayBackgroundShape")
    background = found(document, "w:background")
    if shown is None or background is None or not is_on(shown):
        return WHITE
    return colour_of(background.get(qn("w:color"))) or WHITE


def is_out_of_sight(element: Element) -> bool:
    """Whether a row, cell, paragraph, table or drawing shows nothing of itself, wherever it lies."""
    tag = element.tag
    if tag in _CHECKS:
        return _CHECKS[tag](element)
    return isinstance(tag, str) and tag.startswith(_OLDER) and _is_hidden_shape(declarations(element.get("style", "")))


def _is_hidden_paragraph(paragraph: Element) -> bool:
    spacing, frame, indent = (found(paragraph, f"w:pPr/w:{name}") for name in ("spacing", "framePr", "ind"))
    if spacing is not None and spacing.get(qn("w:lineRule")) == "exact" and _is_low(spacing, "w:line"):
        return True
    if frame is not None and (_is_far(frame, "w:x", "w:y") or _is_exactly_low(frame, "w:h")):
        return True
    is_at_left = value_of(paragraph, "w:pPr/w:jc") in {None, "left", "start", "both"}
    return indent is not None and is_at_left and _is_far(indent, "w:left", "w:start", "w:firstLine")


def _is_hidden_row(row: Element) -> bool:
    hidden, height = found(row, "w:trPr/w:hidden"), found(row, "w:trPr/w:trHeight")
    return (hidden is not None and is_on(hidden)) or (height is not None and _is_exactly_low(height, "w:val"))


def _is_merged_cell(cell: Element) -> bool:
    """Whether a cell goes on the one above, whose content alone is shown."""
    merge = found(cell, "w:tcPr/w:vMerge")
    above = next(cell.getparent().itersiblings(qn("w:tr"), preceding=True), None)
    is_continued = merge is not None and merge.get(qn("w:val"), "continue") != "restart"
    return is_continued and above is not None and next(above.iter(qn("w:vMerge")), None) is not None


def _is_table_off_paper(table: Element) -> bool:
    place = found(table, "w:tblPr/w:tblpPr")
    return place is not None and _is_far(place, "w:tblpX", "w:tblpY")


_OLDER = qn("v:")


def _is_low(element: Element, attribute: str) -> bool:
    height = element.get(qn(attribute))
    return height is not None and abs(points_of(height, TWIPS_PER_POINT)) < LOWEST_READABLE_POINTS


def _is_exactly_low(element: Element, attribute: str) -> bool:
    return element.get(qn("w:hRule")) == "exact" and _is_low(element, attribute)


def _is_far(element: Element, *sides: str) -> bool:
    """Whether something begins beyond any paper, or so far before it that it does not reach the paper."""
    starts = [points_of(element.get(qn(side)), TWIPS_PER_POINT) for side in sides]
    starts.append(-points_of(element.get(qn("w:hanging")), TWIPS_PER_POINT))
    return max(starts) >= OFF_PAPER_POINTS or min(starts) <= BEFORE_PAPER_POINTS


def _is_hidden_drawing(drawing: Element) -> bool:
    named, extent = found(drawing, "wp:docPr"), found(drawing, "wp:extent")
    if drawing.get("hidden") in ON or (named is not None and named.get("hidden") in ON):
        return True
    width, height = (points_of(extent.get(side), EMU_PER_POINT) if extent is not None else 0.0 for side in ("cx", "cy"))
    grows = next(drawing.iter(qn("a:spAutoFit")), None) is not None
    if extent is not None and (width < LOWEST_READABLE_POINTS or (height < LOWEST_READABLE_POINTS and not grows)):
        return True
    return _is_off(drawing, "wp:positionH", width) or _is_off(drawing, "wp:positionV", height)


def _is_off(drawing: Element, axis: str, extent: float) -> bool:
    position = found(drawing, axis)
    offset = found(position, "wp:posOffset")
    if position is None or offset is None:
        return False
    place = points_of(offset.text, EMU_PER_POINT)
    # Measured from the paper it may just be off it; measured from anything else there is the paper in between.
    margin = 0.0 if position.get("relativeFrom") == "page" else OFF_PAPER_POINTS / 4
    return place + extent <= -margin or place >= OFF_PAPER_POINTS + margin


def _is_hidden_shape(style: dict[str, str]) -> bool:
    if style.get("visibility") == "hidden" or style.get("display") == "none":
        return True
    has_no_extent = any(
        style.get(side, "").startswith("0") and not points_of(style[side], 1) for side in ("width", "height")
    )
    if has_no_extent and "mso-fit-shape-to-text" not in style:
        return True
    sides = ("left", "top", "margin-left", "margin-top")
    return any(abs(points_of(style.get(side), 4 / 3)) >= OFF_PAPER_POINTS for side in sides)


_CHECKS = {
    qn("w:p"): _is_hidden_paragraph,
    qn("w:tr"): _is_hidden_row,
    qn("w:tc"): _is_merged_cell,
    qn("w:tbl"): _is_table_off_paper,
    qn("wp:anchor"): _is_hidden_drawing,
    qn("wp:inline"): _is_hidden_drawing,
}


def has_floating_drawings(root: Element) -> bool:
    """Whether a part has drawings that are placed by themselves, so that they may lie behind any text."""
    return any(
        map(is_floating, root.iter(qn("wp:anchor"), "{*}shape", "{*}rect", "{*}roundrect", "{*}oval", "{*}group"))
    )
