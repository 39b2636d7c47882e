"""Whole resumes of made-up people, as LaTeX, LibreOffice, Chromium and python-docx make them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from portal.documents.child import reader_of
from portal.documents.extracted import finish
from portal.documents.kinds import kind_of
from portal.documents.limits import STANDARD
from portal.documents.notices import Notice
from tests.documents.scoring import Score, score

FOLDER = Path(__file__).with_name("resumes")
TRUTH = json.loads((FOLDER / "truth.json").read_text("utf-8"))
LEAST = Score(words=1.0, precision=0.99, pairs=0.995, order=0.995)


@pytest.mark.parametrize("name", TRUTH)
def test_a_resume_is_read_word_for_word_in_its_order(name: str) -> None:
    data = (FOLDER / name).read_bytes()
    kind = kind_of(data)
    extracted = finish(reader_of(kind)(data, STANDARD), STANDARD)
    assert score(extracted.text, TRUTH[name]).is_at_least(LEAST), score(extracted.text, TRUTH[name])
    assert (Notice.HIDDEN_TEXT in extracted.warnings) == ("hidden" in name)
    assert Notice.GARBLED not in extracted.warnings


def test_a_score_tells_what_is_missing_added_torn_and_moved() -> None:
    blocks = [["Ada Lovelace"], ["2020 Engines Ltd", "Wrote notes on engines"]]
    assert score("Ada Lovelace\n2020 Engines Ltd\nWrote notes on engines", blocks) == Score(1.0, 1.0, 1.0, 1.0)
    lost = score("Ada Lovelace\n2020 Engines\nWrote notes engines", blocks)
    assert lost.words == pytest.approx(7 / 9)
    torn = score("Ada Lovelace\nEngines Ltd\nWrote notes on engines\n2020 extra", blocks)
    assert torn.precision == pytest.approx(9 / 10)
    assert torn.pairs == pytest.approx(5 / 6)
    assert torn.order == pytest.approx(8 / 9)
