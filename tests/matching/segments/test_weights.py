"""Looking terms up together gives the same as looking them up one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from portal.matching import LabDoc, LabIndex
from portal.matching.language import hashing
from portal.matching.language.hashing import mixed, polynomial, term_number
from portal.matching.segments import singles
from portal.matching.segments.weights import Weights
from tests.matching.corpus import FEDERATED, LABS, THEORY

if TYPE_CHECKING:
    from portal.matching.query.lexicon import Lexicon

pytestmark = pytest.mark.usefixtures("kernels")

FOUND = ["feder", "label", "federlearn", "learn", "kv", "\x1edejavu", "kmean", "kmeans++"]
NOT_FOUND = [
    "",
    "c++",
    "glacier",
    "federglaci",
    "x" * 90,
    "two words",
    "two\nlines",
    "\n",
    "caf\u00e9",
    "大学",
    "\ud800",
]


@pytest.fixture(params=[False, True], ids=["in one table", "those that occur once apart"])
def index(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> LabIndex:
    if request.param:
        monkeypatch.setattr(singles, "_WORTH_IT", 0)
        monkeypatch.setattr("portal.matching.segments.common.FEW_LABS", 0)
    index = LabIndex.fit(LABS)
    assert bool(len(index._weights.singles)) == request.param
    return index


def lexicon_of(index: LabIndex) -> Lexicon:
    return index._answers(index._state).question.__self__.lexicon  # type: ignore[attr-defined,no-any-return]


def test_of_many_terms_the_same_is_known_as_of_each(index: LabIndex) -> None:
    weights, generator = index._weights, np.random.default_rng(3)
    keys = [*FOUND, *NOT_FOUND]
    for _ in range(60):
        drawn = [keys[place] for place in generator.integers(len(keys), size=generator.integers(1, 9))]
        together = Weights(weights.table, weights.idf, weights.singles, weights.works)
        hashing._numbers.clear()
        of_each = together.of_few(drawn)
        assert [term_number(key) for key in drawn] == [mixed(polynomial(key)) for key in drawn]
        by_itself = Weights(weights.table, weights.idf, weights.singles, weights.works)
        assert of_each == [by_itself.of(key) for key in drawn]
        assert [key in together for key in drawn] == [key in by_itself for key in drawn]
    assert [key for key in keys if key in weights] == FOUND


def test_ascii_terms_are_looked_up_by_kernels_alone(index: LabIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = Weights(index._weights.table, index._weights.idf, index._weights.singles, index._weights.works)
    monkeypatch.setattr(hashing._numbers, "_compute", pytest.fail)
    hashing._numbers.clear()
    weights.look_up(FOUND)
    assert weights.of_few(FOUND)
    assert "feder" in weights


def test_a_lexicon_knows_what_its_state_does(index: LabIndex) -> None:
    index.replace(LabDoc("glaciers", "Glaciers and labels.", ()))
    index.replace(LabDoc(FEDERATED.key, "Volcanoes.", ()))
    index.remove(THEORY.key)
    uses, state = lexicon_of(index).uses, index._state
    keys = [*FOUND, *NOT_FOUND, "volcano"]
    assert [uses(key) for key in keys] == [state.uses(key) for key in keys]
    assert uses("glacier")
    assert uses("volcano")
