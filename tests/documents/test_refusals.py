from __future__ import annotations

import pytest

from portal.documents import refusals
from portal.documents.notices import Notice
from portal.documents.refusals import Busy, Reason, RefusedDocument, refused

FACTS = {"name": "PDF", "pages": 21, "limit": 20, "found": "a PNG picture"}
ALL = [
    *(refused(reason, **FACTS) for reason in Reason if reason not in {Reason.MACROS, Reason.TOO_LARGE}),
    *(RefusedDocument(Reason.MACROS, message) for message in (refusals.ACTIVE_PDF, refusals.ACTIVE_DOCX)),
    RefusedDocument(Reason.UNKNOWN_KIND, refusals.UNKNOWN_ENCODING),
    RefusedDocument(Reason.EMPTY, refusals.NOTHING_PASTED),
    refusals.too_large(6_000_000, 5_242_880),
    refusals.too_much_pasted(60_001, 60_000),
]


@pytest.mark.parametrize("refusal", ALL, ids=lambda refusal: refusal.message[:30])
def test_every_refusal_says_why_and_what_to_do(refusal: RefusedDocument) -> None:
    sentences = refusal.message.replace(".docx", "").count(".")
    assert sentences >= 2
    assert any(word in refusal.message for word in ("paste", "Paste", "Shorten"))
    assert not any(word in refusal.message for word in ("Invalid", "invalid", "Oops", "Error"))


def test_no_refusal_speaks_of_a_resume_because_referees_read_it_of_their_letters() -> None:
    assert [refusal.message for refusal in ALL if "resume" in refusal.message] == []


def test_every_reason_has_a_refusal() -> None:
    assert {refusal.reason for refusal in ALL} == set(Reason)


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
