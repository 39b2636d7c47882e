"""Text that stands in a PDF and not on its pages, and text that stands on its pages and not in their content."""

from __future__ import annotations

import pytest

from portal.documents.limits import STANDARD
from portal.documents.pdf.text import read_pdf
from tests.documents.pdfs import RESUME_LINES, Pdf, lines, resume_pdf, shown

GREYS = b"/Type/XObject/Subtype/Image/Width 16/Height 16/ColorSpace/DeviceGray/BitsPerComponent 8"
WHOLE_PAGE = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>"

A_LINE = WHOLE_PAGE.replace(b"612 792", b"250 20")


def read(data: bytes) -> tuple[str, str]:
    """Visible and hidden text."""
    raw = read_pdf(data, STANDARD)
    return raw.text, raw.hidden


@pytest.mark.parametrize("behind", [True, False])
def test_text_behind_a_picture_is_hidden_and_text_on_it_is_not(*, behind: bool) -> None:
    pdf = Pdf()
    picture = pdf.add_stream(bytes(value * 7 % 256 for value in range(256)), GREYS)
    drawing = b"q 300 0 0 100 40 260 cm /Im1 Do Q\n"
    text = shown("some words", y=300, before="1 0 0 rg")
    pdf.add_page(
        lines() + (text + drawing if behind else drawing + text), resources=b"/XObject<</Im1 %d 0 R>>" % picture
    )
    visible, hidden = read(pdf.data)
    assert ("some words" in visible, hidden) == ((False, "some words") if behind else (True, ""))


@pytest.mark.parametrize("state", ["OFF", "ON"])
def test_a_layer_counts_when_it_is_shown(state: str) -> None:
    pdf = Pdf()
    layer = pdf.add(b"<</Type/OCG/Name(x)>>")
    pdf.catalog = b"/OCProperties<</OCGs[%d 0 R]/D<</%b[%d 0 R]>>>>" % (layer, state.encode(), layer)
    pdf.add_page(
        lines() + b"/OC /L0 BDC " + shown("some words", y=300) + b"EMC", resources=b"/Properties<</L0 %d 0 R>>" % layer
    )
    visible, hidden = read(pdf.data)
    assert ("some words" in visible, hidden) == ((True, "") if state == "ON" else (False, "some words"))


def test_a_mask_that_lets_nothing_through_hides() -> None:
    pdf = Pdf()
    mask = pdf.add_stream(
        b"0 g 0 0 612 792 re f",
        b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Group<</S/Transparency/CS/DeviceGray>>",
    )
    state = b"/ExtGState<</G0<</SMask<</Type/Mask/S/Luminosity/G %d 0 R>>>>>>" % mask
    pdf.add_page(lines() + b"q /G0 gs " + shown("secret words", y=300) + b"Q", resources=state)
    assert read(pdf.data) == ("\n".join(RESUME_LINES), "secret words")


def test_a_drawing_that_is_cut_to_its_frame_hides_the_rest() -> None:
    pdf = Pdf()
    drawing = pdf.add_stream(shown("secret words", y=300), WHOLE_PAGE.replace(b"612 792", b"10 10"))
    pdf.add_page(lines() + b"/X Do", resources=b"/XObject<</X %d 0 R>>" % drawing)
    assert read(pdf.data) == ("\n".join(RESUME_LINES), "secret words")


@pytest.mark.parametrize(
    ("claim", "hidden"),
    [
        ("secret", ""),
        ("keywords that nobody sees", ""),
        ("Plain words and more Plain words", ""),
    ],
)
def test_what_a_text_claims_to_read_as_is_not_believed(claim: str, hidden: str) -> None:
    marked = b"/Span<</ActualText(%b)>>BDC " % claim.encode() + shown("Plain words", y=600) + b" EMC"
    assert read(resume_pdf(marked)) == ("\n".join([*RESUME_LINES, "Plain words"]), hidden)


def test_a_phrase_that_is_claimed_as_it_is_read_is_not_flagged() -> None:
    claim = b"<%b>" % "\ufeffPlain words here".encode("utf-16-be").hex().encode()
    marked = b"/Span<</ActualText %b>>BDC " % claim + shown("Plain words here", y=600) + b" EMC"
    assert read(resume_pdf(marked)) == ("\n".join([*RESUME_LINES, "Plain words here"]), "")


def test_a_glyph_that_says_a_whole_sentence_is_hidden() -> None:
    said = "secret words of a dot".encode("utf-16-be").hex().encode()
    table = (
        b"/CIDInit/ProcSet findresource begin begincmap 1 begincodespacerange<00><FF>endcodespacerange"
        b" 1 beginbfchar<2E><%b>endbfchar endcmap end" % said
    )
    pdf = Pdf()
    pdf.add_page(lines()[: lines().index(b"\n")] + b" BT /F1 11 Tf 50 600 Td (Plain words) Tj /F9 11 Tf (.) Tj ET")
    font = pdf.add(
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode %d 0 R>>"
        % pdf.add_stream(table)
    )
    pdf.objects = [one.replace(b"/F1 3 0 R>>", b"/F1 3 0 R/F9 %d 0 R>>" % font) for one in pdf.objects]
    assert read(pdf.data) == (RESUME_LINES[0] + "\nPlain words", "secret words of a dot")


def field(pdf: Pdf, *, flags: int, appearance: bytes = b"", form: bytes = b"/NeedAppearances true") -> int:
    """A text field of a form with a value."""
    number = pdf.add(
        b"<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(Filled in)/DA(/F1 11 Tf 0 g)/Rect[50 290 300 310]/F %d%b>>"
        % (flags, appearance)
    )
    pdf.catalog = b"/AcroForm<</Fields[%d 0 R]%b/DR<</Font<</F1 3 0 R>>>>>>" % (number, form)
    return number


@pytest.mark.parametrize("own_painting", [True, False])
@pytest.mark.parametrize("form", [b"/NeedAppearances true", b""])
def test_what_was_filled_into_a_form_is_read(form: bytes, *, own_painting: bool) -> None:
    pdf = Pdf()
    painting = b""
    if own_painting:
        painting = b"/AP<</N %d 0 R>>" % pdf.add_stream(shown("Filled in", x=2, y=5), A_LINE)
    number = field(pdf, flags=4, appearance=painting, form=form)
    pdf.add_page(lines(), entries=b"/Annots[%d 0 R]" % number)
    assert read(pdf.data) == ("\n".join([*RESUME_LINES, "Filled in"]), "")


def test_a_field_that_is_not_shown_is_not_read() -> None:
    pdf = Pdf()
    number = field(pdf, flags=2)
    pdf.add_page(lines(), entries=b"/Annots[%d 0 R]" % number)
    assert read(pdf.data) == ("\n".join(RESUME_LINES), "")


def test_text_written_on_a_page_is_read_and_a_note_that_has_to_be_opened_is_not() -> None:
    pdf = Pdf()
    painting = pdf.add_stream(shown("Written on it", x=2, y=5), A_LINE)
    written = pdf.add(
        b"<</Type/Annot/Subtype/FreeText/Contents(x)/DA(/F1 11 Tf 0 g)/Rect[50 290 300 310]/F 4/AP<</N %d 0 R>>>>"
        % painting
    )
    note = pdf.add(b"<</Type/Annot/Subtype/Text/Contents(secret words)/Rect[50 100 70 120]>>")
    pdf.add_page(lines(), entries=b"/Annots[%d 0 R %d 0 R]" % (written, note))
    assert read(pdf.data) == ("\n".join([*RESUME_LINES, "Written on it"]), "")


@pytest.mark.parametrize(
    ("bounds", "at_the_top"),
    [(b"/MediaBox[0 0 595 842]", "visible"), (b"/MediaBox[0 0 595 842]/CropBox[0 0 595 800]", "hidden")],
    ids=["sheet", "cut"],
)
def test_a_page_with_notes_keeps_the_bounds_that_it_has_from_the_document(bounds: bytes, at_the_top: str) -> None:
    pdf = Pdf(of_all_pages=bounds)
    painting = pdf.add_stream(shown("Written on it", x=2, y=5), A_LINE)
    note = pdf.add(b"<</Type/Annot/Subtype/FreeText/Rect[50 290 300 310]/F 4/AP<</N %d 0 R>>>>" % painting)
    pdf.add_page(shown("Wang Xiaoming", y=820) + lines(), entries=b"/Annots[%d 0 R]" % note)
    visible, hidden = read(pdf.data)
    assert "Written on it" in visible
    assert ("Wang Xiaoming\n" in visible, "Wang Xiaoming" in hidden) == (
        at_the_top == "visible",
        at_the_top == "hidden",
    )


def test_a_page_with_links_keeps_the_fonts_that_it_has_from_the_document() -> None:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[35/S 36/k]>>>>"
    pdf = Pdf(of_all_pages=b"/Resources<</Font<</F1 3 0 R/F2 %b>>>>" % font)
    link = pdf.add(b"<</Type/Annot/Subtype/Link/Rect[50 290 300 310]/Border[0 0 1]>>")
    pdf.add_page(lines() + shown("#$ills", y=300).replace(b"/F1", b"/F2"), entries=b"/Annots[%d 0 R]" % link)
    pdf.objects = [one.replace(b"/Resources<</Font<</F1 3 0 R>>>>/Contents", b"/Contents") for one in pdf.objects]
    assert read(pdf.data) == ("\n".join([*RESUME_LINES, "Skills"]), "")


@pytest.mark.parametrize(("colour", "is_seen"), [("0 g", True), ("1 g", False)])
def test_words_that_a_link_paints_are_on_the_page(colour: str, is_seen: bool) -> None:  # noqa: FBT001 - a parameter
    pdf = Pdf()
    painting = pdf.add_stream(shown("Painted words", x=2, y=5, before=colour), A_LINE)
    link = pdf.add(b"<</Type/Annot/Subtype/Link/Rect[50 290 300 310]/F 4/AP<</N %d 0 R>>>>" % painting)
    pdf.add_page(lines(), entries=b"/Annots[%d 0 R]" % link)
    visible, hidden = read(pdf.data)
    assert ("Painted words" in visible, "Painted words" in hidden) == (is_seen, not is_seen)


def test_many_texts_in_one_place_are_told_apart() -> None:
    cover = b"q 1 g 40 290 300 30 re f Q\n"
    operators = b"".join(shown(word, y=300) + cover for word in ("first", "second", "third")) + shown("last", y=300)
    visible, hidden = read(resume_pdf(operators))
    assert (visible.splitlines()[-1], sorted(hidden.split())) == ("last", ["first", "second", "third"])


def test_a_shadow_in_a_drawing_of_its_own_does_not_hide_its_text() -> None:
    pdf = Pdf()
    shadow = pdf.add_stream(
        shown("Shown words", x=10, y=280),
        WHOLE_PAGE + b"/Matrix[1 0 0 1 -10 0]/Group<</S/Transparency>>",
    )
    state = b"/XObject<</X %d 0 R>>/ExtGState<</G0<</ca 0>>>>" % shadow
    placed = b"q 1 0 0 1 50.5 19.5 cm /G0 gs /X Do Q\n"
    pdf.add_page(lines() + placed + shown("Shown words", y=300), resources=state)
    assert read(pdf.data) == ("\n".join([*RESUME_LINES, "Shown words"]), "")


def test_a_clear_copy_at_the_distance_of_a_shadow_does_not_hide_its_text() -> None:
    copy = shown("Shown words", x=53, y=297, size=20, before="/G0 gs")
    state = b"/ExtGState<</G0<</ca 0>>>>"
    data = resume_pdf(copy + shown("Shown words", y=300, size=20), resources=state)
    assert read(data) == ("\n".join([*RESUME_LINES, "Shown words"]), "")


def test_a_word_under_another_one_or_a_watermark_is_read() -> None:
    over = shown("federated", y=300) + shown("learning", x=70, y=300)
    mark = b".7 g " + shown("DRAFT", x=40, y=290, size=60) + b"0 g " + shown("kumquats and obelisks", y=300)
    for operators in (over, mark, shown("obelisks", y=300) * 4):
        assert read(resume_pdf(operators))[1] == ""
