"""Pages whose lines are not painted from the top to the bottom."""

from __future__ import annotations

import random

from portal.documents.limits import STANDARD
from portal.documents.pdf.text import read_pdf
from tests.documents.pdfs import Pdf, shown

SECTIONS = ("Education", "Experience", "Projects", "Skills")
ITEMS = [(head, f"{head} of somebody who builds systems", f"and measures them, in {head.lower()}") for head in SECTIONS]
PAGE = [line for section in ITEMS for line in section]


def painted(lines: list[tuple[str, float, float]]) -> list[str]:
    """The lines of a page on which each is painted at its place, in this order."""
    pdf = Pdf()
    pdf.add_page(b"".join(shown(text, x=x, y=y) for text, x, y in lines))
    return read_pdf(pdf.data, STANDARD).visible.split("\n")


def test_headings_that_are_painted_last_stand_before_their_texts() -> None:
    places = [(text, 50.0, 720.0 - 16 * number) for number, text in enumerate(PAGE)]
    assert painted(sorted(places, key=lambda place: place[0] in SECTIONS)) == PAGE
    assert painted(sorted(places, key=lambda place: place[0] not in SECTIONS)) == PAGE
    assert painted(random.Random(5).sample(places, len(places))) == PAGE  # noqa: S311 - no secret


def test_boxes_of_two_columns_are_read_down_their_column() -> None:
    left = [(text, 50.0, 720.0 - 16 * number) for number, text in enumerate(PAGE[:6])]
    right = [(text, 330.0, 720.0 - 16 * number) for number, text in enumerate(PAGE[6:])]
    assert painted(left[3:] + right[3:] + left[:3] + right[:3]) == PAGE
    assert painted(left + right) == PAGE


def test_a_head_over_the_first_column_that_is_painted_last_leaves_the_columns_in_their_order() -> None:
    head = [
        (f"{number} of a name, an address and where somebody works", 50.0, 800.0 - 16 * number) for number in (1, 2, 3)
    ]
    left = [(text, 50.0, 720.0 - 16 * number) for number, text in enumerate(PAGE[:6])]
    right = [(text, 400.0, 720.0 - 16 * number) for number, text in enumerate(PAGE[6:])]
    assert painted(left + right + head) == [*(text for text, _, _ in head), *PAGE]


def test_a_head_that_is_painted_last_stays_where_it_was_painted() -> None:
    places = [(text, 50.0, 720.0 - 16 * number) for number, text in enumerate(PAGE)]
    assert painted([*places, ("page 1 of 1", 50.0, 750.0)]) == [*PAGE, "page 1 of 1"]


def test_a_head_of_three_lines_that_a_long_page_paints_last_stays_where_it_was_painted() -> None:
    texts = [f"Project {number} measured {number} systems." for number in range(40)]
    places = [(text, 50.0, 760.0 - 16 * number) for number, text in enumerate(texts)]
    assert painted(places[3:] + places[:3]) == texts[3:] + texts[:3]
