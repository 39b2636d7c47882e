"""The effect of a change of the concepts, and how many labs use a term, both computed with the matcher itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from portal.labs.concepts import trial as concepts_trial
from portal.labs.concepts import usage as concepts_usage
from portal.labs.concepts.in_use import shipped_concepts
from portal.labs.concepts.trial import Applied, Chain, Trial, try_concepts
from portal.labs.concepts.usage import TermUsage, Usage
from portal.labs.live_index.labs import with_corpus
from portal.labs.live_index.live import IndexedLabs, index_records
from portal.matching import Concept, LabIndex, Query, Topic
from portal.seeding.records import LabRecord, SystemRecord, WorkRecord

CARD = Concept(("video card",), ("GPU",), "Sold so.", "Ada", 0.9)
PROTEIN = Concept(("body chemistry",), ("protein folding",), "Is so.", "Ada", 0.9)


def lab(key: str, *titles: str) -> LabRecord:
    works = tuple(WorkRecord(f"w{number}", title) for number, title in enumerate(titles))
    return LabRecord(key, f"Lab {key}", works=works)


LABS = [
    lab("chips", "Scheduling GPU clusters", "GPU memory for training", "Kernels on a GPU"),
    lab("cells", "Protein folding at scale", "Folding of a protein", "Cells under a microscope"),
    lab("video", "Video streaming over mobile networks", "Coding of video", "Card games and video"),
]


@pytest.fixture(scope="module")
def labs() -> IndexedLabs:
    return index_records(LABS)


def ranks(trial: Trial) -> dict[str, tuple[int | None, int | None]]:
    return {row.slug: (row.rank_before, row.rank_after) for row in trial.rows}


def test_a_new_concept_moves_the_labs_as_the_matcher_will_after_saving(labs: IndexedLabs) -> None:
    text = "a video card"
    trial = try_concepts(labs, text, (), (CARD,))
    assert ranks(trial)["chips"][0] is None
    assert ranks(trial)["chips"][1] is not None
    saved = LabIndex.fit([labs.index.lab(key) for key in labs.index.keys()], concepts=(CARD,))  # noqa: SIM118  (no dict)
    query = Query((Topic(text),))
    assert {row.slug: row.rank_after for row in trial.rows if row.rank_after} == {
        match.lab: match.rank for match in saved.rank(query)
    }
    assert {row.slug: row.score_after for row in trial.rows} == {
        row.slug: saved.score(query, row.slug) for row in trial.rows
    }
    chips = next(row for row in trial.rows if row.slug == "chips")
    assert (chips.name, chips.chains, chips.moved) == ("Lab chips", (Chain("video card", ("GPU",)),), None)
    assert (trial.labs, trial.changes_nothing) == (3, False)


def test_it_is_the_same_whichever_concepts_the_live_index_knows(labs: IndexedLabs) -> None:
    before = shipped_concepts()
    others = with_corpus(labs, replace(labs.corpus, concepts=(PROTEIN,)))
    trials = [
        try_concepts(indexed, "a GPU for body chemistry", before, (*before, PROTEIN)) for indexed in (labs, others)
    ]
    assert trials[0] == trials[1]
    assert ranks(trials[0]) == {"cells": (None, 1)}


def test_scores_are_those_of_the_live_index_once_the_change_is_saved(labs: IndexedLabs) -> None:
    trial = try_concepts(labs, "a video card", shipped_concepts(), (CARD,))
    saved = with_corpus(labs, replace(labs.corpus, concepts=(CARD,)))
    matches = saved.index.rank(Query((Topic("a video card"),)))
    assert [(row.slug, row.score_after) for row in trial.rows] == [(match.lab, match.score) for match in matches]
    assert [match.lab for match in matches] == ["chips", "video"]


def test_which_concepts_apply_is_told_in_any_inflection_and_misspelt(labs: IndexedLabs) -> None:
    trial = try_concepts(labs, "two Vidoe Cards for me", (CARD, PROTEIN), (replace(CARD, strength=0.1), PROTEIN))
    assert trial.applied == (Applied(0, ("video card",), ("GPU",)),)


def test_a_concept_that_does_not_apply_changes_nothing(labs: IndexedLabs) -> None:
    trial = try_concepts(labs, "protein folding", (), (CARD,))
    assert (trial.applied, trial.changes_nothing) == ((), True)
    assert [row.moved for row in trial.rows] == [0] * len(trial.rows)


def test_what_fits_nobody_is_an_empty_list(labs: IndexedLabs) -> None:
    assert try_concepts(labs, "medieval poetry", (), (CARD,)).rows == ()
    assert try_concepts(index_records([]), "a video card", (), (CARD,)).rows == ()


def test_whole_terms_are_told_where_a_lab_has_all_of_them(labs: IndexedLabs) -> None:
    trial = try_concepts(labs, "body chemistry", (), (PROTEIN,))
    assert [(row.slug, row.chains) for row in trial.rows] == [
        ("cells", (Chain("body chemistry", ("protein folding",)),))
    ]


def test_of_many_labs_the_first_are_listed_and_all_are_ranked(
    labs: IndexedLabs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concepts_trial, "SHOWN", 1)
    trial = try_concepts(labs, "video card protein", (PROTEIN,), (CARD, PROTEIN))
    assert trial.labs == 3
    everybody = [
        match.lab for match in labs.index.with_concepts((PROTEIN,)).rank(Query((Topic("video card protein"),)))
    ]
    assert ranks(trial) == {"chips": (None, 1)}
    assert "chips" not in everybody


SYSTEM = replace(LABS[0], systems=(SystemRecord("hexgen", "HexGen", works=("w0",)),))


def test_labs_that_use_a_term_are_counted_in_any_inflection() -> None:
    usage = TermUsage()
    labs = index_records([SYSTEM, *LABS[1:]])
    assert usage.of_each(
        labs, [("GPUs",), ("protein foldings", "videos"), ("card protein",), ("HexGen", "nowhere"), ("!",)]
    ) == [
        Usage(1, (), at_least=False),
        Usage(2, (), at_least=False),
        Usage(0, ("card protein",), at_least=False),
        Usage(1, ("nowhere",), at_least=False),
        Usage(0, ("!",), at_least=False),
    ]


def test_a_saved_profile_is_counted_anew() -> None:
    usage = TermUsage()
    assert usage.of(index_records(LABS), ("GPU",)).labs == 1
    assert usage.of(index_records([*LABS, lab("more", "A GPU for all")]), ("GPU",)).labs == 2


def test_among_many_labs_those_nearest_to_the_term_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concepts_usage, "READ_QUICKLY", 1)
    usage = TermUsage().of_each(index_records(LABS), [("GPU", "protein folding"), ("poetry",)])
    assert usage == [Usage(2, (), at_least=True), Usage(0, ("poetry",), at_least=True)]
