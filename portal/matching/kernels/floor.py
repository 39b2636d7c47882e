"""Whether a lab fits; see `portal.matching.floor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.matching.floor import LEAST_PRODUCT, LEAST_SUPPORT, LEAST_SUPPORT_OF_ONE_WORD, SURE
from portal.matching.kernels.layout import (
    P_BEGIN,
    P_NAMES,
    P_SURE,
    P_TERMS,
    P_VECTOR,
    P_WORDS,
    Q_NUMBERS,
    Q_PARTS,
    Q_TERMS,
    Q_VECTORS,
)
from portal.matching.kernels.memory import kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Doubles = NDArray[np.float64]
    Flags = NDArray[np.bool_]


@kernel
def fits(ints: Longs, floats: Doubles, present: Flags, scores: Doubles) -> bool:
    """Whether a lab with these terms and these scores by vector is above the floor of some part."""
    part_at, word_at = Q_NUMBERS + ints[Q_TERMS], ints[Q_VECTORS] * ints[Q_TERMS]
    for _ in range(ints[Q_PARTS]):
        names, words, members, sure_count = (
            ints[part_at + P_NAMES],
            ints[part_at + P_WORDS],
            ints[part_at + P_TERMS],
            ints[part_at + P_SURE],
        )
        first_name = part_at + P_BEGIN
        first_term = first_name + names
        first_sure = first_term + 2 * members
        for place in range(first_name, first_term):
            if present[ints[place]]:
                return True
        vector = ints[part_at + P_VECTOR]
        if vector >= 0 and scores[vector] >= floats[word_at]:
            support, words_present, last = 0.0, 0, -1
            for place in range(first_term, first_term + members):
                word = ints[place + members]
                if word != last and present[ints[place]]:
                    support += floats[word_at + 1 + word]
                    words_present, last = words_present + 1, word
            sure = False
            for place in range(first_sure, first_sure + sure_count):
                sure = sure or present[ints[place]]
            enough = LEAST_SUPPORT if sure or words_present > 1 else LEAST_SUPPORT_OF_ONE_WORD
            least = SURE * LEAST_PRODUCT if sure else LEAST_PRODUCT
            if support >= enough and scores[vector] * support >= least:
                return True
        part_at, word_at = first_sure + sure_count, word_at + 1 + words
    return False
