from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.accounts.rules import FREQUENT_WORDS, why_not_password

EMAIL, NAME = "nora.feld@uni.example.edu", "Nora Feld-Lindqvist"


def verdict(password: str) -> str | None:
    return why_not_password(password, email=EMAIL, name=NAME)


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery",
        "seven green lamps rising",
        "tr0ub4dor&3xyz",
        "xkAd93-dkeWq",
        "夜空の下で静かに歩く猫",
        "nora likes long green walks",
        "x" * 30 + " abc",
    ],
)
def test_long_and_uncommon_passwords_are_taken(password: str) -> None:
    assert verdict(password) is None


@pytest.mark.parametrize(("password", "length"), [("", 0), ("nine sign", 9), ("密码密码密码密码密", 9)])
def test_a_short_one_is_refused_with_its_length(password: str, length: int) -> None:
    assert verdict(password) == f"Use at least 10 characters; this has {length}. Three or four words are fine."


def test_the_longest_is_taken_and_one_more_is_not() -> None:
    longest = "sixteen letters " * 8
    assert (len(longest), verdict(longest)) == (128, None)
    assert verdict(longest + "x") == "Use at most 128 characters; this has 129."


@pytest.mark.parametrize(
    "password",
    [
        "password123",
        "Password2026!",
        "P@ssw0rd!!",
        "p4$$w0rd2026",
        "passwordpassword",
        "!!letmein!!",
        "iloveyou<3<3",
        "1234567890",
        "0987654321",
        "12.34.56.78.90",
        "qwertyuiop",
        "poiuytrewq",
        "abcdefghijkl",
        "20 11 2026 10:15",
        "ＰＡＳＳＷＯＲＤ１２３",
    ],
)
def test_what_is_tried_first_is_refused(password: str) -> None:
    assert "among the first passwords" in (verdict(password) or "")


@pytest.mark.parametrize("password", ["aaaaaaaaaa", "abababababab", "1112223331", "密密密密密密密密密密"])
def test_few_different_characters_are_refused(password: str) -> None:
    assert "repeats the same few characters" in (verdict(password) or "")


@pytest.mark.parametrize(
    "password",
    ["nora.feld1", "NoraFeld2026", "nora.feld@uni.example.edu", "feld feld feld", "!!Lindqvist!!", "lindqvist-nora7"],
)
def test_what_others_know_of_the_person_is_refused(password: str) -> None:
    assert "your name or address" in (verdict(password) or "")


def test_a_part_of_a_name_in_a_long_password_does_no_harm() -> None:
    assert why_not_password("li walks over four hills", email="li@example.edu", name="Li") is None


@given(st.sampled_from(sorted(FREQUENT_WORDS)), st.text("0123456789!?. ", max_size=12))
def test_no_end_of_digits_and_signs_makes_a_frequent_word_good(word: str, ending: str) -> None:
    assert verdict(word + ending) is not None


@given(st.text(max_size=140), st.text(max_size=40), st.text(max_size=40))
def test_every_text_gets_a_verdict(password: str, email: str, name: str) -> None:
    reason = why_not_password(password, email=email, name=name)
    assert reason is None or reason.endswith(".")
