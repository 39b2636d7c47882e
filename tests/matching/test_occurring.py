"""The terms that occur in a text are those that `mark` finds, each by itself."""

from __future__ import annotations

from portal.matching import mark, occurring

TEXT = "We serve large language models on GPU clusters; schedulers share the GPUs fairly."
WANTED = ("language model", "models", "gpu", "cluster gpu", "scheduling", "scheduler", "compiler", "")


def test_terms_occur_where_each_by_itself_is_marked() -> None:
    terms = occurring(TEXT, WANTED)
    assert terms == {term for term in WANTED if mark(TEXT, [term])}
    assert {"language model", "gpu"} <= terms
    assert "compiler" not in terms
