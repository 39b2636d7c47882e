"""What Word shows of the cells and rows of a table."""

from __future__ import annotations

import pytest

from portal.documents.docx.text import read_docx
from portal.documents.limits import STANDARD
from tests.documents.docxs import paragraph, with_body_xml
from tests.documents.pdfs import RESUME_LINES

WORDS = paragraph("some words")
SEEN = (True, "")
HIDDEN = (False, "some words")
NOT_THERE = (False, "")


def row(properties: str) -> str:
    return f"<w:tbl><w:tr><w:trPr>{properties}</w:trPr><w:tc>{WORDS}</w:tc></w:tr></w:tbl>"


def merged(change: str, span: int = 1) -> str:
    """A table whose second row has the words below a merged cell, or below the columns that this one spans."""
    above = f'<w:tc><w:tcPr><w:gridSpan w:val="{span}"/><w:vMerge w:val="restart"/></w:tcPr>{paragraph("top")}</w:tc>'
    before = f"<w:tc>{paragraph('left')}</w:tc>" * (span - 1)
    cell = f"<w:tc><w:tcPr>{change}</w:tcPr>{WORDS}</w:tc>"
    return f"<w:tbl><w:tr>{above}</w:tr><w:tr>{before}{cell}</w:tr></w:tbl>"


def narrow(layout: str, width: int, kind: str = "dxa", *, own: int | None = None) -> str:
    """A table with a cell of a width, or with one of its `own` over a column of that width, and the words in it."""
    grid = f'<w:tblGrid><w:gridCol w:w="5000"/><w:gridCol w:w="{width}"/></w:tblGrid>'
    of_cell = width if own is None else own
    cell = f'<w:tc><w:tcPr><w:tcW w:w="{of_cell}" w:type="{kind}"/></w:tcPr>{WORDS}</w:tc>'
    before = f'<w:tc><w:tcPr><w:tcW w:w="5000" w:type="dxa"/></w:tcPr>{paragraph("left")}</w:tc>'
    properties = f'<w:tblPr><w:tblLayout w:type="{layout}"/></w:tblPr>'
    return f"<w:tbl>{properties}{grid}<w:tr>{before}{cell}</w:tr></w:tbl>"


CASES = {
    "a hidden row": (row("<w:hidden/>"), HIDDEN),
    "a row without height": (row('<w:trHeight w:val="1" w:hRule="exact"/>'), HIDDEN),
    "a row of a height": (row('<w:trHeight w:val="400" w:hRule="exact"/>'), SEEN),
    "a cell merged into the one above": (merged("<w:vMerge/>"), HIDDEN),
    "a cell that begins another merge": (merged('<w:vMerge w:val="restart"/>'), SEEN),
    "a row that was deleted": (row('<w:del w:id="9" w:author="x"/>'), NOT_THERE),
    "a cell as wide as its words": (narrow("autofit", 0), SEEN),
    "a cell of a width that Word finds": (narrow("fixed", 0, "auto"), SEEN),
    "a narrow cell": (narrow("fixed", 600), SEEN),
}


@pytest.mark.parametrize(("xml", "expected"), CASES.values(), ids=CASES)
def test_words_are_seen_where_word_shows_their_cell(xml: str, expected: tuple[bool, str]) -> None:
    raw = read_docx(with_body_xml(xml), STANDARD)
    assert RESUME_LINES[0] in raw.text
    assert ("some words" in " ".join(raw.text.split()), " ".join(raw.hidden.split())) == expected
