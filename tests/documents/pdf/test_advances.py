"""Letters whose ink hangs over the space behind them, or over the letter before."""

from __future__ import annotations

import pytest

from portal.documents.limits import STANDARD
from portal.documents.pdf.advances import room_from_pen
from portal.documents.pdf.text import read_pdf
from tests.documents.pdfs import Pdf, lines


def read(shown: str) -> str:
    """What is read of operators in Times-Italic, whose "f" is 278 wide and painted up to 424."""
    pdf = Pdf()
    pdf.add_page(lines() + f"BT /F9 20 Tf 50 500 Td {shown} TJ ET".encode())
    font = pdf.add(b"<</Type/Font/Subtype/Type1/BaseFont/Times-Italic/Encoding/WinAnsiEncoding>>")
    pdf.objects = [one.replace(b"/F1 3 0 R>>", b"/F1 3 0 R/F9 %d 0 R>>" % font) for one in pdf.objects]
    return read_pdf(pdf.data, STANDARD).visible.splitlines()[-1]


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("[(of) -195 (5)]", "of 5"),
        ("[(for) -600 (of) -195 (5)]", "for of 5"),
        ("[(of) -195 (efforts)]", "of efforts"),
        ("[(Institute) -190 (for)]", "Institute for"),
    ],
    ids=["by its font", "by another one", "by one behind it", "below the letter before"],
)
def test_a_word_ends_where_the_room_of_its_last_letter_does(shown: str, expected: str) -> None:
    assert read(shown) == expected


def test_another_form_of_a_letter_is_not_cut_off_from_its_word() -> None:
    assert read("[(of) -150 (e)]") == "ofe"
    assert read("[(for) -600 (ef) -80 (e) -600 (for)]") == "for efe for"


def test_a_letter_begins_where_the_pen_was() -> None:
    assert room_from_pen("f", 122.0, (120.8, 127.0), 10.0) == (122.0, 127.0)
    assert room_from_pen("f", 122.0, (122.5, 127.0), 10.0) == (122.5, 127.0)
    assert room_from_pen("f", 130.0, (120.8, 132.0), 10.0) == (120.8, 132.0)
    assert room_from_pen("दे", 122.0, (120.8, 127.0), 10.0) == (120.8, 127.0)


def test_a_letter_is_as_wide_as_its_font_says_where_others_were_moved_up_to_it() -> None:
    assert read("[(f) 125 (o) -600 (f) 125 (o) -600 (f) 125 (o) -600 (fl)]") == "fo fo fo fl"


def test_a_space_that_the_pen_goes_back_over_parts_no_word() -> None:
    assert read("[(org) -20 ( ) 268 (anised) -600 (it)]") == "organised it"
