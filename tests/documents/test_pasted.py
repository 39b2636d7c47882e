from __future__ import annotations

import pytest

from portal.documents.extraction import pasted
from portal.documents.kinds import Kind
from portal.documents.refusals import Reason, RefusedDocument
from tests.documents.pdfs import RESUME_LINES

RESUME_TEXT = "\n".join(RESUME_LINES)


def test_pasted_text_gets_the_same_cleaning() -> None:
    extracted = pasted(RESUME_TEXT.replace("\n", " \r\n").replace("serving", "serv-\ning") + "\u200b\x07")
    assert (extracted.kind, extracted.pages, extracted.warnings) == (Kind.PASTED, None, ())
    assert extracted.text == RESUME_TEXT.replace("serving large", "serving\nlarge")


@pytest.mark.parametrize("text", ["", "  \n\t ", "\u3000"])
def test_pasting_nothing_says_what_to_do(text: str) -> None:
    with pytest.raises(RefusedDocument) as caught:
        pasted(text)
    assert caught.value.reason == Reason.EMPTY


def test_pasting_signs_alone_is_no_text() -> None:
    with pytest.raises(RefusedDocument) as caught:
        pasted("--- *** ---")
    assert caught.value.reason == Reason.NO_TEXT


@pytest.mark.parametrize("characters", [60_001, 1_000_000])
def test_pasting_too_much_is_refused_with_the_figure_rather_than_cut(characters: int) -> None:
    with pytest.raises(RefusedDocument) as caught:
        pasted("a" * characters)
    assert caught.value.reason == Reason.TOO_MUCH_TEXT
    assert f"This text has {characters:,} characters; at most 60,000" in caught.value.message


def test_pasting_exactly_what_is_allowed_is_kept_whole() -> None:
    text = "word " * 11_999 + "words"
    assert pasted(text).text == text
