"""Lines that a file sets in pieces: letters of another font after all others, words from the right to the left."""

from __future__ import annotations

import pytest

from portal.documents.pdf.boxes import Box
from portal.documents.pdf.glyphs import Glyph
from portal.documents.pdf.lines import lines_of


def piece(text: str, at: float, *, base: float = 700, size: float = 10, leaves: str = "") -> list[Glyph]:
    """Letters half as wide as high from `at` on; those of `leaves` are left out."""
    glyphs = []
    for place, letter in enumerate(text):
        start = at + size / 2 * place
        box = Box(start, base, start + size / 2, base + size)
        if letter not in leaves:
            glyphs.append(Glyph(letter, 0, 1, box, box, start, box.right, base, size, 0))
    return glyphs


def said(*pieces: list[Glyph]) -> list[str]:
    return [line.text for line in lines_of(glyph for one in pieces for glyph in one)]


def test_letters_that_a_font_lacks_stand_in_their_words() -> None:
    text = "Thành thạo lập trình"
    assert said(piece(text, 50, leaves="ạậ"), piece("ạ", 90), piece("ậ", 110)) == [text]
    assert said(piece(text, 50, leaves="ạậ"), [*piece("ạ", 90), *piece("ậ", 110)]) == [text]


def test_a_letter_that_is_set_right_behind_the_end_of_its_word_stands_in_it() -> None:
    assert said([*piece("Hà Nội", 50, leaves="ộ"), *piece("ộ", 70)]) == ["Hà Nội"]
    # A letter over others is none that fills a gap.
    assert said([*piece("Hanoi", 50), *piece("x", 66)]) == ["Hanoix"]


def test_a_line_whose_end_comes_after_a_piece_from_its_middle_is_whole() -> None:
    text = "Đường Trần Hưng Đạo"
    begin, end = piece(text[:8], 50, leaves="ườ"), piece(text[8:], 90, leaves="ưạ")
    assert said(begin, [*piece("ườ", 55), *piece("ư", 110), *piece("ạ", 135)], end) == [text]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_lines_from_the_right_come_as_they_are_painted(order: tuple[int, ...]) -> None:
    lines = [piece("אבגדה"[place:], 50, base=700 - 14 * place) for place in range(3)]
    for number, line in enumerate(lines):
        for glyph in line:
            glyph.owner = number
    read = lines_of([glyph for place in order for glyph in lines[place]], {0: 0, 1: 1, 2: 2})
    assert [line.first.owner for line in read] == [0, 1, 2]


def test_words_that_are_set_from_the_right_to_the_left_are_a_line() -> None:
    words = [("firmware", 85), ("offload", 45), ("/IP", 25), ("TCP", 10)]
    assert said(*(piece(word, at) for word, at in words)) == ["TCP/IP offload firmware"]


@pytest.mark.parametrize(
    ("other", "lines"),
    [
        (piece("Left", 20), ["Right side", "Left"]),
        (piece("Left", 75, base=690), ["Right side", "Left"]),
        (piece("L", 82, size=16), ["Right side", "L"]),
        (piece("Riche", 100), ["Right side", "Riche"]),
    ],
    ids=["far away", "on another line", "much larger", "where letters stand already"],
)
def test_what_is_no_piece_of_a_line_stays_by_itself(other: list[Glyph], lines: list[str]) -> None:
    assert said(piece("Right side", 100), other) == lines


def test_lines_that_are_set_once_for_each_font_are_whole() -> None:
    # The odd words of all lines, then the even ones; also where a line has no more than one of each.
    bases = [700 - 15 * place for place in range(8)]
    odd = [glyph for base in bases for glyph in (*piece("Thesis", 50, base=base), *piece("on", 110, base=base))]
    even = [glyph for base in bases for glyph in piece("work", 85, base=base)]
    assert said(odd, even) == ["Thesis work on"] * 8
    first = [glyph for base in bases for glyph in piece("Ada", 50, base=base)]
    second = [glyph for base in bases for glyph in piece("Byron", 70, base=base)]
    assert said(first, second) == ["Ada Byron"] * 8


def test_what_is_set_farther_away_than_a_word_stays_in_its_column() -> None:
    bases = [700 - 15 * place for place in range(4)]
    left = [glyph for base in bases for glyph in piece("Left", 50, base=base)]
    right = [glyph for base in bases for glyph in piece("Right", 80, base=base)]
    assert said(left, right) == ["Left"] * 4 + ["Right"] * 4


def test_signs_that_end_a_name_stand_behind_it_on_a_page_that_is_read_from_the_right() -> None:
    hebrew = piece("תוכנה", 200)
    names = [piece("++C", 100, base=680), piece("#C", 140, base=660), piece("+TLA", 100, base=640)]
    assert said(hebrew, *names)[1:] == ["C++", "C#", "TLA+"]
    assert said(piece("Software engineer", 200), *names)[1:] == ["++C", "#C", "+TLA"]


def test_a_cell_between_two_others_is_read_between_them() -> None:
    assert said([*piece("Role", 50), *piece("2020", 250)], piece("Firm", 150)) == ["Role Firm 2020"]
