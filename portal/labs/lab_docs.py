"""A lab profile as the matcher's document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.matching import LabDoc, WorkDoc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.seeding.records import LabRecord, WorkRecord

_DEGREE = re.compile(r"\b(?:ph\.?\s?d|m\.?\s?phil|m\.?\s?sc|post-?\s?doc)\b\.?", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
# What an opening says besides its subject: degree, number, start and money.
_FORMAL = (
    "a all an and are as assistant assistants at available by candidate candidates doctoral each every few for from "
    "full fully fund funded funding have in is looking master masters mphil msc new now of on one open opening "
    "openings or our paid part per phd place places position positions postdoc postdoctoral postdocs ra ras recruiting "
    "research researcher researchers scholarship scholarships seat seats several some start starting "
    "starts stipend student students the three time to two up vacancies vacancy we with year years "
    "academic autumn fall intake semester spring summer term winter immediately soon "
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
_FORMAL_WORDS = frozenset(_FORMAL.split())


def settled_works(record: LabRecord) -> list[WorkRecord]:
    """The works without an open question, which only administrators see, newest first, undated ones last."""
    return sorted((work for work in record.works if not work.question), key=lambda work: -(work.year or 0))


def lab_doc(record: LabRecord) -> LabDoc:
    """The parts of a profile that are matched.

    Biography, schools, places and names are not. Authors are given to tell which system is meant ("Plato by Jin"); the
    lab's leader is added, since author lists often omit them. A work with an open question ("does it belong to this
    lab?") is left out until it is answered, so that a stranger's paper never brings anybody to the lab.
    """
    systems_of: dict[str, list[str]] = {}
    for system in record.systems:
        for work in system.works:
            systems_of.setdefault(work, []).append(system.name)
    works = [_work_doc(work, systems_of.get(work.key, ()), record.leader) for work in record.works if not work.question]
    return LabDoc(key=record.key, profile=_profile_text(record), works=tuple(works), facets=facets_of(record))


def _work_doc(work: WorkRecord, systems: Sequence[str], leader: str) -> WorkDoc:
    authors = (*work.authors, leader) if systems and leader else work.authors
    return WorkDoc(work.key, work.title, work.abstract, work.year, tuple(systems), authors)


def _profile_text(record: LabRecord) -> str:
    parts = [
        record.recruiting_focus,
        record.interests,
        record.recruiting,
        *record.topics,
        *record.hardware,
        *(opening.text for opening in record.openings if states_subject(opening.text)),
        *(member.interests for member in record.members),
    ]
    return "\n\n".join(dict.fromkeys(part for part in parts if part))


def states_subject(text: str) -> bool:
    """Whether an opening's text says what it is about, not only for whom, how many, when and how it is paid.

    "2 Ph.D. positions from Fall 2027" does not: matched, it would make "Fall 2027" a topic of the lab.
    """
    return any(word not in _FORMAL_WORDS for word in _LETTERS.findall(_DEGREE.sub(" ", text).casefold()))


def facets_of(record: LabRecord) -> dict[str, tuple[str, ...]]:
    """The values an applicant can filter by, by facet name; facets without a value are omitted."""
    facets = {
        "hardware": record.hardware,
        "place": (record.place,) if record.place else (),
        "degree": tuple(dict.fromkeys(opening.degree for opening in record.openings)),
        "start": tuple(dict.fromkeys(opening.start for opening in record.openings if opening.start)),
        "funding": tuple(dict.fromkeys(opening.funding for opening in record.openings if opening.funding)),
    }
    return {name: values for name, values in facets.items() if values}
