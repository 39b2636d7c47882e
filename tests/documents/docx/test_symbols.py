"""Signs of Word documents that are elements with a font and a number."""

from __future__ import annotations

import pytest

from portal.documents.docx.text import read_docx
from portal.documents.limits import STANDARD
from tests.documents.docxs import with_body_xml


@pytest.mark.parametrize(
    ("font", "number", "shown"),
    [
        ("Symbol", "F061", "α"),
        ("Symbol", "F057", "Ω"),
        ("Symbol", "0061", "α"),
        ("symbol", "F03D", "="),
        ("Symbol", "F0B7", " "),
        ("Arial", "00E9", "é"),
        ("Wingdings", "F028", " "),
        ("Arial", "D83D", " "),
        ("Arial", "0007", " "),
        ("Arial", "", " "),
        ("Arial", "letter", " "),
        ("Symbol", "7FFFFFFF", " "),
        ("Symbol", "-5", " "),
        ("Arial", "1F600", " "),
    ],
)
def test_a_sign_is_its_letter_and_one_without_a_letter_is_a_space(font: str, number: str, shown: str) -> None:
    sign = f'<w:sym w:font="{font}" w:char="{number}"/>'
    raw = read_docx(with_body_xml(f"<w:p><w:r><w:t>a</w:t>{sign}<w:t>z</w:t></w:r></w:p>"), STANDARD)
    assert f"a{shown}z" in raw.visible.split("\n")
