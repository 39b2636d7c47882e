"""Scores are kept while they are true, and made anew as soon as they are not."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from portal.labs.live_index.saved import SavedIndex
from portal.labs.live_index.state import IndexedLabs, index_records, with_corpus
from portal.matching import LabIndex, Query, Topic
from portal.reviews.scoreboard import MOST_LABS, WORTH_SAVING, Scoreboard
from portal.seeding.records import LabRecord, SystemRecord, WorkRecord

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from portal.matching import Match

LABS = tuple(
    LabRecord(
        f"lab-{number}",
        f"Lab {number}",
        interests="Serving large language models on GPU clusters.",
        works=(WorkRecord("fair", "Fair serving of models", abstract="We schedule GPU requests fairly."),),
    )
    for number in range(MOST_LABS + 1)
)
MEI, BO = Query((Topic("fair serving of models"),)), Query((Topic("GPU clusters"),))


@pytest.fixture(scope="module")
def labs() -> IndexedLabs:
    return index_records(LABS)


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Whom the matcher was asked to score, call by call."""
    calls: list[list[str]] = []
    original = LabIndex.rank_reverse

    def counted(index: LabIndex, lab: str, queries: Mapping[str, Query]) -> list[Match]:
        calls.append(sorted(queries))
        return original(index, lab, queries)

    monkeypatch.setattr(LabIndex, "rank_reverse", counted)
    return calls


def scores_of(board: Scoreboard, labs: IndexedLabs, slug: str, queries: Mapping[str, Query]) -> Mapping[str, float]:
    """What these queries score, where each tells by itself whether it is the one from before."""
    stated = {key: repr(query).encode() for key, query in queries.items()}
    return board.scores(labs, slug, stated, lambda keys: {key: queries[key] for key in keys}, at_most=1_000)


def saved(labs: IndexedLabs, record: LabRecord) -> IndexedLabs:
    """The labs with one saved profile, as the live index follows it."""
    corpus = labs.corpus
    profiles = {**corpus.profiles, record.key: record}
    return with_corpus(labs, replace(corpus, profiles=profiles, revisions={**corpus.revisions, record.key: (1, "")}))


def test_the_scores_are_those_of_the_matcher(labs: IndexedLabs) -> None:
    board = Scoreboard()
    for _ in range(2):
        scores = scores_of(board, labs, "lab-1", {"mei": MEI, "bo": BO})
        assert scores == {match.lab: match.score for match in labs.index.rank_reverse("lab-1", {"mei": MEI, "bo": BO})}


def test_scores_computed_ahead_are_those_of_each_lab_alone(labs: IndexedLabs, scored: list[list[str]]) -> None:
    edited = saved(labs, replace(LABS[2], interests="Braiding of topological qubits for fair models."))
    board, people = Scoreboard(), {"mei": MEI, "bo": BO}
    stated = {key: repr(query).encode() for key, query in people.items()}
    of_labs = {"lab-1": stated, "lab-2": stated, "lab-3": {"mei": stated["mei"]}}
    board.score_ahead(edited, of_labs, lambda keys: {key: people[key] for key in keys}, goes_on=lambda: True)
    for slug, stated_to_lab in of_labs.items():
        alone = {key: edited.index.score(people[key], slug) for key in stated_to_lab}
        assert scores_of(board, edited, slug, {key: people[key] for key in stated_to_lab}) == alone
    assert scored == []


def test_more_people_than_a_request_scores_are_scored_by_the_next_ones_and_who_is_asked_for_first(
    labs: IndexedLabs, scored: list[list[str]]
) -> None:
    board, people = Scoreboard(), {**many(), "mei": MEI}
    stated = {key: repr(query).encode() for key, query in people.items()}

    def scores(at_most: int, first: str = "") -> Mapping[str, float]:
        return board.scores(
            labs, "lab-1", stated, lambda keys: {key: people[key] for key in keys}, at_most=at_most, first=first
        )

    assert sorted(scores(3, first="mei")) == sorted(["mei", *list(many())[:2]])
    assert len(scores(3)) == 6
    assert scores(len(people)) == {key: labs.index.score(query, "lab-1") for key, query in people.items()}
    assert [len(call) for call in scored] == [3, 3, len(people) - 6]


def test_only_who_is_new_or_states_something_else_is_scored_again(labs: IndexedLabs, scored: list[list[str]]) -> None:
    board = Scoreboard()
    scores_of(board, labs, "lab-1", {"mei": MEI})
    scores_of(board, labs, "lab-1", {"mei": MEI, "bo": BO})
    both = Query((*MEI.topics, *BO.topics))
    assert scores_of(board, labs, "lab-1", {"mei": both, "bo": BO})["mei"] == labs.index.score(both, "lab-1")
    assert scored == [["mei"], ["bo"], ["mei"]]


def test_who_left_is_forgotten(labs: IndexedLabs, scored: list[list[str]]) -> None:
    board = Scoreboard()
    scores_of(board, labs, "lab-1", {"mei": MEI, "bo": BO})
    assert list(scores_of(board, labs, "lab-1", {"bo": BO})) == ["bo"]
    scores_of(board, labs, "lab-1", {"mei": MEI, "bo": BO})
    assert scored == [["bo", "mei"], ["mei"]]


def test_an_edit_of_another_lab_leaves_the_scores(labs: IndexedLabs, scored: list[list[str]]) -> None:
    board = Scoreboard()
    scores_of(board, labs, "lab-1", {"mei": MEI})
    edited = saved(labs, replace(LABS[2], interests="Braiding of topological qubits for fair models."))
    assert scores_of(board, edited, "lab-1", {"mei": MEI})["mei"] == edited.index.score(MEI, "lab-1")
    assert scored == [["mei"]]


def test_the_first_use_of_a_term_that_is_added_to_queries_makes_all_scores_anew(
    labs: IndexedLabs, scored: list[list[str]]
) -> None:
    board, query = Scoreboard(), Query((Topic("many phones learn a fair model together"),))
    scores_of(board, labs, "lab-1", {"mei": query})
    edited = saved(labs, replace(LABS[2], interests="Federated learning on phones."))
    assert scores_of(board, edited, "lab-1", {"mei": query})["mei"] == edited.index.score(query, "lab-1")
    assert scored == [["mei"], ["mei"]]


def test_an_edit_of_the_lab_makes_its_scores_anew(labs: IndexedLabs, scored: list[list[str]]) -> None:
    board = Scoreboard()
    before = scores_of(board, labs, "lab-1", {"mei": MEI})["mei"]
    edited = saved(labs, replace(LABS[1], interests="Braiding of topological qubits."))
    after = scores_of(board, edited, "lab-1", {"mei": MEI})["mei"]
    assert (after, after < before) == (edited.index.score(MEI, "lab-1"), True)
    assert scored == [["mei"], ["mei"]]


def test_a_new_name_of_a_system_of_another_lab_leaves_the_scores(labs: IndexedLabs, scored: list[list[str]]) -> None:
    board = Scoreboard()
    scores_of(board, labs, "lab-1", {"mei": MEI})
    edited = saved(labs, replace(LABS[2], systems=(SystemRecord("fair", "Fair Serving", works=("fair",)),)))
    assert scores_of(board, edited, "lab-1", {"mei": MEI})["mei"] == edited.index.score(MEI, "lab-1")
    assert scored == [["mei"]]


def test_new_weights_make_all_scores_anew(labs: IndexedLabs, scored: list[list[str]]) -> None:
    board = Scoreboard()
    scores_of(board, labs, "lab-1", {"mei": MEI})
    fitted = index_records(LABS[:3])
    assert scores_of(board, fitted, "lab-1", {"mei": MEI})["mei"] == fitted.index.score(MEI, "lab-1")
    assert scored == [["mei"], ["mei"]]


def test_the_lab_asked_for_longest_ago_goes_first(labs: IndexedLabs, scored: list[list[str]]) -> None:
    board = Scoreboard()
    for record in LABS:
        scores_of(board, labs, record.key, {"mei": MEI})
    scored.clear()
    scores_of(board, labs, LABS[-1].key, {"mei": MEI})
    scores_of(board, labs, LABS[0].key, {"mei": MEI})
    assert scored == [["mei"]]


@pytest.fixture
def kept_labs(labs: IndexedLabs, tmp_path: Path) -> IndexedLabs:
    """The labs as saved in the folder of the test."""
    fit = SavedIndex(tmp_path).save(labs)
    return replace(labs, fit=fit)


def many() -> dict[str, Query]:
    return {str(number): Query((Topic(f"fair serving of {number} models"),)) for number in range(WORTH_SAVING)}


def board_scores(folder: Path, labs: IndexedLabs, queries: Mapping[str, Query]) -> Mapping[str, float]:
    """What a process that was just started finds."""
    stated = {key: sha256(repr(query).encode()).digest() for key, query in queries.items()}
    board = Scoreboard(folder)
    return board.scores(labs, "lab-1", stated, lambda keys: {key: queries[key] for key in keys}, at_most=1_000)


def test_another_process_scores_nobody_again(kept_labs: IndexedLabs, tmp_path: Path, scored: list[list[str]]) -> None:
    first = board_scores(tmp_path, kept_labs, many())
    assert board_scores(tmp_path, kept_labs, many()) == first
    assert board_scores(tmp_path, kept_labs, {**many(), "bo": BO})["bo"] == kept_labs.index.score(BO, "lab-1")
    assert scored == [sorted(many()), ["bo"]]


def test_what_was_scored_before_a_kill_is_not_scored_again(
    kept_labs: IndexedLabs, tmp_path: Path, scored: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.reviews.scoreboard.READ_AT_ONCE", WORTH_SAVING)
    monkeypatch.setattr("portal.reviews.scoreboard.KEPT_EVERY", WORTH_SAVING)
    people = {**many(), "zoe": BO, "zora": MEI}
    stated = {"lab-1": {key: sha256(repr(query).encode()).digest() for key, query in people.items()}}

    steps: list[str] = []

    def killed() -> bool:
        if steps:  # what is on disk at the second step is all that a kill would leave
            board_scores(tmp_path, kept_labs, people)
        steps.append("")
        return True

    board = Scoreboard(tmp_path)
    board.score_ahead(kept_labs, stated, lambda keys: {key: people[key] for key in keys}, goes_on=killed)
    assert scored == [["zoe", "zora"]]


@pytest.mark.parametrize(
    "edit",
    [
        replace(LABS[1], interests="Braiding of topological qubits."),
        replace(LABS[2], interests="Federated learning on phones."),
    ],
    ids=["of the lab", "of how queries are read"],
)
def test_saved_scores_are_not_used_after_an_edit(
    kept_labs: IndexedLabs, tmp_path: Path, scored: list[list[str]], edit: LabRecord
) -> None:
    board_scores(tmp_path, kept_labs, many())
    edited = saved(kept_labs, edit)
    found = board_scores(tmp_path, edited, many())
    assert found == {key: edited.index.score(query, "lab-1") for key, query in many().items()}
    assert len(scored) == 2


def test_damaged_scores_are_computed_anew(kept_labs: IndexedLabs, tmp_path: Path, scored: list[list[str]]) -> None:
    first = board_scores(tmp_path, kept_labs, many())
    (file,) = tmp_path.rglob("scores/*.npz")
    file.write_bytes(b"PK\x03\x04 no more")
    assert board_scores(tmp_path, kept_labs, many()) == first
    assert len(scored) == 2


def test_the_next_fit_takes_the_scores_of_the_one_before_away(kept_labs: IndexedLabs, tmp_path: Path) -> None:
    board_scores(tmp_path, kept_labs, many())
    assert len(list(tmp_path.rglob("*.npz"))) == 1
    SavedIndex(tmp_path).save(index_records(LABS[:3]))
    assert list(tmp_path.rglob("*.npz")) == []
