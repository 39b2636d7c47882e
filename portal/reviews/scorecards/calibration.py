"""Calibrated means: reviewers' scores corrected for each reviewer's leniency or severity.

A card's score is the plain mean of its criteria, in points from 1 to 5; cards of abstaining reviewers are not passed
in. The model is additive: score of reviewer j on applicant i = applicant i + leniency of j + noise. Leniency is
estimated only from applicants with several reviewers, by comparing their cards on the same applicant: a reviewer who
happened to read better applicants does not count as lenient.

With N the number of cards of each reviewer on each applicant and n_i the cards on applicant i, eliminating the
applicants gives the normal equations of the leniencies b, S b = r, where S_jk = [j = k] n_j − Σ_i N_ij N_ik / n_i and
r_j = Σ over j's cards of (score − mean of the applicant's cards). The leniencies are taken as drawn from one normal
distribution with variance t; the noise has variance s. The empirical Bayes estimate (the best linear unbiased
prediction) is then b = (S + (s/t) I)⁻¹ r: leniency is multiplied by about n / (n + s/t) for n comparisons of a
reviewer, so few cards shrink it to almost nothing, as in the James–Stein estimator. s and t are estimated by fitting
constants: R = rᵀ S⁺ r has the expectation s · rank(S) + t · trace(S), and the rest of the sum of squares within
applicants is s times its degrees of freedom.

An applicant's calibrated mean is the mean of score − leniency over their cards, clipped to 1 to 5 points.

Sources: C. R. Henderson (1953), Estimation of variance and covariance components, Biometrics 9, method 3;
C. R. Henderson (1975), Best linear unbiased estimation and prediction under a selection model, Biometrics 31;
B. Efron and C. Morris (1975), Data analysis using Stein's estimator and its generalizations, JASA 70.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LOWEST, HIGHEST = 1.0, 5.0  # points
LEAST_COMPARED = 5
"""On so many applicants, scored by others as well, a reviewer's card is needed before leniency is looked at."""
LEAST_SHRINKAGE = 1.0
"""Noise over leniency, in cards: however well two reviewers agree, their cards count as if one more showed none."""
TINY = 1e-9


class Card(NamedTuple):
    """A locked scorecard: reviewer, applicant (both by id) and score in points from 1 to 5."""

    applicant: int
    reviewer: int
    score: float


class Means(NamedTuple):
    """The means of one applicant, in points from 1 to 5: number of cards, raw, calibrated, lowest and highest."""

    cards: int
    raw: float
    calibrated: float
    lowest: float
    highest: float


class Calibration(NamedTuple):
    """Means by applicant, and each reviewer's leniency in points (positive: gives more than the others).

    If not `is_calibrated`, there were too few cards; each calibrated mean is then the raw one.
    """

    means: Mapping[int, Means]
    leniency: Mapping[int, float]
    is_calibrated: bool = True


def calibrate(cards: Iterable[Card]) -> Calibration:
    """The raw and calibrated means of all applicants with a card. The order of `cards` does not matter."""
    ordered = sorted(cards, key=lambda card: (card.applicant, card.reviewer, card.score))
    enough = _are_enough(ordered)
    reviewers = sorted({card.reviewer for card in ordered})
    leniency = leniencies(ordered) if enough else dict.fromkeys(reviewers, 0.0)
    return Calibration(means_of(ordered, leniency), leniency, enough)


def means_of(cards: Iterable[Card], leniency: Mapping[int, float]) -> dict[int, Means]:
    """The means by applicant for given leniencies."""
    by_applicant: defaultdict[int, list[Card]] = defaultdict(list)
    for card in cards:
        by_applicant[card.applicant].append(card)
    return {
        applicant: Means(
            cards=len(applicant_cards),
            raw=fmean(card.score for card in applicant_cards),
            calibrated=min(max(fmean(one.score - leniency[one.reviewer] for one in applicant_cards), LOWEST), HIGHEST),
            lowest=min(card.score for card in applicant_cards),
            highest=max(card.score for card in applicant_cards),
        )
        for applicant, applicant_cards in by_applicant.items()
    }


def leniencies(cards: Sequence[Card], shrinkage: float | None = None) -> dict[int, float]:
    """The leniency of each reviewer in points, with sum zero; `shrinkage` is s/t as above, None to estimate it."""
    reviewers = sorted({card.reviewer for card in cards})
    applicants = sorted({card.applicant for card in cards})
    row = {applicant: number for number, applicant in enumerate(applicants)}
    column = {reviewer: number for number, reviewer in enumerate(reviewers)}
    counts, sums = (np.zeros((len(applicants), len(reviewers))) for _ in range(2))
    for card in cards:
        counts[row[card.applicant], column[card.reviewer]] += 1
        sums[row[card.applicant], column[card.reviewer]] += card.score
    per_applicant = counts.sum(axis=1)
    means = sums.sum(axis=1) / per_applicant
    compared = np.diag(counts.sum(axis=0)) - counts.T @ (counts / per_applicant[:, None])
    excess = sums.sum(axis=0) - counts.T @ means
    if shrinkage is None:
        within = sum((card.score - means[row[card.applicant]]) ** 2 for card in cards)
        shrinkage = _estimated_shrinkage(compared, excess, float(within), len(cards) - len(applicants))
    if shrinkage is None:
        return dict.fromkeys(reviewers, 0.0)
    solution = np.linalg.solve(compared + max(shrinkage, TINY) * np.eye(len(reviewers)), excess)
    return {reviewer: float(solution[number]) for reviewer, number in column.items()}


def _estimated_shrinkage(
    compared: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    excess: np.ndarray[tuple[int], np.dtype[np.float64]],
    within: float,
    freedom: int,
) -> float | None:
    """The noise-to-leniency ratio; None if the reviewers differ by no more than noise."""
    rank = int(np.linalg.matrix_rank(compared, tol=TINY))
    trace = float(np.trace(compared))
    if rank == 0:
        return None
    explained = float(excess @ np.linalg.pinv(compared, rcond=TINY, hermitian=True) @ excess)
    degrees_left = freedom - rank
    noise = max(within - explained, 0.0) / degrees_left if degrees_left > 0 else 0.0
    between = (explained - rank * noise) / trace
    if between <= TINY:
        return None
    return max(noise / between, LEAST_SHRINKAGE)


def _are_enough(cards: Sequence[Card]) -> bool:
    """Whether at least two reviewers each have cards on `LEAST_COMPARED` applicants whom another has scored as well."""
    on_applicant = Counter(card.applicant for card in cards)
    shared = Counter(card.reviewer for card in cards if on_applicant[card.applicant] > 1)
    return sum(number >= LEAST_COMPARED for number in shared.values()) > 1
