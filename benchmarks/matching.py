"""How fast the matcher is, beside other ways to do the same, in one process, with ratios.

    python -m benchmarks.matching [--labs 1000] [--works 20] [--queries 40]

Prints per number of labs the fit time, the size of the index, p50 and p99 of `rank` for topics and for topics
with a resume, of rank with all explanations, of an edit, and the throughput of a pool. The other engines index
one text per lab and only rank: SQLite's FTS5 (always there), plain `cosine_similarity`, and bm25s and tantivy
where they are installed. The corpus is made up: words by Zipf's law, every lab with its own favourite words.
"""

from __future__ import annotations

import argparse
import platform
import sqlite3
import statistics
import tempfile
import time
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Rank = Callable[[str], object]

WORDS = 60_000
SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo zu bra cle dri flo gru".split()  # noqa: SIM905 - easier to read


def vocabulary(generator: np.random.Generator) -> list[str]:
    """Distinct pronounceable words."""
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(generator.choice(SYLLABLES, generator.integers(2, 6)))] = None
    return list(words)


def corpus(labs: int, works: int, generator: np.random.Generator, words: list[str]) -> list[LabDoc]:
    """Labs with `works` works of a title and an abstract of about 110 words."""
    zipf = np.cumsum(1 / np.arange(1, WORDS + 1) ** 1.05)
    zipf /= zipf[-1]
    common = np.array(words, dtype=object)

    def text(favourites: NDArray[np.object_], length: int) -> str:
        drawn = common[np.searchsorted(zipf, generator.random(length))]
        drawn[generator.random(length) < 0.25] = generator.choice(favourites)
        return " ".join(drawn)

    def lab(number: int) -> LabDoc:
        favourites = common[generator.integers(200, WORDS // 10, 12)]
        made = tuple(
            WorkDoc(f"w{work}", text(favourites, 10), ". ".join(text(favourites, 25) for _ in range(4)))
            for work in range(works)
        )
        return LabDoc(f"lab{number:06d}", text(favourites, 60), made)

    return [lab(number) for number in range(labs)]


def milliseconds(call: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


def engines(labs: Sequence[LabDoc]) -> dict[str, Rank]:
    """The other engines over one text per lab; each ranks the first 20 for a text."""
    texts = [" ".join((lab.profile, *(f"{work.title} {work.abstract}" for work in lab.works))) for lab in labs]
    found: dict[str, Rank] = {"SQLite FTS5": _fts5(texts), "cosine_similarity": _cosine(texts)}
    if find_spec("bm25s"):
        found["bm25s"] = _bm25s(texts)
    if find_spec("tantivy"):
        found["tantivy"] = _tantivy(texts)
    return found


def _fts5(texts: Sequence[str]) -> Rank:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE labs USING fts5(text)")
    database.executemany("INSERT INTO labs VALUES (?)", ((text,) for text in texts))
    question = "SELECT rowid FROM labs WHERE labs MATCH ? ORDER BY rank LIMIT 20"
    return lambda text: database.execute(question, (" OR ".join(sorted(set(text.split()))),)).fetchall()


def _cosine(texts: Sequence[str]) -> Rank:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    vectorizer = TfidfVectorizer(sublinear_tf=True, dtype=np.float32)
    matrix = vectorizer.fit_transform(texts)
    return lambda text: np.argsort(-cosine_similarity(vectorizer.transform([text]), matrix)[0])[:20]


def _bm25s(texts: Sequence[str]) -> Rank:
    bm25s = import_module("bm25s")
    retriever = bm25s.BM25()
    retriever.index([text.split() for text in texts], show_progress=False)
    return lambda text: retriever.retrieve([text.split()], k=20, show_progress=False)


def _tantivy(texts: Sequence[str]) -> Rank:
    tantivy = import_module("tantivy")
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text")
    index = tantivy.Index(builder.build())
    writer = index.writer()
    for text in texts:
        writer.add_document(tantivy.Document(text=text))
    writer.commit()
    index.reload()
    return lambda text: index.searcher().search(index.parse_query(text, ["text"]), 20).hits


def measure(count: int, works: int, queries: int) -> None:
    """Print the table for one number of labs."""
    generator = np.random.default_rng(count)
    words = vocabulary(generator)
    labs = corpus(count, works, generator, words)
    start = time.perf_counter()
    index = LabIndex.fit(labs)
    print(f"\n## {count:,} labs of {works} works\n\nfit {time.perf_counter() - start:.1f} s; ", end="")
    with tempfile.TemporaryDirectory() as folder:
        index.save(Path(folder) / "index")
        size = sum(file.stat().st_size for file in (Path(folder) / "index").iterdir() if file.suffix == ".npy")
        print(f"arrays {size / 1e6:.1f} MB (with the texts)\n")
    chosen = generator.integers(0, count, queries)
    topics = [" ".join(labs[number].works[0].title.split()[:5]) for number in chosen]
    resumes = [" ".join(work.abstract.replace(".", "") for work in labs[number].works[:4]) for number in chosen]
    others = engines(labs)
    rows: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in ("portal.matching", *others)}
    for topic, resume in zip(topics, resumes, strict=True):  # interleaved, so that all meet the same machine
        rows["portal.matching"][0].append(milliseconds(partial(index.rank, Query((Topic(topic),)))))
        rows["portal.matching"][1].append(milliseconds(partial(index.rank, Query((Topic(topic),), resume=resume))))
        for name, rank in others.items():
            rows[name][0].append(milliseconds(partial(rank, topic)))
            rows[name][1].append(milliseconds(partial(rank, f"{topic} {resume}")))
    base = "bm25s" if "bm25s" in rows else "SQLite FTS5"
    print(f"| ms | topics p50 | p99 | / {base} | topics + resume p50 | p99 | / {base} |")
    print("|---|---|---|---|---|---|---|")
    for name, (short, long) in rows.items():
        ratios = [
            statistics.median(mine) / statistics.median(its)
            for mine, its in zip((short, long), rows[base], strict=True)
        ]
        cells = [f"{np.percentile(short, 50):.2f}", f"{np.percentile(short, 99):.2f}", f"{ratios[0]:.2f}"]
        cells += [f"{np.percentile(long, 50):.2f}", f"{np.percentile(long, 99):.2f}", f"{ratios[1]:.2f}"]
        print(f"| {name} | {' | '.join(cells)} |")
    explained = [milliseconds(partial(index.rank_explained, Query((Topic(topic),)))) for topic in topics]
    replaced = [milliseconds(partial(index.replace, labs[number])) for number in chosen.tolist()]
    start = time.perf_counter()
    pool = {
        str(number): Query((Topic(topic),), resume=resume)
        for number, (topic, resume) in enumerate(zip(topics, resumes, strict=True))
    }
    answered = len(list(index.rank_pool(pool)))
    print(
        f"\nrank + 20 explanations p50 {np.percentile(explained, 50):.1f} ms, "
        f"p99 {np.percentile(explained, 99):.1f} ms; "
        f"replace p50 {np.percentile(replaced, 50):.1f} ms; "
        f"pool {answered / (time.perf_counter() - start):.0f} queries/s"
    )


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labs", type=int, nargs="+", default=[1000])
    parser.add_argument("--works", type=int, default=20)
    parser.add_argument("--queries", type=int, default=40)
    arguments = parser.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    for count in arguments.labs:
        measure(count, arguments.works, arguments.queries)


if __name__ == "__main__":
    main()
