from __future__ import annotations

import pytest

from portal.documents import refusals
from portal.documents.notices import Notice
from portal.documents.refusals import Busy, Reason, RefusedDocument

ALL = [
    refusals.empty(),
    refusals.nothing_pasted(),
    refusals.too_large(6_000_000, 5_242_880),
    refusals.too_many_pages(21, 20),
    refusals.encrypted("PDF"),
    refusals.active_pdf(),
    refusals.active_docx(),
    refusals.scanned_only(),
    refusals.damaged("PDF"),
    refusals.unknown_kind("a PNG picture"),
    refusals.unknown_encoding(),
    refusals.too_slow(),
    refusals.too_much_memory(),
    refusals.too_much_text(60_000),
    refusals.too_much_pasted(60_001, 60_000),
    refusals.no_text("PDF"),
]


@pytest.mark.parametrize("refused", ALL, ids=lambda refused: refused.message[:30])
def test_every_refusal_says_why_and_what_to_do(refused: RefusedDocument) -> None:
    sentences = refused.message.replace(".docx", "").count(".")
    assert sentences >= 2
    assert any(word in refused.message for word in ("paste", "Paste", "Shorten"))
    assert not any(word in refused.message for word in ("Invalid", "invalid", "Oops", "Error"))


def test_no_refusal_speaks_of_a_resume_because_referees_read_it_of_their_letters() -> None:
    assert [refused.message for refused in ALL if "resume" in refused.message] == []


def test_every_reason_has_a_refusal() -> None:
    assert {refused.reason for refused in ALL} == set(Reason)


def test_a_file_just_over_the_limit_shows_a_larger_figure_than_the_limit() -> None:
    assert "This file is too large; at most 5 MB" in refusals.too_large(0, 5 * 1024 * 1024).message
    assert "has 5.1 MB; at most 5 MB" in refusals.too_large(5 * 1024 * 1024 + 1, 5 * 1024 * 1024).message


def test_busy_says_that_nothing_was_lost() -> None:
    assert Busy().message == (
        "We are reading many files right now and did not get to this one. "
        "Choose it again in a minute, or paste the text instead."
    )


@pytest.mark.parametrize("notice", Notice)
def test_every_notice_has_a_sentence(notice: Notice) -> None:
    assert notice.sentence.endswith(".")
