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

from portal.documents.docx.package import ON, chain_of, found, is_on, number_of, qn, value_of
from portal.documents.notices import WHITE, alike

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element as Element

    from portal.documents.notices import Colour

_BLACK: Colour = (0, 0, 0)
# What Word uses where a document has no theme, and other names for the same.
_OFFICE = {"dk1": _BLACK, "lt1": WHITE, "dk2": (68, 84, 106), "lt2": (231, 230, 230)}
_SLOTS = {
    **dict.fromkeys(("dark1", "text1", "tx1"), "dk1"),
    **dict.fromkeys(("light1", "background1", "bg1"), "lt1"),
    **dict.fromkeys(("dark2", "text2", "tx2"), "dk2"),
    **dict.fromkeys(("light2", "background2", "bg2"), "lt2"),
}
NAMED: dict[str, Colour] = {"white": WHITE, "window": WHITE, "windowText": _BLACK, "lightGray": (192, 192, 192)}
NAMED |= {"black": _BLACK, "blue": (0, 0, 255), "cyan": (0, 255, 255), "green": (0, 255, 0), "magenta": (255, 0, 255)}
NAMED |= {"red": (255, 0, 0), "yellow": (255, 255, 0), "darkBlue": (0, 0, 128), "darkCyan": (0, 128, 128)}
NAMED |= {"darkGreen": (0, 128, 0), "darkMagenta": (128, 0, 128), "darkRed": (128, 0, 0), "navy": (0, 0, 128)}
NAMED |= {"darkYellow": (128, 128, 0), "darkGray": (128, 128, 128), "gray": (128, 128, 128), "silver": (192, 192, 192)}
# Patterns that show little but the fill.
_FAINT = frozenset({"clear", "nil", "pct5", "pct10", "pct12", "pct15"})


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

        Where that is made lighter or darker, the attribute holds the result. `prefix` is how the attributes about the
        theme begin, "w:theme" or "w:themeFill".
        """
        name = element.get(qn("w:themeColor" if prefix == "w:theme" else prefix))
        is_changed = any(element.get(qn(f"{prefix}{change}")) is not None for change in ("Shade", "Tint"))
        own = colour_of(element.get(qn(plain)))
        return own if name is None or (is_changed and own is not None) else self._named(name)

    def of_shade(self, shade: Element | None) -> Colour | None:
        """The colour of a `w:shd`: its fill or that of its pattern; None where neither is set."""
        if shade is None:
            return None
        pattern = shade.get(qn("w:val"), "clear")
        if pattern in _FAINT:
            return self.of_attribute(shade, "w:fill", "w:themeFill")
        return self.of_attribute(shade, "w:color", "w:theme") or _BLACK

    def drawn(self, fill: Element | None) -> Colour | None:
        """The colour of a solid fill of a drawing (or of letters that are filled like one); None if it is a mix."""
        element = next(fill.iterchildren("{*}*"), None) if fill is not None else None
        if element is None or any(found(element, f"{space}:lumMod") is not None for space in ("a", "w14")):
            return None
        value = element.get("lastClr") or element.get("val") or element.get(qn("w14:val"))
        return self._named(value) if element.tag.endswith("}schemeClr") else colour_of(value)

    def _named(self, name: str) -> Colour | None:
        return self._colours.get(_SLOTS.get(name, name))


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


SMALLEST_READABLE_HALF_POINTS, USUAL_HALF_POINTS = 4, 20
NARROWEST_PERCENT, PILED_UP_SHARE = 12, 0.5
# Of 100,000: letters that let nearly all of what is behind them through.
MOST_TRANSPARENT = 90_000
LOWEST_READABLE_TWIPS = 50  # of a line or row
_SHAPES = ("shape", "rect", "roundrect", "oval", "group")

_SWITCHES = {"vanish": "vanished", "rtl": "is_complex", "cs": "is_complex"}
_NUMBERS = {"sz": "half_points", "szCs": "complex_half_points", "w": "percent", "spacing": "twips_apart"}


class Sight(Enum):
    """Whether a reader sees a run; what has the colour of the paper may stand on a drawing."""

    SEEN = auto()
    HIDDEN = auto()
    MAY_BE_HIDDEN = auto()


@dataclass(frozen=True)
class Look:
    """What decides whether a run can be seen; sizes are in half points, a colour of None always contrasts."""

    vanished: bool = False
    unfilled: bool = False
    colour: Colour | None = None
    half_points: float = USUAL_HALF_POINTS
    complex_half_points: float | None = None  # for scripts from right to left and others that are joined
    is_complex: bool = False
    percent: float = 100  # width of the letters, of what it usually is
    twips_apart: float = 0  # room between letters; less than none where they are moved together
    ground: Colour | None = None  # right behind the letters, by highlight or shading

    @property
    def size(self) -> float:
        """The size of the letters, in half points."""
        is_other = self.is_complex and self.complex_half_points is not None
        return self.complex_half_points or 0.0 if is_other else self.half_points

    @property
    def is_illegible(self) -> bool:
        """Whether nobody can read the letters, whatever is behind them."""
        is_pressed = self.percent <= NARROWEST_PERCENT or self.twips_apart / 10 <= -PILED_UP_SHARE * self.size
        return self.vanished or self.unfilled or is_pressed or self.size <= SMALLEST_READABLE_HALF_POINTS


class Looks:
    """Looks of runs, given the styles and the theme of their document."""

    def __init__(self, styles: Element | None, theme: Theme, *, has_floating: bool) -> None:
        self._theme = theme
        self._has_floating = has_floating
        children = styles.iterchildren(qn("w:style")) if styles is not None else ()
        self._styles = {style.get(qn("w:styleId"), ""): style for style in children}
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
        is_paper = look.ground is None and ground == WHITE
        return Sight.MAY_BE_HIDDEN if is_paper and self._has_floating else Sight.HIDDEN

    def look(self, run: Element) -> Look:
        """How a run looks."""
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
                # In the older drawing language a shape is white unless it says otherwise.
                is_mixed = found(element.getparent(), "v:fill") is not None
                return None if is_mixed else colour_of(element.getparent().get("fillcolor", "white"))
            if element.tag == qn("w:tc"):
                shades = [found(element, "w:tcPr/w:shd"), *self._shades_of_table(element)]
                shade = next((colour for colour in map(self._theme.of_shade, shades) if colour is not None), None)
                if shade is not None:
                    return shade
                if any(found(style, "w:tblStylePr") is not None for style in self._styles_of_table(element)):
                    return None
        return WHITE

    def _shades_of_table(self, cell: Element) -> Iterator[Element | None]:
        table = next(cell.iterancestors(qn("w:tbl")), None)
        yield found(table, "w:tblPr/w:shd")
        for style in reversed(self._styles_of_table(cell)):
            yield from (found(style, "w:tcPr/w:shd"), found(style, "w:tblPr/w:shd"))

    def _ground_of_shape(self, shape: Element) -> Colour | None:
        properties = found(shape, "wps:spPr")
        if found(properties, "a:noFill") is not None:
            return WHITE
        solid = found(properties, "a:solidFill")
        if solid is not None:
            return self._theme.drawn(solid)
        has_other = any(found(properties, f"a:{fill}") is not None for fill in ("gradFill", "blipFill", "pattFill"))
        return None if has_other or found(shape, "wps:style") is not None else WHITE


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
        elif name in {"color", "textFill"}:
            # Letters that are filled like a drawing: this goes before the colour, wherever it stands.
            colour = {"colour": theme.of_attribute(child, "w:val", "w:theme")} if name == "color" else {}
            changes = colour | changes if colour else changes | _filled(child, theme)
        elif name == "shd":
            changes.setdefault("ground", theme.of_shade(child) or look.ground)
        elif name == "highlight" and value in NAMED:
            changes["ground"] = NAMED[value]
    return replace(look, **changes) if changes else look  # type: ignore[arg-type]  # by the names of the fields


def _half_points(value: str | None) -> float | None:
    if value is not None and value.endswith("pt"):
        return 2 * (number_of(value.removesuffix("pt")) or 0.0)
    return number_of(value)


def _filled(fill: Element, theme: Theme) -> dict[str, object]:
    if found(fill, "w14:noFill") is not None:
        return {"unfilled": True}
    fills = list(fill.iter(qn("w14:solidFill"), qn("w14:gs")))
    colours = [theme.drawn(element) for element in fills]
    is_even = colours and None not in colours and all(alike(colour or WHITE, colours[0] or WHITE) for colour in colours)
    alphas = [number_of(alpha.get(qn("w14:val"))) or 0.0 for alpha in fill.iter(qn("w14:alpha"))]
    is_clear = bool(alphas) and len(alphas) == len(fills) and min(alphas) >= MOST_TRANSPARENT
    return {"unfilled": is_clear, "colour": colours[0] if is_even else None}


def is_out_of_sight(element: Element) -> bool:
    """Whether a row, line, cell or drawing is set as hidden, or has no height or width of its own."""
    match element.tag.rpartition("}")[2]:
        case "p":
            spacing = found(element, "w:pPr/w:spacing")
            return spacing is not None and spacing.get(qn("w:lineRule")) == "exact" and _is_low(spacing, "w:line")
        case "tr":
            hidden, height = found(element, "w:trPr/w:hidden"), found(element, "w:trPr/w:trHeight")
            is_flat = height is not None and height.get(qn("w:hRule")) == "exact" and _is_low(height, "w:val")
            return is_flat or (hidden is not None and is_on(hidden))
        case "tc":
            # What goes on the cell above, whose content alone is shown.
            merge, row = found(element, "w:tcPr/w:vMerge"), element.getparent()
            is_continued = merge is not None and merge.get(qn("w:val"), "continue") != "restart"
            return is_continued and next(row.itersiblings(qn("w:tr"), preceding=True), None) is not None
        case "anchor" | "inline":
            extent, named = found(element, "wp:extent"), found(element, "wp:docPr")
            is_flat = extent is not None and "0" in {extent.get("cx"), extent.get("cy")}
            return is_flat or any(drawing is not None and drawing.get("hidden") in ON for drawing in (element, named))
        case name if name in _SHAPES:
            style = _declarations(element)
            return style.get("visibility") == "hidden" or style.get("display") == "none"
    return False


def _is_low(element: Element, attribute: str) -> bool:
    height = number_of(element.get(qn(attribute)))
    return height is not None and abs(height) < LOWEST_READABLE_TWIPS


def has_floating_drawings(root: Element) -> bool:
    """Whether a part has drawings that are placed by themselves, so that they may lie behind any text."""
    shapes = root.iter(*(f"{{*}}{name}" for name in _SHAPES))
    is_placed = any(_declarations(shape).get("position") == "absolute" for shape in shapes)
    return is_placed or next(root.iter(qn("wp:anchor")), None) is not None


def _declarations(shape: Element) -> dict[str, str]:
    """The style of a shape of the older drawing language, name by name."""
    pairs = (entry.partition(":") for entry in shape.get("style", "").lower().split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs}
