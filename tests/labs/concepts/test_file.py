"""Concepts as TOML: written entries can be read back, and errors are reported with their place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.labs.concepts.file import MOST_ENTRIES, read_entries, write_concepts
from portal.labs.concepts.in_use import shipped_concepts
from portal.matching import Concept, ConceptError, read_concepts
from portal.matching.language.abbreviations import long_keys

CARD = Concept(("video card", 'a "quoted" \\ card'), ("GPU", "图形处理器"), "Sold as\x7fthat 🙂.", "Ada <b>", 0.9)
GOOD = '[[concept]]\nplain = ["video card"]\nterms = ["GPU"]\nwhy = "Sold so."\nadded_by = "Ada"\n'
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


def test_what_is_written_is_a_concept_file() -> None:
    assert read_concepts(write_concepts([CARD])) == (CARD,)
    assert read_concepts(write_concepts(shipped_concepts())) == shipped_concepts()
    assert read_concepts(write_concepts([])) == ()


@given(TEXT, TEXT.filter(long_keys), st.floats(min_value=0, max_value=1, exclude_min=True))
def test_any_text_and_strength_come_back_as_they_were(why: str, term: str, strength: float) -> None:
    concept = Concept(("video card",), (term,), why, why, strength)
    assert read_concepts(write_concepts([concept])) == (concept,)


def test_entries_are_read_with_their_lines() -> None:
    entries = read_entries("# Mine\n\n" + GOOD + "\n" + GOOD.replace("GPU", "accelerator"))
    assert [(entry.place, entry.concept) for entry in entries] == [
        ("Entry 1, line 3", Concept(("video card",), ("GPU",), "Sold so.", "Ada")),
        ("Entry 2, line 9", Concept(("video card",), ("accelerator",), "Sold so.", "Ada")),
    ]


def test_a_wrong_entry_does_not_hide_the_others_and_every_one_is_told() -> None:
    entries = read_entries(
        GOOD
        + GOOD.replace("Sold so.", " ")
        + GOOD.replace("[[concept]]", "[[concept]]\ncolour = 3")
        + GOOD
        + "strength = 1.5\n"
        + GOOD.replace("video card", "the")
        + GOOD.replace('["GPU"]', "{a = [1, 2, true]}")
    )
    assert [(entry.concept is None, entry.problems) for entry in entries] == [
        (False, ()),
        (True, ("why must say something",)),
        (True, ("unknown field colour; known are added_by, plain, strength, terms, why",)),
        (True, ("strength must be a number over 0 and at most 1, not 1.5",)),
        (True, ("“the” has no word that the matcher counts; add one that says more.",)),
        (True, ("terms must be a list of at least one phrase",)),
    ]


def test_lines_are_left_out_where_they_cannot_be_told() -> None:
    entries = read_entries(GOOD.replace('"Sold so."', '"""\n[[concept]]\n"""'))
    assert [entry.place for entry in entries] == ["Entry 1"]
    listed = read_entries('concept = [{plain = ["big card"], terms = ["GPU"], why = "w", added_by = "Ada"}]')
    assert [entry.concept for entry in listed] == [Concept(("big card",), ("GPU",), "w", "Ada")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The text has no [[concept]] table."),
        ("# only a comment\n", "The text has no [[concept]] table."),
        ("plain = ", "This is not valid TOML: Invalid value (at end of document)"),
        ('[[concept]]\nplain = ["a\n', "This is not valid TOML: Illegal character '\\n' (at line 2, column 12)"),
        ("[concept]\nplain = []", "write [[concept]] with two brackets: the file holds a list of concepts"),
        ("concept = [1]", "concept 1 is not a table"),
        (f"{GOOD}[other]\n", "unknown tables other; the concept file holds [[concept]] tables only"),
        ("a = " + "[" * 50_000, "This is not a concept file: it nests lists too deeply."),
        ("x" * 1_500_001, "The text is 1,500,001 characters long; at most 1,500,000 fit. Split it."),
        (GOOD * (MOST_ENTRIES + 1), "The text has 4,001 entries; at most 4,000 fit in one file. Split it."),
    ],
)
def test_a_text_that_is_no_concept_file_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(ConceptError) as refused:
        read_entries(text)
    assert str(refused.value) == message


def test_a_number_of_thousands_of_digits_is_refused() -> None:
    with pytest.raises(ConceptError):
        read_entries(f"{GOOD}strength = {'9' * 10_000}\n")
