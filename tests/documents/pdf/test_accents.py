"""Accents and marks that a file sets apart from their letters."""

from __future__ import annotations

import pytest

from portal.documents.limits import STANDARD
from portal.documents.pdf.accents import with_accents
from portal.documents.pdf.text import read_pdf
from tests.documents.pdf.test_lines import glyphs, text_of, words_in_lines
from tests.documents.pdfs import Pdf


def test_an_accent_that_is_painted_on_a_letter_is_part_of_it() -> None:
    painted = b"BT /F1 10 Tf 50 300 Td (M) Tj 1.1 0 Td 7.5 0 Td (\xa8) Tj -1.1 0 Td (u) Tj 5.56 0 Td (ller) Tj ET\n"
    assert text_of(painted) == ["Müller"]


def test_a_combining_mark_is_part_of_the_letter_it_was_set_behind() -> None:
    pdf = Pdf()
    table = b"begincmap 1 begincodespacerange<00><FF>endcodespacerange 1 beginbfchar <7A><030C> endbfchar endcmap end"
    pdf.objects[2] = pdf.objects[2].replace(b">>", b"/ToUnicode %d 0 R>>" % pdf.add_stream(table))
    # A z is the mark here: behind the S, whose room ends at 56.67, and over the k.
    pdf.add_page(b"BT /F1 10 Tf 50 300 Td (S) Tj 6.67 0 Td (z) Tj 0 0 Td (k) Tj 5 0 Td (oda) Tj ET\n")
    assert read_pdf(pdf.data, STANDARD).visible == "Škoda"


@pytest.mark.parametrize(("letter", "read"), [("\u074f", "Müller"), ("U", "MÜller")])
def test_an_accent_that_says_its_whole_letter_is_that_letter(letter: str, read: str) -> None:
    pdf = Pdf()
    said = f"2 beginbfchar <75><{ord(letter):04X}> <A8><00FC> endbfchar endcmap end".encode()
    table = b"begincmap 1 begincodespacerange<00><FF>endcodespacerange " + said
    pdf.objects[2] = pdf.objects[2].replace(b">>", b"/ToUnicode %d 0 R>>" % pdf.add_stream(table))
    pdf.add_page(b"BT /F1 10 Tf 50 300 Td [(Mu) 450 (\xa8) -110 (ller)] TJ ET\n")
    assert read_pdf(pdf.data, STANDARD).visible == read


def test_a_combining_mark_that_is_painted_over_its_letter_is_part_of_it() -> None:
    places = [(54.0, 698.0), (60.0, 700.0), (50.0, 700.0), (40.0, 700.0)]
    assert words_in_lines(with_accents(glyphs("\u0651عمن", places))) == ["عم\u0651ن"]
