"""The formula of the score, all of it.

    score(lab) = ½ · cos(query, focus of the lab) + ½ · (sum of the cosines of its three best works) / 3

The focus is the centroid of the lab's works and its profile, which counts as three works. Works, profiles, foci and
queries have length 1, so a cosine is a sum of products. What concepts add to a query is scored by the same formula with
the vector of the added terms (of length 1 at most), and only re-orders labs that fit, by a small part of what their own
words weigh:

    total(lab) = own(lab) + 0.15 · min(own(lab), added(lab)) · (1 - own(lab))

A lab fits by the query's own words alone: see `fits`. One that does not may be related by what is added: see
`related`. Weights of terms are (1 + ln frequency) · idf, the idf smoothed, over works and profiles; they are computed
by scikit-learn's `TfidfVectorizer` (`fitting.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Floats = NDArray[np.float64]
    Singles = NDArray[np.float32]
    Ints = NDArray[np.int64]

PROFILE_WEIGHT = 3.0
"""Works that a profile counts as in the focus of its lab."""
BEST_WORKS = 3
FOCUS = 0.5
"""The share of the focus in the score; the rest is that of the best works."""
OF_EACH_WORK = (1 - FOCUS) / BEST_WORKS
ADDED = 0.15
"""What added terms count of the own words of a lab that fits; more made the first lab of topics worse."""
LEAST_SUPPORT = 0.42
"""The least share of what a part of a query says that a lab that fits has; see `Reading.needs` and docs/matching.md."""
LEAST_SCORE = 0.01
"""The least score of a lab that fits."""
STRONG, FAIR = 0.15, 0.048
"""The least scores of a strong and of a fair match, see docs/matching.md. A lab with a fair one fits in any case."""
FULL = 0.4
"""The score that fills a bar; hardly any is higher."""
_AT_ONCE = 4_096
"""Labs whose best works are found together; bounds the memory."""

Strength = Literal["strong", "fair", "slight"]


def strength(score: float) -> Strength:
    """What a score means, the same for every query."""
    return "strong" if score >= STRONG else "fair" if score >= FAIR else "slight"


def foci(rows: csr_array, members: csr_array) -> tuple[csr_array, Floats]:
    """The focus of each lab, and the factor that made its length 1.

    `members` has a row for each lab, with the weights of the lab's rows in its focus.
    """
    sums: Any = members @ rows
    lengths = np.sqrt(np.asarray(sums.multiply(sums).sum(axis=1)).ravel())
    factors = np.divide(1.0, lengths, out=np.zeros_like(lengths, dtype=np.float64), where=lengths > 0)
    sums.data *= np.repeat(factors.astype(np.float32), np.diff(sums.indptr))
    sums.sort_indices()
    return sums, factors


def best_works(of_works: Singles, first_work: Ints, labs: Ints) -> tuple[Ints, Floats]:
    """The numbers of the three best works of each of `labs`, rising, and the sums of their cosines.

    `first_work` has the number of each lab's first work, and the number of all works at its end. Where a work would
    share no term, its number is -1.
    """
    if len(labs) > _AT_ONCE:
        parts = [best_works(of_works, first_work, labs[at : at + _AT_ONCE]) for at in range(0, len(labs), _AT_ONCE)]
        return np.concatenate([works for works, _ in parts]), np.concatenate([sums for _, sums in parts])
    starts = first_work[labs][:, None]
    lengths = first_work[labs + 1][:, None] - starts
    places = np.arange(max(int(lengths.max(initial=0)), BEST_WORKS))
    # Cosines of rows behind the works of a lab are read, too, and count as zero.
    values: Singles = (places < lengths) * (
        of_works.take(starts + places, mode="clip") if len(of_works) else np.float32(0)
    )
    # In an order that does not depend on which labs are looked at together, so that sums are the same to the last bit.
    best = np.argsort(-values, axis=1, kind="stable")[:, :BEST_WORKS]
    of_best = values[np.arange(len(labs))[:, None], best]
    numbers = np.where(of_best > 0, starts + best, -1)
    numbers.sort(axis=1)
    sums: Floats = of_best.sum(axis=1, dtype=np.float64)
    return numbers, sums


def most(focus: Floats, of_works: Singles, first_work: Ints, at_most: Floats) -> Floats:
    """For each lab, a bound of its score: what it would be if all of its best works were as good as the best.

    `at_most` is `of_equal_works(first_work)`.
    """
    best = np.zeros(len(focus))
    has_works = at_most > 0
    if has_works.any():
        # Cosines are not negative, and so in the order of their bits, which are compared in half the time.
        some = slice(None) if has_works.all() else has_works
        bits = np.maximum.reduceat(of_works.view(np.int32), first_work[:-1][some])
        best[some] = bits.view(np.float32)
    bounds: Floats = FOCUS * focus + at_most * best
    return bounds


def of_equal_works(first_work: Ints) -> Floats:
    """What the best works of each lab count together if all of them are as good."""
    return OF_EACH_WORK * np.minimum(np.diff(first_work), BEST_WORKS)


def own(focus: Floats, of_works: Singles, first_work: Ints, labs: Ints) -> tuple[Floats, Ints]:
    """The scores of `labs`, and the best works of each."""
    works, sums = best_works(of_works, first_work, labs)
    return FOCUS * focus[labs] + OF_EACH_WORK * sums, works


def total(of_own: Floats, of_added: Floats) -> Floats:
    """The scores with what concepts add, for labs that fit."""
    return of_own + ADDED * np.minimum(of_own, of_added) * (1 - of_own)


def related(of_own: Floats, of_added: Floats) -> Floats:
    """The scores of labs that do not fit, as concepts suggest them."""
    return of_own + of_added * (1 - of_own)


def fits(support: Floats, of_own: Floats) -> NDArray[np.bool_]:
    """Which labs fit, from the shares of what the parts of a query say that they have, and from their scores.

    `support` has a row for each part and a column for each lab; `of_own` are the scores by the query's own words.
    """
    enough = (support >= LEAST_SUPPORT).any(axis=0)
    fit: NDArray[np.bool_] = (enough & (of_own >= LEAST_SCORE)) | (of_own >= FAIR)
    return fit
