"""Labs of any number: words by Zipf's law, every lab with favourite words of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from portal.matching import LabDoc, WorkDoc

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = 60_000
SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo zu bra cle dri flo gru".split()  # noqa: SIM905 - easier to read


def generated(count: int, works: int) -> Iterator[LabDoc]:
    """So many labs of so many works, always the same."""
    generator = np.random.default_rng(count)
    return corpus(count, works, generator, vocabulary(generator))


def vocabulary(generator: np.random.Generator) -> list[str]:
    """Distinct pronounceable words."""
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(generator.choice(SYLLABLES, generator.integers(2, 6)))] = None
    return list(words)


def corpus(labs: int, works: int, generator: np.random.Generator, words: list[str]) -> Iterator[LabDoc]:
    """Labs with `works` works, each with a title of 10 words and an abstract of four sentences of 25 words."""
    zipf = np.cumsum(1 / np.arange(1, WORDS + 1) ** 1.05)
    zipf /= zipf[-1]
    common = np.array(words, dtype=object)
    for position in range(labs):
        favourites = common[generator.integers(200, WORDS // 10, 12)]
        words_of_rows = common[np.searchsorted(zipf, generator.random((works + 1, 110)))]
        is_favourite = generator.random(words_of_rows.shape) < 0.25
        words_of_rows[is_favourite] = generator.choice(favourites, int(is_favourite.sum()))
        lab_works = tuple(
            WorkDoc(
                f"w{work}",
                " ".join(words_of_work[:10]).capitalize(),
                " ".join(
                    f"{' '.join(words_of_work[first : first + 25]).capitalize()}." for first in range(10, 110, 25)
                ),
            )
            for work, words_of_work in enumerate(words_of_rows[1:])
        )
        yield LabDoc(f"lab{position:06d}", " ".join(words_of_rows[0][:60]), lab_works)
