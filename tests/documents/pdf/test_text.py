from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.documents.limits import STANDARD
from portal.documents.pdf.text import read_pdf
from tests.documents.pdfs import (
    RESUME_LINES,
    Pdf,
    lines,
    pdf_of_pages,
    resume_pdf,
    shown,
)

if TYPE_CHECKING:
    from portal.documents.extracted import Extracted

INK = "0 0 0.5 rg 40 190 400 30 re f"


def read(data: bytes) -> Extracted:
    return read_pdf(data, STANDARD)


def test_lines_come_in_the_order_of_the_page() -> None:
    raw = read(resume_pdf())
    assert raw.text.split("\n") == list(RESUME_LINES)
    assert (raw.hidden.strip(), raw.pages) == ("", 1)


def test_pages_are_read_in_their_order_up_to_the_limit() -> None:
    raw = read(pdf_of_pages(20))
    assert [page.split()[1] for page in raw.text.split("\n\n")] == [str(number) for number in range(1, 21)]
    assert raw.pages == 20


def test_letters_outside_ascii_are_read() -> None:
    assert "Résumé of José Núñez" in read(resume_pdf(shown("Résumé of José Núñez", y=300))).text


HIDDEN = {
    "white on white": shown("secret words", y=300, before="1 1 1 rg"),
    "nearly white on white": shown("secret words", y=300, before="0.96 0.96 0.95 rg"),
    "pale yellow on white": shown("secret words", y=300, before="1 1 0.85 rg"),
    "invisible mode": shown("secret words", y=300, before="3 Tr"),
    "clipping mode": shown("secret words", y=300, before="7 Tr"),
    "tiny": shown("secret words", y=300, size=1),
    "scaled to tiny": b"q 0.05 0 0 0.05 0 0 cm " + shown("secret words", x=2000, y=6000, size=20) + b"Q",
    "right of the page": shown("secret words", x=5000),
    "below the page": shown("secret words", y=-50),
    "dark on the same dark": INK.encode() + b" " + shown("secret words", y=200, before="0 0 0.5 rg"),
    "covered by a white shape": shown("secret words", y=300) + b"q 1 1 1 rg 40 290 300 30 re f Q",
    "clipped away": b"q 0 0 10 10 re W n " + shown("secret words", y=300) + b"Q",
    "transparent": b"q /G0 gs " + shown("secret words", y=300) + b"Q",
    "nearly transparent": b"q /G1 gs " + shown("secret words", y=300) + b"Q",
    "white outlines": shown("secret words", y=300, before="1 Tr 1 1 1 RG"),
    "white between black lines": shown("secret words", y=713, x=60, size=8, before="1 1 1 rg"),
    "covered by a grey shape": shown("secret words", y=300) + b"q 0.5 g 40 290 300 30 re f Q",
    "behind a shade of colours": shown("secret words", y=300) + b"q 40 290 300 30 re W n /Shade sh Q",
    "squeezed to a line": shown("secret words", y=300, before="1 Tz"),
    "white over letters": shown("Coursework in algebra", y=300) + shown("secret words", y=300, before="1 g"),
    "white in four inks": shown("secret words", y=300, before="0 0 0 0 k"),
    "a white pattern": shown("secret words", y=300, before="/Pattern cs /White scn"),
    "between honest words of one text": (
        b"BT /F1 11 Tf 50 300 Td (Honest prefix, ) Tj 1 g (secret words) Tj 0 g ( honest suffix) Tj ET\n"
    ),
    "under other words": (
        shown("secret words", y=300) + b"q 1 g 40 290 300 30 re f Q\n" + shown("Honest lines", y=300)
    ),
}
SHADE = (
    b"<</ShadingType 2/ColorSpace/DeviceGray/Coords[40 0 340 0]"
    b"/Function<</FunctionType 2/Domain[0 1]/C0[%b]/C1[%b]/N 1>>"
)
RESOURCES = (
    b"/ExtGState<</G0<</ca 0/CA 0>>/G1<</ca 0.05/CA 0.05>>/G2<</ca 0.5/CA 0.5>>>>/Shading<</Shade "
    + SHADE % (b"0", b"0.9")
    + b"/Extend[true true]>>>>/Pattern<</White<</PatternType 2/Shading "
    + SHADE % (b"1", b"1")
    + b"/Extend[true true]>>>>/Dark<</PatternType 2/Shading "
    + SHADE % (b"0", b"0.2")
    + b"/Extend[true true]>>>>>>"
)


@pytest.mark.parametrize("operators", HIDDEN.values(), ids=HIDDEN.keys())
def test_text_that_a_reader_does_not_see_is_set_apart(operators: bytes) -> None:
    raw = read(resume_pdf(operators, resources=RESOURCES))
    assert raw.hidden.strip() == "secret words"
    assert "secret" not in raw.text
    assert RESUME_LINES[2] in raw.text


def test_a_text_of_few_letters_that_is_squeezed_flat_is_hidden() -> None:
    raw = read(resume_pdf(b"q 1 0 0 0.02 0 0 cm " + shown("of", y=15_000) + b"Q"))
    assert (raw.text, raw.hidden) == ("\n".join(RESUME_LINES), "of")


VISIBLE = {
    "white on a dark bar": INK.encode() + b" " + shown("shown words", y=200, before="1 1 1 rg"),
    "light grey": shown("shown words", y=300, before="0.75 0.75 0.75 rg"),
    "yellow": shown("shown words", y=300, before="1 0.9 0 rg"),
    "scaled up from size one": b"q 12 0 0 12 0 0 cm " + shown("shown words", x=5, y=25, size=1) + b"Q",
    "outlines only": shown("shown words", y=300, before="1 Tr 0 0 0 RG 1 1 1 rg"),
    "half transparent": b"q /G2 gs " + shown("shown words", y=300) + b"Q",
    "a footnote of six points": shown("shown words", y=300, size=6),
    "drawn over a white shape": b"q 1 1 1 rg 40 290 300 30 re f Q " + shown("shown words", y=300),
    "partly off the page": shown("shown words", x=540, y=300),
    "a dark pattern": shown("shown words", y=300, before="/Pattern cs /Dark scn"),
    "white on a shade of colours": (
        b"q 40 290 90 30 re W n /Shade sh Q\n" + shown("shown words", x=60, y=300, before="1 g")
    ),
    "painted twice to be bold": shown("shown words", y=300) + shown("shown words", x=50.3, y=300),
    "with a shadow": shown("shown words", x=51, y=299, before="0.8 g") + shown("shown words", y=300),
    "four points": shown("shown words", y=300, size=4),
}


@pytest.mark.parametrize("operators", VISIBLE.values(), ids=VISIBLE.keys())
def test_text_that_a_reader_sees_is_not_accused(operators: bytes) -> None:
    raw = read(resume_pdf(operators, resources=RESOURCES))
    assert raw.hidden.strip() == ""
    assert "shown words" in raw.text


@pytest.mark.parametrize("sign", ["•", "|", "—", "l", "."])
def test_a_single_sign_that_fills_its_box_is_seen(sign: str) -> None:
    assert read(resume_pdf(shown(sign, y=300, size=9))).hidden.strip() == ""


def pdf_with_drawn_glyphs(box: bytes, operators: bytes) -> bytes:
    """Three glyphs "a" from a font that draws them as squares of 10 by 14 points and says they fill `box`."""
    pdf = Pdf()
    square = pdf.add_stream(b"600 0 %b d1 0 0 500 700 re f" % box)
    font = pdf.add(
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 500 700]/FontMatrix[0.02 0 0 0.02 0 0]/FirstChar 97/LastChar 97"
        b"/Widths[600]/Encoding<</Type/Encoding/Differences[97/a]>>/CharProcs<</a %d 0 R>>/Resources<<>>>>" % square
    )
    page = pdf.add_page(lines() + operators)
    pdf.objects[page - 1] = pdf.objects[page - 1].replace(b"/F1 3 0 R", b"/F1 3 0 R/F2 %d 0 R" % font)
    return pdf.data


@pytest.mark.parametrize(
    ("box", "operators"),
    [
        (b"0 0 500 700", b"BT /F2 1 Tf 50 300 Td (aaa) Tj ET"),
        (b"50 50 450 650", b"BT /F2 1 Tf 50 300 Td (a) Tj ET"),
    ],
    ids=["from size one", "filling its box"],
)
def test_glyphs_that_are_drawn_large_are_seen(box: bytes, operators: bytes) -> None:
    raw = read(pdf_with_drawn_glyphs(box, operators))
    assert (raw.hidden.strip(), "a" in raw.text.split()[-1]) == ("", True)


def test_thin_letters_of_a_bitmap_font_are_seen() -> None:
    # Painted up to a pixel beside their place: TeX's "l" of six dots, at 600 dots an inch.
    pdf = Pdf()
    bitmap = b"18.33 0 6 0 13 54 d1 q 6 0 0 54 6 0 cm BI /W 6 /H 54 /BPC 1 /IM true /D[1 0] ID %b\nEI Q" % (
        b"\xfc" * 54
    )
    letter = pdf.add_stream(bitmap)
    font = pdf.add(
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 14 54]/FontMatrix[0.01338 0 0 0.01338 0 0]/FirstChar 108/LastChar 108"
        b"/Widths[18.33]/Encoding<</Type/Encoding/Differences[108/l]>>/CharProcs<</l %d 0 R>>/Resources<<>>>>" % letter
    )
    operators = b"".join(
        b"BT /F2 8.9664 Tf 1 0 0 1 %.2f %d Tm (l) Tj ET\n" % (60 + n / 20, 640 - 15 * n) for n in range(40)
    )
    page = pdf.add_page(lines() + operators)
    pdf.objects[page - 1] = (
        pdf.objects[page - 1]
        .replace(b"/F1 3 0 R", b"/F1 3 0 R/F2 %d 0 R" % font)
        .replace(b"612 792", b"595.276 841.89")
    )
    assert read(pdf.data).hidden.strip() == ""


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_rotated_pages_are_judged_where_their_text_stands(rotation: int) -> None:
    operators = INK.encode() + b" " + shown("shown", y=200, before="1 1 1 rg") + shown("secret", y=100, before="1 g")
    raw = read(resume_pdf(operators, entries=b"/Rotate %d" % rotation))
    assert (raw.hidden.strip(), "shown" in raw.text) == ("secret", True)


def test_what_is_cropped_off_a_page_is_hidden() -> None:
    raw = read(resume_pdf(shown("secret words", y=20), entries=b"/CropBox[0 100 612 792]"))
    assert raw.hidden.strip() == "secret words"


def test_a_page_box_that_does_not_begin_at_zero_is_minded() -> None:
    pdf = Pdf()
    pdf.add_page(lines(top=-100), entries=b"/CropBox[0 -800 612 0]/MediaBox[0 -800 612 0]")
    raw = read(pdf.data)
    assert (raw.hidden.strip(), RESUME_LINES[0] in raw.text) == ("", True)


def test_hidden_text_inside_a_drawing_is_found() -> None:
    pdf = Pdf()
    form = pdf.add_stream(
        shown("secret words", y=300, before="1 g") + shown("shown words", y=200),
        b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>",
    )
    pdf.add_page(lines() + b"q 1 0 0 1 20 20 cm /X Do Q", resources=b"/XObject<</X %d 0 R>>" % form)
    raw = read(pdf.data)
    assert (raw.hidden.strip(), "shown words" in raw.text) == ("secret words", True)


def test_a_page_without_text_or_pictures_has_no_visible_text() -> None:
    pdf = Pdf()
    pdf.add_page(b"0 0 m 100 100 l S")
    assert read(pdf.data).text == ""


def test_no_line_is_lost_where_each_would_wait_for_another() -> None:
    first = "The first of three lines, in letters that are small, and long enough to stand below the others"
    # Painted as if the second stood beside the first, and the third, which is above the first, below the second.
    waiting = shown(first, y=300, size=6) + shown("Big", y=340, size=100) + shown("third words", y=332, size=6)
    assert read(resume_pdf(waiting)).text.split("\n")[-3:] == [first, "Big", "third words"]
