from __future__ import annotations

import pickle
import random
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc, compiled, read_concepts
from portal.matching.segments import bounds, common, singles
from portal.matching.segments.fitting import segment_of
from portal.matching.segments.kernel_arrays import arrays_of
from portal.matching.segments.layers import Layer, State

from .corpus import LABS, corpora, labs, queries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from portal.matching.segments.segment import Segment

pytestmark = pytest.mark.usefixtures("kernels")

CONCEPTS = read_concepts(
    """
    [[concept]]
    plain = ["neural"]
    terms = ["GPU cache"]
    why = "To have one."
    added_by = "a test"
    """
)
WORDS = [
    first + second for first in ("graph", "cache", "robot", "gene", "tensor") for second in ("ics", "um", "al", "ix")
]


def both_ways(answer: Callable[[], object]) -> tuple[object, object]:
    """What the kernels answer, and what NumPy does."""
    compiled.use(True)
    first = answer()
    compiled.use(False)
    return first, answer()


def everything(index: LabIndex, query: Query, wanted: Sequence[int]) -> object:
    explained = index.rank_explained(query, max(wanted))
    return (
        [index.rank(query, k) for k in wanted],
        [(match, why.lab, why.score, why.fits, why.terms) for match, why in explained],
        [why.whole() for why in map(partial(index.explain, query), index.keys())],
        [index.scores(query, index.keys()), *map(partial(index.score, query), index.keys())],
    )


def text(dice: random.Random, length: int) -> str:
    return " ".join(dice.choices(WORDS, weights=[1 / rank for rank in range(1, len(WORDS) + 1)], k=length))


def random_lab(key: str, dice: random.Random, most_works: int = 7) -> LabDoc:
    works = [WorkDoc(f"w{work:03d}", text(dice, 3), text(dice, 9)) for work in range(dice.randrange(most_works))]
    return LabDoc(key, text(dice, dice.randrange(6)), works)


def random_query(dice: random.Random) -> Query:
    topics = [Topic(text(dice, dice.randrange(1, 6)), dice.choice((0.5, 1, 2))) for _ in range(dice.randrange(1, 4))]
    # Words that no lab uses count in the floor of a resume alone.
    others = " baskets from willow, apples and gardens" * dice.choice((0, 1, 9))
    return Query(topics, resume=text(dice, dice.choice((0, 0, 150))) + others, correct_spelling=False)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    corpora,
    queries,
    st.lists(labs, max_size=3),
    st.lists(st.integers(0, 5), max_size=2),
    st.integers(0, 3),
    st.floats(0, 1),
)
def test_kernels_and_numpy_give_the_same_numbers(
    fitted: list[LabDoc], query: Query, edits: list[LabDoc], removed: list[int], few: int, dense: float
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(common, "FEW_ROWS", few)
        patch.setattr(common, "FEW_LABS", 0)
        patch.setattr(bounds, "_DENSE_FROM", dense)
        patch.setattr(singles, "_WORTH_IT", 0)
        index = LabIndex.fit(fitted, concepts=CONCEPTS)
        for lab in edits:
            index.replace(lab)
        for place in removed:
            if index.keys():
                index.remove(index.keys()[place % len(index.keys())])
        first, second = both_ways(lambda: everything(index, query, (1, 2, 20)))
        assert first == second


@pytest.mark.parametrize("most_works", [7, 30, 60, 300])
def test_the_same_in_a_corpus_of_many_labs_with_edits(tmp_path: Path, most_works: int) -> None:
    dice = random.Random(13)  # noqa: S311 - the same labs in every run
    fitted = [random_lab(f"lab{number:04d}", dice, most_works if number % 97 == 5 else 7) for number in range(700)]
    LabIndex.fit(fitted).save(tmp_path / "index")
    index = LabIndex.load(tmp_path / "index")
    base = index._state.layers[0].segment
    assert len(base.common.terms) > 20
    wide = most_works > 64
    assert base.common.cells.packed.itemsize == (4 if wide else 2)
    assert base.common.cells.low_bits == {30: 7, 60: 6}.get(most_works, 8)
    if wide:  # as in an index of more labs than 16 bits can number, with more terms than they can count
        labs_of_bounds = replace(base.bounds, labs=base.bounds.labs.astype(np.uint32))
        common = replace(base.common, within=base.common.within.astype(np.uint32))
        index._state = State((Layer(replace(base, bounds=labs_of_bounds, common=common)),))
    for step in range(12):
        if step % 3:
            index.replace(random_lab(f"lab{dice.randrange(900):04d}", dice))
        query = random_query(dice)
        first, second = both_ways(
            lambda query=query: (  # type: ignore[misc]  # has no types
                [index.rank(query, k) for k in (1, 20, 300, 1000)],
                [(match, why.terms) for match, why in index.rank_explained(query, 40)],
            )
        )
        assert first == second


def test_an_edit_gives_the_same_lengths_and_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(singles, "_WORTH_IT", 0)
    dice = random.Random(5)  # noqa: S311 - the same labs in every run
    weights = LabIndex.fit([random_lab(f"lab{number:04d}", dice, 30) for number in range(60)])._weights
    assert len(weights.singles)
    assert len(weights.table)
    edits = [random_lab("lab", dice, most) for most in (1, 2, 40, 300)]
    edits.append(LabDoc("new", "Words that nobody has: zeugma, zygote.", [WorkDoc("w", "Zeugmas of zygotes", "")]))
    for lab in [*edits, LabDoc("empty", "", [WorkDoc("w", "", "")])]:
        first, second = both_ways(lambda lab=lab: of_segment(segment_of([lab], weights)))  # type: ignore[misc]
        assert first == second


def of_segment(segment: Segment) -> object:
    return [array.tobytes() for array in (segment.idf, segment.inverse_length, segment.inverse_focus)]


def test_equal_scores_come_by_key() -> None:
    same = [
        LabDoc(f"lab{number * 37 % 100:02d}", "Graph caches.", [WorkDoc("w", "Robots", "")]) for number in range(100)
    ]
    index = LabIndex.fit(same)
    index.replace(LabDoc("lab50a", "Graph caches.", [WorkDoc("w", "Robots", "")]))
    first, second = both_ways(lambda: [index.rank(Query([Topic("graph caches")]), k) for k in (1, 20, 64, 200)])
    assert first == second
    compiled.use(True)
    ranked = [match.lab for match in index.rank(Query([Topic("graph caches")]), 60)]
    assert ranked == sorted(index.keys())[:60]


def test_of_many_labs_that_share_a_word_and_do_not_fit_none_is_given() -> None:
    dice = random.Random(3)  # noqa: S311 - the same labs in every run
    others = ["transformer oil pressure", "graphics of old maps", "cacheum opera singing"]
    index = LabIndex.fit([random_lab(f"lab{number:04d}", dice) for number in range(900)])
    for wish in others:
        query = Query([Topic(wish)], correct_spelling=False)
        first, second = both_ways(lambda query=query: everything_ranked(index, query))  # type: ignore[misc]
        assert first == second


def everything_ranked(index: LabIndex, query: Query) -> object:
    return [index.rank(query, k) for k in (1, 20, 900)]


def test_an_index_that_travels_finds_its_arrays_anew() -> None:
    index = LabIndex.fit(LABS)
    query = Query([Topic("LLM serving")])
    compiled.use(True)
    before = index.rank(query)
    other = pickle.loads(pickle.dumps(index))  # noqa: S301 - our own
    assert other._state.layers[0].segment.kernel_cache.arrays is None
    assert other.rank(query) == before
    assert arrays_of(other._state.layers[0].segment) is not None


def test_without_numba_numpy_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled.use(False)
    expected = LabIndex.fit(LABS).rank(Query([Topic("LLM serving")]))
    compiled.use(True)
    monkeypatch.setattr(compiled, "find_spec", lambda _: None)
    monkeypatch.setattr(compiled, "_compiler", compiled._Compiler())
    assert not compiled.ready(wait=True)
    assert LabIndex.fit(LABS).rank(Query([Topic("LLM serving")])) == expected


def test_a_large_index_has_the_kernels_compiled_by_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rows = len(LABS) + sum(len(lab.works) for lab in LABS)
    begun: list[bool] = []
    monkeypatch.setattr(compiled, "start", lambda: begun.append(True))
    monkeypatch.setattr(compiled, "MANY_ROWS", rows + 1)
    LabIndex.fit(LABS).save(tmp_path / "index")
    LabIndex.load(tmp_path / "index")
    assert not begun
    monkeypatch.setattr(compiled, "MANY_ROWS", rows)
    LabIndex.load(tmp_path / "index")
    assert len(begun) == 1
    LabIndex.fit(LABS)
    assert len(begun) == 2


def test_a_long_pool_has_the_kernels_compiled_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[bool] = []
    monkeypatch.setattr(compiled, "start", lambda: begun.append(True))
    monkeypatch.setattr(compiled, "MANY_QUERIES", 30)
    monkeypatch.setattr(compiled, "_compiler", compiled._Compiler())
    index, queries = LabIndex.fit(LABS), {str(number): Query([Topic("serving")]) for number in range(29)}
    list(index.rank_pool(queries, n_jobs=1))
    assert not begun
    list(index.rank_pool({"one more": Query([Topic("serving")])}, n_jobs=1))
    assert begun == [True]


def test_what_cannot_be_compiled_is_logged_and_numpy_answers(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    entry = import_module("portal.matching.kernels.entry")

    def fail() -> None:
        raise RuntimeError("no room")

    monkeypatch.setattr(entry, "compile_all", fail)
    monkeypatch.setattr(compiled, "_compiler", compiled._Compiler())
    assert not compiled.ready(wait=True)
    assert "NumPy answers" in caplog.text


def test_a_cache_that_cannot_be_written_or_read_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numba = import_module("numba")
    entry = import_module("portal.matching.kernels.entry")
    tiny = import_module("portal.matching.kernels.terms").bisected
    signature = (numba.int64[::1], numba.int64)
    numbers = np.array([3, 5, 8])
    (tmp_path / "file").write_text("", encoding="ascii")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "file" / "folder"))
    assert entry._compiled(tiny, signature)(numbers, 5) == 1
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    assert entry._compiled(tiny, signature)(numbers, 5) == 1
    written = [file for file in (tmp_path / "cache").rglob("*") if file.is_file()]
    assert {file.suffix for file in written} == {".nbi", ".nbc"}
    for file in written:
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert entry._compiled(tiny, signature)(numbers, 8) == 2
