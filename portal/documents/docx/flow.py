"""Where the paragraphs of a Word document lie, estimated. Runs in the reading child only.

Only Word knows, which has the fonts. But how far one paragraph is from another has bounds, and these are what tells
whether a shape that is placed beside the one lies on the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.documents.docx.alternatives import is_chosen
from portal.documents.docx.boxes import FAR, column_of_box
from portal.documents.docx.column import Column
from portal.documents.docx.floats import floats_in, floats_on_page, wrapped_height
from portal.documents.docx.lengths import of_twips
from portal.documents.docx.measures import Bounds, line_height, lines_of, pictures_height, width_of
from portal.documents.docx.names import qn
from portal.documents.docx.runs import NOT_LAID_OUT, runs_of, text_of
from portal.documents.docx.switches import is_on
from portal.documents.docx.tables import columns_of, cut_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.docx.measures import Letters
    from portal.documents.docx.paper import Paper
    from portal.documents.docx.paragraph_formatting import Form, Forms

_MARGINS = (qn("w:hdr"), qn("w:ftr"))
BOX = qn("w:txbxContent")
_COLLAPSED = "{http://schemas.microsoft.com/office/word/2012/wordml}collapsed"
_PAGE_BREAK = qn("w:lastRenderedPageBreak")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a paragraph lies.

    Attributes:
        stream: a number for the paragraphs that follow each other; those of another one cannot be compared.
        low: the least that its upper edge is below the begin of the stream.
        high: the most that it is.
        height: of the paragraph, with the room above and below.
        before: room above its text.
        text: height of its lines.
        lines: how many lines it has.
        width: how wide its text is in one line.
        letters: size of the largest letters.
        column: in which it stands.
        paper: on which it lies.
        is_on_first_page: whether it surely is on the page on which its stream begins.
        is_collapsed: whether it is under a heading that shows what is under it at a click only.
    """

    stream: int
    low: float
    high: float
    height: Bounds
    before: float
    text: Bounds
    lines: Bounds
    width: Bounds
    letters: float
    column: Column
    paper: Paper
    is_on_first_page: bool
    is_collapsed: bool


class Flow:
    """The places of the paragraphs of one part.

    Args:
        root: the part.
        papers: of the sections of the document, in order.
        forms: of paragraphs.
        letters_of: the letters of a run, or those of an empty paragraph.
        pushed: how far headers may push the text down.

    Attributes:
        places: of the paragraphs.
        begins: where streams begin on their paper, at the least and the most; None where nobody knows.
        height: the most that the last stream takes.
    """

    def __init__(
        self,
        root: Element,
        papers: list[Paper],
        forms: Forms,
        letters_of: Callable[[Element], Letters],
        *,
        pushed: float = 0.0,
    ) -> None:
        self.places: dict[Element, Place] = {}
        # Where streams begin on their paper, None where nobody knows.
        self.begins: dict[int, Bounds | None] = {}
        self._forms = forms
        self._letters_of = letters_of
        self._papers = papers
        self._section = 0
        self._streams = 0
        self._low = self._high = 0.0
        self._collapsed: int | None = None
        self._pending: int | None = None
        self._frame: Element | None = None
        self._in_frame = (0, 0.0, 0.0)
        # What text runs around may push it down, wherever on the page it hangs.
        self._pushed = pushed + sum(map(wrapped_height, floats_on_page(root)))
        paper = max(papers, key=lambda paper: paper.width) if root.tag in _MARGINS else papers[0]
        self._paper = paper
        self._stream = self._new_stream(
            None if root.tag == _MARGINS[1] else paper.header if root.tag == _MARGINS[0] else paper.top
        )
        self._walk(root, self._column_of(paper))
        self.height = self._high

    def _new_stream(self, begin: float | None) -> int:
        self._streams += 1
        self._low = self._high = 0.0
        self.begins[self._streams] = None if begin is None else Bounds(begin, begin + self._pushed)
        return self._streams

    def _column_of(self, paper: Paper) -> Column:
        return Column(paper.left, paper.left + paper.column_width, 0.0, paper.width, paper.columns == 1)

    def _walk(self, element: Element, column: Column) -> None:
        for child in element.iterchildren("{*}*"):
            if child.tag == qn("w:p"):
                self._lay(child, column)
                self._end_section(child)
                column = self._column_of(self._paper) if element.tag == qn("w:body") else column
            elif child.tag == qn("w:tbl"):
                self._lay_table(child, column)
            elif child.tag not in NOT_LAID_OUT:
                self._walk(child, column)

    def _end_section(self, paragraph: Element) -> None:
        """Go on to the next section after a paragraph that ends one."""
        if paragraph.find(f"{qn('w:pPr')}/{qn('w:sectPr')}") is None or self._section + 1 >= len(self._papers):
            return
        self._section += 1
        self._paper = self._papers[self._section]
        if self._paper.on_new_page or self._paper.columns > 1:
            self._stream = self._new_stream(self._paper.top if self._paper.on_new_page else None)

    def _lay(self, paragraph: Element, column: Column) -> None:
        form = self._forms.of(paragraph)
        self._collapse(paragraph, form)
        if form.breaks:
            self._stream = self._new_stream(self._paper.top)
        if form.frame is not None:
            self._lay_frame(paragraph, form, form.frame)
        else:
            self._frame = None
            breaks = self._page_breaks(paragraph)
            if breaks == "before":
                self._stream = self._new_stream(self._paper.top)
            self._high += sum(map(wrapped_height, floats_in(paragraph)))
            height = self._put(paragraph, form, column)
            if breaks == "within":
                self._stream = self._new_stream(self._paper.top)
                self._high = height.high
        self._lay_boxes(paragraph, column)

    def _collapse(self, paragraph: Element, form: Form) -> None:
        """Begin or end what a collapsed heading takes with it."""
        if form.outline is None or next(paragraph.iterancestors(qn("w:tbl"), BOX), None) is not None:
            return
        if self._collapsed is not None and form.outline <= self._collapsed:
            self._collapsed = None
        mark = paragraph.find(f"{qn('w:pPr')}/{_COLLAPSED}")
        if self._collapsed is None and mark is not None:
            self._pending = form.outline if is_on(mark) else None

    def _put(self, paragraph: Element, form: Form, column: Column) -> Bounds:
        """Put a paragraph at the end of the stream; returns its height."""
        lines, line, width, letters = self._lines(paragraph, form, column)
        pictures = pictures_height(paragraph)
        if form.exact is not None:
            pictures = Bounds(0.0, 0.0)
        text = Bounds(lines.low * line.low + pictures.low, lines.high * line.high + pictures.high)
        # Room below and room above the next one may be one or both; between items of a list there may be none.
        around = 0.0 if form.contextual else max(form.before, form.after)
        height = Bounds(text.low + around, text.high + form.before + form.after)
        bottom = self._high + height.high
        self.places[paragraph] = Place(
            stream=self._stream,
            low=self._low,
            high=self._high,
            height=height,
            before=form.before,
            text=text,
            lines=lines,
            width=width,
            letters=letters,
            column=column,
            paper=self._paper,
            is_on_first_page=bottom + self._pushed <= self._paper.text_height and self._paper.columns == 1,
            is_collapsed=self._collapsed is not None,
        )
        # A heading is shown itself.
        self._collapsed, self._pending = self._pending if self._collapsed is None else self._collapsed, None
        self._low += height.low
        self._high += height.high
        return height

    def _lines(self, paragraph: Element, form: Form, column: Column) -> tuple[Bounds, Bounds, Bounds, float]:
        """How many lines a paragraph has, how high one is, how wide all together are, and the size of letters."""
        width, line = Bounds(0.0, 0.0), Bounds(0.0, 0.0)
        largest = 0.0
        breaks = tabs = 0
        for run in runs_of(paragraph):
            letters, text = self._letters_of(run), text_of(run)
            width = width.plus(width_of(text, letters))
            if text:
                largest = max(largest, letters.points)
                line = line.or_more(line_height(form, letters, self._paper.grid))
            marks = run.iterchildren(qn("w:br"))
            breaks += sum(mark.get(qn("w:type"), "textWrapping") == "textWrapping" for mark in marks)
            breaks += sum(1 for _ in run.iterchildren(qn("w:cr")))
            tabs += sum(1 for _ in run.iterchildren(qn("w:tab"), qn("w:ptab")))
        room = column.right - column.left - form.left - form.right - max(0.0, form.first)
        if not largest:
            letters = self._letters_of(paragraph)
            line = line_height(form, letters, self._paper.grid)
        return lines_of(width, room, breaks, tabs), line, width, largest or letters.points

    def _page_breaks(self, paragraph: Element) -> str:
        """Whether a page begins "before" a paragraph, "within" it or not at all ("")."""
        seen_text = False
        for run in runs_of(paragraph):
            for child in run.iterchildren("{*}*"):
                is_break = child.tag == qn("w:br") and child.get(qn("w:type")) in {"page", "column"}
                if is_break or child.tag == _PAGE_BREAK:
                    return "within" if seen_text or is_break else "before"
                seen_text = seen_text or (child.tag == qn("w:t") and bool((child.text or "").strip()))
        return ""

    def _lay_frame(self, paragraph: Element, form: Form, frame: Element) -> None:
        """Lay a paragraph in a frame beside the text, below the one before if that is in the same frame."""
        kept = (self._stream, self._low, self._high)
        if self._frame is not None and dict(self._frame.attrib) == dict(frame.attrib):
            self._stream, self._low, self._high = self._in_frame
        else:
            self._stream = self._new_stream(None)
        width, height = (of_twips(frame.get(qn(side))) for side in ("w:w", "w:h"))
        left = self._paper.left
        right = left + (width or self._paper.column_width)
        cut = height if frame.get(qn("w:hRule")) == "exact" and height > 0 else None
        self._put(paragraph, form, Column(left, right, -FAR, FAR, is_sure=False, cut=cut))
        self._frame, self._in_frame = frame, (self._stream, self._low, self._high)
        self._stream, self._low, self._high = kept
        # Text runs around it.
        self._high += self.places[paragraph].height.high

    def _lay_boxes(self, paragraph: Element, column: Column) -> None:
        """Lay what stands in boxes that hang on a paragraph, each in a stream of its own."""
        for box in paragraph.iter(BOX):
            if next(box.iterancestors(qn("w:p"))) is not paragraph or not is_chosen(box):
                continue
            kept = (self._stream, self._low, self._high)
            self._stream = self._new_stream(None)
            self._walk(box, column_of_box(box, column))
            self._stream, self._low, self._high = kept

    def _lay_table(self, table: Element, column: Column) -> None:
        floating = table.find(f"{qn('w:tblPr')}/{qn('w:tblpPr')}")
        kept = (self._stream, self._low, self._high)
        if floating is not None:
            self._stream = self._new_stream(None)
        for row in rows_of(table):
            self._lay_row(row, columns_of(row, column), column)
        if floating is not None:
            height = self._high
            self._stream, self._low, self._high = kept
            self._high += height

    def _lay_row(self, row: Element, cells: list[tuple[Element, float, float, bool]], column: Column) -> None:
        low, high, stream = self._low, self._high, self._stream
        lowest, highest = low, high
        for cell, left, right, is_sure in cells:
            self._low, self._high, self._stream = low, high, stream
            cut = cut_of(row, cell, low, column)
            inner = replace(column, left=left, right=right, is_sure=is_sure and column.is_sure, cut=cut)
            self._walk(cell, inner)
            if self._stream == stream:
                lowest, highest = max(lowest, self._low), max(highest, self._high)
        height = row.find(f"{qn('w:trPr')}/{qn('w:trHeight')}")
        points = of_twips(height.get(qn("w:val"))) if height is not None else 0.0
        if height is not None and height.get(qn("w:hRule")) == "exact":
            lowest, highest = low + points, high + points
        self._stream = stream
        self._low, self._high = max(lowest, low + points), max(highest, high + points) + 2.0
