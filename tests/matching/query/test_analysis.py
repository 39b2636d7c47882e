from __future__ import annotations

from dataclasses import replace

import pytest

from portal.matching import (
    Concept,
    ConceptError,
    LabDoc,
    LabIndex,
    Query,
    Topic,
    WorkDoc,
    mark,
    read_concepts,
)
from tests.matching.corpus import LABS


def test_concepts_lead_from_plain_words_to_those_of_the_field() -> None:
    concept = Concept(("video card", "graphics card"), ("GPU clusters",), "the same", "a test")
    assert LabIndex.fit(LABS).rank(Query([Topic("graphics cards")])) == []
    index = LabIndex.fit(LABS, concepts=[concept])
    match, explanation = index.rank_explained(Query([Topic("graphics cards")]))[0]
    assert match.lab == "serving"
    assert {(term.source, term.via) for term in explanation.terms} == {("concept", "graphics cards")}


@pytest.mark.parametrize("plain", ["LLM add-ons", "large language model add-ons"])
def test_a_phrase_of_a_concept_is_known_with_its_short_form_and_spelt_out(plain: str) -> None:
    index = LabIndex.fit(LABS, concepts=[Concept((plain,), ("non-IID labels",), "the same", "a test")])
    texts = ("LLM add-ons", "add-ons of big LLMs", "large language models' add-ons", "large language model add-on")
    for text in texts:
        added = {
            term.via for term in index.explain(Query([Topic(text)]), "federated").terms if term.source == "concept"
        }
        assert added == (set() if "big" in text else {text}), text


@pytest.mark.parametrize("text", ["label skew", "skew of labels", "skew in label"])
def test_a_phrase_of_a_concept_is_known_turned_round(text: str) -> None:
    index = LabIndex.fit(LABS, concepts=[Concept(("label skew",), ("non-IID",), "the same", "a test")])
    added = {term.via for term in index.explain(Query([Topic(text)]), "federated").terms if term.source == "concept"}
    assert added == {text}


def test_a_short_form_that_no_lab_uses_is_read_as_the_long_one() -> None:
    def index_with(short: str, long: str) -> LabIndex:
        return LabIndex.fit(LABS, concepts=[Concept((short, long), (short, long), "the same", "a test", 1.0)])

    for short, long in (("LMS", "language model service"), ("LMF search", "language model fast search")):
        index = index_with(short, long)
        by_short_form, by_long_form = (
            [(match.lab, match.score) for match in index.rank(Query([Topic(text)]))] for text in (short, long)
        )
        assert by_short_form == by_long_form != []
        assert index.corrections(Query([Topic(f"a thesis on {short}")]))[0].used in long
    assert index_with("LMF", "language fast model").rank(Query([Topic("LMF in hospitals")])) == []
    index = index_with("SLAM", "language model mapping")
    assert index.corrections(Query([Topic("slam poetry")])) == ()
    terms = index.explain(Query([Topic("SLAM")]), "serving").terms
    assert {term.term for term in terms} >= {"language", "model"}
    assert {(term.source, term.via) for term in terms} == {("correction", "SLAM")}


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("SPF", True),
        ("fast SPF", True),
        ("SPFs", True),
        ("spf", True),
        ("SPF sunscreen", False),
        ("ADE", True),
        ("adding", False),
        ("ZERO", True),
        ("zero", False),
    ],
)
def test_a_short_form_is_read_where_nothing_speaks_of_another_field(text: str, *, is_read: bool) -> None:
    """Not next to a word that no lab has, nor where it is another word with its stem or an ordinary one."""
    longs = {"SPF": "fast serving", "ADE": "model serving", "ZERO": "language serving"}
    same = [Concept((short, long), (short, long), "So.", "a test", 1.0) for short, long in longs.items()]
    lab = LabDoc("serving", "", [WorkDoc("w", "Fast serving", "Model serving, language serving and fast adding.")])
    matches = LabIndex.fit([lab], concepts=same).rank(Query([Topic(text)]))
    added = {
        term.via
        for match in matches
        for term in LabIndex.fit([lab], concepts=same).explain(Query([Topic(text)]), match.lab).terms
    }
    assert bool(added - {""}) == is_read


def test_a_phrase_does_not_consist_of_some_words_of_a_long_form() -> None:
    """But it may have the last one, which says what the rest is about."""
    same = Concept(("VLM", "vision language model"), ("VLM", "vision language model"), "So.", "a test", 1.0)
    plain = Concept(("vision model", "on language", "train model"), ("computer vision",), "So.", "a test")
    lab = LabDoc("seeing", "", [WorkDoc("w", "Computer vision", "A VLM is a vision language model; we train it.")])
    index = LabIndex.fit([lab], concepts=[same, plain])
    for text, is_added in (
        ("vision language model", False),
        ("research on vision language model", False),
        ("vision large model", True),
        ("train vision language model", False),
    ):
        terms = index.explain(Query([Topic(text)]), "seeing").terms
        assert any(term.term == "computer vision" for term in terms) == is_added, text


@pytest.mark.parametrize(("text", "found"), [("HLS", True), ("hls tools", True), ("hl=zh-CN", False), ("hl", False)])
def test_a_short_form_that_ends_in_s_is_not_known_without_it(text: str, *, found: bool) -> None:
    """The key of "HLS" has lost the S, as that of a plural."""
    concept = Concept(("HLS", "high-level synthesis"), ("HLS", "high-level synthesis"), "So.", "a test", 1.0)
    lab = LabDoc("chips", "", [WorkDoc("w", "High-level synthesis of circuits", "We describe circuits.")])
    index = LabIndex.fit([lab], concepts=[concept])
    assert bool(index.rank(Query([Topic(text)]))) == found
    assert bool(index.corrections(Query([Topic(text)]))) == (text == "HLS")


def test_a_phrase_of_common_words_needs_all_of_them() -> None:
    concept = Concept(("learn together",), ("federated learning",), "the same", "a test")
    index = LabIndex.fit(LABS, concepts=[concept])
    sources = {term.source for term in index.explain(Query([Topic("learning")]), "federated").terms}
    assert "concept" not in sources
    assert index.rank(Query([Topic("they learn together")]))[0].lab == "federated"


@pytest.mark.parametrize("plain", [("learn together",), ("learn together", "learn as one")])
def test_a_term_without_a_word_adds_nothing(plain: tuple[str, ...]) -> None:
    concept = Concept(plain, ("?!",), "a slip", "a test", strength=1)
    query = Query([Topic("learn together federated")])
    assert LabIndex.fit(LABS, concepts=[concept]).rank(query) == LabIndex.fit(LABS).rank(query)


GOOD = '[[concept]]\nplain=["video card"]\nterms=["GPU"]\nwhy="the same"\nadded_by="a test"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[concept", "not valid TOML"),
        ("[other]\n", "unknown tables other"),
        ("concept = 3", "two brackets"),
        (GOOD + 'plane="x"', "unknown field plane; known are added_by, plain, strength, terms, why"),
        (GOOD.replace('why="the same"', 'why=" "'), "concept 1: why must say something"),
        (GOOD.replace('["GPU"]', "[]"), "terms must be a list of at least one phrase"),
        (GOOD + "strength = 1.5", "strength must be a number over 0 and at most 1, not 1.5"),
        (GOOD.replace('["video card"]', '["?!"]'), "'?!' holds no word"),
        (GOOD.replace('["GPU"]', '["GPU", "?!"]'), "'?!' holds no word"),
    ],
)
def test_a_wrong_concept_file_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(ConceptError, match=message.replace("[", r"\[").replace("?", r"\?")):
        read_concepts(text)


def test_a_right_concept_file_is_read() -> None:
    assert read_concepts(GOOD + "strength = 0.5") == (Concept(("video card",), ("GPU",), "the same", "a test", 0.5),)
    assert read_concepts("") == ()


def test_marking_finds_inflections_and_whole_phrases() -> None:
    text = "I trained federated models; federated learning was my thesis. Fine-tuned LLMs."
    assert [text[start:end] for start, end in mark(text, ["federated learning", "LLM", "fine-tuning"])] == [
        "federated learning",
        "Fine-tuned",
        "LLMs",
    ]
    assert mark(text, []) == mark("", ["x"]) == ()


def test_an_abbreviation_makes_the_pairs_of_its_long_form() -> None:
    lab = LabDoc(
        "l", "", (WorkDoc("w", "Model serving", "Large language models (LLMs) need model serving. LLM serving."),)
    )
    index = LabIndex.fit([lab])
    short = index.explain(Query([Topic("LLM serving")]), "l")
    long = index.explain(Query([Topic("large language model serving")]), "l")
    added = {share.term.casefold() for share in short.terms if share.source == "expansion"}
    assert added >= {"models serving", "large language"}
    assert {share.term for share in long.terms if share.source == "expansion"} >= {"LLM serving", "LLM"}


def test_an_abbreviation_that_is_a_word_is_not_expanded_in_small_letters() -> None:
    lab = LabDoc("l", "", (WorkDoc("w", "Rotary position embedding (ROPE)", "Rotary position embedding."),))
    index = LabIndex.fit([lab])
    assert index.rank(Query([Topic("ROPE")]))[0].score > 0.1
    sources = {share.source for share in index.explain(Query([Topic("rope bridges")]), "l").terms}
    assert "expansion" not in sources


@pytest.mark.parametrize(
    "said",
    [
        *("Zorblax", "Quentaro Ipsum", "זורבלקס", "ทดสอบ"),
        *("lokaverkefni og íslenska", "final weave by a treasurer of chess", "Zorblax. I weave baskets from willow"),
    ],
)
def test_words_that_no_lab_uses_do_not_change_what_a_resume_brings(said: str) -> None:
    index = LabIndex.fit(LABS)
    before, after = (
        index.score(Query(resume=f"I built federated learning with {words} and Kwabena."), "federated")
        for words in ("Ada", said)
    )
    assert after == before > 0
    assert index.score(Query(statement=f"I built federated learning with {said}."), "federated") != before


def test_words_that_no_lab_uses_count_in_the_floor_of_a_resume() -> None:
    index = LabIndex.fit(LABS)
    among_others = (
        "I weave baskets from willow, grow apples in an orchard, teach pupils to swim, and write about gardens. "
    )
    queries = [Query(resume=text) for text in ("Federated learning.", among_others * 3 + "Federated learning.")]
    short, long = queries
    assert index.score(long, "federated") == index.score(short, "federated")
    assert [match.lab for match in index.rank(short)] == ["federated"]
    assert index.rank(long) == []
    assert [match.lab for match in index.rank(replace(long, topics=[Topic("federated learning")]))] == ["federated"]


def test_a_word_repeated_in_a_resume_counts_at_most_five_times() -> None:
    index = LabIndex.fit(LABS)
    five, many = (index.score(Query(resume="Serving. " * times + "Hashing."), "serving") for times in (5, 500))
    assert many == five > index.score(Query(resume="Serving. Serving. Hashing."), "serving")


def test_a_long_name_of_a_system_is_meant_in_any_spelling() -> None:
    work = WorkDoc("w", "Training apart", "", systems=("Independent Subnet Training",))
    index = LabIndex.fit([LabDoc("l", "", (work,)), *LABS])
    assert index.rank(Query([Topic("comparing independent subnet training with zebras")]))[0].lab == "l"


def test_what_was_asked_before_is_not_prepared_again_and_nothing_of_it_is_mixed_up() -> None:
    index = LabIndex.fit(LABS)
    query = Query([Topic("federated lerning", 0.5)], statement="On phones.", resume="Caches.", facets={"place": ["HK"]})
    question = index._question(query, index._state)
    same_text = replace(query, topics=[Topic("federated lerning", 0.5)], facets={})
    assert index._question(same_text, index._state) is question
    assert index.explain(query, LABS[0].key).facets_missed
    assert not index.explain(same_text, LABS[0].key).facets_missed
    for other_query in (
        replace(query, topics=[Topic("federated lerning")]),
        replace(query, statement="On phones!"),
        replace(query, resume=""),
        replace(query, resume_weight=0.2),
        replace(query, correct_spelling=False),
    ):
        fresh = LabIndex.fit(LABS)
        assert index.rank_explained(other_query) == fresh.rank_explained(other_query)
        assert index._question(other_query, index._state) is not question
    index.remove(LABS[0].key)
    assert index._question(query, index._state) is not question


@pytest.mark.parametrize(
    ("text", "labs"),
    [
        ("Ich möchte in meiner Promotion über federated learning und Datenschutz in Krankenhäusern arbeiten.", ["f"]),
        ("Mein Schwerpunkt liegt auf federated learning bei Telefonen und Uhren in vielen Ländern Europas.", ["f"]),
        ("Я хочу заниматься federated learning и приватностью данных в больницах", ["f"]),
        ("我对医院里的 federated learning 和隐私保护问题非常感兴趣，希望继续研究", ["f"]),
        ("Mein Thema ist das learning von Vokabeln und die Sprache der Kinder in der Grundschule.", []),
        ("A learning that is federated by states and provinces of the old monarchy is my theme.", []),
    ],
)
def test_words_of_another_language_do_not_sink_technical_terms(text: str, labs: list[str]) -> None:
    works = (WorkDoc("w", "Federated learning", "Clients train models."), WorkDoc("v", "Sparse clients", ""))
    index = LabIndex.fit([LabDoc("f", "", works)])
    assert [match.lab for match in index.rank(Query(statement=text))] == labs
    assert not index.corrections(Query(statement=text))


@pytest.mark.parametrize(
    "wish",
    [
        "{}",
        "recent work on {}",
        "new methods for {}",
        "I want to do research on {}",
        "Dear professor, my interest is {}",
        "Let me make use of {}, as I need to become",
    ],
)
def test_words_that_fill_texts_of_every_field_count_for_nothing_beside_others(wish: str) -> None:
    abstract = "Recent works study it. Our new method, a novel approach to research on the topic, makes use of it."
    works = (WorkDoc("w", "Federated learning", abstract), WorkDoc("v", "Sparse clients", abstract))
    index = LabIndex.fit([LabDoc("f", "", works)])
    assert index.rank(Query([Topic(wish.format("federated learning"))])) == index.rank(
        Query([Topic("federated learning")])
    )
    assert index.rank(Query([Topic(wish.format("mountain glaciers"))])) == []
