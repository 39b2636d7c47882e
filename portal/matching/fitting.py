"""Fits an index: scikit-learn's `TfidfVectorizer` over the works and profiles of all labs, and arrays of the result."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from portal.matching.counting import counted
from portal.matching.formula import PROFILE_WEIGHT, foci
from portal.matching.language.abbreviations import Abbreviation, Definitions
from portal.matching.language.sentences import SentenceReader
from portal.matching.layers import KEYS, WORD_BITS, Layer, text_of_work, texts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfVectorizer

    from portal.matching.language.sentences import Sentences
    from portal.matching.records import LabDoc

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Weights:
    """What was learned of words when the index was fitted; edits leave it as it is.

    `idf` is that of the columns of the fitted layer, `unknown` that of terms that it does not have. `forms` are the
    words of the texts and `counts` how often they occur, `texts` the number of works and profiles.
    """

    terms: NDArray[Any]
    idf: Floats
    unknown: float
    forms: NDArray[Any]
    counts: NDArray[Any]
    texts: int
    abbreviations: tuple[Abbreviation, ...]

    def of(self, keys: NDArray[Any], former: NDArray[Any]) -> Floats:
        """The idf of terms, given as arrays of `KEYS`; `former` are columns, rising, that most of these have."""
        if not len(self.terms):
            return np.full(len(keys), self.unknown)
        # To look for a term among those of one lab takes a fraction of the time of looking among all.
        found = _among(self.terms[former], keys)
        found[found >= 0] = former[found[found >= 0]]
        others = np.flatnonzero(found < 0)
        found[others] = _among(self.terms, keys[others])
        return np.where(found >= 0, self.idf[found], self.unknown)


def _among(terms: NDArray[Any], keys: NDArray[Any]) -> NDArray[np.int64]:
    """The places of keys among sorted terms, -1 for those that are not there."""
    if not len(terms):
        return np.full(len(keys), -1)
    places = np.minimum(terms.searchsorted(keys), len(terms) - 1)
    return np.where(terms[places] == keys, places, -1)


class _Labs:
    """What is read of labs: works are rows, grouped by lab, and the profiles come behind all works.

    Raises:
        ValueError: two labs have the same key.
    """

    def __init__(self, labs: Iterable[LabDoc], progress: Callable[[int], None] | None = None) -> None:
        self.keys: list[str] = []
        self.first_work = [0]
        self.profiles: list[int] = []
        self.texts: list[bytes] = []
        self.definitions = Definitions()
        reader, names, profiles = SentenceReader(), list[tuple[int, str]](), list[str]()
        for count, lab in enumerate(map(in_order, labs), start=1):
            self.keys.append(lab.key)
            self.texts += texts_of(lab)
            profiles.append(lab.profile)
            for row, work in enumerate(lab.works, start=self.first_work[-1]):
                text = text_of_work(work.title, work.abstract)
                reader.add(text)
                self.definitions.add(text)
                names += [(row, name) for name in work.systems]
            self.first_work.append(self.first_work[-1] + len(lab.works))
            if progress is not None:
                progress(count)
        if len(set(self.keys)) < len(self.keys):
            twice = next(key for key, count in Counter(self.keys).items() if count > 1)
            raise ValueError(f"two labs have the key {twice!r}")
        self.rows = self.first_work[-1]
        for profile in profiles:
            self.profiles.append(self.rows if profile.strip() else -1)
            if profile.strip():
                reader.add(profile)
                self.definitions.add(profile)
                self.rows += 1
        for _, name in names:
            reader.add(name)
        self.rows_with_names = [row for row, _ in names]
        self.sentences = reader.read()
        self.counted = counted(self.sentences)

    def counts(self) -> csr_array:
        """How often each row has each term; the names of its systems count as part of a work."""
        from scipy.sparse import csr_array

        counts = self.counted.counts
        if not self.rows_with_names:
            return counts
        shape = self.rows, len(self.rows_with_names)
        of_row = csr_array((np.ones(shape[1], np.float32), (self.rows_with_names, np.arange(shape[1]))), shape=shape)
        joined = csr_array(counts[: self.rows] + of_row @ counts[self.rows :])
        joined.sort_indices()
        return joined


def in_order(lab: LabDoc) -> LabDoc:
    """The lab with its works sorted by key."""
    from dataclasses import replace

    return replace(lab, works=tuple(sorted(lab.works, key=lambda work: work.key)))


def fit(labs: Iterable[LabDoc], progress: Callable[[int], None] | None = None) -> tuple[Weights, Layer]:
    """The weights and the layer of `labs`.

    Raises:
        ValueError: two labs have the same key.
    """
    read = _Labs(labs, progress)
    terms, counts = read.counted.terms, read.counts()
    if not len(terms):
        nothing = np.zeros(0, KEYS)
        return Weights(terms, np.zeros(0), 1.0, nothing, np.zeros(0, np.int64), 0, ()), _layer(read, counts)
    vectorizer = _vectorizer()
    rows = vectorizer.fit_transform(counts)
    weights = Weights(
        terms,
        vectorizer.idf_.astype(np.float64),
        float(np.log(1.0 + read.rows) + 1.0),
        *_forms(read.sentences),
        read.rows,
        tuple(read.definitions.learned()),
    )
    return weights, _layer(read, rows)


def layer_of(labs: Sequence[LabDoc], weights: Weights, fitted: Layer) -> Layer:
    """A layer of edited labs; the weights stay as in the layer that was `fitted`."""
    read = _Labs(labs)
    terms, counts = read.counted.terms, read.counts()
    if not len(terms):
        return _layer(read, counts)
    vectorizer = _vectorizer()
    vectorizer.vocabulary_ = range(len(terms))
    vectorizer.idf_ = weights.of(terms, fitted.columns_of_labs(read.keys)).astype(np.float32)
    return _layer(read, vectorizer.transform(counts))


@cache
def _of_counts() -> type[TfidfVectorizer]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    class OfCounts(TfidfVectorizer):  # type: ignore[misc] # scikit-learn has no types
        """scikit-learn's vectorizer for terms that were counted, whose names are their columns.

        Its own loop counts 43 million words and pairs of 10,000 labs one by one, which takes longer than all the rest.
        """

        def _validate_vocabulary(self) -> None:
            self.fixed_vocabulary_ = True

        def _count_vocab(self, counts: csr_array, fixed_vocab: bool) -> tuple[range, csr_array]:  # noqa: ARG002, FBT001
            self.vocabulary_ = range(counts.shape[1])
            return self.vocabulary_, counts

    return OfCounts


def _vectorizer() -> TfidfVectorizer:
    return _of_counts()(lowercase=False, sublinear_tf=True, norm=None, dtype=np.float32)


def _forms(sentences: Sentences) -> tuple[NDArray[Any], NDArray[Any]]:
    """The words of the texts, with hyphenated ones in their parts, and how often they occur."""
    counts: Counter[str] = Counter()
    of_words = np.bincount(sentences.words, minlength=len(sentences.forms)).tolist()
    for form, count in zip(sentences.forms, of_words, strict=True):
        parts = form.replace("-", " ").split()
        for part in (*parts, "".join(parts)) if "-" in form else parts:  # hyphens are often left out
            if part.isascii() and part.isalpha() and len(part) <= KEYS.itemsize:
                counts[part] += count
    forms = sorted(counts)
    in_bytes = np.array([form.encode() for form in forms], dtype=KEYS)
    return in_bytes, np.array([counts[form] for form in forms], dtype=np.int64)


def _layer(read: _Labs, rows: csr_array) -> Layer:
    from scipy.sparse import csr_array
    from sklearn.preprocessing import normalize

    first_work = np.array(read.first_work, dtype=np.int64)
    profiles = np.array(read.profiles, dtype=np.int64)
    labs = len(read.keys)
    weights = np.ones(rows.shape[0], dtype=np.float32)
    weights[first_work[-1] :] = PROFILE_WEIGHT
    lab_of_row = np.concatenate((np.repeat(np.arange(labs), np.diff(first_work)), np.flatnonzero(profiles >= 0)))
    places = lab_of_row.astype(np.int32), np.arange(rows.shape[0], dtype=np.int32)
    members = csr_array((weights, places), shape=(labs, rows.shape[0]))
    if rows.nnz:
        normalize(rows, copy=False)
    focus, factors = foci(rows, members)
    sentences, found = read.sentences, read.counted
    count = int(sentences.first_sentence[read.rows])
    words = int(sentences.first_word[count])
    starts, lengths = sentences.starts[:words], sentences.lengths[:words]
    text_ends = np.cumsum([len(text) for text in read.texts], dtype=np.int64)
    return Layer(
        tuple(read.keys),
        found.terms,
        rows,
        focus,
        csr_array(rows.T.tocsr()),
        csr_array(focus.T.tocsr()),
        first_work,
        profiles,
        factors,
        sentences.first_sentence[: read.rows + 1],
        _ends_in_bytes(read, first_work, profiles, text_ends),
        sentences.first_word[: count + 1],
        np.stack((found.words[:words], found.pairs[:words]), axis=1),
        starts.astype(np.int32) + (lengths.astype(np.int32) << WORD_BITS),
        found.whole,
        found.part,
        np.frombuffer(b"".join(read.texts), dtype=np.uint8).copy(),  # NumPy's own memory comes in large pages
        text_ends,
    )


def _ends_in_bytes(read: _Labs, first_work: Ints, profiles: Ints, text_ends: Ints) -> Ints:
    """Where each sentence of the rows begins and ends among the bytes of all texts."""
    works, of_labs = np.arange(int(first_work[-1])), np.flatnonzero(profiles >= 0)
    # Before the title of each work comes its key, before a profile what is said about the lab.
    before = np.concatenate(
        (3 * works + 2 * first_work.searchsorted(works, side="right"), 2 * of_labs + 3 * first_work[of_labs])
    )
    first_sentence = read.sentences.first_sentence[: read.rows + 1]
    ends = read.sentences.ends[: first_sentence[-1]].astype(np.int64)
    for row, number in enumerate(before.tolist()):
        texts = read.texts[number + 1 : number + 3 if row < len(works) else number + 2]
        if not all(map(bytes.isascii, texts)):
            text = "\n\n".join(text.decode("utf-8", "surrogatepass") for text in texts)
            signs = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
            in_bytes = 1 + (signs >= 0x80).astype(np.int64) + (signs >= 0x800) + (signs >= 0x10000)  # noqa: PLR2004 - UTF-8
            some = slice(first_sentence[row], first_sentence[row + 1])
            ends[some] = np.concatenate(([0], in_bytes.cumsum()))[ends[some]]
    begins, of_titles, counts = text_ends[before], text_ends[before + 1] - text_ends[before], np.diff(first_sentence)
    ends -= len("\n\n") * (ends > np.repeat(of_titles, counts)[:, None])  # what was read between title and abstract
    return np.asarray(ends + np.repeat(begins, counts)[:, None])
