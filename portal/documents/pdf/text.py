"""Text of a PDF, page by page, with what a reader does not see set apart. Runs in the reading child only."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError

from portal.documents import refusals
from portal.documents.extracted import Raw
from portal.documents.kinds import Kind
from portal.documents.notices import Notice
from portal.documents.pdf.active import is_active
from portal.documents.pdf.glyph_names import GlyphNames
from portal.documents.pdf.glyphs import glyphs_of
from portal.documents.pdf.hyphens import keep_hyphens, seldom_breaks_words, tell_hyphens
from portal.documents.pdf.initials import with_initials
from portal.documents.pdf.lines import lines_of
from portal.documents.pdf.marks import put_fields_on_the_page, unseen_notes, without_claims
from portal.documents.pdf.objects import painting_order
from portal.documents.pdf.points import put_points_beside_the_page
from portal.documents.pdf.printed import is_printed, tell_printed_hyphens
from portal.documents.pdf.tex import numbers_without_meaning
from portal.documents.pdf.underscores import with_underscores
from portal.documents.pdf.visibility import is_pictured, unseen_in
from portal.documents.pdf.visible_text import tell_apart
from portal.documents.sentences import sentences_in
from portal.documents.title import title_among

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

    from portal.documents.limits import Limits
    from portal.documents.pdf.glyphs import Glyph
    from portal.documents.pdf.lines import Line
    from portal.documents.pdf.marks import Claims

# A title stands there, as a share of the height between the first and the last line.
AT_THE_TOP = 0.35
# A scan may still carry a name and a page number, or the name of the scanning program, as text.
LETTERS_ON_A_SCAN = 100
# Fewer are signs, such as those of formulas or bullets.
UNREAD_LETTERS, KINDS_OF_UNREAD_LETTERS = 12, 6


@dataclass(frozen=True, slots=True)
class _Page:
    """The text of one page; a picture page shows something, but has no text that can be read.

    `unread` are the numbers of glyphs without a meaning.
    """

    visible: str
    hidden: str
    is_picture: bool
    unread: list[int]


def read_pdf(data: bytes, limits: Limits) -> Raw:
    """The text of all pages in reading order, one line a line, pages separated by a blank line.

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
    # From now on pdfium paints fields that a program filled in without painting them, as viewers do.
    document.init_forms()
    names = GlyphNames(document)
    pages: list[_Page] = []
    characters_left = limits.raw_characters
    for number in range(count):
        characters, notes = _prepared(document, number)
        characters_left -= characters
        if characters_left < 0:
            raise refusals.too_much_text(limits.characters)
        pages.append(_read_page(document, number, notes, names))
    pictures = sum(page.is_picture for page in pages)
    if pictures == count:
        raise refusals.recognised_scan() if any(page.hidden for page in pages) else refusals.scanned_only()
    return Raw(
        visible="\n\n".join(page.visible for page in pages),
        hidden="\n".join(page.hidden for page in pages if page.hidden),
        pages=count,
        notices=(
            *([Notice.PICTURE_PAGES] if pictures else []),
            *([Notice.UNREAD_LETTERS] if _miss_letters([code for page in pages for code in page.unread]) else []),
        ),
    )


def _miss_letters(codes: list[int]) -> bool:
    """Whether glyphs that could not be read are letters: many of several kinds, unlike a bullet before each item."""
    return len(codes) >= UNREAD_LETTERS and len(set(codes)) >= KINDS_OF_UNREAD_LETTERS


def _prepared(document: PdfDocument, number: int) -> tuple[int, list[str]]:
    """Puts fields and notes on a page. Returns how many characters it has, and notes that it does not show."""
    page = document[number]
    notes = unseen_notes(page)
    put_fields_on_the_page(page)
    put_points_beside_the_page(page)
    texts = page.get_textpage()
    count: int = texts.count_chars()
    texts.close()
    page.close()
    return count + sum(map(len, notes)), notes


def _read_page(document: PdfDocument, number: int, notes: list[str], names: GlyphNames) -> _Page:
    # Opened again: what was put on the page is part of it only then.
    page = document[number]
    claims = without_claims(page)
    put_points_beside_the_page(page)
    texts, glyphs = _upright(page, claims, names)
    glyphs = with_underscores(page, glyphs)
    unread = numbers_without_meaning(texts, glyphs)
    tell_hyphens(glyphs, claims.of_objects)
    lines = with_initials(lines_of(glyphs, painting_order(page)))
    lines = lines if number else _title_first(lines)
    if is_printed(document):
        tell_printed_hyphens(texts, lines)
    if seldom_breaks_words(document):
        keep_hyphens(lines)
    visible, hidden = tell_apart(lines, unseen_in(page, texts, glyphs))
    hidden = "\n".join(filter(None, (hidden, sentences_in((*claims.texts, *notes), visible))))
    has_few_letters = sum(map(str.isalpha, visible)) < LETTERS_ON_A_SCAN
    is_picture = has_few_letters and is_pictured(page)
    texts.close()
    page.close()
    return _Page(visible, hidden, is_picture, unread)


def _upright(page: PdfPage, claims: Claims, names: GlyphNames) -> tuple[PdfTextPage, list[Glyph]]:
    """The texts and glyphs of the page, which is turned first if needed, so that most of them are upright.

    pdfium takes lines on their sides apart.
    """
    texts = page.get_textpage()
    glyphs = glyphs_of(texts, claims, names)
    angles = Counter(glyph.angle for glyph in glyphs if not glyph.is_space)
    angle, count = angles.most_common(1)[0] if angles else (0.0, 0)
    if angle is None or not angle.is_integer() or 2 * count <= angles.total():
        return texts, glyphs
    degrees = 90 * int(angle)
    if degrees == page.get_rotation():
        return texts, glyphs
    texts.close()
    page.set_rotation(degrees)
    texts = page.get_textpage()
    return texts, glyphs_of(texts, claims, names)


def _title_first(lines: list[Line]) -> list[Line]:
    """The lines of a first page, its title before all others."""
    place = title_among([(line.text, line.size if line.first.angle == 0 else 0.0) for line in lines])
    heights = [line.first.base for line in lines if line.first.angle == 0]
    if not place or place.start == 0:
        return lines
    lowest = max(heights) - AT_THE_TOP * (max(heights) - min(heights))
    if lines[place[-1]].first.base < lowest or any(line.goes_on for line in lines[place.start : place.stop + 1]):
        return lines
    return lines[place.start : place.stop] + lines[: place.start] + lines[place.stop :]
