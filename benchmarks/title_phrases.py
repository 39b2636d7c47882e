"""Can everything that labs write be asked for? Phrases of the titles of their works as queries.

    python -m benchmarks.title_phrases labs.jsonl [--labs 58] [--phrases 619]

Reads labs as lines for `portal evaluate` (`descriptions.py` makes some of another field), draws some of them and some
phrases of two and three words of their titles, always the same, and prints how many of those that a lab has

- are refused, that is, no lab fits;
- have a first lab with half as many texts that have the phrase, in any inflection, as the lab with most of them: of all
  phrases, and of those that some lab has in several texts.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

from portal.matching import LabIndex, Query, Topic
from portal.matching.evaluation.lines import read_labs
from portal.matching.evidence import keys_of_phrase
from portal.matching.language.terms import keys, stop_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.matching import LabDoc

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9+#-]*")
_APART = re.compile(r"[.,:;()/\"]| [-–] ")
SEED = 619


def phrases(labs: Sequence[LabDoc]) -> Iterator[str]:
    """Two and three neighbouring words of each title that neither begin nor end with an everyday word."""
    for lab in labs:
        for part in (part for work in lab.works for part in _APART.split(work.title)):
            words = [match.span() for match in _WORD.finditer(part)]
            for length in (2, 3):
                for first, last in zip(words, words[length - 1 :], strict=False):
                    outer = {part[slice(*first)].lower(), part[slice(*last)].lower()}
                    if stop_words().isdisjoint(outer):
                        yield part[first[0] : last[1]]


def main() -> None:
    """Print the figures of a file of labs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", help="a file of labs as lines for `portal evaluate`")
    parser.add_argument("--labs", type=int, default=58)
    parser.add_argument("--phrases", type=int, default=619)
    arguments = parser.parse_args()
    if arguments.file is None:
        print("Give a file of labs; `--help` says where to get one.")
        return
    generator = random.Random(SEED)  # noqa: S311 - a sample, no secret
    with arguments.file.open("rb") as lines:
        labs = [lab for lab in read_labs(lines).labs if lab.works]
    labs = generator.sample(labs, min(arguments.labs, len(labs)))
    index = LabIndex.fit(labs)
    texts = {
        lab.key: [frozenset(keys([text])) for text in (lab.profile, *(f"{w.title}\n\n{w.abstract}" for w in lab.works))]
        for lab in labs
    }
    all_phrases = sorted({phrase.lower(): phrase for phrase in phrases(labs)}.values())
    refused, right, right_of_several = [], [], []
    for phrase in generator.sample(all_phrases, min(arguments.phrases, len(all_phrases))):
        wanted = keys_of_phrase(phrase)
        having = {lab: sum(wanted <= text for text in of_lab) for lab, of_lab in texts.items()}
        most, first = max(having.values()), index.rank(Query((Topic(phrase),)), 1)
        if most and not first:
            refused.append(phrase)
        elif most:
            right.append(having[first[0].lab] >= most / 2)
            right_of_several += right[-1:] if most > 1 else []
    print(f"{len(right) + len(refused)} phrases of {len(labs)} labs, refused: {', '.join(refused) or 'none'}")
    for name, some in (("all", right), ("in several texts", right_of_several)):
        print(f"first lab has half of the most: {sum(some) / max(len(some), 1):.3f} of {len(some)} ({name})")


if __name__ == "__main__":
    main()
