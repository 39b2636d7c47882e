"""Text of a PDF, page by page, with what a reader does not see set apart. Runs in the reading child only."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby, product
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError

from portal.documents.extracted import Extracted
from portal.documents.kinds import Kind
from portal.documents.notices import Notice, title_among
from portal.documents.pdf.fonts import letters_by_font, with_letters
from portal.documents.pdf.glyphs import characters_of, merged, take_claims, with_accents, with_claims
from portal.documents.pdf.lines import lines_of
from portal.documents.pdf.objects import address_of, is_active, put_fields_on_the_page, rewritten, text_objects
from portal.documents.pdf.order import in_reading_order, mark_line_ends, seldom_breaks_words, tell_hyphens
from portal.documents.pdf.visibility import is_pictured, unseen_in
from portal.documents.refusals import ACTIVE_PDF, Reason, RefusedDocument, refused

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from pypdfium2 import PdfPage, PdfTextPage

    from portal.documents.limits import Limits
    from portal.documents.pdf.fonts import Letters
    from portal.documents.pdf.glyphs import Claim, Glyph
    from portal.documents.pdf.lines import Line

# A title stands there, as a share of the height between the first and the last line.
AT_THE_TOP = 0.35
# A scan may still carry a name and a page number, or the name of the scanning program, as text.
LETTERS_ON_A_SCAN = 100


@dataclass(frozen=True, slots=True)
class _Page:
    """The text of one page; a picture page shows something, but has no text that can be seen."""

    visible: str
    hidden: str
    is_picture: bool


def read_pdf(data: bytes, limits: Limits) -> Extracted:
    """The text of all pages in reading order, one line a line, pages separated by a blank line.

    Raises:
        RefusedDocument: encrypted, damaged, too many pages, active content, scanned only, too much text.
    """
    if b"startxref" not in data:  # pdfium would guess at the rest of a file that was cut off
        raise refused(Reason.DAMAGED, name=Kind.PDF.label)
    try:
        document = PdfDocument(data)
    except PdfiumError as problem:
        if problem.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise refused(Reason.ENCRYPTED, name=Kind.PDF.label) from problem
        raise refused(Reason.DAMAGED, name=Kind.PDF.label) from problem
    try:
        return _read(document, data, limits)
    except PdfiumError as problem:
        raise refused(Reason.DAMAGED, name=Kind.PDF.label) from problem
    finally:
        document.close()


def _read(document: PdfDocument, data: bytes, limits: Limits) -> Extracted:
    if pdfium.FPDF_GetSecurityHandlerRevision(document) != -1:
        raise refused(Reason.ENCRYPTED, name=Kind.PDF.label)
    count = len(document)
    if count == 0:
        raise refused(Reason.DAMAGED, name=Kind.PDF.label)
    if count > limits.pages:
        raise refused(Reason.TOO_MANY_PAGES, pages=count, limit=limits.pages)
    written = rewritten(document)
    if is_active(document, data, written):
        raise RefusedDocument(Reason.MACROS, ACTIVE_PDF)
    # From now on pdfium paints fields that a program filled in without painting them, as viewers do.
    document.init_forms()
    letters = cache(partial(letters_by_font, written))
    pages: list[_Page] = []
    characters_left = limits.raw_characters
    for number in range(count):
        page = document[number]
        put_fields_on_the_page(page)
        page.close()
        # Opened again: what was put on the page is part of it only then.
        page = document[number]
        texts = page.get_textpage()
        characters_left -= texts.count_chars()
        texts.close()
        if characters_left < 0:
            raise refused(Reason.TOO_MUCH_TEXT, limit=limits.characters)
        pages.append(_read_page(document, page, letters, is_first=number == 0))
        page.close()
    return _joined(pages)


def _joined(pages: list[_Page]) -> Extracted:
    """The text of all pages; of a scan the text that a program recognised in it, though nobody sees that."""
    pictures = [page for page in pages if page.is_picture]
    notices = [Notice.PICTURE_PAGES] if pictures else []
    is_scan = len(pictures) == len(pages)
    if is_scan:
        if sum(map(str.isalpha, "".join(page.hidden for page in pages))) < LETTERS_ON_A_SCAN:
            raise refused(Reason.SCANNED_ONLY)
        notices = [Notice.RECOGNISED_TEXT]
    text = "\n\n".join("\n".join(filter(None, (page.visible, page.hidden if is_scan else ""))) for page in pages)
    hidden = "" if is_scan else "\n".join(page.hidden for page in pages if page.hidden)
    return Extracted(text, Kind.PDF, len(pages), tuple(notices), hidden)


def _read_page(document: PdfDocument, page: PdfPage, letters: Letters, *, is_first: bool) -> _Page:
    claims = take_claims(page)
    texts, glyphs = _upright(page, claims, letters)
    tell_hyphens(glyphs, claims)
    painted = {address_of(handle): place for place, handle in enumerate(text_objects(page))}
    lines = in_reading_order(lines_of(glyphs), painted)
    lines = _title_first(lines) if is_first else lines
    mark_line_ends(lines, seldom_breaks=seldom_breaks_words(document))
    visible, hidden = tell_apart(lines, unseen_in(page, texts, glyphs))
    has_few_letters = sum(map(str.isalpha, visible)) < LETTERS_ON_A_SCAN
    is_picture = has_few_letters and is_pictured(page)
    texts.close()
    return _Page(visible, hidden, is_picture)


def _upright(page: PdfPage, claims: dict[int, Claim], letters: Letters) -> tuple[PdfTextPage, list[Glyph]]:
    """The texts and glyphs of the page, which is turned first if needed, so that most of them are upright.

    pdfium takes lines on their sides apart.
    """
    texts = page.get_textpage()
    glyphs = _glyphs_of(texts, claims, letters)
    angles = Counter(glyph.angle for glyph in glyphs if not glyph.is_space)
    angle, count = angles.most_common(1)[0] if angles else (0, 0)
    degrees = 90 * angle
    if 2 * count <= angles.total() or degrees == page.get_rotation():
        return texts, glyphs
    texts.close()
    page.set_rotation(degrees)
    texts = page.get_textpage()
    return texts, _glyphs_of(texts, claims, letters)


def _glyphs_of(texts: PdfTextPage, claims: dict[int, Claim], letters: Letters) -> list[Glyph]:
    named = with_letters(texts, characters_of(texts, claims), letters)
    return with_accents(merged(with_claims(named, claims)))


def _title_first(lines: list[Line]) -> list[Line]:
    place = title_among([(line.text, line.size if line.angle == 0 else 0.0) for line in lines])
    heights = [line.base for line in lines if line.angle == 0]
    if not place or place.start == 0:
        return lines
    lowest = max(heights) - AT_THE_TOP * (max(heights) - min(heights))
    if lines[place[-1]].base < lowest:
        return lines
    return lines[place.start : place.stop] + lines[: place.start] + lines[place.stop :]


# A word of which nearly all is seen is seen: the dot of an i may be too faint to tell, and so may a full stop be.
WHOLE_FROM = 0.8
# A shadow lies close to its letter; the same letters side by side are farther apart. In sizes and widths of letters.
SAME_HEIGHT_WITHIN, SHARE_OF_A_WIDTH = 0.25, 0.3
MOST_COMPARED = 20
_TILE_POINTS = 6.0


def tell_apart(lines: Sequence[Line], unseen: Collection[int]) -> tuple[str, str]:
    """The visible and the hidden text, each line on a line of its own.

    A word that repeats what is seen at the same spot is in neither: shadows and bold letters are painted like that.
    """
    visible: list[str] = []
    hidden: list[list[list[Glyph]]] = []
    seen = _Spots()
    above_is_seen = False
    for line in lines:
        words: list[str] = []
        hidden.append([])
        for word in line.words:
            text = ""
            for is_hidden, glyphs in _pieces(word.glyphs, unseen):
                once = _once(glyphs)
                if is_hidden:
                    hidden[-1].append(once)
                elif not seen.repeat(once):
                    text += "".join(glyph.text for glyph in once)
                    seen.add(once)
            words += [text] if text else []
        if words and line.goes_on and above_is_seen:
            visible[-1] += " ".join(words)
        elif words:
            visible.append(" ".join(words))
        above_is_seen = bool(words)
    unrepeated = (
        " ".join("".join(glyph.text for glyph in glyphs) for glyphs in words if not seen.repeat(glyphs))
        for words in hidden
    )
    return "\n".join(visible), "\n".join(line for line in unrepeated if any(map(str.isalnum, line)))


def _pieces(word: list[Glyph], unseen: Collection[int]) -> Iterator[tuple[bool, list[Glyph]]]:
    letters = [glyph for glyph in word if glyph.text.isalnum()] or word
    share = sum(glyph.first in unseen for glyph in letters) / len(letters)
    if (share <= 1 - WHOLE_FROM or share >= WHOLE_FROM) and not any(glyph.surplus for glyph in word):
        yield share >= WHOLE_FROM, word
        return
    for is_hidden, piece in groupby(word, key=lambda glyph: glyph.first in unseen):
        yield is_hidden, list(piece)


def _once(glyphs: Iterable[Glyph]) -> list[Glyph]:
    spots, once = _Spots(), []
    for glyph in glyphs:
        if not spots.has(glyph):
            once.append(glyph)
            spots.add([glyph])
    return once


class _Spots:
    """The places of visible glyphs on the page."""

    def __init__(self) -> None:
        self._taken: dict[tuple[str, int, int], list[Glyph]] = {}

    def add(self, glyphs: Iterable[Glyph]) -> None:
        """Count glyphs as seen."""
        for glyph in glyphs:
            self._taken.setdefault((glyph.text, *_tile(glyph)), []).append(glyph)

    def repeat(self, glyphs: Sequence[Glyph]) -> bool:
        """Whether most of some glyphs stand where the same ones are seen; a single one may well by chance."""
        return len(glyphs) > 1 and sum(map(self.has, glyphs)) >= WHOLE_FROM * len(glyphs)

    def has(self, glyph: Glyph) -> bool:
        """Whether the same glyph is seen at its spot."""
        column, row = _tile(glyph)
        across, up = SHARE_OF_A_WIDTH * (glyph.end - glyph.start), SAME_HEIGHT_WITHIN * glyph.size
        return any(
            abs(glyph.ink.left - other.ink.left) < across and abs(glyph.ink.bottom - other.ink.bottom) <= up
            for x, y in product((-1, 0, 1), repeat=2)
            for other in self._taken.get((glyph.text, column + x, row + y), [])[:MOST_COMPARED]
        )


def _tile(glyph: Glyph) -> tuple[int, int]:
    return int(glyph.ink.left // _TILE_POINTS), int(glyph.ink.bottom // _TILE_POINTS)
