"""How fast the matcher is, compared with other engines in the same process, with ratios.

    python -m benchmarks.matching [--labs 1000 10000] [--works 20] [--queries 40] [--without tantivy …] [--texts FILE]

For each number of labs, prints p50 and p99 of the processor time, with the ratio to bm25s, of

- `rank` for topics of five words, and for topics with a resume of 400 words;
- the same with the explanations of 20 labs, their works, sentences and profiles read: for labs that nobody looked at
  before, and for other words of the same labs;
- an edit;

then the time to fit, the bytes of the index, the throughput of a pool, and the longest time between two answers while
another process fits the same labs. The other engines are those of `_engines.py`; all get the same queries in turn, each
after other work on much memory, as in a server. The corpus is generated: words by Zipf's law, every lab with favourite
words of its own; with `--texts`, it is a file of labs as lines for `portal evaluate` (`descriptions.py` makes one of
prose). A query is the beginning of a title.
"""

from __future__ import annotations

import argparse
import gc
import platform
import re
import tempfile
import threading
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks._corpus import generated
from benchmarks._engines import PEERS, Engine
from portal.matching import LabIndex, Query, Topic
from portal.matching.evaluation.lines import read_labs
from portal.web.work import collect_garbage_less_often

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from portal.matching import LabDoc

OURS = "portal.matching"
EXPLAINED = "with 20 explanations and evidence"
EXPLAINED_AGAIN = "the same labs in other words"
OTHER_BYTES = 160_000_000
"""Memory read before each call, more than is kept near: so no engine is favoured by what was called before it."""
TOPICS, WITH_RESUME, EDIT = "topics", "topics + resume", "replace"
_WORDS = re.compile(r"\b\w\w+\b")


class Times(dict[tuple[str, str], list[float]]):
    """Milliseconds of calls by row of the table and kind of call."""

    def __init__(self) -> None:
        super().__init__()
        self._other = np.ones(OTHER_BYTES // 8)

    def measure(self, row: str, kind: str, call: Callable[[], object]) -> None:
        """Add the processor time of this process that one call takes after some other work."""
        self._other.sum()
        start = time.process_time()
        call()
        self.setdefault((row, kind), []).append((time.process_time() - start) * 1000)

    def median(self, row: str, kind: str) -> float:
        """The median; not a number if nothing was measured."""
        return float(np.median(self.get((row, kind), [float("nan")])))


def plain(text: str) -> str:
    """The words of two letters and more, in small letters, between spaces: bm25s takes these for words."""
    return " ".join(_WORDS.findall(text.casefold()))


def text_of(lab: LabDoc) -> str:
    """A lab as one text: what the other engines index."""
    return plain(" ".join((lab.profile, *(f"{work.title} {work.abstract}" for work in lab.works))))


def array_bytes(index: LabIndex) -> int:
    """The bytes of an index without the texts of the labs, which the other engines do not keep."""
    with tempfile.TemporaryDirectory() as folder:
        index.save(Path(folder) / "index")
        files = (Path(folder) / "index").glob("*.npy")
        return sum(file.stat().st_size for file in files if file.name != "texts.npy")


def measure(labs: Sequence[LabDoc], queries: int, without: Sequence[str]) -> None:
    """Print the tables for these labs."""
    start = time.process_time()
    index = LabIndex.fit(labs)
    fit = time.process_time() - start
    texts = list(map(text_of, labs))
    peers = {name: build(texts) for name, build in PEERS.items() if name not in without}
    chosen = np.random.default_rng(queries).integers(0, len(labs), queries).tolist()
    times = Times()
    collect_garbage_less_often()  # as each worker of a server does; all that the engines keep would be walked otherwise
    for position in chosen:
        topic = " ".join(plain(labs[position].works[0].title).split()[:5])
        resume = " ".join(work.abstract for work in labs[position].works[:4])
        measure_matcher(times, index, topic, resume)
        measure_peers(times, peers, topic, plain(f"{topic} {resume}"))
    for position in chosen:
        for name, engine in peers.items():
            if engine.replace is not None:
                times.measure(name, EDIT, partial(engine.replace, position, texts[position]))
        times.measure(OURS, EDIT, partial(index.replace, labs[position]))
    show(len(labs), {OURS: Engine(fit, array_bytes(index), str), **peers}, times)
    pool = [
        Query((Topic(labs[position].works[1].title),), resume=labs[position].works[2].abstract) for position in chosen
    ]
    start = time.perf_counter()
    answered = len(list(index.rank_pool(pool)))
    print(f"\npool: {answered / (time.perf_counter() - start):.0f} applicants with resumes per second")
    on_the_clock, of_processor = (1000 * pause for pause in longest_pause(index, labs))
    print(f"longest pause while another process fits: {on_the_clock:.0f} ms ({of_processor:.0f} ms of this process)")
    gc.unfreeze()


def measure_matcher(times: Times, index: LabIndex, topic: str, resume: str) -> None:
    """Rank and explain for a topic, and for the topic with a resume; each query is a new one."""
    words = topic.split()
    orders = words, words[::-1], [*words[::2], *words[1::2]]
    for kind, text in ((TOPICS, ""), (WITH_RESUME, resume)):
        new, again, ranked = (Query((Topic(" ".join(order)),), resume=text) for order in orders)
        times.measure(EXPLAINED, kind, partial(read_all, index, new))
        times.measure(EXPLAINED_AGAIN, kind, partial(read_all, index, again))
        times.measure(OURS, kind, partial(index.rank, ranked))


def read_all(index: LabIndex, query: Query) -> list[object]:
    """Rank with explanations, and read the evidence of each."""
    return [(why.terms, why.evidence, why.profile_evidence) for _, why in index.rank_explained(query)]


def measure_peers(times: Times, peers: Mapping[str, Engine], topic: str, with_resume: str) -> None:
    """Rank by the other engines."""
    for name, engine in peers.items():
        engine.read(topic)
        engine.read(with_resume)
        times.measure(name, TOPICS, partial(engine.rank, topic))
        times.measure(name, WITH_RESUME, partial(engine.rank, with_resume))


def longest_pause(index: LabIndex, labs: Sequence[LabDoc]) -> tuple[float, float]:
    """The longest time between two answers while another process fits, and until its index answers, in seconds.

    And the most processor time that this process took in between: more is the system's, which has others to serve.
    """
    fitted: list[LabIndex] = []

    def fit_and_rehearse() -> None:
        new = LabIndex.fit(labs, apart=True)
        new.rank(Query((Topic(plain(labs[0].works[0].title)),)))  # as the portal does before it uses an index
        fitted.append(new)

    thread = threading.Thread(target=fit_and_rehearse)
    thread.start()
    moments = [(time.monotonic(), time.process_time())]
    is_new = False
    while not is_new:
        time.sleep(0.001)
        if not thread.is_alive():
            thread.join()
            index, is_new = fitted[0], True
        title = labs[len(moments) % len(labs)].works[0].title
        index.rank(Query((Topic(plain(title)),)))
        moments.append((time.monotonic(), time.process_time()))
    on_the_clock, of_processor = np.diff(moments, axis=0).max(axis=0).tolist()
    return on_the_clock, of_processor


def show(count: int, engines: Mapping[str, Engine], times: Times) -> None:
    """Print the tables: sizes of the engines, and percentiles of the times with ratios."""
    base = "bm25s" if "bm25s" in engines else next(iter(engines))
    print(f"\n## {count:,} labs\n\n| | fit, s | / {base} | MB |\n|---|---|---|---|")
    for name, engine in engines.items():
        size = f"{engine.size / 1e6:.1f}" if engine.size else ""
        print(f"| {name} | {engine.fit:.1f} | {engine.fit / engines[base].fit:.1f} | {size} |")
    kinds = (TOPICS, WITH_RESUME, EDIT)
    print(f"\n| ms | {' | '.join(f'{kind} p50 | p99 | / {base}' for kind in kinds)} |\n{'|---' * 10}|")
    for name in dict.fromkeys(row for row, _ in times):
        cells: list[str] = []
        for kind in kinds:
            if (name, kind) not in times:
                cells += ["", "", ""]
                continue
            p50, p99 = np.percentile(times[name, kind], [50, 99])
            ratio = p50 / times.median(base, kind)
            cells += [f"{p50:.2f}", f"{p99:.2f}", f"{ratio:.1f}" if ratio == ratio else ""]  # noqa: PLR0124 - NaN
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labs", type=int, nargs="+", default=[1000])
    parser.add_argument("--works", type=int, default=20)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--texts", type=Path, help="a file of labs as lines for `portal evaluate`")
    parser.add_argument("--without", nargs="*", default=[], choices=sorted(PEERS), help="peers to leave out")
    arguments = parser.parse_args()
    missing = [name for name in ("bm25s", "tantivy") if not find_spec(name)]
    if missing:
        print(f"Left out, as they are not installed (make bench installs them): {', '.join(missing)}")
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    without = [*arguments.without, *(name for name in PEERS if any(name.startswith(gone) for gone in missing))]
    if arguments.texts:
        with arguments.texts.open("rb") as lines:
            labs = [lab for lab in read_labs(lines).labs if lab.works]
        measure(labs, arguments.queries, without)
    for count in () if arguments.texts else arguments.labs:
        measure(list(generated(count, arguments.works)), arguments.queries, without)


if __name__ == "__main__":
    main()
