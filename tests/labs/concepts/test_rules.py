"""What an entry may contain, and which entries overlap."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from portal.labs.concepts.rules import PHRASES, clashes, has_phrase, problems, tidied, why_not_twice
from portal.matching import Concept
from portal.matching.language.abbreviations import long_keys
from portal.models import ConceptEntry

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
_LONG = f"({'|'.join(['word'] * 79)})" + "x" * 5
GOOD = Concept(("video card",), ("GPU",), "Sold as that.", "Ada", 0.9)


def stored(entry_id: int, *plain: str, state: str = "active") -> ConceptEntry:
    return ConceptEntry(id=entry_id, plain=list(plain), terms=["GPU"], state=state)


def problems_of(**changes: object) -> list[tuple[str, str]]:
    values = {"plain": GOOD.plain, "terms": GOOD.terms, "why": GOOD.why, "added_by": "Ada", "strength": 0.9, **changes}
    return [(problem.field, problem.text) for problem in problems(Concept(**values))]  # type: ignore[arg-type]


def test_a_good_entry_has_no_problem() -> None:
    assert problems(GOOD) == []
    assert problems_of(plain=("显卡", "C++", "tarjeta gráfica", "gaming-PC"), terms=("图形处理器",), strength=1) == []


@pytest.mark.parametrize(
    ("changes", "field", "text"),
    [
        ({"plain": ()}, "plain", "Give at least one phrase."),
        ({"terms": ()}, "terms", "Give at least one term."),
        ({"plain": ("the",)}, "plain", "“the” has no word that the matcher counts; add one that says more."),
        ({"terms": ("!!!",)}, "terms", "“!!!” has no word that the matcher counts; add one that says more."),
        ({"plain": ("x" * 121,)}, "plain", f"“{'x' * 40}…” is 121 characters long; at most 120 fit."),
        ({"plain": (_LONG,)}, "plain", f"“{_LONG[:40]}…” is 401 characters long; at most 400 fit."),
        (
            {"plain": ("(open|free models",)},
            "plain",
            "“(open|free models”: alternatives stand in brackets with bars between, as in “(open|free) models”.",
        ),
        (
            {"plain": ("(a|model) for",)},
            "plain",
            "“a for” has no word that the matcher counts; add one that says more.",
        ),
        ({"plain": ("a\0b",)}, "plain", "“a�b” has an invisible control character (U+0000); delete it."),
        ({"why": ""}, "why", "Say why these words mean these terms."),
        ({"why": "y" * 501}, "why", "This is 501 characters long; at most 500 fit. Shorten it."),
        ({"why": "a\x07"}, "why", "“a�” has an invisible control character (U+0007); delete it."),
        ({"added_by": ""}, "added_by", "Say who is responsible for this entry."),
        ({"strength": 0.0}, "strength", "Strength is a number over 0 and at most 1, such as 0.7."),
        ({"strength": 1.01}, "strength", "Strength is a number over 0 and at most 1, such as 0.7."),
        ({"strength": float("nan")}, "strength", "Strength is a number over 0 and at most 1, such as 0.7."),
        ({"strength": float("inf")}, "strength", "Strength is a number over 0 and at most 1, such as 0.7."),
    ],
)
def test_what_cannot_be_kept_is_said_with_its_field(changes: dict[str, object], field: str, text: str) -> None:
    assert problems_of(**changes) == [(field, text)]


def test_an_entry_holds_only_so_many_phrases() -> None:
    many = tuple(f"phrase{number}" for number in range(PHRASES + 1))
    assert problems_of(plain=many) == [("plain", "There are 61 lines; at most 60 fit in one entry.")]
    assert problems_of(plain=many[:-1]) == []
    assert problems_of(terms=many) == [("terms", "There are 61 terms; at most 60 fit in one entry.")]


def test_phrases_are_tidied_and_stand_once() -> None:
    concept = Concept((" video\n card ", "video card", " "), ("GPU", "GPU"), " a\n b ", " Ada ")
    assert tidied(concept) == Concept(("video card",), ("GPU",), "a b", "Ada")


def test_the_same_phrase_in_another_entry_in_use_is_a_clash_in_any_inflection() -> None:
    others = [stored(1, "Video Cards", "gaming PC"), stored(2, "chatbot", state="retired")]
    concept = Concept(("video card", "chatbot", "new words"), ("GPU",), "Why.", "Ada")
    assert [str(clash) for clash in clashes(concept, others)] == [
        "“video card” is in entry 1 too: a query with it would get the terms of both."
    ]


def test_alternatives_clash_as_the_phrases_they_stand_for() -> None:
    others = [stored(1, "(free|open) models")]
    concept = Concept(("open (model|weights)", "many (card|cards)"), ("GPU",), "Why.", "Ada")
    assert [(clash.phrase, clash.other) for clash in clashes(concept, others)] == [
        ("open model", 1),
        ("many cards", None),
    ]
    same = Concept(("free model",), ("GPU",), "Why.", "Ada")
    assert why_not_twice(same, others) == ("Entry 1 has these terms for these phrases already. Edit that one instead.")


def test_the_same_phrase_twice_in_one_entry_is_a_clash() -> None:
    concept = Concept(("video card", "video cards"), ("GPU",), "Why.", "Ada")
    assert [str(clash) for clash in clashes(concept, [])] == [
        "“video cards” means the same as another phrase of this entry. Delete one of them."
    ]


@pytest.mark.parametrize(
    ("text", "phrase", "has"),
    [
        ("I bought two Video Cards.", "video card", True),
        ("a card. Video", "video card", False),
        ("cards for video", "video card", False),
        ("video card", "video card gaming", False),
        ("anything", "!!", False),
        ("", "video card", False),
    ],
)
def test_a_text_has_a_phrase_where_its_words_follow_one_another(text: str, phrase: str, *, has: bool) -> None:
    assert has_phrase(long_keys(text), phrase) is has
