"""Finds and merges the same work on two pages; measures whether works fit a lab."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from portal.seeding.names import same_person, unique

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.seeding.records import WorkRecord

_TITLE_IN_ABSTRACT = 0.25
_VENUE_OVERLAP = 0.5
_SMALLEST_LAB = 4
_CHANCE = 0.02
_VENUE_STOP = frozenset(
    """
    a an and annual appear conference endowment for in international journal of on pages pp proceedings proc symposium
    the to transactions vol volume issue workshop acm ieee usenix research advances systems
    """.split()  # noqa: SIM905 - a table, not code
)
_STOP = frozenset(
    """
    the and for that this with are from which can our has have been its not also than into such these their they while
    more both between over under using used use based show shows paper work however further new novel propose proposed
    present approach method methods results result existing however when where were was will would could other many most
    each all any one two three first well via per due given only often may there those then thus about across within
    """.split()  # noqa: SIM905 - a table, not code
)


def same_work(work: WorkRecord, other: WorkRecord) -> bool:
    """Whether two records are the same publication.

    With two titles, the titles decide (unless year and venue both differ: a journal version). If one has no title: the
    shorter list of people must lead the longer one, years differ by at most one, venues must be compatible, and much of
    the known title must be in the other's abstract.
    """
    if work.title and other.title:
        if _title_words(work.title) != _title_words(other.title):
            return False
        years_differ = work.year and other.year and abs(work.year - other.year) > 1
        return not (years_differ and work.venue and other.venue and not venues_agree(work, other))
    if not work.year or not other.year or abs(work.year - other.year) > 1:
        return False
    return _people_lead(work, other) and venues_agree(work, other) and _title_fits(work, other)


def venues_agree(record: WorkRecord, other_record: WorkRecord) -> bool:
    """Whether two venues may be the same; an unknown one agrees with all, a journal never with proceedings."""
    first, second = (f"{work.venue} {work.venue_full}".strip() for work in (record, other_record))
    if not first or not second:
        return True
    if _is_journal(first) != _is_journal(second):
        return False
    a, b = _venue_words(first), _venue_words(second)
    if not a or not b:
        return first.casefold() == second.casefold()
    return len(a & b) / min(len(a), len(b)) >= _VENUE_OVERLAP


def join(
    present: Sequence[WorkRecord], new: Sequence[WorkRecord]
) -> tuple[list[WorkRecord], list[tuple[WorkRecord, WorkRecord]]]:
    """(all works without duplicates; pairs of (new, known)). Known works keep their keys and order."""
    works = list(present)
    joined: list[tuple[WorkRecord, WorkRecord]] = []
    index_by_key = {work.key: index for index, work in enumerate(works)}
    titled: dict[tuple[str, ...], list[WorkRecord]] = {}
    for work in present:
        titled.setdefault(_title_words(work.title), []).append(work)
    matched: set[str] = set()
    for work in new:
        near = [*titled.get(_title_words(work.title), ()), *titled.get((), ())] if work.title else present
        candidates = [other for other in near if other.key not in matched and same_work(other, work)]
        if not candidates:
            key = unique(work.key, index_by_key)
            index_by_key[key] = len(works)
            works.append(replace(work, key=key))
            continue
        best = max(candidates, key=lambda other: _share(_content(other.title), _content(work.abstract)))
        matched.add(best.key)
        works[index_by_key[best.key]] = combined(best, work)
        joined.append((work, best))
    return works, joined


def combined(work: WorkRecord, other: WorkRecord) -> WorkRecord:
    """One work from two records: the first takes precedence, the second fills gaps."""
    longer = work if len(work.authors) >= len(other.authors) else other
    return replace(
        work,
        title=work.title or other.title,
        authors=longer.authors,
        authors_complete=longer.authors_complete,
        venue=work.venue or other.venue,
        venue_full=work.venue_full or other.venue_full,
        year=work.year or other.year,
        date=work.date or other.date,
        subject=work.subject or other.subject,
        abstract=work.abstract or other.abstract,
        links=tuple(dict.fromkeys([*work.links, *other.links])),
        awards=tuple(dict.fromkeys([*work.awards, *other.awards])),
        origins=(*work.origins, *other.origins),
    )


def fits(work: WorkRecord, others: Sequence[WorkRecord], profile: str) -> bool:
    """Whether a work is within the lab's topics, compared with the lab's own works.

    The measure is the cosine of tf-idf vectors (idf over the lab's works) between a work and the sum of the others and
    the profile. A work fits if its cosine reaches the minimum over the lab's own works with an abstract. With fewer
    than four abstracts, works with titles only are used too; since these vary more, their lower quartile is the
    threshold. For labs with fewer than four works, it is 0.02, little more than chance.
    """
    own = [other for other in others if other.key != work.key]
    full = [other for other in own if other.abstract]
    sample = full if len(full) >= _SMALLEST_LAB else own
    if not sample:
        return True
    texts = [_content(f"{other.title} {other.abstract}") for other in own]
    frequency = Counter(word for text in texts for word in set(text))
    about = _content(profile)
    total = Counter(about)
    for text in texts:
        total.update(text)
    values = []
    for other in sample:
        text = _content(f"{other.title} {other.abstract}")
        values.append(_cosine(text, total - Counter(text), frequency, len(own)))
    if len(sample) < _SMALLEST_LAB:
        floor = _CHANCE
    else:
        floor = min(values) if sample is full else sorted(values)[len(values) // 4]
    return _cosine(_content(f"{work.title} {work.abstract}"), total, frequency, len(own)) >= floor


def _cosine(text: Counter[str], rest: Counter[str], frequency: Counter[str], count: int) -> float:
    def weights(words: Counter[str]) -> dict[str, float]:
        return {
            word: (1 + math.log(count_in_text)) * math.log((1 + count) / (0.5 + frequency[word]))
            for word, count_in_text in words.items()
            if count_in_text > 0
        }

    a, b = weights(text), weights(rest)
    norm = math.sqrt(sum(x * x for x in a.values())) * math.sqrt(sum(x * x for x in b.values()))
    return sum(x * b[word] for word, x in a.items() if word in b) / norm if norm else 0.0


def _people_lead(first: WorkRecord, second: WorkRecord) -> bool:
    shorter, longer = sorted((first, second), key=lambda work: len(work.authors))
    if not shorter.authors:
        return False
    if shorter.authors_complete and longer.authors_complete and len(shorter.authors) != len(longer.authors):
        return False
    return all(same_person(a, b) for a, b in zip(shorter.authors, longer.authors, strict=False))


def _title_fits(work: WorkRecord, other: WorkRecord) -> bool:
    title, abstract = work.title or other.title, work.abstract if other.title else other.abstract
    if not title or not abstract:
        return work.abstract == other.abstract
    return _share(_content(title), _content(abstract)) >= _TITLE_IN_ABSTRACT


def _share(words: Counter[str], text: Counter[str]) -> float:
    return sum(word in text for word in words) / len(words) if words else 0.0


def _content(text: str) -> Counter[str]:
    """The content words of a text, without plural endings."""
    words = re.findall(r"[a-z][a-z0-9]{2,}", text.casefold())
    return Counter(word.rstrip("s") for word in words if word not in _STOP)


def _title_words(title: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", title.casefold()))


def _is_journal(venue: str) -> bool:
    if re.search(r"\bproceedings of the (?:vldb endowment|acm on)\b", venue, re.IGNORECASE):
        return False
    return bool(re.search(r"\bjournal\b|\btransactions\b|\bmagazine\b|\bletters\b", venue, re.IGNORECASE))


def _venue_words(venue: str) -> set[str]:
    words = set(re.findall(r"[a-z]{3,}", venue.casefold()))
    # "SIGKDD" and "KDD" are one name.
    return {word.removeprefix("sig") if word != "sigmod" else word for word in words} - _VENUE_STOP
