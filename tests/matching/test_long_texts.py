"""A text of many odd words takes hardly more time than a plain one, so that no text can keep the portal busy."""

from __future__ import annotations

import random
import string
import sys
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from portal.matching import Concept, LabDoc, LabIndex, Query, Topic
from portal.matching.language.names import ManyNames, Names, mentions, name_key
from portal.matching.language.spelling import Correction, Speller
from portal.matching.language.words import sentences
from portal.matching.query.reading import Reading
from portal.matching.query.sorted_spans import SortedSpans
from tests.hanging import no_hanging
from tests.matching.corpus import LABS

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from _typeshed import TraceFunction

SYLLABLES = ("ba", "ko", "ri", "tem", "lus", "vo", "na", "gel")
CONCEPTS = tuple(
    Concept((f"{first}{second} {third}{first}",), ("federated learning", f"{second}{third}"), "made up", "a test")
    for first, second, third in product(SYLLABLES, repeat=3)
)
CONCEPTS_WORDS = tuple(product(SYLLABLES, repeat=3))
COUNT = 250  # words or phrases


def lines_run(act: Callable[[], object]) -> int:
    """How many lines of Python are run: unlike time, the same whatever else the machine does."""
    lines = 0

    def count(_frame: FrameType, event: str, _value: object) -> TraceFunction:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        act()
    finally:
        sys.settrace(before)
    return lines


def lines_to_rank(text: str) -> int:
    index = LabIndex.fit(LABS, concepts=CONCEPTS)
    index.rank(Query((Topic("serving"),)))
    return lines_run(lambda: index.rank(Query((Topic(text),))))


@pytest.mark.parametrize(
    ("sign", "most"),
    [
        ("½", 200),
        ("½ ", 200),
        ("学", 200),
        ("😀", 40),
        ("ﷺ", 40),
        ("㌖㎯", 40),
        ("\\frac{", 60),
        ("<b>", 100),
        ("(", 40),
    ],
)
def test_no_sign_takes_more_than_a_few_lines_of_work(sign: str, most: int) -> None:
    text = (sign * 2_000)[:2_000]
    lines = lines_to_rank(text)
    assert lines < most * 2_000


@pytest.mark.parametrize(
    "text_of",
    [
        lambda count: ". ".join(concept.phrases[0] for concept in CONCEPTS[:count]),
        lambda count: " ".join(f"Hydra {first}{second}{third}" for first, second, third in CONCEPTS_WORDS[:count]),
    ],
    ids=["phrases of concepts", "names of systems"],
)
def test_twice_the_text_is_twice_the_work(text_of: Callable[[int], str]) -> None:
    once, twice = lines_to_rank(text_of(COUNT)), lines_to_rank(text_of(2 * COUNT))
    assert twice < 2.2 * once


def test_twice_the_characters_without_spaces_are_twice_the_work() -> None:
    def lines_to_spell(count: int) -> int:
        index = LabIndex.fit([LabDoc("lab", "学院" * count, ())])
        return lines_run(lambda: index.typical_terms("lab"))

    assert lines_to_spell(400) < 2.2 * lines_to_spell(200)


@pytest.mark.parametrize("text", ["a" + "\u0300\u0316" * 160_000, "я" + "\u05b0\u05b1" * 160_000])
def test_a_tower_of_marks_on_one_letter_is_read_at_once(text: str) -> None:
    with no_hanging():
        assert len(list(sentences(text))) == 1


def test_a_misspelt_word_is_looked_for_where_a_term_stands() -> None:
    def lines_to_look(count: int) -> int:
        corrected = [((3 * place, 3 * place + 2), Correction("aa", "bb")) for place in range(count)]
        reading = Reading("aa " * count, [], [], corrected)
        assert reading.as_read("bb", 0, 2) == "bb"
        return lines_run(lambda: [reading.is_corrected(2, 3), reading.as_typed(0, 2), reading.as_read("bb", 0, 2)])

    assert lines_to_look(1_000) == lines_to_look(100)


def test_many_names_in_a_long_text_are_found_at_once() -> None:
    text = "FlexGen " * 50_000
    lines = [sentence.words for sentence in sentences(text)]
    with no_hanging():
        named = mentions(text, lines, ManyNames([Names({name_key("FlexGen"): frozenset({"FlexGen"})})]))
    assert len(named) == 50_000


def test_a_name_is_looked_for_only_where_one_may_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_for: list[object] = []
    names = ManyNames([Names({name_key("FlexGen"): frozenset({"FlexGen"})})])
    is_known = ManyNames.__contains__

    def looking(names: ManyNames, key: object) -> bool:
        looked_for.append(key)
        return is_known(names, key)

    monkeypatch.setattr(ManyNames, "__contains__", looking)
    text = "words of a long text without end " * 100 + "FlexGen"
    (named,) = mentions(text, [sentence.words for sentence in sentences(text)], names)
    assert (text[named.start : named.end], looked_for) == ("FlexGen", [name_key("FlexGen")])


def test_evidence_of_twice_the_names_is_twice_the_work() -> None:
    index = LabIndex.fit(LABS)

    def lines_to_quote(count: int) -> int:
        ((_, why),) = index.rank_explained(Query(resume="We train Hydra on clients. " * count), 1)
        return lines_run(lambda: why.evidence)

    lines_to_quote(1)
    assert lines_to_quote(400) < 2.2 * lines_to_quote(200)


def test_twice_the_common_terms_are_sorted_in_twice_the_work() -> None:
    pytest.importorskip("numba")
    from portal.matching.kernels.terms import _common, _Located

    def lines_to_sort(count: int) -> int:
        places = np.random.default_rng(1).permutation(count)
        located = _Located(places, places, np.where(places % 9, places, -1), np.ones(count))
        as_python = _common.py_func  # type: ignore[attr-defined]  # what is compiled
        query_terms, found_places, _ = as_python(located)
        assert found_places.tolist() == [place for place in range(count) if place % 9]
        assert places[query_terms].tolist() == found_places.tolist()
        return lines_run(lambda: as_python(located))

    assert lines_to_sort(400) < 2.2 * lines_to_sort(200)


def test_words_are_compared_with_few_others(monkeypatch: pytest.MonkeyPatch) -> None:
    import rapidfuzz.process

    dice = random.Random(7)  # noqa: S311 - the same every time
    words = {"".join(dice.choices(string.ascii_lowercase, k=dice.randint(5, 11))) for _ in range(4_000)}
    compared: list[int] = []
    extract = rapidfuzz.process.extract

    def counted(form: str, candidates: list[str], **options: object) -> object:
        compared.append(len(candidates))
        return extract(form, candidates, **options)  # type: ignore[call-overload]  # as it was given

    monkeypatch.setattr(rapidfuzz.process, "extract", counted)
    speller = Speller(dict.fromkeys(words, 1), 20)
    for _ in range(50):
        speller.candidates("".join(dice.choices(string.ascii_lowercase, k=9)))
    assert compared
    assert sum(compared) < 50 * len(words) / 50


def test_the_words_left_out_of_comparing_are_all_too_far() -> None:
    from rapidfuzz.distance import OSA

    dice = random.Random(8)  # noqa: S311 - the same every time
    words = sorted({"".join(dice.choices("abcde", k=dice.randint(4, 8))) for _ in range(400)})
    speller = Speller(dict.fromkeys(words, 1), 20)
    for form in words[::5] + ["".join(dice.choices("abcdefg", k=6)) for _ in range(40)]:
        for most, length in product((1, 2), range(len(form) - 2, len(form) + 3)):
            if abs(length - len(form)) > most:
                continue
            near = {word for word in words if len(word) == length and OSA.distance(form, word) <= most}
            assert set(speller._near(form, length, most)) == near


def test_spans_are_found_by_place_as_by_looking_at_all() -> None:
    dice = random.Random(9)  # noqa: S311 - the same every time
    for _ in range(100):
        spans = [
            (first, first + dice.randint(0, 6)) for first in (dice.randrange(40) for _ in range(dice.randint(0, 12)))
        ]
        places = SortedSpans(spans)
        first = dice.randrange(40)
        last = first + dice.randint(0, 8)
        inside = [place for place, (start, end) in enumerate(spans) if first <= start and end <= last]
        meeting = {place for place, (start, end) in enumerate(spans) if start <= last and first <= end}
        assert places.within(first, last) == inside
        assert meeting <= set(places.near(first, last))
        assert places.hold(first, last) == any(start <= first and last <= end for start, end in spans)
