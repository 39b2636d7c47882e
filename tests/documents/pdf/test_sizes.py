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
