"""Lengths of Word documents, which are written in several units."""

from __future__ import annotations

import pytest

from portal.documents.docx.lengths import EMU_PER_POINT, MOST_POINTS, of_emu, of_style, of_twips


@pytest.mark.parametrize(
    ("written", "points"),
    [("240", 12), ("-20", -1), ("12pt", 12), ("1in", 72), (" .5in ", 36), ("1cm", 28.35), ("10mm", 28.35), ("1pc", 12)],
)
def test_a_length_is_in_twentieths_of_a_point_or_has_a_unit(written: str, points: float) -> None:
    assert of_twips(written) == pytest.approx(points)


@pytest.mark.parametrize(("written", "points"), [("12", 9), ("12px", 9), ("2in", 144), ("-3pt", -3)])
def test_a_plain_number_of_a_style_is_in_pixels(written: str, points: float) -> None:
    assert of_style(written) == pytest.approx(points)


@pytest.mark.parametrize("written", [None, "", "auto", "50%", "1 em", "1e3", "--1"])
def test_what_is_no_length_counts_as_none(written: str | None) -> None:
    assert (of_twips(written), of_emu(written), of_style(written)) == (0, 0, None)


def test_no_length_is_beyond_reckoning() -> None:
    huge = "9" * 400
    assert of_emu(huge) == MOST_POINTS
    assert of_emu(f"-{huge}") == -MOST_POINTS
    assert of_style(huge) == MOST_POINTS * EMU_PER_POINT * 0.75
