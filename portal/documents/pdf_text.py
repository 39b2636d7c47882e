"""Text of a PDF, page by page, with what a reader does not see set apart. Runs in the reading child only."""

from __future__ import annotations

import ctypes
import math
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError

from portal.documents import refusals
from portal.documents.extracted import Raw
from portal.documents.kinds import Kind
from portal.documents.pdf_active import is_active
from portal.documents.pdf_painted import Box, Colour, Painted

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

    from portal.documents.limits import Limits

SMALLEST_READABLE_POINTS = 2.0
FAINTEST_ALPHA = 26  # of 255: a tenth
# A scan may still carry a page number or the name of the scanning program as text.
LETTERS_ON_A_SCAN = 40
SCAN_COVERS = 0.5

_INVISIBLE_MODES = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)
_STROKED_MODES = (pdfium.FPDF_TEXTRENDERMODE_STROKE, pdfium.FPDF_TEXTRENDERMODE_STROKE_CLIP)
_BOTH_MODES = (pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE, pdfium.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP)


def read_pdf(data: bytes, limits: Limits) -> Raw:
    """The text of all pages, in the order pdfium gives it, pages separated by a blank line.

    Raises:
        RefusedDocument: encrypted, damaged, too many pages, active content, scanned only, too much text.
    """
    if b"startxref" not in data:  # pdfium would guess at the rest of a file that was cut off
        raise refusals.damaged(Kind.PDF.label)
    try:
        document = PdfDocument(data)
    except PdfiumError as problem:
        if problem.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise refusals.encrypted(Kind.PDF.label) from problem
        raise refusals.damaged(Kind.PDF.label) from problem
    try:
        return _read(document, data, limits)
    except PdfiumError as problem:
        raise refusals.damaged(Kind.PDF.label) from problem
    finally:
        document.close()


def _read(document: PdfDocument, data: bytes, limits: Limits) -> Raw:
    if pdfium.FPDF_GetSecurityHandlerRevision(document) != -1:
        raise refusals.encrypted(Kind.PDF.label)
    count = len(document)
    if count == 0:
        raise refusals.damaged(Kind.PDF.label)
    if count > limits.pages:
        raise refusals.too_many_pages(count, limits.pages)
    if is_active(document, data):
        raise refusals.active_pdf()
    visible: list[str] = []
    hidden: list[str] = []
    left = limits.raw_characters
    scans = 0
    for number in range(count):
        page = document[number]
        texts = page.get_textpage()
        left -= texts.count_chars()
        if left < 0:
            raise refusals.too_much_text(limits.characters)
        seen, unseen = _PageText(page, texts).split()
        visible.append(seen)
        hidden.append(unseen)
        scans += sum(map(str.isalpha, seen)) < LETTERS_ON_A_SCAN and _is_mostly_picture(page)
        texts.close()
        page.close()
    if scans == count:
        raise refusals.scanned_only()
    return Raw(visible="\n\n".join(visible), hidden="\n".join(filter(None, hidden)), pages=count)


def _is_mostly_picture(page: PdfPage) -> bool:
    """Whether pictures as large as half of the page lie on it, taken together."""
    sheet = Box(*page.get_bbox())
    covered = 0.0
    for picture in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE]):
        left, bottom, right, top = picture.get_bounds()
        covered += max(0.0, right - left) * max(0.0, top - bottom)
    return covered >= SCAN_COVERS * (sheet.right - sheet.left) * (sheet.top - sheet.bottom)


@dataclass
class _TextObject:
    """One text object of a page: what all its characters have in common, and where they stand."""

    first: int
    box: Box | None = None
    tallest: float = 0.0
    shows: bool = False
    ascii: bool = True
    characters: list[int] = field(default_factory=list)

    def add(self, index: int, code: int, box: Box) -> None:
        """Count in a character; spaces show nothing and have no place of their own."""
        self.characters.append(index)
        if code == 0 or chr(code).isspace():
            return
        self.shows = True
        self.ascii = self.ascii and chr(code).isascii()
        self.box = box if self.box is None else self.box.joined(box)
        self.tallest = max(self.tallest, box.top - box.bottom, box.right - box.left)


class _PageText:
    """Tells the characters of one page that a reader sees from those that are hidden."""

    def __init__(self, page: PdfPage, texts: PdfTextPage) -> None:
        self._texts = texts
        self._sheet = Box(*page.get_bbox())
        self._painted = Painted(page)

    def split(self) -> tuple[str, str]:
        """Visible and hidden text; line ends and spaces that pdfium adds stay with both."""
        count = self._texts.count_chars()
        objects: dict[int, _TextObject] = {}
        hidden: set[int] = set()
        codes = [pdfium.FPDFText_GetUnicode(self._texts, index) for index in range(count)]
        for index, code in enumerate(codes):
            handle = pdfium.FPDFText_GetTextObject(self._texts, index)
            if not handle:
                continue
            address = ctypes.cast(handle, ctypes.c_void_p).value or 0
            box = self._box(index)
            if box.outside(self._sheet):
                hidden.add(index)
            else:
                objects.setdefault(address, _TextObject(index)).add(index, code, box)
        for entry in objects.values():
            if entry.shows and self._is_hidden(entry):
                hidden.update(entry.characters)
        return self._spell(codes, hidden, wanted=False), self._spell(codes, hidden, wanted=True)

    def _spell(self, codes: list[int], hidden: set[int], *, wanted: bool) -> str:
        """The characters that are (`wanted`) or are not hidden; white space is always kept."""
        units = "".join(
            chr(code)
            for index, code in enumerate(codes)
            if 0 < code <= sys.maxunicode and ((index in hidden) == wanted or chr(code).isspace())
        )
        # Characters beyond the basic plane may come as two halves.
        return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _is_hidden(self, entry: _TextObject) -> bool:
        handle = pdfium.FPDFText_GetTextObject(self._texts, entry.first)
        mode = pdfium.FPDFTextObj_GetTextRenderMode(handle)
        if mode in _INVISIBLE_MODES or self._is_tiny(entry):
            return True
        colours = self._colours(entry.first, mode)
        if colours is None or entry.box is None:
            return False
        if not colours or self._painted.surrounded(entry.box, colours):
            return True
        # Glyphs that neither the file nor this computer has a font for (often Chinese) are not drawn here but
        # are elsewhere; ASCII always is.
        embedded: int = pdfium.FPDFFont_GetIsEmbedded(pdfium.FPDFTextObj_GetFont(handle))
        return (entry.ascii or embedded == 1) and self._painted.blank(entry.box, colours)

    def _is_tiny(self, entry: _TextObject) -> bool:
        """Smaller than a reader can make out, both as set and as drawn (font size 1 is often scaled up)."""
        matrix = pdfium.FS_MATRIX()
        if not pdfium.FPDFText_GetMatrix(self._texts, entry.first, matrix):
            return False
        scale = min(math.hypot(matrix.a, matrix.b), math.hypot(matrix.c, matrix.d))
        size = pdfium.FPDFText_GetFontSize(self._texts, entry.first) * scale
        small: bool = abs(size) < SMALLEST_READABLE_POINTS and entry.tallest < SMALLEST_READABLE_POINTS
        return small

    def _colours(self, index: int, mode: int) -> tuple[Colour, ...] | None:
        """The opaque colours the glyphs are painted with; None when that cannot be told (patterns)."""
        getters = [pdfium.FPDFText_GetFillColor, pdfium.FPDFText_GetStrokeColor]
        if mode in _STROKED_MODES:
            getters = getters[1:]
        elif mode not in _BOTH_MODES:
            getters = getters[:1]
        colours: list[Colour] = []
        for get in getters:
            red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
            if not get(self._texts, index, red, green, blue, alpha):
                return None
            if alpha.value >= FAINTEST_ALPHA:
                colours.append((red.value, green.value, blue.value))
        return tuple(colours)

    def _box(self, index: int) -> Box:
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        pdfium.FPDFText_GetCharBox(self._texts, index, left, right, bottom, top)
        return Box(left.value, bottom.value, right.value, top.value)
