"""Words, lines and columns as a reader of a PDF sees them, however the file sets them."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from portal.documents.limits import STANDARD
from portal.documents.notices import Notice
from portal.documents.pdf.boxes import Box
from portal.documents.pdf.glyphs import Glyph
from portal.documents.pdf.lines import lines_of
from portal.documents.pdf.text import read_pdf
from tests.documents.pdfs import Pdf, shown

LEFT = ("Research on caches for", "serving large models on", "neural accelerators with", "memory offloading today")
RIGHT = ("Skills include Python and", "distributed training with", "fault tolerant schedulers", "over shared clusters")


def text_of(operators: bytes, *, entries: bytes = b"") -> list[str]:
    """The visible lines of one page."""
    pdf = Pdf()
    pdf.add_page(operators, entries=entries)
    raw = read_pdf(pdf.data, STANDARD)
    assert raw.hidden == ""
    return raw.visible.split("\n")


def test_columns_that_are_set_row_by_row_are_read_column_by_column() -> None:
    rows = b"".join(
        shown(left, y=700 - 14 * place) + shown(right, x=320, y=700 - 14 * place)
        for place, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True))
    )
    assert text_of(shown("Ada Lovelace", y=740) + rows) == ["Ada Lovelace", *LEFT, *RIGHT]


def sidebar_and(*main: tuple[str, float, float]) -> bytes:
    """A column at the left, and beside it texts of a size at a height."""
    column = b"".join(shown(text, y=700 - 14 * place) for place, text in enumerate(LEFT))
    return column + b"".join(shown(text, x=320, y=y, size=size) for text, size, y in main)


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
@pytest.mark.parametrize("shown_turned", [0, 90, 180, 270])
def test_columns_are_read_however_the_page_is_turned(turned: int, shown_turned: int) -> None:
    rows = b"".join(
        shown(left, y=700 - 14 * place) + shown(right, x=320, y=700 - 14 * place)
        for place, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True))
    )
    cos, sin = math.cos(math.radians(turned)), math.sin(math.radians(turned))
    x, y = {0: (0, 0), 90: (792, 0), 180: (612, 792), 270: (0, 612)}[turned]
    content = f"q {cos:.4f} {sin:.4f} {-sin:.4f} {cos:.4f} {x} {y} cm\n".encode() + rows + b"Q\n"
    box = b"/MediaBox[0 0 792 792]/Rotate %d" % shown_turned
    assert text_of(content, entries=box) == [*LEFT, *RIGHT]


def test_a_title_beside_a_column_comes_first() -> None:
    main = (("Ada Lovelace", 24, 715), ("Research", 14, 680), ("Engines", 11, 200))
    assert text_of(sidebar_and(*main)) == ["Ada Lovelace", *LEFT, "Research", "Engines"]


@pytest.mark.parametrize(
    "main",
    [
        (("Ada Lovelace", 12, 715), ("Research", 11, 680), ("Engines", 11, 200)),
        (("Ada Lovelace", 24, 300), ("Research", 11, 280), ("Engines", 11, 200)),
        (("Research", 24, 715), ("Teaching", 24, 600), ("Engines", 24, 200)),
        (("Why do all of the engines go", 16, 715), ("Research", 11, 200)),
        (("77", 24, 715), ("Research", 11, 200)),
    ],
    ids=["hardly larger", "far down", "headings", "a sentence", "a number"],
)
def test_what_is_no_title_stays_where_it_is(main: tuple[tuple[str, float, float], ...]) -> None:
    assert text_of(sidebar_and(*main)) == [*LEFT, *(text for text, _, _ in main)]


def test_three_columns_are_three() -> None:
    rows = b"".join(
        b"".join(shown(text, x=40 + 180 * column, y=700 - 14 * place) for column, text in enumerate(texts))
        for place, texts in enumerate(zip(LEFT, RIGHT, LEFT, strict=True))
    )
    assert text_of(rows) == [*LEFT, *RIGHT, *LEFT]


def test_a_table_of_dates_and_posts_is_read_row_by_row() -> None:
    posts = [("2019", LEFT[0]), ("2020", LEFT[1]), ("2021", LEFT[2]), ("2022", LEFT[3])]
    rows = b"".join(
        shown(year, y=700 - 14 * place) + shown(post, x=120, y=700 - 14 * place)
        for place, (year, post) in enumerate(posts)
    )
    assert text_of(rows) == [f"{year} {post}" for year, post in posts]


def test_a_heading_whose_letters_are_spread_out_is_a_word() -> None:
    spread = b"BT /F1 14 Tf 6 Tc 50 300 Td (RESEARCH INTERESTS) Tj ET\nBT /F1 14 Tf 50 260 Td (Plain words) Tj ET\n"
    assert text_of(spread) == ["RESEARCH INTERESTS", "Plain words"]


def test_a_spread_heading_beside_its_text_is_a_word() -> None:
    beside = b"BT /F1 11 Tf 50 300 Td 3 Tc (EDUCATION AND AWARDS) Tj 0 Tc ( We build systems of many parts) Tj ET\n"
    assert text_of(beside) == ["EDUCATION AND AWARDS We build systems of many parts"]


def test_acronyms_beside_each_other_stay_apart() -> None:
    assert text_of(shown("USA GPU NPU CPU TPU RAM and C R")) == ["USA GPU NPU CPU TPU RAM and C R"]


def test_a_footnote_begins_with_its_number() -> None:
    note = b"BT 4 Ts /F1 6 Tf 50 300 Td (1) Tj 0 Ts /F1 11 Tf (note on caches) Tj ET\n"
    assert text_of(note) == ["1 note on caches"]


def test_a_logo_whose_letters_overlap_does_not_tear_words() -> None:
    logo = b"BT /F1 11 Tf 50 300 Td [(PyTorch, L)360(A)150(T)166(E)125(X)] TJ ET\n"
    assert text_of(logo)[0].split()[0] == "PyTorch,"


def test_letters_that_are_set_tight_keep_their_words() -> None:
    assert text_of(b"BT /F1 14 Tf -1 Tc 50 300 Td (tight letters here) Tj ET\n") == ["tight letters here"]


def test_words_are_told_by_their_distance_where_a_file_has_no_spaces() -> None:
    kerned = b"BT /F1 11 Tf 50 300 Td [(V)80(ector)-250(quan)5(tization)-160(W)90(A)70(V)80(E)]TJ ET\n"
    assert text_of(kerned) == ["Vector quantization WAVE"]


def test_a_word_after_an_f_may_stand_closer() -> None:
    kerned = b"BT /F1 10 Tf 50 300 Td [(of)-80(Jonathan)-250(in)-250(office)]TJ ET\n"
    assert text_of(kerned) == ["of Jonathan in office"]


def test_letters_that_are_set_one_by_one_are_words() -> None:
    widths = {"m": 833, "i": 222, "l": 222, "t": 278, "s": 500, "c": 500, "k": 500, "v": 500, "r": 333, "w": 722}
    x = 50.0
    operators = b""
    for letter in "small kernels learn well":
        if letter != " ":
            operators += shown(letter, x=x, y=700, size=10)
        x += (278 if letter == " " else widths.get(letter, 556)) / 100
    assert text_of(operators) == ["small kernels learn well"]


def test_a_raised_number_stands_beside_its_word() -> None:
    raised = b"BT /F1 11 Tf 50 300 Td (serving systems) Tj 5 Ts /F1 6 Tf (12) Tj 0 Ts /F1 11 Tf ( for H) Tj"
    lowered = b" -3 Ts /F1 6 Tf (2) Tj 0 Ts /F1 11 Tf (O) Tj ET\n"
    assert text_of(raised + lowered) == ["serving systems 12 for H2O"]


def test_words_that_a_program_made_italic_stay_apart_without_spaces_in_the_file() -> None:
    words = b"".join(
        b"BT /F1 12 Tf 1 0 0.33 1 %d 300 Tm (%b) Tj ET " % at for at in ((50, b"of"), (63, b"many"), (96, b"tails"))
    )
    assert text_of(words) == ["of many tails"]


def test_text_that_stands_upright_is_read_along_its_line() -> None:
    upright = b"q 0 1 -1 0 580 100 cm " + shown("upright words here", x=0, y=0) + b"Q\n"
    assert text_of(upright + shown("plain words")) == ["upright words here", "plain words"]


def silent_font(pdf: Pdf, codes: bytes, width: bytes = b"600") -> bytes:
    """A font whose glyphs have a number and a box, and no name that says anything; its number."""
    box = pdf.add_stream(b"%b 0 0 0 500 700 d1 0 0 500 700 re f" % width)
    glyphs = b"".join(b"/a%d %d 0 R" % (code, box) for code in codes)
    names = b" ".join(b"%d/a%d" % (code, code) for code in codes)
    widths = b" ".join(b"%d" % (500 + code % 7 * 20) if width == b"600" else width for code in range(256))
    return b"%d 0 R" % pdf.add(
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 500 700]/FontMatrix[0.001 0 0 0.001 0 0]/FirstChar 0/LastChar 255"
        b"/Widths[%b]/Encoding<</Type/Encoding/Differences[%b]>>/CharProcs<<%b>>/Resources<<>>>>"
        % (widths, names, glyphs)
    )


@pytest.mark.parametrize(
    ("strings", "text"),
    [
        ((b"e\x0ecient", b"work\x0dow", b"o\x0b"), "efficient workflow off"),
        ((b"e\x1ecient", b"Gr\xf6\xff\x1b"), "efficient Größff"),
        ((b"e\x0ecient", b'\\Stra\x19en"', b"3{5", b"it's"), "efficient “Straßen” 3–5 it’s"),
        ((b"e\x1ecient", b"\x10\x9aivot\x11", b"3\x155", b"\xd7uvre"), "efficient “Život” 3–5 Œuvre"),
        ((b"plain", b"caf\xe9", b"{x}"), "plain café {x}"),
    ],
    ids=["ligatures of the old way", "of the new way", "signs of the old way", "signs of the new way", "not TeX"],
)
def test_letters_of_fonts_that_say_nothing_are_those_of_tex(strings: tuple[bytes, ...], text: str) -> None:
    pdf = Pdf()
    font = silent_font(pdf, bytes(range(1, 256)))
    octal = [b"".join(b"\\%03o" % code for code in string) for string in strings]
    page = pdf.add_page(b"BT /F9 20 Tf 50 300 Td %b ET" % b" ".join(b"(%b) Tj 125 0 Td" % string for string in octal))
    pdf.objects[page - 1] = pdf.objects[page - 1].replace(b"/F1 3 0 R", b"/F9 " + font)
    raw = read_pdf(pdf.data, STANDARD)
    assert (raw.visible, raw.hidden) == (text, "")


def test_a_typewriter_of_tex_keeps_the_signs_of_ascii_and_a_font_of_signs_has_its_own() -> None:
    pdf = Pdf()
    prose, typewriter, signs = (silent_font(pdf, bytes(range(1, 256)), width) for width in (b"600", b"525", b"600"))
    page = pdf.add_page(
        b"BT 50 300 Td /F7 20 Tf (e\\016cient 2) Tj /F9 20 Tf (\\002) Tj ET BT 300 300 Td /F8 20 Tf ({a_bcd\\\\}) Tj ET"
    )
    fonts = b"/F7 %b/F8 %b/F9 %b" % (prose, typewriter, signs)
    pdf.objects[page - 1] = pdf.objects[page - 1].replace(b"/F1 3 0 R", fonts)
    assert read_pdf(pdf.data, STANDARD).visible == "efficient 2× {a_bcd\\}"


@pytest.mark.parametrize(
    ("codes", "notices"),
    [(b"\x01\x02\x03\x04\x05\x06\x07" * 2, (Notice.UNREAD_LETTERS,)), (b"\x01" * 20, ()), (b"plain", ())],
    ids=["letters in the order of their first use", "bullets", "letters that are read"],
)
def test_letters_of_which_nothing_says_what_they_mean_are_noticed(codes: bytes, notices: tuple[Notice, ...]) -> None:
    pdf = Pdf()
    font = silent_font(pdf, bytes(range(1, 256)))
    octal = b"".join(b"\\%03o" % code for code in codes)
    page = pdf.add_page(shown("A resume in plain letters") + b"BT /F9 20 Tf 50 300 Td (%b) Tj ET" % octal)
    pdf.objects[page - 1] = pdf.objects[page - 1].replace(b"/F1 3 0 R", b"/F1 3 0 R/F9 " + font)
    assert read_pdf(pdf.data, STANDARD).notices == notices


@pytest.mark.parametrize(
    ("bar", "text"),
    [
        ("59.2 300 3.3 0.4", "io_uring is fast"),
        ("59.2 300 3.3 7", "io uring is fast"),
        ("59.2 307 3.3 0.4", "io uring is fast"),
        ("50 298 60 0.4", "io uring is fast"),
        ("53 300 3.3 0.4", "io uring is fast"),
    ],
    ids=["at the foot", "high", "over the line", "under the words", "under a letter"],
)
def test_a_short_bar_that_fills_a_gap_is_an_underscore(bar: str, text: str) -> None:
    words = "BT /F1 11 Tf 50 300 Td (io) Tj 12.8 0 Td (uring is fast) Tj ET\n"
    assert text_of(f"{words}{bar} re f\n".encode()) == [text]


def test_an_underscore_is_as_hidden_as_its_word() -> None:
    pdf = Pdf()
    pdf.add_page(
        b"1 g BT /F1 11 Tf 50 300 Td (io) Tj 12.8 0 Td (uring) Tj ET 0 g 59.2 300 3.3 0.4 re f\n" + shown("Ada")
    )
    raw = read_pdf(pdf.data, STANDARD)
    assert (raw.visible, raw.hidden) == ("Ada", "io_uring")


def test_a_date_that_a_tab_has_moved_up_to_a_word_is_none_of_its_letters() -> None:
    word, date = "BT /F1 11 Tf 50 300 Td (Computer Science) Tj ET\n", "BT /F1 11 Tf %s 300 Td (09/2021) Tj ET\n"
    assert text_of((word + date % "141.4").encode()) == ["Computer Science 09/2021"]
    assert text_of((word + date % "140.6").encode()) == ["Computer Science09/2021"]


def test_a_glyph_of_lam_and_alef_that_says_them_backwards_is_turned() -> None:
    pdf = Pdf()
    table = (
        b"/CIDInit/ProcSet findresource begin begincmap 1 begincodespacerange<00><FF>endcodespacerange"
        b" 2 beginbfchar <61><06270644> <62><0645> endbfchar endcmap end"
    )
    mapped = pdf.add_stream(table)
    pdf.objects[2] = pdf.objects[2].replace(b">>", b"/ToUnicode %d 0 R>>" % mapped)
    pdf.add_page(shown("a"))
    assert read_pdf(pdf.data, STANDARD).visible == "لا"


def test_ligatures_that_say_their_letters_with_swapped_bytes_are_read() -> None:
    said = {"a": "昀椀", "b": "琀椀", "c": "昀케", "d": "研究"}
    pairs = b" ".join(
        b"<%02X><%b>" % (ord(code), text.encode("utf-16-be").hex().encode()) for code, text in said.items()
    )
    table = (
        b"/CIDInit/ProcSet findresource begin begincmap 1 begincodespacerange<00><FF>endcodespacerange"
        b" 4 beginbfchar %b endbfchar endcmap end" % pairs
    )
    pdf = Pdf()
    mapped = pdf.add_stream(table)
    pdf.objects[2] = pdf.objects[2].replace(b">>", b"/ToUnicode %d 0 R>>" % mapped)
    pdf.add_page(shown("abcd"))
    assert read_pdf(pdf.data, STANDARD).visible == "fitiffi研究"


@pytest.mark.parametrize("degrees", [-40, -4, 20, 45, 63])
def test_text_that_stands_aslant_is_read_along_its_line(degrees: float) -> None:
    along, up = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    matrix = f"{along:.5f} {up:.5f} {-up:.5f} {along:.5f} 200 400 Tm"
    operators = f"BT /F1 11 Tf {matrix} (Neuromorphic hardware for Will) Tj ET".encode()
    assert text_of(operators) == ["Neuromorphic hardware for Will"]


def glyphs(text: str, places: list[tuple[float, float]]) -> list[Glyph]:
    """Glyphs of ten points that begin at `places`, each as wide as it is high."""
    return [
        Glyph(letter, number, 1, Box(x, y, x + 10, y + 10), Box(x, y, x + 10, y + 10), x, x + 10, y, 10, 0)
        for number, (letter, (x, y)) in enumerate(zip(text, places, strict=True))
    ]


def words_in_lines(read: list[Glyph]) -> list[str]:
    return [" ".join("".join(glyph.text for glyph in word.glyphs) for word in line.words) for line in lines_of(read)]


def test_east_asian_letters_below_each_other_are_a_line() -> None:
    spine = [(50.0, 700.0 - 12 * place) for place in range(4)]
    assert words_in_lines(glyphs("教育背景", spine)) == ["教育背景"]
    assert words_in_lines(glyphs("是否", spine[:2])) == ["是", "否"]
    assert words_in_lines(glyphs("ABCD", spine)) == ["A", "B", "C", "D"]


@pytest.mark.parametrize(("text", "read"), [("גהGPUדאב", "באד GPU הג"), ("אGPUCUDA", "א GPUCUDA")])
def test_a_line_that_is_mostly_from_right_to_left_is_read_from_the_right(text: str, read: str) -> None:
    places = [(50.0 + 10 * place, 700.0) for place in range(len(text))]
    kinds = [letter.isascii() for letter in text]
    gaps = [sum(one != two for one, two in pairwise(kinds[: place + 1])) for place in range(len(text))]
    apart = [(x + 5 * gap, y) for (x, y), gap in zip(places, gaps, strict=True)]
    assert words_in_lines(glyphs(text, apart)) == [read]
