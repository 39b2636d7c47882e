"""Which terms a text holds is what `mark` would mark, each term by itself."""

from __future__ import annotations

from portal.matching import mark, occurring

TEXT = "We serve large language models on GPU clusters; schedulers share the GPUs fairly."
WANTED = ("language model", "models", "gpu", "cluster gpu", "scheduling", "scheduler", "compiler", "")


def test_terms_occur_where_each_by_itself_is_marked() -> None:
    found = occurring(TEXT, WANTED)
    assert found == {term for term in WANTED if mark(TEXT, [term])}
    assert {"language model", "gpu"} <= found
    assert "compiler" not in found
