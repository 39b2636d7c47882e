from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal import db
from portal.config import RESOURCES
from portal.labs.profile_works import anchor
from portal.labs.texts import folded_name, folded_value, folded_words


@pytest.mark.parametrize("name", ["Deja Vu", "DejaVu", "DEJA-VU", "Déjà vu", "ｄｅｊａ ｖｕ", "deja_vu"])
def test_spellings_of_a_name_are_one_name(name: str) -> None:
    assert folded_name(name) == "dejavu"


def test_versions_stay_apart() -> None:
    assert folded_name("FlashSVD v1.5") != folded_name("FlashSVD")


def test_words_are_parted_where_no_letter_is() -> None:
    assert folded_words("HexGen-2 on NPUs, on 上海") == ("hexgen", "2", "on", "npus", "上海")


def test_values_differ_in_their_signs_but_not_in_case_or_blanks() -> None:
    assert folded_value(" GPU  cluster") == folded_value("gpu cluster")
    assert folded_value("GPUs") == folded_value("gpu") != folded_value("gas")
    assert folded_value("C") != folded_value("C++")


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("Łukasz", "lukasz"),
        ("Sørensen", "SORENSEN"),
        ("Đorđe", "dorde"),
        ("Weiß", "weiss"),
        ("Æsir", "aesir"),
        ("Ilgın", "ilgin"),
        ("İpek", "ipek"),
        ("Þór", "thor"),
        ("Ǿ", "o"),
    ],
)
def test_letters_with_strokes_are_those_that_people_type(name: str, typed: str) -> None:
    assert folded_words(name) == folded_words(typed)


def test_the_script_that_narrows_lists_folds_the_same_letters() -> None:
    script = (RESOURCES / "static" / "js" / "filter-as-you-type.js").read_text(encoding="utf-8")
    written = re.search(r'"(ß ss [^"]+)"', script)
    assert written is not None
    signs = written[1].split()
    assert {ord(letter): plain for letter, plain in zip(signs[::2], signs[1::2], strict=True)} == db._PLAIN


@given(st.text())
def test_folding_a_folded_name_changes_nothing(name: str) -> None:
    assert folded_name(folded_name(name)) == folded_name(name)


@given(st.text(min_size=1), st.text(min_size=1))
def test_different_keys_have_different_places(key: str, other_key: str) -> None:
    assert (anchor("work", key) == anchor("work", other_key)) == (key == other_key)
    assert not set(anchor("work", key)) & set(" \t\n\"'<>%#&")
