from __future__ import annotations

import pytest
from hypothesis import given

from portal.matching import LabDoc, LabIndex, Query, Topic, UnknownLab, WorkDoc
from portal.matching.suggest import Suggestions

from .corpus import LABS, SERVING, THEORY, corpora, queries


def ranked(index: LabIndex, *topics: str) -> list[str]:
    return [match.lab for match in index.rank(Query([Topic(topic) for topic in topics]))]


def test_the_lab_that_works_on_the_topic_comes_first() -> None:
    index = LabIndex.fit(LABS)
    assert ranked(index, "LLM serving")[0] == "serving"
    assert ranked(index, "federated learning")[0] == "federated"
    assert ranked(index, "kernel density estimation")[0] == "theory"


def test_a_long_name_is_one_however_its_words_are_joined() -> None:
    named = LabDoc(
        "named", "", (WorkDoc("n", "Tensor Relational Algebra for systems", "", 2021, ("Tensor Relational Algebra",)),)
    )
    assert ranked(LabIndex.fit([named, *LABS]), "tensor-relational algebra (TRA)") == ["named"]


@pytest.mark.parametrize("name", ["Symphony", "symphony", "SYMPHONY"])
def test_the_bare_name_of_a_system_finds_its_work(name: str) -> None:
    (match, explanation), *_ = LabIndex.fit(LABS).rank_explained(Query([Topic(name)]))
    assert (match.lab, explanation.evidence[0].work) == ("serving", "s1")


@pytest.mark.parametrize("name", ["Deja Vu", "DejaVu", "deja-vu", "Déjà Vu"])
def test_a_name_is_one_however_its_words_are_joined(name: str) -> None:
    (match, explanation), *_ = LabIndex.fit(LABS).rank_explained(Query([Topic(name)]))
    assert (match.lab, explanation.evidence[0].work) == ("serving", "s2")


@pytest.mark.parametrize("text", ["cardiology surgery", "medieval poetry", "corporate law", "大熊猫保护", ""])
def test_nothing_fits_gives_an_empty_list(text: str) -> None:
    assert ranked(LabIndex.fit(LABS), text) == []


def test_an_abbreviation_and_its_long_form_find_the_same_with_the_same_score() -> None:
    index = LabIndex.fit(LABS)
    for short, long in (("LLM", "large language model"), ("KDE", "kernel density estimation")):
        assert index.rank(Query([Topic(short)])) == index.rank(Query([Topic(long)])) != []


def test_weights_shift_the_ranking() -> None:
    index = LabIndex.fit(LABS)
    for first, second, best in ((3.0, 1.0, "federated"), (1.0, 3.0, "theory")):
        query = Query([Topic("federated learning", first), Topic("kernel density estimation", second)])
        assert index.rank(query)[0].lab == best


def test_a_topic_of_weight_zero_is_left_out() -> None:
    index = LabIndex.fit(LABS)
    assert index.rank(Query([Topic("federated learning"), Topic("hashing", 0)])) == index.rank(
        Query([Topic("federated learning")])
    )


def test_stated_topics_outweigh_a_long_resume() -> None:
    resume = "Kernel density estimation and k-means++ clustering. " * 200
    assert ranked(LabIndex.fit(LABS), "federated learning")[0] == "federated"
    query = Query([Topic("federated learning")], resume=resume)
    assert LabIndex.fit(LABS).rank(query)[0].lab == "federated"


def test_equal_scores_are_ordered_by_key_and_percentiles_are_positions() -> None:
    twins = [LabDoc(key, SERVING.profile, SERVING.works) for key in ("b", "a", "d", "c")]
    matches = LabIndex.fit(twins).rank(Query([Topic("LLM serving")]))
    assert [(match.lab, match.rank, match.percentile) for match in matches] == [
        ("a", 1, 100.0),
        ("b", 2, 75.0),
        ("c", 3, 50.0),
        ("d", 4, 25.0),
    ]
    assert len({match.score for match in matches}) == 1


@given(corpora, queries)
def test_the_order_of_insertion_does_not_matter(labs: list[LabDoc], query: Query) -> None:
    shuffled = [LabDoc(lab.key, lab.profile, tuple(reversed(lab.works)), lab.facets) for lab in reversed(labs)]
    assert LabIndex.fit(labs).rank_explained(query) == LabIndex.fit(shuffled).rank_explained(query)


def test_the_other_side_sees_the_same_scores_and_keeps_everybody() -> None:
    index = LabIndex.fit(LABS)
    people = {
        "ann": Query([Topic("hashing")]),
        "bo": Query([Topic("LLM serving")]),
        "cy": Query([Topic("medieval poetry")]),
    }
    matches = index.rank_reverse("serving", people)
    assert [(match.lab, match.fits, match.percentile) for match in matches] == [
        ("bo", True, 100.0),
        ("ann", False, 100 * 2 / 3),
        ("cy", False, 100 / 3),
    ]
    assert [match.score for match in matches] == [
        index.explain(people[match.lab], "serving").score for match in matches
    ]
    assert [match.lab for match in index.rank_reverse("serving", people.values())] == ["1", "0", "2"]


def test_the_scores_of_several_labs_are_those_of_each() -> None:
    index = LabIndex.fit(LABS)
    index.replace(LabDoc("new", "Fair LLM serving.", (WorkDoc("q", "Hashing for LLM serving", ""),)))
    labs = ["new", *(lab.key for lab in LABS), "new"]
    for query in (Query([Topic("LLM serving"), Topic("hashing")], resume="federated learning"), Query()):
        assert index.scores(query, labs) == [index.score(query, lab) for lab in labs]
    assert index.scores(Query([Topic("hashing")]), []) == []
    with pytest.raises(UnknownLab):
        index.scores(Query([Topic("hashing")]), ["new", "nobody's"])


def test_labs_of_every_odd_shape_can_be_indexed() -> None:
    assert ranked(LabIndex.fit([]), "anything") == []
    assert LabIndex.fit([]).keys() == ()
    bare = LabDoc("bare", "", ())
    words = LabDoc("words", "quantum annealing of spin glasses", ())
    untitled = LabDoc("untitled", "", (WorkDoc("w", "", "An abstract on protein design alone."), WorkDoc("v", "", "")))
    index = LabIndex.fit([bare, words, untitled])
    assert ranked(index, "quantum annealing") == ["words"]
    assert ranked(index, "protein design") == ["untitled"]
    assert index.explain(Query([Topic("protein design")]), "bare").score == 0
    assert index.typical_terms("bare") == []
    alone = LabIndex.fit([words])
    assert ranked(alone, "spin glasses") == ["words"]
    assert alone.rank(Query([Topic("spin glasses")]))[0].percentile == 100


ODD = [
    "",
    " \n\t ",
    "the of and",
    "\x00\x00federated\x00learning\x00",
    "🙂🚀👩‍👩‍👧",
    "\ud800 lone \udfff surrogates",
    "למידה עמוקה של מודלי שפה",
    "التعلم العميق",
    "a" * 100_000,
    "LLM serving " * 5_000,
    "(((((" * 10_000,
    "$" * 100_000,
    "](" * 50_000,
    "." * 100_000,
    "\u0301" * 10_000,
    "İstanbul ﬁ ½ ﷺ",
]


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_text_is_answered_everywhere(text: str) -> None:
    index = LabIndex.fit([*LABS, LabDoc("odd", text, (WorkDoc("w", text, text, None, (text[:200],)),))])
    for query in (Query([Topic(text)]), Query(statement=text), Query(resume=text)):
        for match, explanation in index.rank_explained(query):
            assert sum(term.share for term in explanation.terms) == pytest.approx(match.score, abs=1e-6)
    assert index.suggest(text[:1000], 5) is not None
    index.replace(LabDoc("odd", text[::-1], ()))
    assert index.typical_terms("odd") is not None


def test_chinese_sentences_without_spaces_are_read_one_by_one() -> None:
    works = [WorkDoc("w", "推理优化", "本文研究系统。我们提出推理优化方法；欢迎申请。")]
    index = LabIndex.fit([*LABS, LabDoc("chinese", "我们研究系统。欢迎申请！学生研究推理优化。", works)])
    ((_, why),) = index.rank_explained(Query([Topic("系统。推理优化！")]))
    evidence, profile = why.evidence[0], why.profile_evidence
    assert profile is not None
    for sentence, spans in ((evidence.sentence, evidence.spans), (profile.sentence, profile.spans)):
        assert [sentence[start:end] for start, end in spans] == ["推理优化"]
    assert evidence.query_sentence == "推理优化！"
    assert profile.sentence == "学生研究推理优化。"


def test_two_labs_with_one_key_are_refused() -> None:
    with pytest.raises(ValueError, match="two labs have the key 'theory'"):
        LabIndex.fit([THEORY, LabDoc("theory", "", ())])
    with pytest.raises(ValueError, match="lists these works more than once: w"):
        LabDoc("x", "", (WorkDoc("w", "", ""), WorkDoc("w", "", "")))


def test_suggestions_are_phrases_of_the_corpus() -> None:
    index = LabIndex.fit(LABS)
    assert index.suggest("fed")[0] == "federated learning"
    assert "KV-cache" in [suggestion.replace("KV cache", "KV-cache") for suggestion in index.suggest("kv")]
    assert index.suggest("hyd") == ["Hydra"]
    assert index.suggest("language mod")[0].casefold() == "language models"
    assert index.suggest("") == index.suggest("xyzzy") == index.suggest("fed", 0) == []
    assert len(index.suggest("s", 2)) == 2
    spelled = Suggestions(("KV cache", "KV-cache", "KV store"))
    assert spelled.starting_with("kv", 2) == ["KV cache", "KV store"]


def test_typical_terms_are_what_stands_out() -> None:
    index = LabIndex.fit(LABS)
    assert len(index.typical_terms("serving", 3)) == 3
    assert index.typical_terms("serving", 0) == index.typical_terms("serving", -1) == []
    assert "federated learning" in [term.casefold() for term in index.typical_terms("federated", 3)]


def test_what_is_missing_is_typical_of_the_lab_and_in_no_word_of_the_query() -> None:
    index = LabIndex.fit(LABS)
    asked = ("federated learning", "client drift")
    why = index.explain(Query([Topic(text) for text in asked]), "federated")
    assert why.missing
    assert not {gap.term.casefold() for gap in why.missing} & set(asked)
    bare = index.explain(Query([Topic("kernel density estimation")]), "federated")
    assert "federated learning" in [gap.term.casefold() for gap in bare.missing]
    works = {work.key: f"{work.title} {work.abstract}".casefold() for work in index.lab("federated").works}
    for gap in bare.missing:
        assert all(gap.term.casefold() in works[key] for key in gap.works)


def test_an_everyday_word_alone_is_not_missing_nor_half_of_a_phrase_that_was_asked_for() -> None:
    shared = ("Federated learning of devices", "Learning on devices with caches", "Caches for LoRA", "LoRA on devices")
    works = tuple(WorkDoc(f"w{number}", title, "", 2024, ()) for number, title in enumerate(shared))
    why = LabIndex.fit([LabDoc("lab", "", works), *LABS]).explain(Query([Topic("federated learning")]), "lab")
    assert [gap.term for gap in why.missing] == ["LoRA"]
