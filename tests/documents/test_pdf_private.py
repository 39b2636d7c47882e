"""Letters in the private use area, and small figures that are painted above their line."""

from __future__ import annotations

import pytest

from portal.documents.limits import STANDARD
from portal.documents.pdf_text import read_pdf
from tests.documents.pdfs import RESUME_LINES, Pdf, lines, resume_pdf, shown


def second_font(*, letters: str = "", said: str, operators: str = "") -> bytes:
    """A resume and `letters` in a font of their own, of which those from "a" on say what `said` tells.

    With `operators` these show them, and whatever stands around them in the other font.
    """
    rows = " ".join(f"<{ord('a') + place:02X}> <{ord(one):04X}>" for place, one in enumerate(said))
    table = (
        "/CIDInit/ProcSet findresource begin begincmap 1 begincodespacerange<00><FF>endcodespacerange"
        f" {len(said)} beginbfchar {rows} endbfchar endcmap end"
    )
    pdf = Pdf()
    pdf.add_page(lines() + f"BT /F9 11 Tf 50 600 Td {operators or f'({letters}) Tj'} ET".encode())
    font = pdf.add(
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode %d 0 R>>"
        % pdf.add_stream(table.encode())
    )
    pdf.objects = [one.replace(b"/F1 3 0 R>>", b"/F1 3 0 R/F9 %d 0 R>>" % font) for one in pdf.objects]
    return pdf.data


def last_line(data: bytes) -> str:
    raw = read_pdf(data, STANDARD)
    assert (raw.visible.splitlines()[:-1], raw.hidden) == (list(RESUME_LINES), "")
    return raw.visible.splitlines()[-1]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("\uf001naldow", "final"),
        ("\uf002owabcd", "flowa"),
        ("\uf773kil\uf732x", "Skil2"),
    ],
)
def test_private_letters_of_a_font_of_text_are_read(said: str, read: str) -> None:
    assert last_line(second_font(letters="abcde", said=said)).startswith(read)


def claimed(letters: str, claim: str) -> str:
    """Operators for letters of the second font that claim to read as something."""
    return f"/F9 11 Tf /Span <</ActualText ({claim})>> BDC ({letters}) Tj EMC /F1 11 Tf"


@pytest.mark.parametrize(
    ("operators", "read"),
    [
        (f"{claimed('a', 'Th')} (istle) Tj", "Thistle"),
        (
            f"/F1 11 Tf (a) Tj {claimed('a', 'tt')} (ention of ) Tj {claimed('b', 'ffi')} (ces) Tj",
            "attention of ffices",
        ),
        (f"/F1 11 Tf (C) Tj {claimed('a', 'a')} {claimed('b', 'c')} {claimed('c', 'h')} {claimed('a', 'e')}", "Cache"),
        (f"/F1 11 Tf (E) Tj {claimed('abc', 'dge')}{claimed('a', '-')}(cut) Tj", "Edge-cut"),
    ],
)
def test_private_letters_read_as_the_file_claims_where_they_are_of_a_word(operators: str, read: str) -> None:
    assert last_line(second_font(said="\ue049\ue051\ue052", operators=operators)) == read


@pytest.mark.parametrize(
    "operators",
    [
        f"{claimed('a', 'tel')} ( 555) Tj",  # an icon
        f"{claimed('a', 'mail')} (us) Tj",  # more letters than a ligature has
        f"{claimed('x', 'ok')} (us) Tj",  # a letter that can be read
    ],
)
def test_other_claims_are_not_believed(operators: str) -> None:
    line = last_line(second_font(said="\ue049\ue051\ue052", operators=operators))
    assert not any(claim in line for claim in ("tel", "mail", "ok"))


def test_an_icon_is_no_letter() -> None:
    assert "f" not in last_line(second_font(letters="aabbaa", said="\uf001x")).replace("\uf001", "")


def test_small_figures_above_the_line_are_no_part_of_the_word() -> None:
    assert last_line(resume_pdf(shown("¹Footnotes on kernels², caches", y=600))) == "¹ Footnotes on kernels ², caches"
