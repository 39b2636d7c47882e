"""Queries that nobody asked, so that the first who asks need not wait for what is computed on first use."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from portal.matching import Query, Topic
from portal.matching.privacy.late_patterns import compile_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.labs.live_index.labs import Fit, IndexedLabs

logger = logging.getLogger(__name__)

MISSPELT = "modles"
"""A word that no lab uses: it has the words counted that it could be corrected to."""
LETTERS = 500


class Rehearsals:
    """What one process has computed after each fit, before anybody asks for it."""

    def __init__(self) -> None:
        self._acts: list[Callable[[IndexedLabs], object]] = [ask]
        self._last: Fit | None = None

    def add(self, act: Callable[[IndexedLabs], object]) -> None:
        """Have this done after each fit as well."""
        self._acts.append(act)

    def run(self, labs: IndexedLabs) -> None:
        """Do everything for a fit, once. What fails is logged; who asks for it first is told why it fails."""
        if not labs.is_searchable or labs.fit is self._last:
            return
        self._last = labs.fit
        for act in self._acts:
            try:
                act(labs)
            except Exception:  # as the docstring says
                logger.exception("The index answers, but could not be rehearsed")


def ask(labs: IndexedLabs) -> None:
    """Rank and explain for the words of the first lab with a work, one of them misspelt."""
    index = labs.index
    lab = next((lab for lab in map(index.lab, index.keys()) if lab.works), None)
    if lab is None:
        return
    topic = Topic(f"{lab.works[0].title[:LETTERS]} {MISSPELT}")
    query = Query((topic,), statement=lab.profile[:LETTERS], resume=lab.works[-1].abstract[:LETTERS])
    for _, why in index.rank_explained(query, k=1):
        _ = why.evidence, why.missing
    compile_all()  # what is left out of resumes
