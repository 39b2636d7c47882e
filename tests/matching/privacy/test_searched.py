"""What people see alike is searched alike, and what is found is blanked where it stands in the text as written."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.matching import redact
from portal.matching.privacy.searched import searched, searched_for_names

RESUME = """Mei Lindqvist
mei.lindqvist@pku.example | +86 138 1234 5678

Education
Peking University, B.Sc., 2019 - 2023
Experience
Neural Dynamics, Engineer, Beijing, China, 2023
She trained models with Prof. Ada Wong. M. Lindqvist wrote the kernels in C++ at Bell Labs.
"""
UNSEEN = "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u202e\u2060\u2066\u3164\ufe0f\ufeff\U000e0061"


def as_plain(text: str) -> str:
    return " ".join(searched(text).text.replace("\v", " ").split())


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(RESUME.replace(" ", "\u00a0"), id="blanks that do not break"),
        pytest.param(RESUME.replace(" ", "\u2009"), id="thin blanks"),
        pytest.param(RESUME.replace("Lindqvist", "Lind\u200dqvist"), id="joiners in a name"),
        pytest.param(RESUME.replace("ing", "i\u200bn\u00adg"), id="signs without width in words"),
        pytest.param("\u200b".join(RESUME), id="signs without width between all letters"),
        pytest.param(RESUME.replace("e", "\U0001d41e").replace("L", "\uff2c"), id="letters of another shape"),
        pytest.param(RESUME.replace(" - ", " \u2010 "), id="hyphens of another kind"),
    ],
)
def test_a_resume_loses_the_same_however_its_blanks_and_letters_are_written(written: str) -> None:
    expected, found = redact(RESUME), redact(written)
    assert as_plain(found.text) == as_plain(expected.text)
    assert [(item.reason, as_plain(item.text)) for item in found.removed] == [
        (item.reason, as_plain(item.text)) for item in expected.removed
    ]
    assert len(found.text) == len(written)


@pytest.mark.parametrize(
    "name", ["राहुल शर्मा", "முருகன் செல்வம்", "অনির্বাণ চট্টোপাধ্যায়", "สมชาย ใจดี", "ទេវី សុខា", "مُحَمَّد العَلِي", "علی\u200cرضا محمدی"]
)
def test_a_name_in_a_script_with_vowel_signs_goes_as_a_whole(name: str) -> None:
    given_name, family_name = name.split()
    text = redact(
        f"{name}\nx@y.example\n\nSummary\n{given_name} wrote kernels. {family_name} {given_name}: caches"
    ).text
    assert text.split() == ["Summary", "wrote", "kernels.", ":", "caches"]


@given(st.lists(st.tuples(st.text("Ab é中र्ु\u0301", max_size=3), st.text(UNSEEN, max_size=2)), max_size=8))
def test_a_passage_is_traced_back_with_what_was_left_out_of_it(parts: list[tuple[str, str]]) -> None:
    written = "".join(seen + unseen for seen, unseen in parts)
    for found in (searched(written), searched_for_names(written)):
        assert not set(found.text) & set(UNSEEN)
        spans = [found.span(place, place + 1) for place in range(len(found.text))]
        assert all(first[1] == second[0] for first, second in pairwise(spans))
        if spans:
            assert spans[-1][1] == len(written)
            assert found.span(0, len(found.text)) == (spans[0][0], len(written))
    seen = "".join(seen for seen, _ in parts)
    assert searched(written).text == searched(seen).text
