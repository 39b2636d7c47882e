"""How fast the matcher is, compared with other engines in the same process, with ratios.

    python -m benchmarks.matching [--labs 1000 10000] [--works 20] [--queries 40] [--without tantivy …]
        [--without-kernels] [--edits-between] [--loaded] [--texts FILE]

For each number of labs, prints the time to fit, the bytes of the index and the throughput of a pool, and p50 and p99 of

- `rank` for topics, and for topics with a resume;
- the explanations of 20 labs that were ranked just before;
- the same words in another order (a new query of cached words), and in a third order with the explanations of 20 labs;
- a query that was answered before and is cached;
- an edit (p50 only): after all queries or, with `--edits-between`, one after each.

With `--loaded`, the fitted index is saved and loaded again before anything is measured, as the processes of the portal
share it. Compiled kernels are used if numba is installed; they are compiled before anything is measured. The other
engines are those of `_engines.py`. All engines get the same queries in turn, and all times except that of the pool are
processor times of the process, so that other work on the machine disturbs them equally and little. The corpus is
generated: words by Zipf's law, every lab with favourite words of its own; with `--texts`, it is a file of labs as lines
for `portal evaluate` (`descriptions.py` makes one of prose). A query is the beginning of one of the labs' titles.
"""

from __future__ import annotations

import argparse
import gc
import platform
import re
import tempfile
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks._corpus import generated
from benchmarks._engines import PEERS, Engine
from portal.matching import LabDoc, LabIndex, Query, Topic
from portal.matching.evaluation.lines import read_labs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

OURS = "portal.matching"
TOPICS, WITH_RESUME, EDIT = "topics", "topics + resume", "replace"
"""Kinds of calls."""
_WORDS = re.compile(r"\b\w\w+\b")


def milliseconds(call: Callable[[], object]) -> float:
    """The processor time of this process that one call takes."""
    start = time.process_time()
    call()
    return (time.process_time() - start) * 1000


def text_of(lab: LabDoc) -> str:
    """A lab as one text: what the other engines index."""
    return plain(" ".join((lab.profile, *(f"{work.title} {work.abstract}" for work in lab.works))))


def plain(text: str) -> str:
    """The words of two letters and more, in small letters, between spaces: bm25s takes these for words."""
    return " ".join(_WORDS.findall(text.casefold()))


def loaded_again(index: LabIndex) -> LabIndex:
    """The index, saved and loaded; its files go with the process that has them mapped."""
    with tempfile.TemporaryDirectory() as folder:
        index.save(Path(folder) / "index")
        return LabIndex.load(Path(folder) / "index")


def array_bytes(index: LabIndex) -> int:
    """The bytes of an index without the texts of the labs, which the other engines do not keep."""
    with tempfile.TemporaryDirectory() as folder:
        index.save(Path(folder) / "index")
        files = [file for file in (Path(folder) / "index").iterdir() if file.suffix == ".npy"]
        return sum(file.stat().st_size for file in files if not file.name.startswith("lab_"))


class Recorder:
    """Passes labs on one at a time, so that few are in memory. Keeps the texts of all, and the labs at `positions`.

    `seconds` is the processor time that generating them took.
    """

    def __init__(self, positions: Sequence[int]) -> None:
        self._positions = frozenset(positions)
        self.labs: dict[int, LabDoc] = {}
        self.texts: list[str] = []
        self.seconds = 0.0

    def passing_on(self, labs: Iterator[LabDoc]) -> Iterator[LabDoc]:
        """Pass the labs on."""
        while True:
            start = time.process_time()
            lab = next(labs, None)
            if lab is None:
                return
            if len(self.texts) in self._positions:
                self.labs[len(self.texts)] = lab
            self.texts.append(text_of(lab))
            self.seconds += time.process_time() - start
            yield lab


def measure(
    labs_of: Iterator[LabDoc],
    count: int,
    queries: int,
    without: Sequence[str],
    *,
    edits_between: bool = False,
    loaded: bool = False,
) -> None:
    """Print the tables for `count` labs."""
    chosen = np.random.default_rng(queries).integers(0, count, queries).tolist()
    recorder = Recorder(chosen)
    start = time.process_time()
    index = LabIndex.fit(recorder.passing_on(labs_of))
    fit = time.process_time() - start - recorder.seconds
    if loaded:
        index = loaded_again(index)
    labs, texts = recorder.labs, recorder.texts
    peers = {name: build(texts) for name, build in PEERS.items() if name not in without}
    matcher = Engine(fit, array_bytes(index), lambda text: index.rank(Query((Topic(text),))))
    topics = [" ".join(plain(labs[position].works[0].title).split()[:5]) for position in chosen]
    resumes = [" ".join(work.abstract for work in labs[position].works[:4]) for position in chosen]
    times = Times()
    gc.collect()
    gc.freeze()  # as each worker of a server does; otherwise all that the engines keep is walked now and then
    for position, topic, resume in zip(chosen, topics, resumes, strict=True):
        measure_matcher(times, index, matcher, topic, resume)
        measure_peers(times, peers, topic, resume)
        if edits_between:
            measure_edit(times, index, peers, labs[position], position, texts[position])
    for position in () if edits_between else chosen:
        measure_edit(times, index, peers, labs[position], position, texts[position])
    show(count, {OURS: matcher, **peers}, times)
    start = time.perf_counter()
    pool = {
        str(position): Query((Topic(topic),), resume=resume)
        for position, (topic, resume) in enumerate(zip(topics, resumes, strict=True))
    }
    answered = len(list(index.rank_pool(pool)))
    print(f"\npool {answered / (time.perf_counter() - start):.0f} applicants with resumes per second, all labs")
    gc.unfreeze()


class Times(dict[str, dict[str, list[float]]]):
    """Milliseconds of calls by row of the table and by kind of call."""

    def measure(self, row: str, kind: str, call: Callable[[], object]) -> None:
        """Add the time of one call."""
        self.setdefault(row, {}).setdefault(kind, []).append(milliseconds(call))


def measure_matcher(times: Times, index: LabIndex, matcher: Engine, topic: str, resume: str) -> None:
    """Rank and explain for a topic, and for the topic with a resume, as described for the tables."""
    with_resume = Query((Topic(topic),), resume=resume)
    times.measure(OURS, TOPICS, partial(matcher.rank, topic))
    times.measure(OURS, WITH_RESUME, partial(index.rank, with_resume))
    row = "20 explanations of the same"
    times.measure(row, TOPICS, partial(index.rank_explained, Query((Topic(topic),))))
    times.measure(row, WITH_RESUME, partial(index.rank_explained, with_resume))
    reversed_topic = " ".join(reversed(topic.split()))
    row = "of known words"
    times.measure(row, TOPICS, partial(matcher.rank, reversed_topic))
    times.measure(row, WITH_RESUME, partial(index.rank, Query((Topic(reversed_topic),), resume=resume)))
    in_order = topic.split()
    reordered = Query((Topic(" ".join((*in_order[::2], *in_order[1::2]))),))
    times.measure("of known words, with 20 explanations", TOPICS, partial(index.rank_explained, reordered))
    row = "asked again"
    times.measure(row, TOPICS, partial(matcher.rank, topic))
    times.measure(row, WITH_RESUME, partial(index.rank, with_resume))
    row = "asked again, with 20 explanations"
    times.measure(row, TOPICS, partial(index.rank_explained, Query((Topic(topic),))))
    times.measure(row, WITH_RESUME, partial(index.rank_explained, with_resume))
    times.measure("with evidence and gaps", TOPICS, partial(everything, index, Query((Topic(topic),))))


def measure_peers(times: Times, peers: Mapping[str, Engine], topic: str, resume: str) -> None:
    """Rank by the other engines."""
    with_resume = plain(f"{topic} {resume}")
    for name, engine in peers.items():
        engine.read(topic)
        engine.read(with_resume)
        times.measure(name, TOPICS, partial(engine.rank, topic))
        times.measure(name, WITH_RESUME, partial(engine.rank, with_resume))


def measure_edit(
    times: Times, index: LabIndex, peers: Mapping[str, Engine], lab: LabDoc, position: int, text: str
) -> None:
    """Replace a lab by itself in all engines that can."""
    for name, engine in peers.items():
        if engine.replace is not None:
            times.measure(name, EDIT, partial(engine.replace, position, text))
    times.measure(OURS, EDIT, partial(index.replace, lab))


def everything(index: LabIndex, query: Query) -> list[object]:
    """Rank with explanations, and compute the evidence and the gaps of each."""
    return [(explanation.evidence, explanation.missing) for _, explanation in index.rank_explained(query)]


def show(count: int, engines: Mapping[str, Engine], times: Times) -> None:
    """Print the tables: sizes and ratios of the engines, and percentiles of the times."""
    base = "bm25s" if "bm25s" in engines else next(iter(engines))
    print(f"\n## {count:,} labs\n\n| | fit, s | MB | / {base} |\n|---|---|---|---|")
    for name, engine in engines.items():
        size = f"{engine.size / 1e6:.1f}" if engine.size else ""
        ratio = f"{engine.size / (engines[base].size or 1):.2f}" if engine.size else ""
        print(f"| {name} | {engine.fit:.1f} | {size} | {ratio} |")
    kinds = (TOPICS, WITH_RESUME)
    print(f"\n| ms | {' | '.join(f'{kind} p50 | p99 | / {base}' for kind in kinds)} | {EDIT} p50 | / FTS5 |")
    print("|---" * 9 + "|")
    for name, times_by_kind in times.items():
        cells: list[str] = []
        for kind in kinds:
            if kind in times_by_kind:
                p50, p99 = np.percentile(times_by_kind[kind], [50, 99])
                cells += [f"{p50:.2f}", f"{p99:.2f}", f"{p50 / np.percentile(times[base][kind], 50):.2f}"]
            else:
                cells += ["", "", ""]
        if EDIT in times_by_kind:
            p50 = float(np.percentile(times_by_kind[EDIT], 50))
            fts = times.get("SQLite FTS5", {}).get(EDIT)
            cells += [f"{p50:.2f}", f"{p50 / np.percentile(fts, 50):.2f}" if fts else ""]
        else:
            cells += ["", ""]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labs", type=int, nargs="+", default=[1000])
    parser.add_argument("--works", type=int, default=20)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--edits-between", action="store_true", help="edit a lab after each query")
    parser.add_argument("--loaded", action="store_true", help="save the index and load it before measuring")
    parser.add_argument("--texts", type=Path, help="a file of labs as lines for `portal evaluate`")
    parser.add_argument("--without", nargs="*", default=[], choices=sorted(PEERS), help="peers to leave out")
    arguments = parser.parse_args()
    needed = {
        "bm25s": ("bm25s",),
        "bm25s with numba": ("bm25s", "numba"),
        "bm25s of our terms": ("bm25s",),
        "tantivy": ("tantivy",),
    }
    missing = [name for name, modules in needed.items() if not all(map(find_spec, modules))]
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    if missing:
        print(f"Not installed, so not measured: {', '.join(missing)} (make bench installs them).")
    corpora: list[tuple[Iterator[LabDoc], int]]
    if arguments.texts:
        with arguments.texts.open("rb") as lines:
            labs = read_labs(lines).labs
        corpora = [(iter(labs), len(labs))]
    else:
        corpora = [(generated(count, arguments.works), count) for count in arguments.labs]
    for labs_of, count in corpora:
        measure(
            labs_of,
            count,
            arguments.queries,
            [*arguments.without, *missing],
            edits_between=arguments.edits_between,
            loaded=arguments.loaded,
        )


if __name__ == "__main__":
    main()
