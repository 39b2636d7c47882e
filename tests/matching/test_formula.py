"""The query path against scikit-learn's own, and the shares of the terms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc, formula, read_concepts, strength
from portal.matching.language.terms import keys

from .corpus import LABS, SERVING, corpora, queries

CONCEPTS = read_concepts(
    '[[concept]]\nplain=["mobile phones", "sparse models"]\nterms=["federated learning"]\nwhy="so"\nadded_by="a test"\n'
)


def by_scikit_learn(labs: list[LabDoc], text: str) -> dict[str, float]:
    """The score of each lab as docs/matching.md says it, computed from whole vectors."""
    works = [f"{work.title}\n\n{work.abstract}\n\n{' '.join(work.systems)}" for lab in labs for work in lab.works]
    profiles = [lab.profile for lab in labs if lab.profile.strip()]
    vectorizer = TfidfVectorizer(analyzer=lambda row: keys([row]), sublinear_tf=True)
    rows = vectorizer.fit_transform([*works, *profiles])
    query = vectorizer.transform([text])
    scores = {}
    work, profile = 0, len(works)
    for lab in labs:
        own = rows[work : work + len(lab.works)].toarray()
        focus = own.sum(axis=0)
        if lab.profile.strip():
            focus = focus + formula.PROFILE_WEIGHT * rows[[profile]].toarray()[0]
            profile += 1
        best = sorted(cosine_similarity(query, own)[0].tolist(), reverse=True)[:3] if len(own) else []
        of_focus = cosine_similarity(query, focus.reshape(1, -1))[0, 0] if focus.any() else 0.0
        scores[lab.key] = of_focus / 2 + sum(best) / 6
        work += len(lab.works)
    return scores


@pytest.mark.parametrize("text", ["kernel density estimation", "a system for federated learning", "GPU clusters"])
def test_scores_are_those_of_transform_and_cosine_similarity(text: str) -> None:
    labs = [
        LabDoc(lab.key, lab.profile.replace("(LLMs)", ""), [_without_brackets(work) for work in lab.works])
        for lab in LABS
    ]
    index = LabIndex.fit(labs)
    for key, score in by_scikit_learn(labs, text).items():
        assert index.score(Query([Topic(text)], correct_spelling=False), key) == pytest.approx(score, abs=1e-6)


def _without_brackets(work: WorkDoc) -> WorkDoc:
    """Without definitions of abbreviations, which would make two forms one term."""
    return WorkDoc(work.key, work.title, work.abstract.replace("(", "").replace(")", ""), systems=work.systems)


@given(corpora, queries)
def test_the_shares_add_up_to_the_score(labs: list[LabDoc], query: Query) -> None:
    index = LabIndex.fit(labs, concepts=CONCEPTS)
    for related in (False, True):
        for match, why in index.rank_explained(query, related=related):
            assert sum(term.share for term in why.terms) == pytest.approx(match.score, abs=1e-6)
            assert match.score == why.score <= 1 + 1e-6
            assert match.fits != related
    for key in index.keys():  # noqa: SIM118 - an index is no mapping
        why = index.explain(query, key)
        assert sum(term.share for term in why.terms) == pytest.approx(why.score, abs=1e-6)
        assert why.score == index.score(query, key)


@given(corpora, queries)
def test_the_first_few_are_those_of_the_whole_ranking(labs: list[LabDoc], query: Query) -> None:
    index = LabIndex.fit(labs, concepts=CONCEPTS)
    assert index.rank(query, 2) == index.rank(query, 100)[:2]


def test_what_concepts_add_counts_at_most_as_much_as_the_own_words() -> None:
    index = LabIndex.fit(LABS, concepts=CONCEPTS)
    for text in ("sparse models of language", "learning on mobile phones"):
        for _, why in index.rank_explained(Query([Topic(text)])):
            own = sum(term.share for term in why.terms if term.source != "concept")
            assert own >= sum(term.share for term in why.terms if term.source == "concept")


def test_added_words_alone_make_no_fit() -> None:
    index = LabIndex.fit(LABS, concepts=CONCEPTS)
    query = Query([Topic("learning on mobile phones")])
    assert "federated" in [match.lab for match in (*index.rank(query), *index.related(query))]
    only_added = LabIndex.fit([SERVING, LabDoc("f", "Federated learning.", ())], concepts=CONCEPTS)
    plain = Query([Topic("mobile phones")])
    assert "f" not in [match.lab for match in only_added.rank(plain)]
    (match,) = only_added.related(plain)
    assert (match.lab, match.fits) == ("f", False)


def test_many_labs_are_ranked_like_each_by_itself() -> None:
    dice = np.random.default_rng(5)
    words = "graph cache model kernel learning privacy robot vision query tensor".split()  # noqa: SIM905 - easier to read
    labs = [
        LabDoc(f"lab{number:03d}", "", [WorkDoc(str(work), " ".join(dice.choice(words, 5)), "") for work in range(4)])
        for number in range(300)
    ]
    index = LabIndex.fit(labs)
    query = Query([Topic("graph kernel learning")])
    scores = sorted((-index.score(query, lab.key), lab.key) for lab in labs)
    assert [(-match.score, match.lab) for match in index.rank(query, 20)] == scores[:20]
    assert index.rank(query, 300)[:20] == index.rank(query, 20)


def test_words_for_scores_do_not_depend_on_the_query() -> None:
    assert [strength(score) for score in (0.0, formula.FAIR, formula.STRONG, 1.0)] == [
        "slight",
        "fair",
        "strong",
        "strong",
    ]


def test_a_resume_whose_words_make_one_term_together_is_ranked() -> None:
    index = LabIndex.fit([LabDoc("tuning", "", [WorkDoc("a", "", "finetuning")])])
    (match,) = index.rank(Query(resume="fine-tuning", resume_weight=1.0))
    assert match.lab == "tuning"
    assert 0 < match.score <= 1
