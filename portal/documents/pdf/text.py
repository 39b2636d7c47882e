"""Text of a PDF, page by page, with what a reader does not see set apart. Runs in the reading child only."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError

from portal.documents import refusals
from portal.documents.appearance import sentences_in, title_among
from portal.documents.extracted import Raw
from portal.documents.kinds import Kind
from portal.documents.notices import Notice
from portal.documents.pdf.accents import with_accents
from portal.documents.pdf.annotations import is_active, put_fields_on_the_page
from portal.documents.pdf.claims import believed, take_claims
from portal.documents.pdf.fonts import GlyphNames, numbers_without_meaning, with_letters
from portal.documents.pdf.glyphs import characters_of, merged
from portal.documents.pdf.line_ends import mark_line_ends, seldom_breaks_words, tell_hyphens
from portal.documents.pdf.lines import lines_of
from portal.documents.pdf.objects import text_objects
from portal.documents.pdf.order import in_reading_order
from portal.documents.pdf.visibility import is_pictured, unseen_in
from portal.documents.pdf.visible_text import tell_apart

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

    from portal.documents.limits import Limits
    from portal.documents.pdf.claims import Claim
    from portal.documents.pdf.glyphs import Glyph
    from portal.documents.pdf.lines import Line

# A title stands there, as a share of the height between the first and the last line.
AT_THE_TOP = 0.35
# A scan may still carry a name and a page number, or the name of the scanning program, as text.
LETTERS_ON_A_SCAN = 100
# Fewer are signs, such as those of formulas or bullets.
UNREAD_LETTERS, KINDS_OF_UNREAD_LETTERS = 12, 6


@dataclass(frozen=True, slots=True)
class _Page:
    """The text of one page; a picture page shows something, but has no text that can be seen.

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
        page = document[number]
        notes = put_fields_on_the_page(page)
        page.close()
        # Opened again: what was put on the page is part of it only then.
        page = document[number]
        texts = page.get_textpage()
        characters_left -= texts.count_chars() + sum(map(len, notes))
        texts.close()
        if characters_left < 0:
            raise refusals.too_much_text(limits.characters)
        pages.append(_read_page(document, page, notes, names, is_first=number == 0))
        page.close()
    return _joined(pages)


def _joined(pages: list[_Page]) -> Raw:
    """The text of all pages.

    Of a scan with a text layer that a program recognised, that text is taken, though nobody sees it.

    Raises:
        RefusedDocument: all pages are pictures without text.
    """
    pictures = [page for page in pages if page.is_picture]
    unread = [code for page in pages for code in page.unread]
    notices = [Notice.PICTURE_PAGES] if pictures else []
    if len(unread) >= UNREAD_LETTERS and len(set(unread)) >= KINDS_OF_UNREAD_LETTERS:
        notices.append(Notice.UNREAD_LETTERS)
    is_scan = len(pictures) == len(pages)
    if is_scan:
        if sum(map(str.isalpha, "".join(page.hidden for page in pages))) < LETTERS_ON_A_SCAN:
            raise refusals.scanned_only()
        notices = [Notice.RECOGNISED_TEXT]
    return Raw(
        visible="\n\n".join("\n".join(filter(None, (page.visible, page.hidden if is_scan else ""))) for page in pages),
        hidden="" if is_scan else "\n".join(page.hidden for page in pages if page.hidden),
        pages=len(pages),
        notices=tuple(notices),
    )


def _read_page(document: PdfDocument, page: PdfPage, notes: list[str], names: GlyphNames, *, is_first: bool) -> _Page:
    claims = take_claims(page)
    texts, glyphs = _upright(page, claims, names)
    unread = numbers_without_meaning(texts, glyphs)
    tell_hyphens(glyphs, claims)
    painted = {text_object.address: place for place, text_object in enumerate(text_objects(page))}
    lines = in_reading_order(lines_of(glyphs), painted)
    lines = _title_first(lines) if is_first else lines
    mark_line_ends(lines, seldom_breaks=seldom_breaks_words(document))
    visible, hidden = tell_apart(lines, unseen_in(page, texts, glyphs))
    beside = sentences_in((*dict.fromkeys(claim.text for claim in claims.values()), *notes), visible)
    has_few_letters = sum(map(str.isalpha, visible)) < LETTERS_ON_A_SCAN
    is_picture = has_few_letters and is_pictured(page)
    texts.close()
    return _Page(visible, "\n".join(filter(None, (hidden, beside))), is_picture, unread)


def _upright(page: PdfPage, claims: dict[int, Claim], names: GlyphNames) -> tuple[PdfTextPage, list[Glyph]]:
    """The texts and glyphs of the page, which is turned first if needed, so that most of them are upright.

    pdfium takes lines on their sides apart.
    """
    texts = page.get_textpage()
    glyphs = _glyphs_of(texts, claims, names)
    angles = Counter(glyph.angle for glyph in glyphs if not glyph.is_space)
    angle, count = angles.most_common(1)[0] if angles else (0.0, 0)
    degrees = 90 * int(angle)
    if angle % 1 or 2 * count <= angles.total() or degrees == page.get_rotation():
        return texts, glyphs
    texts.close()
    page.set_rotation(degrees)
    texts = page.get_textpage()
    return texts, _glyphs_of(texts, claims, names)


def _glyphs_of(texts: PdfTextPage, claims: dict[int, Claim], names: GlyphNames) -> list[Glyph]:
    """All glyphs of a page with what they read as, in pdfium's order."""
    named = with_letters(texts, characters_of(texts, claims), names)
    return with_accents(merged(believed(named, claims)))


def _title_first(lines: list[Line]) -> list[Line]:
    """The lines of a first page, its title before all others."""
    place = title_among([(line.text, line.size if line.first.angle == 0 else 0.0) for line in lines])
    heights = [line.first.base for line in lines if line.first.angle == 0]
    if not place or place.start == 0:
        return lines
    lowest = max(heights) - AT_THE_TOP * (max(heights) - min(heights))
    if lines[place[-1]].first.base < lowest:
        return lines
    return lines[place.start : place.stop] + lines[: place.start] + lines[place.stop :]
