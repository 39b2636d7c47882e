"""Other engines to compare the matcher with: bm25s, tantivy, SQLite's FTS5, plain `cosine_similarity`.

They index one text per lab and only rank, without explanations.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from sys import intern
from typing import TYPE_CHECKING

import numpy as np

from portal.matching.language.terms import keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Act = Callable[[str], object]


@dataclass(frozen=True)
class Engine:
    """Something that ranks labs: the seconds that indexing them took, the bytes of the index, rank, and replace one.

    `read` is called with every text before it is ranked, and not measured.
    """

    fit: float
    size: int | None
    rank: Act
    replace: Callable[[int, str], object] | None = None
    read: Act = str


def fts5(texts: Sequence[str]) -> Engine:
    """SQLite's full-text search."""
    start = time.process_time()
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE labs USING fts5(text)")
    database.executemany("INSERT INTO labs VALUES (?)", ((text,) for text in texts))
    database.commit()
    fit = time.process_time() - start
    statement = "SELECT rowid FROM labs WHERE labs MATCH ? ORDER BY rank LIMIT 20"

    def replace(position: int, text: str) -> None:
        database.execute("UPDATE labs SET text = ? WHERE rowid = ?", (text, position + 1))
        database.commit()

    def rank(text: str) -> object:
        return database.execute(statement, (" OR ".join(sorted(set(text.split()))),)).fetchall()

    return Engine(fit, None, rank, replace)


def cosine(texts: Sequence[str]) -> Engine:
    """TF-IDF vectors and `cosine_similarity` of scikit-learn, as most code does it."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    start = time.process_time()
    vectorizer = TfidfVectorizer(sublinear_tf=True, dtype=np.float32)
    matrix = vectorizer.fit_transform(texts)
    size = matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes

    def rank(text: str) -> NDArray[np.int64]:
        positions: NDArray[np.int64] = np.argsort(-cosine_similarity(vectorizer.transform([text]), matrix)[0])[:20]
        return positions

    return Engine(time.process_time() - start, size, rank)


def bm25s(texts: Sequence[str], **options: str) -> Engine:
    """BM25 over eagerly computed sparse scores, in NumPy."""
    engine = _bm25s(texts, str.split, **options)
    engine.rank(texts[0][:40])  # so that numba compiles it, if it is the backend
    return engine


def bm25s_of_our_terms(texts: Sequence[str]) -> Engine:
    """BM25 over the terms of the matcher, stems and pairs; texts are turned into terms before anything is measured."""
    read = cache(lambda text: keys([text]))
    return replace(_bm25s(texts, read), read=read)


def _bm25s(texts: Sequence[str], terms: Callable[[str], list[str]], **options: str) -> Engine:
    # One string object for each word: those of 100,000 labs would not fit into memory otherwise.
    tokens = [list(map(intern, terms(text))) for text in texts]
    start = time.process_time()
    retriever = import_module("bm25s").BM25(**options)
    retriever.index(tokens, show_progress=False)
    size = sum(array.nbytes for array in retriever.scores.values() if isinstance(array, np.ndarray))
    fit = time.process_time() - start
    return Engine(fit, size, lambda text: retriever.retrieve([terms(text)], k=20, show_progress=False))


def bm25s_compiled(texts: Sequence[str]) -> Engine:
    """`bm25s` with numba as its backend."""
    return bm25s(texts, backend="numba")


def tantivy(texts: Sequence[str]) -> Engine:
    """tantivy, a search engine in Rust."""
    module = import_module("tantivy")
    start = time.process_time()
    builder = module.SchemaBuilder()
    builder.add_text_field("text")
    index = module.Index(builder.build())
    writer = index.writer()
    for text in texts:
        writer.add_document(module.Document(text=text))
    writer.commit()
    index.reload()
    fit = time.process_time() - start
    return Engine(fit, None, lambda text: index.searcher().search(index.parse_query(text, ["text"]), 20).hits)


PEERS = {
    "bm25s": bm25s,
    "bm25s with numba": bm25s_compiled,
    "bm25s of our terms": bm25s_of_our_terms,
    "tantivy": tantivy,
    "SQLite FTS5": fts5,
    "cosine_similarity": cosine,
}
