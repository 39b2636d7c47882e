"""The list of systems: search by name in any spelling, by first letter."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rapidfuzz import fuzz, process

from portal.labs.folding import folded_name
from portal.labs.profile.views import new_description
from portal.labs.profile.work_views import WorkLine, anchor, work_line
from portal.labs.web_links import web_address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.labs.catalogue import Catalogue, SystemEntry

OTHER = "#"  # stands for names that do not begin with A to Z
MOST_SIMILAR = 3
SIMILAR_ENOUGH = 75  # of 100, by rapidfuzz's ratio


@dataclass(frozen=True)
class SystemRow:
    """One system of one lab with the works about it, strongest first."""

    name: str
    anchor: str
    description: str
    url: str
    lab_slug: str
    lab_name: str
    lab_leader: str
    works: Sequence[WorkLine]


@dataclass(frozen=True)
class Letter:
    """An index letter; `count` systems among those found begin with it."""

    letter: str
    count: int
    selected: bool


@dataclass(frozen=True)
class SystemListing:
    """The systems that match; `similar` are close names if none does."""

    entries: Sequence[SystemEntry]
    letters: Sequence[Letter]
    similar: Sequence[str]


def system_listing(catalogue: Catalogue, text: str, letter: str) -> SystemListing:
    """The systems whose name contains `text`: exact matches first, then prefixes, then the rest.

    Args:
        catalogue: All labs.
        text: A name or a part of one; case, accents, spaces and hyphens do not matter. Empty: every system.
        letter: Only names that begin with it ("A" to "Z" or "#"); empty: all.
    """
    matching = _named(catalogue.systems, text)
    letters = [_letter(entry) for entry in matching]
    counts = sorted(Counter(letters).items(), key=lambda pair: (pair[0] == OTHER, pair[0]))
    if letter:
        matching = [entry for entry, first_letter in zip(matching, letters, strict=True) if first_letter == letter]
    return SystemListing(
        matching,
        [Letter(sign, count, sign == letter) for sign, count in counts],
        [] if matching or letter else _similar(catalogue.systems, text),
    )


def _named(systems: Sequence[SystemEntry], text: str) -> list[SystemEntry]:
    if not text.strip():
        return list(systems)
    name = folded_name(text)
    if not name:
        return []
    matching = [entry for entry in systems if name in entry.name]
    return sorted(matching, key=lambda entry: (entry.name != name, not entry.name.startswith(name)))


def _letter(entry: SystemEntry) -> str:
    first = entry.name[:1].upper()
    return first if "A" <= first <= "Z" else OTHER


def _similar(systems: Sequence[SystemEntry], text: str) -> list[str]:
    names = {entry.name: entry.system.name for entry in systems}
    close = process.extract(
        folded_name(text), names.keys(), scorer=fuzz.ratio, limit=MOST_SIMILAR, score_cutoff=SIMILAR_ENOUGH
    )
    return [names[name] for name, _score, _place in close]


def system_row(entry: SystemEntry) -> SystemRow:
    """A system as one line of a list."""
    works = {work.key: work for work in entry.lab.works}
    return SystemRow(
        name=entry.system.name,
        anchor=anchor("system", entry.system.key),
        description=new_description(entry.system, works),
        url=web_address(entry.system.url),
        lab_slug=entry.lab.key,
        lab_name=entry.lab.name,
        lab_leader=entry.lab.leader,
        works=[work_line(works[key]) for key in entry.system.works if key in works],
    )
