"""A heap of the best labs so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from portal.matching.kernels.memory import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Ints = NDArray[np.int32]
    Doubles = NDArray[np.float64]


class BestLabs(NamedTuple):
    """The best labs so far as a heap with the worst on top; `order` is the order of the labs' keys."""

    scores: Doubles
    labs: Longs
    order: Ints


@kernel
def is_before(score: float, lab: int, other_score: float, other_lab: int, best: BestLabs) -> bool:
    """Whether a lab ranks before another one."""
    return score > other_score or (score == other_score and best.order[lab] < best.order[other_lab])


@kernel
def swap(best: BestLabs, place: int, other_place: int) -> None:
    """Swap two labs of the heap."""
    best.scores[place], best.scores[other_place] = best.scores[other_place], best.scores[place]
    best.labs[place], best.labs[other_place] = best.labs[other_place], best.labs[place]


@kernel
def sink(best: BestLabs, count: int) -> None:
    """Sift the lab on top of a heap of `count` labs down to where it belongs."""
    parent = 0
    while True:
        worst = parent
        for child in range(2 * parent + 1, min(2 * parent + 3, count)):
            if is_before(best.scores[worst], best.labs[worst], best.scores[child], best.labs[child], best):
                worst = child
        if worst == parent:
            return
        swap(best, parent, worst)
        parent = worst


@kernel
def push(score: float, lab: int, count: int, best: BestLabs) -> int:
    """Push a lab onto a heap of `count` labs, replacing the worst if it is full. Returns the new count."""
    if count == len(best.labs):
        best.scores[0], best.labs[0] = score, lab
        sink(best, count)
        return count
    best.scores[count], best.labs[count] = score, lab
    place = count
    while place > 0:
        parent = (place - 1) >> 1
        if is_before(best.scores[place], best.labs[place], best.scores[parent], best.labs[parent], best):
            break
        swap(best, place, parent)
        place = parent
    return count + 1
