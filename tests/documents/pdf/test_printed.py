"""Hyphens at line ends of pages that Chromium printed: on the grid of its layout where it broke a word."""

from __future__ import annotations

import pytest

from portal.documents.cleaning import clean
from portal.documents.limits import STANDARD
from portal.documents.pdf.text import read_pdf
from tests.documents.pdfs import FONT, Pdf

STEP = 7.9980712
"""From letter to letter, in pixels; no multiple of a 64th."""
FILLED = (
    "moving whole pages over slow links,",
    "keeping cold tensors on our 2 disks",
    "serving many models to all 4 users,",
)


def set_letters(text: str, row: int, *, hyphen: float | None = None) -> str:
    """Operators that show letters one by one, as Chromium does, and a hyphen as a text of its own at a place."""
    letters = f" {STEP} 0 Td ".join(f"({letter}) Tj" for letter in text)
    shown = f"BT /F1 13.33 Tf 1 0 0 -1 8 {25 + 18 * row} Tm {letters} ET\n"
    if hyphen is not None:
        shown += f"BT /F1 13.33 Tf 1 0 0 -1 {hyphen:.5f} {25 + 18 * row} Tm (-) Tj ET\n"
    return shown


def read(first: str, second: str, *, hyphen: float | None = None, producer: str = "Skia/PDF m156") -> str:
    """What a page says in which a line ends with a hyphen, among lines that are filled up to the same margin."""
    pdf = Pdf()
    pdf.objects[2] = FONT.replace(b"Helvetica", b"Courier")
    pdf.trailer = b"/Info %d 0 R" % pdf.add(b"<</Producer(%b)>>" % producer.encode())
    rows = [*FILLED, first, second, *FILLED]
    content = "".join(set_letters(text, row, hyphen=hyphen if text == first else None) for row, text in enumerate(rows))
    pdf.add_page(b"q .75 0 0 -.75 0 792 cm\n" + content.encode() + b"Q")
    return " ".join(clean(read_pdf(pdf.data, STANDARD).visible, 10_000).text.split())


def behind(text: str, *, on_grid: bool) -> float:
    """Where a hyphen stands behind a text: on the grid, or where its last letter ends."""
    end = 8 + STEP * len(text)
    return round(end * 64) / 64 if on_grid else end


@pytest.mark.parametrize(
    ("first", "second"),
    [("the art of making tools for nation", "wide grids"), ("the share of counts that is a zero", "inflated")],
)
def test_a_hyphen_that_follows_its_letter_was_typed(first: str, second: str) -> None:
    assert f"{first}-{second}" in read(first + "-", second)
    assert f"{first}-{second}" in read(first, second, hyphen=behind(first, on_grid=False))


def test_a_hyphen_on_the_grid_breaks_a_word() -> None:
    for first, second in (("commodity inter", "connects them"), ("all of the agri", "culture data")):
        assert first + second in read(first, second, hyphen=behind(first, on_grid=True))


def test_addresses_are_not_broken_inside_of_words() -> None:
    first = "example.org/ada/fast"
    assert f"{first}-cache" in read(first, "cache", hyphen=behind(first, on_grid=True))


def test_one_on_the_grid_tells_of_the_others() -> None:
    first = "the fast inter"
    said = read(first, "connects are zero-", hyphen=behind(first, on_grid=True))
    assert "interconnects are zero-moving" in said


def test_other_programs_have_no_grid() -> None:
    first = "it is nation"
    assert "it is nationwide" in read(first, "wide", hyphen=behind(first, on_grid=False), producer="pdfTeX")
