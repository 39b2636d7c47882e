"""Letters that are spread out beside other text, and what only looks like them."""

from __future__ import annotations

import pytest

from portal.documents.limits import STANDARD
from portal.documents.pdf.boxes import Box
from portal.documents.pdf.glyphs import Glyph
from portal.documents.pdf.text import read_pdf
from portal.documents.pdf.words import words_of
from tests.documents.pdfs import resume_pdf

HEADINGS = ["Me", "Job", "At", "Art"]


def last_line(operators: str) -> str:
    raw = read_pdf(resume_pdf(f"BT /F1 12 Tf 50 600 Td {operators} ET".encode()), STANDARD)
    return raw.visible.splitlines()[-1]


@pytest.mark.parametrize("spread", [1.8, 2.5, 3])
@pytest.mark.parametrize("words", ["Skills", "Distributed", "caching layers"])
def test_small_letters_that_are_spread_out_beside_other_text_are_a_word(spread: float, words: str) -> None:
    gap = words.replace(" ", ") -200 (")
    line = f"(Python and Rust beside ) Tj {spread} Tc [({gap})] TJ 0 Tc 4 0 Td"
    assert last_line(line) == f"Python and Rust beside {words}"


def test_letters_with_spaces_between_them_stay_apart() -> None:
    assert last_line("(sort a b c d e f by key) Tj") == "sort a b c d e f by key"


def test_variables_far_from_each_other_stay_apart() -> None:
    far = " ".join(f"({letter}) -400" for letter in "abcdef")
    assert last_line(f"[(sort ) {far} (by key)] TJ") == "sort a b c d e f by key"


@pytest.mark.parametrize(("spread", "year"), [(1.5, "2022"), (2.3, "2022"), (4, "2 0 2 2")])
def test_a_year_by_itself_whose_figures_are_spread_a_little_is_a_word(spread: float, year: str) -> None:
    assert last_line(f"{spread} Tc (2022) Tj") == year


@pytest.mark.parametrize("gap", [2500, 400])
@pytest.mark.parametrize("words", ["advised by Uwe 2024", "028 555 0142"])
def test_short_words_whose_letters_are_as_far_apart_as_others_of_their_line_are_words(gap: int, words: str) -> None:
    pieces = f" -{gap} ".join(f"({word})" for word in words.split())
    assert last_line(f"3 Tc [{pieces}] TJ") == words


def test_short_words_stay_apart_beside_spread_ones() -> None:
    assert last_line("3 Tc [(advised) -2500] TJ 0 Tc [(a) -300 (b) -300 (c)] TJ") == "advised a b c"


def test_short_headings_of_one_style_tell_together_how_far_their_letters_are_spread() -> None:
    headings = "".join(
        f"BT /F1 18 Tf 2.9 Tc 50 {560 - 40 * row} Td ({text}) Tj ET " for row, text in enumerate(HEADINGS)
    )
    raw = read_pdf(resume_pdf(headings.encode()), STANDARD)
    assert raw.visible.splitlines()[-len(HEADINGS) :] == HEADINGS


def test_a_short_spread_heading_right_behind_text_is_a_word() -> None:
    assert last_line("(in clusters ) Tj /F1 15 Tf 2.5 Tc (Note) Tj") == "in clusters Note"


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("[(My shelf-) -350 (stable code for you)] TJ", "My shelf-stable code for you"),
        ("[(Vor- ) -350 (und Nachteile der Netze)] TJ", "Vor- und Nachteile der Netze"),
        ("[(My) -350 (shelf-) -350 (stable) -350 (code)] TJ", "My shelf- stable code"),
    ],
    ids=["moved", "a space", "a file without spaces"],
)
def test_the_second_half_of_a_compound_may_be_moved(line: str, read: str) -> None:
    assert last_line(line) == read


def test_a_figure_and_the_letter_behind_it_may_be_moved_apart() -> None:
    glyphs: list[Glyph] = []
    at = 50.0
    for letter in "2021년 3월 – 2023년":
        at += (
            2.4
            if glyphs and {letter.isdecimal(), glyphs[-1].text.isdecimal()} == {True, False} and letter.isalnum()
            else 0
        )
        width = 10 if letter.isalpha() else 5
        box = Box(at, 700, at + width, 710)
        glyphs.append(Glyph(letter, len(glyphs), 1, box, box, at, at + width, 700, 10, 0))
        at += width
    assert ["".join(glyph.text for glyph in word.glyphs) for word in words_of(glyphs)] == [
        "2021년",
        "3월",
        "–",
        "2023년",
    ]


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("[(Jane) -100] TJ (Eyre) Tj", "Jane Eyre"),
        ("[(Py) -40] TJ (Torch) Tj", "PyTorch"),
        ("[(Py) -100 (Torch)] TJ", "PyTorch"),
        ("[(Clemens) -216] TJ 1.2 Tc (Niederberger) Tj", "Clemens Niederberger"),
    ],
    ids=["close", "closer", "one text", "spread"],
)
def test_a_family_name_in_a_text_of_its_own_is_no_part_of_the_first_name(line: str, read: str) -> None:
    assert last_line(line) == read
