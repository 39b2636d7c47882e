from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.matching.language.hashing import term_number
from portal.matching.language.placing import PAIR, PART, WORD, PlacedTerms
from portal.matching.language.stemming import pair_key, stem, stems_and_tails, tail
from portal.matching.language.terms import terms
from portal.matching.query.reading import terms_by_sentence
from tests.matching.language.test_counting import texts

KINDS = {"word": WORD, "part": PART, "pair": PAIR}


def placed(texts: list[str]) -> list[list[tuple[int, int, tuple[int, int]]]]:
    terms = PlacedTerms.of(texts)
    rows: list[list[tuple[int, int, tuple[int, int]]]] = [[] for _ in texts]
    for term in range(len(terms.numbers)):
        rows[terms.text[term]].append((int(terms.numbers[term]), int(terms.kind[term]), terms.stretch(term, term)))
    return [sorted(row) for row in rows]


def word_by_word(text: str) -> list[tuple[int, int, tuple[int, int]]]:
    return sorted((term_number(term.key), KINDS[term.kind], (term.start, term.end)) for term in terms(text))


@given(st.lists(texts, max_size=5))
def test_many_texts_at_once_have_each_term_where_it_is_found_word_by_word(several: list[str]) -> None:
    assert placed(several) == [word_by_word(text) for text in several]


@given(st.lists(texts, max_size=4))
def test_sentences_and_the_pairs_behind_one_are_those_of_a_reading(several: list[str]) -> None:
    placed_terms = PlacedTerms.of(several)
    for text_id, text in enumerate(several):
        terms_of_text = [term for term in range(len(placed_terms.numbers)) if placed_terms.text[term] == text_id]
        sentences = {placed_terms.sentence_span(int(placed_terms.sentence[term])) for term in terms_of_text}
        assert sentences == {span for span, terms_of_sentence in terms_by_sentence(text) if terms_of_sentence}
        pairs_read = [
            (start, end)
            for _, terms_of_sentence in terms_by_sentence(text)
            for _, start, end, kind in terms_of_sentence
            if kind == "pair"
        ]
        pairs = [term for term in terms_of_text if placed_terms.kind[term] == PAIR]
        after = {term: int(placed_terms.following[term]) for term in pairs if placed_terms.following[term] >= 0}
        pair_after = {
            placed_terms.stretch(term, term): placed_terms.stretch(pair, pair) for term, pair in after.items()
        }
        assert pair_after == dict(pairwise(pairs_read))


@pytest.mark.parametrize("words", [89, 90, 91, 400])
def test_long_sentences_are_cut_where_a_reading_cuts_them(words: int) -> None:
    text = " – ".join(f"graph {number} theory" for number in range(words))
    placed_terms = PlacedTerms.of(["Before. After.", text])
    spans = {
        placed_terms.sentence_span(sentence) for sentence in placed_terms.sentence[placed_terms.text == 1].tolist()
    }
    assert spans == {span for span, _ in terms_by_sentence(text)}


def test_a_stretch_goes_from_one_term_to_another() -> None:
    text = "We serve \\emph{large  language} models."
    placed_terms = PlacedTerms.of([text])
    first = placed_terms.numbers.tolist().index(term_number(pair_key("large", "language")))
    begin, end = placed_terms.stretch(first, int(placed_terms.following[first]))
    assert text[begin:end] == "large  language} models"


@given(st.lists(st.text("abcdeinorstyz", min_size=1, max_size=12), max_size=40))
def test_many_words_have_the_stems_that_each_has(words: list[str]) -> None:
    words += ["optimisation", "behaviours", "centres", "a", "is", "tuning", "ties"]
    assert stems_and_tails(words) == (list(map(stem, words)), list(map(tail, words)))
