"""Fonts that draw their letters larger than the file says."""

from __future__ import annotations

import pytest

from portal.documents.limits import STANDARD
from portal.documents.pdf.text import read_pdf
from tests.documents.pdfs import Pdf, lines


@pytest.mark.parametrize("times", [1, 3])
def test_words_are_told_apart_by_the_size_that_is_seen(times: int) -> None:
    """Letters 5 points wide and 7 high, up to 1.4 points from each other; 3 points are between words."""
    pdf = Pdf()
    letter = pdf.add_stream(b"560 0 0 0 500 700 d1 0 0 500 700 re f")
    names = b"ABDEFHIKLMNPRT"
    procedures = b"".join(b"/%c %d 0 R" % (name, letter) for name in names)
    differences = b"".join(b" %d/%c" % (name, name) for name in names)
    font = pdf.add(
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 500 700]/FontMatrix[%f 0 0 %f 0 0]/FirstChar 65/LastChar 90"
        b"/Widths[%s]"
        b"/Encoding<</Type/Encoding/Differences[%s]>>/CharProcs<<%s>>/Resources<<>>>>"
        % (times / 1000, times / 1000, b"560 " * 26, differences, procedures)
    )
    operators = b"BT /F2 %f Tf 50 300 Td [(TEN) -%d (DER) -%d (BALM)] TJ ET" % (10 / times, 80 * times, 240 * times)
    page = pdf.add_page(lines() + operators)
    pdf.objects[page - 1] = pdf.objects[page - 1].replace(b"/F1 3 0 R", b"/F1 3 0 R/F2 %d 0 R" % font)
    assert read_pdf(pdf.data, STANDARD).visible.splitlines()[-1] == "TENDER BALM"


def test_a_letter_of_a_word_that_the_file_calls_tiny_does_not_tear_it() -> None:
    """Of a word in 20 points, one letter and the stop are set in 1 point and scaled up."""
    pdf = Pdf()
    texts = (("F1 20", 50.0, "fahre"), ("F2 1", 96.0, "r"), ("F1 20", 103.1, "n"), ("F2 1", 114.4, "."))
    operators = "".join(f"BT /{font} Tf {x} 300 Td ({text}) Tj ET " for font, x, text in texts)
    procedures = [
        pdf.add_stream(b"6700 0 0 0 6000 %d d1 0 0 6000 %d re f" % (height, height)) for height in (10500, 1800)
    ]
    letter, stop = procedures
    font = pdf.add(
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 7000 11000]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 46/LastChar 114"
        b"/Widths[%s]/Encoding<</Type/Encoding/Differences[46/period 114/r]>>/CharProcs<</r %d 0 R/period %d 0 R>>"
        b"/Resources<<>>>>" % (b"6700 " * 69, letter, stop)
    )
    page = pdf.add_page(lines() + operators.encode())
    pdf.objects[page - 1] = pdf.objects[page - 1].replace(b"/F1 3 0 R", b"/F1 3 0 R/F2 %d 0 R" % font)
    assert read_pdf(pdf.data, STANDARD).visible.splitlines()[-1] == "fahrern."
