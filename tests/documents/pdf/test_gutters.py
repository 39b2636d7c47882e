"""Where one column ends and the next begins."""

from __future__ import annotations

from portal.documents.pdf.boxes import Box
from portal.documents.pdf.glyphs import Glyph
from portal.documents.pdf.lines import lines_of


def test_a_gap_between_words_is_no_gutter_where_a_line_begins_with_a_small_bullet() -> None:
    def glyphs(text: str, x: float, y: float, size: float = 10, first: int = 0) -> list[Glyph]:
        boxes = [Box(x + size / 2 * place, y, x + size / 2 * (place + 1), y + size) for place in range(len(text))]
        letters = zip(text, boxes, strict=True)
        return [
            Glyph(letter, first + place, 1, box, box, box.left, box.right, y, size, 0)
            for place, (letter, box) in enumerate(letters)
        ]

    page: list[Glyph] = []
    for place, left in enumerate(("a master of arts of", "a doctor of arts of", "a diploma of arts of")):
        page += glyphs(left, 60, 700 - 14 * place, first=len(page))
        page += glyphs("May to July of 2020", 300, 700 - 14 * place, first=len(page))
    last = 700 - 14 * 3
    for text, x, size in (
        ("o", 60, 5.0),
        ("reduced the tail latency of all queries by", 76, 10.0),
        ("37.5%", 289, 10.0),
    ):
        page += glyphs(text, x, last, size, first=len(page))
    page += glyphs("and then more", 76, last - 14, first=len(page))
    assert [line.text for line in lines_of(page)][-2:] == [
        "o reduced the tail latency of all queries by 37.5%",
        "and then more",
    ]
