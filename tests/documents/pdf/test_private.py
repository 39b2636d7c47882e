"""Letters in the private use area, and small figures that are painted above their line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.documents.limits import STANDARD
from portal.documents.pdf.text import read_pdf
from tests.documents.pdfs import RESUME_LINES, resume_pdf, second_font, shown

if TYPE_CHECKING:
    from collections.abc import Sequence


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


# In the encoding of such claims.
SOFT_HYPHEN_INSIDE = r"f\255fi"


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
        (f"/F1 11 Tf (e) Tj {claimed('b', SOFT_HYPHEN_INSIDE)} (cient) Tj", "efficient"),
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


@pytest.mark.parametrize(
    ("operators", "said", "read"),
    [
        ("/F9 11 Tf (a) Tj /F1 11 Tf (istle) Tj", "\ue049", "Thistle"),
        ("/F1 11 Tf (a) Tj /F9 11 Tf (a) Tj /F1 11 Tf (ention) Tj", "\ue03c", "attention"),
        ("/F1 11 Tf (C) Tj /F9 11 Tf (abcd) Tj", "\ue051\ue053\ue058\ue055", "Cache"),
        ("/F9 11 Tf (abcd) Tj", "\ue051\ue053\ue058\ue055", "ache"),
        ("/F9 11 Tf (a) Tj /F1 11 Tf ( istle) Tj", "\ue049", "\ue049 istle"),
        ("/F9 11 Tf (a) Tj /F1 11 Tf ( 555) Tj", "\ue0b0", "\ue0b0 555"),
    ],
    ids=["ligature", "within a word", "small capitals", "small capitals alone", "apart", "icon"],
)
def test_letters_of_libertine_are_read_within_words(operators: str, said: str, read: str) -> None:
    assert last_line(second_font(said=said, operators=operators)) == read


def test_an_icon_is_no_letter() -> None:
    assert "f" not in last_line(second_font(letters="aabbaa", said="\uf001x")).replace("\uf001", "")


@pytest.mark.parametrize("said", ["ñ", "@", ["Phone"], ["Map-marker-alt"]])
def test_what_a_font_of_icons_says_is_neither_read_nor_held_against_anybody(said: Sequence[str]) -> None:
    icon = "/F9 11 Tf (a) Tj /F1 11 Tf ( 555) Tj"
    assert last_line(second_font(said=said, operators=icon, name="ABCDEF+FontAwesome5Free-Solid")) == "555"


def test_bullets_of_a_font_of_icons_stay() -> None:
    bullet = "/F9 11 Tf (a) Tj /F1 11 Tf ( caches) Tj"
    assert last_line(second_font(said="●", operators=bullet, name="ZapfDingbats")) == "● caches"


def test_small_figures_above_the_line_are_no_part_of_the_word() -> None:
    assert last_line(resume_pdf(shown("¹Footnotes on kernels², caches", y=600))) == "¹ Footnotes on kernels ², caches"
