"""A hyphen at the end of a line is kept where the program that made the page does not break words by itself."""

from __future__ import annotations

import pytest

from portal.documents.cleaning import clean
from portal.documents.limits import STANDARD
from portal.documents.pdf.boxes import Box
from portal.documents.pdf.glyphs import Glyph
from portal.documents.pdf.hyphens import keep_hyphens
from portal.documents.pdf.lines import Line, lines_of
from portal.documents.pdf.text import read_pdf
from tests.documents.pdfs import Pdf, second_font, shown

RAGGED = (
    "I have built and verified a finite-",
    "state checker of contracts with a few",
    "words that end where they end,",
    "neither here nor there at all but",
    "anywhere else on the page, or so it",
    "seems to me.",
)


def set_in_lines(texts: tuple[str, ...], start: float = 50) -> list[Line]:
    """Lines of letters of ten points, each half as wide."""
    glyphs: list[Glyph] = []
    for row, text in enumerate(texts):
        for number, letter in enumerate(text):
            box = Box(start + 5 * number, 700 - 14 * row, start + 5 * number + 5, 710 - 14 * row)
            glyphs.append(Glyph(letter, len(glyphs), 1, box, box, box.left, box.right, box.bottom, 10, 0))
    return lines_of(glyphs)


@pytest.mark.parametrize(
    ("texts", "goes_on"),
    [
        (RAGGED, True),
        (tuple(text.ljust(35, "x") for text in RAGGED[:-1]), False),
        (RAGGED[:3], False),
        ((RAGGED[0], "State checker of contracts with a", *RAGGED[2:]), False),
        ((RAGGED[0][:-1], *RAGGED[1:]), False),
    ],
    ids=["ragged", "filled up", "too few lines", "a capital follows", "no hyphen"],
)
def test_a_hyphen_was_typed_where_lines_end_anywhere(texts: tuple[str, ...], *, goes_on: bool) -> None:
    lines = set_in_lines(texts)
    keep_hyphens(lines)
    assert [line.goes_on for line in lines] == [False, goes_on, *[False] * (len(texts) - 2)]


@pytest.mark.parametrize(
    ("producer", "said"),
    [(b"LibreOffice 7.4", "finite-state"), (b"Skia/PDF m120", "finite-state"), (b"pdfTeX-1.40.24", "finitestate")],
)
def test_typesetters_may_have_broken_the_word(producer: bytes, said: str) -> None:
    pdf = Pdf()
    pdf.trailer = b"/Info %d 0 R" % pdf.add(b"<</Producer(%b)>>" % producer)
    pdf.add_page(b"".join(shown(text, y=700 - 14 * place) for place, text in enumerate(RAGGED)))
    visible = read_pdf(pdf.data, STANDARD).visible
    assert said in visible.replace("-\n", "")


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("-", "kernels of block-sparse matrices cut first-token latency"),
        ("", "kernels of block-sparse matrices cut firsttoken latency"),
    ],
    ids=["typed", "broken"],
)
def test_a_hyphen_that_breaks_words_in_its_font_is_typed_where_the_file_says_so(claim: str, said: str) -> None:
    typed = "/F9 11 Tf /Span <</ActualText (-)>> BDC (a) Tj EMC /F1 11 Tf"
    at_the_end = f"/F9 11 Tf {f'/Span <</ActualText ({claim})>> BDC' if claim else ''} (a) Tj"
    operators = (
        f"/F1 11 Tf (kernels of block) Tj {typed} (sparse matrices cut first) Tj {at_the_end} {'EMC' if claim else ''}"
        " /F1 11 Tf 0 -14 Td (token latency) Tj"
    )
    visible = read_pdf(second_font(said="\u00ad", operators=operators), STANDARD).visible
    assert said in " ".join(clean(visible, 10_000).text.split())
