"""Other engines to compare the matcher with: bm25s, tantivy, SQLite's FTS5, plain `cosine_similarity`.

They index one text per lab and only rank, without explanations.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

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


def bm25s(texts: Sequence[str]) -> Engine:
    """BM25 over eagerly computed sparse scores, in NumPy, with the tokenizer and the stems that come with it."""
    module, stemmer = import_module("bm25s"), import_module("Stemmer").Stemmer("english")
    start = time.process_time()
    tokens = module.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
    retriever = module.BM25()
    retriever.index(tokens, show_progress=False)
    fit = time.process_time() - start
    size = sum(array.nbytes for array in retriever.scores.values() if isinstance(array, np.ndarray))

    def rank(text: str) -> object:
        # Without its tokenizer, which would take a quarter of the time more.
        words = [stemmer.stemWord(word) for word in text.split()]
        return retriever.retrieve([words], k=20, show_progress=False)

    return Engine(fit, size, rank)


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
    "tantivy": tantivy,
    "SQLite FTS5": fts5,
    "cosine_similarity": cosine,
}
