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


class Best(NamedTuple):
    """The best labs so far as a heap with the worst on top; `order` is the order of the labs' keys."""

    scores: Doubles
    labs: Longs
    order: Ints


@kernel
def is_before(score: float, lab: int, other: float, of_other: int, best: Best) -> bool:
    """Whether a lab ranks before another one."""
    return score > other or (score == other and best.order[lab] < best.order[of_other])


@kernel
def swap(best: Best, one: int, other: int) -> None:
    """Swap two labs of the heap."""
    best.scores[one], best.scores[other] = best.scores[other], best.scores[one]
    best.labs[one], best.labs[other] = best.labs[other], best.labs[one]


@kernel
def sink(best: Best, count: int) -> None:
    """Sift the top of a heap of `count` labs down to its place."""
    place = 0
    while True:
        worst = place
        for child in range(2 * place + 1, min(2 * place + 3, count)):
            if is_before(best.scores[worst], best.labs[worst], best.scores[child], best.labs[child], best):
                worst = child
        if worst == place:
            return
        swap(best, place, worst)
        place = worst


@kernel
def keep(score: float, lab: int, count: int, best: Best) -> int:
    """Push a lab onto a heap of `count` labs, replacing the worst if it is full. Returns the new count."""
    if count == len(best.labs):
        best.scores[0], best.labs[0] = score, lab
        sink(best, count)
        return count
    best.scores[count], best.labs[count] = score, lab
    place = count
    while place > 0:
        above = (place - 1) >> 1
        if is_before(best.scores[place], best.labs[place], best.scores[above], best.labs[above], best):
            break
        swap(best, place, above)
        place = above
    return count + 1
