"""Ligatures and old figures of which a font says nothing but their names."""

from __future__ import annotations

import pytest

from portal.documents.limits import STANDARD
from portal.documents.pdf.text import read_pdf
from tests.documents.pdfs import Pdf, lines

NAMES = "27/f_f 29/T_h/f_f_i.alt 128/two.taboldstyle"
SHOWN = r"Di\033erent o\036ce \035eory in 20\2002"


def read(names: str, shown: str, *, colour: str = "0 g", other_names: str = "") -> tuple[str, str]:
    """The last visible line of a resume, and what is hidden, with a line in a font that names its glyphs."""
    pdf = Pdf()
    pdf.add_page(lines() + f"{colour} BT /F9 11 Tf 50 600 Td ({shown}) Tj ET".encode())
    numbers = [_font(pdf, f"PART{part}", of_part) for part, of_part in (("AA", names), ("BB", other_names)) if of_part]
    pdf.objects = [
        one.replace(b"/F1 3 0 R>>", b"/F1 3 0 R/F9 %d 0 R/F8 %d 0 R>>" % (numbers[0], numbers[-1]))
        for one in pdf.objects
    ]
    raw = read_pdf(pdf.data, STANDARD)
    return raw.visible.splitlines()[-1], raw.hidden


def _font(pdf: Pdf, part: str, names: str) -> int:
    name = f"{part}+Some".encode()
    about = pdf.add(
        b"<</Type/FontDescriptor/FontName/%b/Flags 4/FontBBox[0 0 500 700]/ItalicAngle 0/Ascent 700/Descent 0"
        b"/CapHeight 700/StemV 80>>" % name
    )
    return pdf.add(
        b"<</Type/Font/Subtype/Type1/BaseFont/%b/FirstChar 27/LastChar 128/Widths[%b]/FontDescriptor %d 0 R"
        b"/Encoding %d 0 R>>"
        % (name, b" 500" * 102, about, pdf.add(f"<</Type/Encoding/Differences[{names}]>>".encode()))
    )


def test_glyphs_are_read_as_their_names_say() -> None:
    assert read(NAMES, SHOWN) == ("Different office Theory in 2022", "")


@pytest.mark.parametrize("name", ["a_b_c_d_e", "learning_theory", "g27", "f_", "_f"])
def test_a_name_that_is_no_few_letters_says_nothing(name: str) -> None:
    assert read(f"27/{name}", r"Di\033erent") == ("Di erent", "")


def test_a_number_that_parts_of_a_font_name_unlike_says_nothing() -> None:
    assert read("27/f_f", r"Di\033erent", other_names="27/t_t") == ("Di erent", "")
    assert read("27/f_f", r"Di\033erent", other_names="27/f_f") == ("Different", "")


def test_named_letters_that_nobody_sees_are_hidden() -> None:
    line, hidden = read(NAMES, SHOWN, colour="1 g")
    assert "Theory" not in line
    assert hidden == "Different office Theory in 2022"
