"""The terms of labs' profiles and titles as vectors and in words, for topic maps."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from portal.matching.explanation.surfaces import phrases
from portal.matching.language.terms import keys
from portal.matching.topic_map import Direction, TopicMap, lay_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from portal.matching.records import LabDoc
    from portal.matching.topic_map import Plane, Point

_NAMES = 3
_LABS_THAT_NAME = 12
_PHRASE_FAVOUR = 2.0
"""The factor by which pairs are preferred as names: they say more to a reader than one word, but weigh less."""


class LabVectors(NamedTuple):
    """One row per lab, one column per term."""

    keys: Sequence[str]
    rows: Any
    terms: Sequence[str]


def lab_vectors(labs: Iterable[LabDoc]) -> LabVectors:
    """One vector per lab: (1 + ln frequency) × idf of the terms in its profile and titles, scaled to length 1."""
    import scipy.sparse
    from sklearn.feature_extraction.text import TfidfVectorizer

    all_labs = list(labs)
    texts = [keys(_texts(lab)) for lab in all_labs]
    if not any(texts):  # which scikit-learn refuses
        return LabVectors([lab.key for lab in all_labs], scipy.sparse.csr_matrix((len(all_labs), 0)), [])
    vectorizer = TfidfVectorizer(analyzer=list, sublinear_tf=True)
    rows = vectorizer.fit_transform(texts)
    return LabVectors([lab.key for lab in all_labs], rows, vectorizer.get_feature_names_out().tolist())


def topic_map(labs: Iterable[LabDoc]) -> TopicMap:
    """The map of `labs`, its directions named by terms; see `portal.matching.topic_map`.

    Raises:
        ValueError: two labs have the same key.
    """
    all_labs = list(labs)
    plane = lay_out(*lab_vectors(all_labs))
    across, up = (_direction(plane, axis, {lab.key: lab for lab in all_labs}) for axis in (0, 1))
    return TopicMap(plane.places, plane.unplaced, across, up)


def _texts(lab: LabDoc) -> list[str]:
    return [lab.profile, *(text for work in lab.works for text in (work.title, *work.systems))]


def _direction(plane: Plane, axis: int, labs: Mapping[str, LabDoc]) -> Direction:
    """The terms at both ends of an axis, in the spelling of the labs furthest out."""
    load = dict(zip(plane.terms, plane.loads[axis].tolist(), strict=True))
    return Direction(*(_end(plane.places, axis, sign, load, labs) for sign in (-1, 1)))


def _end(
    places: Mapping[str, Point], axis: int, sign: int, load: Mapping[str, float], labs: Mapping[str, LabDoc]
) -> tuple[str, ...]:
    """The names of one end of an axis, the low one if `sign` is -1; `load` has the load of every term on the axis."""
    outmost = sorted((-sign * place[axis], key) for key, place in places.items() if sign * place[axis] > 0)
    written: dict[str, Counter[str]] = {}
    for _, key in outmost[:_LABS_THAT_NAME]:
        for text in _texts(labs[key]):
            for term, form, _ in phrases(text):
                written.setdefault(term, Counter())[form] += 1
    ranked = sorted(
        (-sign * load[term] * (_PHRASE_FAVOUR if " " in _usual(forms) else 1.0), _usual(forms))
        for term, forms in written.items()
        if sign * load.get(term, 0.0) > 0
    )
    names: list[str] = []
    used: set[str] = set()
    for _, name in ranked:
        words = set(keys([name]))
        if words and not words & used:
            names.append(name)
            used |= words
        if len(names) == _NAMES:
            break
    return tuple(names)


def _usual(forms: Counter[str]) -> str:
    """The most frequent spelling; ties go to fewer capitals, then to alphabetical order."""
    return min(forms, key=lambda form: (-forms[form], sum(map(str.isupper, form)), form))
