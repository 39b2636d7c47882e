"""Fits an index: scikit-learn's `TfidfVectorizer` over the works and profiles of all labs, and arrays of the result."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from portal.matching.formula import PROFILE_WEIGHT, foci
from portal.matching.language.abbreviations import Abbreviation, Definitions
from portal.matching.language.terms import facts, forms_by_sentence, terms_of_units
from portal.matching.layers import KEYS, Layer, text_of_work, texts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from portal.matching.records import LabDoc

    Floats = NDArray[np.float64]


class Row(NamedTuple):
    """A work or a profile as it is read; `names` are those of the work's systems."""

    text: str
    names: tuple[str, ...] = ()


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

    def of(self, keys: NDArray[Any]) -> Floats:
        """The idf of terms, given as arrays of `KEYS`."""
        if not len(self.terms):
            return np.full(len(keys), self.unknown)
        places = np.minimum(self.terms.searchsorted(keys), len(self.terms) - 1)
        return np.where(self.terms[places] == keys, self.idf[places], self.unknown)


class _Reader:
    """The analyzer of the vectorizer. Keeps where the sentences and words of each row are."""

    def __init__(self) -> None:
        self.numbers: defaultdict[str, int] = defaultdict()
        self.numbers.default_factory = self.numbers.__len__
        self.words = array("i")
        self.first_word = array("q", [0])
        self.first_sentence = array("q", [0])
        self.chunks = array("i")
        self.definitions = Definitions()
        self.in_names: Counter[str] = Counter()

    def __call__(self, row: Row) -> list[str]:
        keys: list[str] = []
        for first, stop, forms in forms_by_sentence(row.text):
            keys += terms_of_units(forms)
            self.words.fromlist(list(map(self.numbers.__getitem__, forms)))
            self.first_word.append(len(self.words))
            self.chunks.append(first)
            self.chunks.append(stop)
        self.first_sentence.append(len(self.first_word) - 1)
        for name in row.names:
            for _, _, forms in forms_by_sentence(name):
                keys += terms_of_units(forms)
                self.in_names.update(forms)
        self.definitions.add(row.text)
        return keys


class _Labs:
    """Takes labs one by one, and passes their works on as rows; the profiles come behind all works."""

    def __init__(self, labs: Iterable[LabDoc], progress: Callable[[int], None] | None) -> None:
        self._labs = labs
        self._progress = progress
        self.keys: list[str] = []
        self.first_work = [0]
        self.profiles: list[int] = []
        self.texts: list[bytes] = []

    def rows(self) -> Iterator[Row]:
        """The works, then the profiles.

        Raises:
            ValueError: two labs have the same key.
        """
        seen: set[str] = set()
        profiles: list[str] = []
        for count, lab in enumerate(map(in_order, self._labs), start=1):
            if lab.key in seen:
                raise ValueError(f"two labs have the key {lab.key!r}")
            seen.add(lab.key)
            self.keys.append(lab.key)
            self.texts += texts_of(lab)
            self.first_work.append(self.first_work[-1] + len(lab.works))
            profiles.append(lab.profile)
            for work in lab.works:
                yield Row(text_of_work(work.title, work.abstract), work.systems)
            if self._progress is not None:
                self._progress(count)
        row = self.first_work[-1]
        for profile in profiles:
            if profile.strip():
                self.profiles.append(row)
                row += 1
                yield Row(profile)
            else:
                self.profiles.append(-1)


def in_order(lab: LabDoc) -> LabDoc:
    """The lab with its works sorted by key."""
    from dataclasses import replace

    return replace(lab, works=tuple(sorted(lab.works, key=lambda work: work.key)))


def fit(labs: Iterable[LabDoc], progress: Callable[[int], None] | None = None) -> tuple[Weights, Layer]:
    """The weights and the layer of `labs`.

    Raises:
        ValueError: two labs have the same key.
    """
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfVectorizer

    reader, taken = _Reader(), _Labs(labs, progress)
    vectorizer = TfidfVectorizer(analyzer=reader, sublinear_tf=True, norm=None, dtype=np.float32)
    rows = taken.rows()
    try:
        matrix = csr_array(vectorizer.fit_transform(rows))
    except ValueError:
        if reader.words or any(True for _ in rows):
            raise
        # scikit-learn refuses texts without any word
        weights = Weights(np.zeros(0, KEYS), np.zeros(0), 1.0, np.zeros(0, KEYS), np.zeros(0, np.int64), 0, ())
        return weights, _layer(
            taken, reader, csr_array((len(reader.first_sentence) - 1, 0), dtype=np.float32), weights.terms
        )
    found = vectorizer.vocabulary_
    terms = np.empty(len(found), dtype=KEYS)
    terms[list(found.values())] = [name.encode("utf-8", "surrogatepass") for name in found]
    forms, counts = _forms(reader)
    weights = Weights(
        terms,
        vectorizer.idf_.astype(np.float64),
        float(np.log(1.0 + matrix.shape[0]) + 1.0),
        forms,
        counts,
        matrix.shape[0],
        tuple(reader.definitions.learned()),
    )
    return weights, _layer(taken, reader, matrix, terms)


def layer_of(labs: Sequence[LabDoc], weights: Weights) -> Layer:
    """A layer of edited labs; the weights stay as fitted."""
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfVectorizer

    reader, taken = _Reader(), _Labs(labs, None)
    keys_of_rows = [reader(row) for row in taken.rows()]
    names = sorted(set().union(*keys_of_rows))
    terms = np.array([name.encode("utf-8", "surrogatepass") for name in names], dtype=KEYS)
    if not names:
        return _layer(taken, reader, csr_array((len(keys_of_rows), 0), dtype=np.float32), terms)
    vectorizer = TfidfVectorizer(
        analyzer=_as_they_are, vocabulary=names, sublinear_tf=True, norm=None, dtype=np.float32
    )
    vectorizer.idf_ = weights.of(terms).astype(np.float32)
    return _layer(taken, reader, csr_array(vectorizer.transform(keys_of_rows)), terms)


def joined(layers: Sequence[Layer], weights: Weights) -> Layer:
    """One layer of the labs of several."""
    from portal.matching.layers import docs

    return layer_of(list(docs(layers)), weights)


def _as_they_are(keys: list[str]) -> list[str]:
    return keys


def _forms(reader: _Reader) -> tuple[NDArray[Any], NDArray[Any]]:
    """The words of the texts, with hyphenated ones in their parts, and how often they occur."""
    counts: Counter[str] = Counter()
    of_units = np.bincount(np.frombuffer(reader.words, np.int32), minlength=len(reader.numbers)).tolist()
    for form, count in (*zip(reader.numbers, of_units, strict=True), *reader.in_names.items()):
        parts = form.replace("-", " ").split()
        for part in (*parts, "".join(parts)) if "-" in form else parts:  # hyphens are often left out
            if part.isascii() and part.isalpha() and len(part) <= KEYS.itemsize:
                counts[part] += count
    forms = sorted(counts)
    in_bytes = np.array([form.encode() for form in forms], dtype=KEYS)
    return in_bytes, np.array([counts[form] for form in forms], dtype=np.int64)


def _layer(taken: _Labs, reader: _Reader, rows: csr_array, terms: NDArray[Any]) -> Layer:
    from scipy.sparse import csr_array
    from sklearn.preprocessing import normalize

    first_work = np.array(taken.first_work, dtype=np.int64)
    profiles = np.array(taken.profiles, dtype=np.int64)
    labs = len(taken.keys)
    weights = np.ones(rows.shape[0], dtype=np.float32)
    lab_of_row = np.repeat(np.arange(labs), np.diff(first_work))
    with_profile = np.flatnonzero(profiles >= 0)
    weights[first_work[-1] :] = PROFILE_WEIGHT
    lab_of_row = np.concatenate((lab_of_row, with_profile))
    members = csr_array((weights, (lab_of_row, np.arange(rows.shape[0]))), shape=(labs, rows.shape[0]))
    rows.sort_indices()
    # Only now, so that rounding does not depend on the order in which the terms were found.
    if rows.nnz:
        normalize(rows, copy=False)
    focus, factors = foci(rows, members)
    focus.sort_indices()
    forms = [facts(form).terms[0] for form in reader.numbers]
    main = np.array([form.encode("utf-8", "surrogatepass") for form in forms], dtype=KEYS)
    columns = terms.searchsorted(main).astype(np.int32)
    ends = np.cumsum([len(text) for text in taken.texts], dtype=np.int64)
    return Layer(
        tuple(taken.keys),
        terms,
        rows,
        focus,
        csr_array(rows.T.tocsr()),
        csr_array(focus.T.tocsr()),
        first_work,
        profiles,
        factors,
        np.array(reader.first_sentence, dtype=np.int64),
        np.array(reader.chunks, dtype=np.int32).reshape(-1, 2),
        np.array(reader.first_word, dtype=np.int64),
        columns[np.frombuffer(reader.words, np.int32)] if reader.words else np.zeros(0, np.int32),
        np.frombuffer(b"".join(taken.texts), dtype=np.uint8),
        ends,
    )
