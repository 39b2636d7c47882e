"""How the runs of a Word document look, as far as it decides whether a reader sees them.

Formatting is inherited: document defaults, table style, paragraph style, character style, the run itself; a later
one overrides an earlier one. Backgrounds: run, paragraph, cells outwards, text box, page. Runs in the reading child
only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from portal.documents.colours import WHITE, Colour, alike
from portal.documents.docx.behind import Behind
from portal.documents.docx.colours import colour_of
from portal.documents.docx.edges import Edges
from portal.documents.docx.look import Look, changed, shade_of, shaded, value_of
from portal.documents.docx.measures import Letters
from portal.documents.docx.names import DRAWING, SHAPE, VML, qn
from portal.documents.docx.paragraph_formatting import Forms
from portal.documents.docx.runs import text_of
from portal.documents.docx.styles import chain_of, styles_by_id, usual_paragraph_style
from portal.documents.docx.switches import is_on
from portal.documents.docx.table_styles import TableStyles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.docx.colours import Theme
    from portal.documents.docx.numbering import Numbering
    from portal.documents.docx.paper import Paper
    from portal.documents.docx.parts import Part

SMALLEST_READABLE_HALF_POINTS = 4
NARROWEST_READABLE_PERCENT = 12
# Letters moved together by this share of their size lie on each other.
PILED_UP_SHARE = 0.5
# Letters moved up or down by more are off the paper, or nearly.
OFF_LINE_HALF_POINTS = 800
# A run that is pressed into less than that for each of its letters is a line.
LEAST_TWIPS_OF_LETTER = 12


class Looks:
    """Looks of runs, given the styles and the theme of their document."""

    def __init__(
        self, styles: Element | None, page_ground: Colour, theme: Theme, papers: list[Paper], numbering: Numbering
    ) -> None:
        self._page_ground = page_ground
        self._theme = theme
        self._forms = Forms(styles, numbering)
        self._behind = Behind(theme, page_ground, papers, self._forms)
        self._edges: Edges | None = None
        self._styles = styles_by_id(styles)
        self._looks: dict[Element, Look] = {}
        self._of_styles: dict[tuple[Look, str | None], Look] = {}
        self._defaults = Look()
        if styles is not None:
            defaults = styles.find(f"{qn('w:docDefaults')}/{qn('w:rPrDefault')}/{qn('w:rPr')}")
            self._defaults = changed(Look(), defaults, theme)
        self._tables = TableStyles(self._styles)
        self._usual_style = usual_paragraph_style(self._styles)

    def enter(self, part: Part) -> None:
        """Begin with the runs of another part."""
        self._looks = {}
        self._behind.enter(part.root, part.relations, self._letters_of, shown=part.shown)
        self._edges = Edges(self._behind.flow, self._forms) if self._behind.flow is not None else None

    def half_points(self, run: Element) -> float | None:
        """The size of the letters of `run` (a `w:r` element); None where a reader of the document cannot see them."""
        look = self._look(run)
        return None if self._hides(look, run) else look.size

    def has_vanished(self, run: Element) -> bool:
        """Whether a run is set as hidden text, with all that hangs on it."""
        return self._look(run).vanished

    def is_cut_off(self, element: Element) -> bool:
        """Whether the text of a table, row or paragraph is off the paper or too low; what floats in it may be seen."""
        return self._edges is not None and self._edges.cut_off(element)

    def is_unseen(self, element: Element) -> bool:
        """Whether nobody sees a cell, paragraph or drawing, nor anything that hangs on it, for where it is."""
        if element.tag in {qn("w:p"), qn("w:tc")}:
            return self._edges is not None and self._edges.is_unseen(element)
        return self._behind.is_off_paper(element)

    def _letters_of(self, element: Element) -> Letters:
        """The letters of a run, or of the mark at the end of a paragraph."""
        look = self._look(element)
        return Letters(look.painted / 2, look.font or "")

    def _hides(self, look: Look, run: Element) -> bool:
        size = look.painted
        if look.vanished or look.unfilled or look.percent <= NARROWEST_READABLE_PERCENT:
            return True
        if size <= SMALLEST_READABLE_HALF_POINTS or abs(look.half_points_up) >= OFF_LINE_HALF_POINTS:
            return True
        if look.twips_apart / 10 <= -PILED_UP_SHARE * size or _is_pressed(look, run) or self._behind.is_covered(run):
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
        look = self._looks.get(run)
        if look is None:
            look = self._looks[run] = self._find_look(run)
        return look

    def _find_look(self, run: Element) -> Look:
        is_mark = run.tag == qn("w:p")
        paragraph = run if is_mark else next(run.iterancestors(qn("w:p")), None)
        paragraph_properties = paragraph.find(qn("w:pPr")) if paragraph is not None else None
        properties = run.find(qn("w:rPr"))
        if is_mark:
            properties = paragraph_properties.find(qn("w:rPr")) if paragraph_properties is not None else None
        cell = next(run.iterancestors(qn("w:tc"), qn("w:txbxContent")), None)
        look = self._defaults
        if cell is not None and cell.tag == qn("w:tc"):
            for part in self._tables.parts_for(cell):
                look = changed(look, part.find(qn("w:rPr")), self._theme)
        look = self._styled(look, value_of(paragraph_properties, "w:pStyle") or self._usual_style)
        look = shaded(look, paragraph_properties, self._theme)
        style = value_of(properties, "w:rStyle")
        if style is not None:
            own = self._styled(replace(look, vanished=False), style)
            # Hidden by the style of the paragraph and by that of its letters is shown again.
            look = replace(own, vanished=own.vanished != look.vanished)
        return changed(look, properties, self._theme)

    def _styled(self, look: Look, name: str | None) -> Look:
        known = self._of_styles.get((look, name))
        if known is None:
            known = look
            for style in reversed(chain_of(self._styles, name)):
                known = shaded(known, style.find(qn("w:pPr")), self._theme)
                known = changed(known, style.find(qn("w:rPr")), self._theme)
            self._of_styles[look, name] = known
        return known

    def _ground_around(self, run: Element) -> Colour | None:
        """The colour the run stands on, looking outwards; None where it cannot be told."""
        for element in run.iterancestors():
            if element.tag == f"{SHAPE}wsp":
                return self._ground_of_shape(element)
            if element.tag == f"{VML}textbox":
                return self._ground_of_older_shape(element.getparent())
            for properties in self._shaded_for(element):
                shade = shade_of(properties, self._theme)
                if shade is not None:
                    return shade
        return self._page_ground

    def _shaded_for(self, element: Element) -> Iterator[Element | None]:
        """What may shade a cell or a table; what comes first goes before."""
        if element.tag == qn("w:tc"):
            yield element.find(qn("w:tcPr"))
            yield from (part.find(qn("w:tcPr")) for part in reversed(self._tables.parts_for(element)))
        elif element.tag == qn("w:tbl"):
            properties = element.find(qn("w:tblPr"))
            style = self._styles.get(value_of(properties, "w:tblStyle") or "")
            yield properties
            yield style.find(qn("w:tblPr")) if style is not None else None

    def _ground_of_shape(self, shape: Element) -> Colour | None:
        """The fill of a text box: its colour, the page when it has none, None when it cannot be told."""
        properties = shape.find(f"{SHAPE}spPr")
        if properties is not None:
            if properties.find(f"{DRAWING}noFill") is not None:
                return self._page_ground
            solid = properties.find(f"{DRAWING}solidFill")
            if solid is not None:
                return self._theme.drawn(solid)
            if any(properties.find(f"{DRAWING}{fill}") is not None for fill in ("gradFill", "blipFill", "pattFill")):
                return None
        return self._page_ground if shape.find(f"{SHAPE}style") is None else None

    def _ground_of_older_shape(self, shape: Element | None) -> Colour | None:
        """The same in the older drawing language, where a shape is white unless it says otherwise."""
        if shape is None or shape.get("filled", "t")[:1] in {"f", "0"}:
            return self._page_ground
        fill = shape.find(f"{VML}fill")
        if fill is not None and fill.get("type", "solid") != "solid":
            return None
        return colour_of(shape.get("fillcolor", "white"))


def _is_pressed(look: Look, run: Element) -> bool:
    """Whether a run is pressed into less room than its letters need to be told apart."""
    letters = len(text_of(run))
    return look.fitted_twips is not None and look.fitted_twips < LEAST_TWIPS_OF_LETTER * letters


def ground_of_page(document: Element, settings: Element | None) -> Colour:
    """The page colour of a `w:document` element; white unless it has one and its settings say to show it."""
    background = document.find(qn("w:background"))
    shown = settings.find(qn("w:displayBackgroundShape")) if settings is not None else None
    if shown is None or not is_on(shown):
        return WHITE
    colour = colour_of(background.get(qn("w:color"))) if background is not None else None
    return colour or WHITE
