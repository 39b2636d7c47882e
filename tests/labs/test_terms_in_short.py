"""The terms of a match in one line: none is repeated, and no term with a meaning of its own is left out."""

from __future__ import annotations

from portal.labs.matches import TermGroup, terms_in_short
from portal.matching.results import Source, TermShare


def term(words: str, share: float, source: Source = "topic", via: str = "") -> TermShare:
    return TermShare(words, share, source, (), via)


def words_of(*terms: TermShare, limit: int = 5) -> list[str]:
    return [word for group in terms_in_short(terms, limit) for word in group.words]


def test_a_word_gives_its_place_to_the_phrase_that_holds_it() -> None:
    assert words_of(term("machine learning", 0.17), term("machine", 0.16), term("learning", 0.11)) == [
        "machine learning"
    ]
    assert words_of(term("Machine", 0.17), term("GPUs", 0.16), term("machine learning", 0.11)) == [
        "machine learning",
        "GPUs",
    ]


def test_the_longest_phrase_stands_for_all_its_parts() -> None:
    parts = (term("language", 0.3), term("language models", 0.2), term("large language models", 0.1))
    assert words_of(*parts, limit=1) == ["large language models"]


def test_a_word_that_weighs_far_more_than_its_phrase_is_told_too() -> None:
    assert words_of(term("learning", 0.38), term("machine learning", 0.05)) == ["learning", "machine learning"]


def test_a_word_with_a_hyphen_stands_for_its_parts() -> None:
    parts = (term("high-performance", 0.13), term("high", 0.11), term("high-performance hardware", 0.1))
    assert words_of(*parts) == ["high-performance hardware"]


def test_a_part_of_a_word_is_no_part_of_a_phrase() -> None:
    assert words_of(term("arch", 0.2), term("search engines", 0.2)) == ["arch", "search engines"]


def test_a_word_from_elsewhere_is_told_beside_the_phrase() -> None:
    assert words_of(term("machine learning", 0.2), term("learning", 0.2, "resume")) == ["machine learning", "learning"]


def test_terms_that_were_added_for_the_same_words_are_told_together() -> None:
    groups = terms_in_short(
        (
            term("compression", 0.3, "concept", "slow networks"),
            term("GPUs", 0.2),
            term("sparsification", 0.1, "concept", "slow networks"),
            term("ML", 0.1, "concept", "machine learning"),
        ),
        4,
    )
    assert groups == (
        TermGroup(("GPUs",), "topic", ""),
        TermGroup(("compression", "sparsification"), "concept", "slow networks"),
        TermGroup(("ML",), "concept", "machine learning"),
    )


def test_what_was_added_for_several_words_is_told_once_and_not_beside_the_same_word_written() -> None:
    added = (term("LLM", 0.3, "concept", "大模型"), term("LLM", 0.2, "concept", "大语言模型"))
    others = (term("compression", 0.1, "concept", "压缩"), term("quantization", 0.1, "concept", "量化"))
    assert words_of(*added, *others, limit=3) == ["LLM", "compression", "quantization"]
    assert words_of(*added, term("llm", 0.1), *others, limit=3) == ["llm", "compression", "quantization"]


def test_what_somebody_wrote_comes_first_and_is_not_crowded_out() -> None:
    added = tuple(term(f"added{number}", 0.2, "concept", "serving on NPUs") for number in range(5))
    own = (term("serving", 0.09), term("NPUs", 0.08), term("on", 0.01))
    assert words_of(*added, *own, limit=4) == ["serving", "NPUs", "added0", "added1"]
    assert words_of(*added, *own, limit=1) == ["serving"]


def test_no_more_than_the_limit_are_told() -> None:
    assert words_of(*(term(f"topic{number}", 0.1) for number in range(9)), limit=3) == ["topic0", "topic1", "topic2"]
    assert terms_in_short((), 3) == ()
