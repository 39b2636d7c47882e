"""Text without spaces that a margin cuts is read as one, and what only stands below each other is not."""

from __future__ import annotations

import pytest

from portal.documents.pdf.advances import room_along_line
from portal.documents.pdf.boxes import Box
from portal.documents.pdf.glyphs import Glyph
from portal.documents.pdf.lines import lines_of
from portal.documents.pdf.visible_text import tell_apart

Placed = tuple[str, float, float]
PROSE = "研究大规模语言模型的高效推理系统重点关注机器学习与分布式"


def visible(*rows: Placed, unseen: tuple[str, ...] = ()) -> list[str]:
    """The visible lines of rows of letters of ten points, each given with where it begins and its height."""
    glyphs: list[Glyph] = []
    for text, x, y in rows:
        for number, letter in enumerate(text):
            box = Box(x + 10 * number, y, x + 10 * number + 10, y + 10)
            glyphs.append(Glyph(letter, len(glyphs), 1, box, box, box.left, box.right, y, 10, 0))
    hidden = {glyph.first for glyph in glyphs for text in unseen if glyph.text in text}
    return tell_apart(lines_of(glyphs), hidden)[0].split("\n")


@pytest.mark.parametrize("indent", [0, 2])
def test_a_paragraph_is_one_line_also_with_its_first_line_indented(indent: int) -> None:
    first = PROSE[: 26 - indent]
    rows = [(first, 50 + 10 * indent, 700), (PROSE[:26], 50, 685), ("化简", 50, 670)]
    assert visible(*rows) == [first + PROSE[:26] + "化简"]


def test_a_letter_goes_along_with_the_sign_that_must_not_begin_a_line() -> None:
    short, full = PROSE[:25], PROSE[:25]
    assert visible((short, 50, 700), (f"习，{full}", 50, 685)) == [f"{short}习，{full}"]
    assert visible((short, 50, 700), (f"习得{full}", 50, 685)) == [short, f"习得{full}"]


def test_an_address_is_on_a_line_of_its_own() -> None:
    title = "博士課程出願者、分散計算と言語処理（情報学）"
    assert visible((title, 50, 700), ("sakura@a.example", 50, 685), (PROSE[:22], 50, 640)) == [
        title,
        "sakura@a.example",
        PROSE[:22],
    ]


@pytest.mark.parametrize(
    ("above", "below"),
    [
        (PROSE[:24] + "，", PROSE[:9]),
        ("用LLM推理" + PROSE[:18], "3倍"),
        ("提升3倍" + PROSE[:17] + "LLM", PROSE[:9]),
    ],
    ids=["behind a comma", "before a number", "behind a Latin word"],
)
def test_prose_goes_on_at_commas_and_at_words_that_are_not_chinese(above: str, below: str) -> None:
    closed = ("用C语言，2次", 50, 600)
    assert visible((above, 50, 700), (below, 50, 685), closed)[0] == above + below


@pytest.mark.parametrize(
    "rows",
    [
        [("清华大学", 50, 700), ("北京大学", 50, 685)],
        [(PROSE[:14], 50, 700), (PROSE[:25], 50, 685)],
        [(PROSE[:25], 50, 700), (PROSE[:25], 50, 670), (PROSE[:4], 50, 655)],
        [(PROSE[:25], 50, 700), (PROSE[:25], 300, 685)],
        [(PROSE[:25] + "。", 50, 700), (PROSE[:25], 50, 685)],
        [("研究 LLM 推理 " + PROSE[:20], 50, 700), ("LLM" + PROSE[:22], 50, 685)],
        [("応用情報技術者試験合格", 50, 700), ("普通自動車第一種免許上", 50, 685), (PROSE[:20], 50, 640)],
        [(PROSE[:25], 50, 700), (PROSE[:9], 50, 685), ("2024", 460, 640)],
        [("한국어로쓴긴문장은띄어쓰기가있으므로붙이지않는다고한다", 50, 700), ("한국어", 50, 685)],
    ],
    ids=[
        "short items",
        "not at the margin",
        "next paragraph",
        "elsewhere",
        "sentence ends",
        "Latin word",
        "items that end before the margin",
        "items that end far from where dates end",
        "Korean",
    ],
)
def test_lines_that_are_no_paragraph_stay_apart(rows: list[Placed]) -> None:
    assert visible(*rows)[0] == rows[0][0]


def test_what_a_hidden_line_goes_on_with_does_not_join_those_around_it() -> None:
    rows = [(PROSE, 50, 700), ("甲" * 28, 50, 685), (PROSE[:3], 50, 670)]
    assert visible(*rows, unseen=("甲",)) == [PROSE, PROSE[:3]]


def test_a_line_that_is_filled_up_between_its_letters_is_no_row_of_words() -> None:
    letters = [(letter, 100.0 + 14 * place, 700.0) for place, letter in enumerate("分布式训练系统")]
    assert visible(("LLM", 50, 700), *letters) == ["LLM 分布式训练系统"]


def test_a_letter_of_a_font_without_widths_is_as_wide_as_it_is_high() -> None:
    assert room_along_line("目", 102.0, (103.9, 112.0), 12.0) == (102.0, 114.0)
    assert room_along_line("l", 102.0, (103.9, 106.0), 12.0) == (103.9, 106.0)
    above_a_centre = (96.0, 108.0)
    assert room_along_line("目", 102.0, above_a_centre, 12.0) == above_a_centre
