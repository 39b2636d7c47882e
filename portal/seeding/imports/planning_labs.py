"""A table of labs compared with existing labs: new ones to create, proposals for the others."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.seeding.identifiers import bare_address
from portal.seeding.imports.planning import plan_draft
from portal.seeding.names import Keys, name_words, same_person
from portal.seeding.snapshots import to_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from portal.seeding.imports.imported import Imported
    from portal.seeding.plan import Proposal
    from portal.seeding.records import LabRecord

_NEAR = 100


@dataclass(frozen=True, slots=True)
class LabPlan:
    """The plan for a row of a table: a `new` lab, or proposals for an existing one.

    `fingerprint` is the row's `row_fingerprint`.
    """

    lab: str
    proposals: tuple[Proposal, ...] = ()
    new: LabRecord | None = None
    line: int = 0
    fingerprint: str = ""


def plan_labs(
    profiles: Mapping[str, LabRecord], imported: Imported, *, excluded: Collection[str] = frozenset()
) -> tuple[LabPlan, ...]:
    """For every row of a table: the existing lab it matches, with proposals, or a new lab.

    A row matches a lab with the same home page, or the same leader and compatible institution, or the same name and
    institution; a lab matches at most one row. Rows that propose nothing are left out.
    """
    matches = same_labs(profiles, imported.labs)
    plans: list[LabPlan] = []
    keys = Keys(profiles)
    for index, draft in enumerate(imported.labs):
        line = draft.origins[0][1].line if draft.origins else 0
        profile = profiles.get(matches.get(index, ""))
        if profile is None:
            record = replace(draft, key=keys.give(draft.key))
            plans.append(LabPlan(record.key, new=record, line=line, fingerprint=row_fingerprint(draft)))
            continue
        # Every row lists its leader as a person, which is not new if the profile has the same leader.
        compared = replace(draft, members=()) if same_person(profile.leader, draft.leader) else draft
        proposals = plan_draft(profile, compared, imported, excluded=excluded)
        if proposals:
            plans.append(LabPlan(profile.key, proposals, line=line, fingerprint=row_fingerprint(draft)))
    return tuple(plans)


def row_fingerprint(draft: LabRecord) -> str:
    """64 hexadecimal digits, equal for rows with the same content in any file and line."""
    content = {name: value for name, value in to_json(draft).items() if name not in ("key", "origins")}
    for collection in ("members", "openings"):
        items = content[collection]
        content[collection] = (
            [{**item, "origins": []} for item in items if isinstance(item, dict)] if isinstance(items, list) else []
        )
    return hashlib.sha256(json.dumps(content, ensure_ascii=True, sort_keys=True).encode()).hexdigest()


def same_labs(profiles: Mapping[str, LabRecord], drafts: Sequence[LabRecord]) -> dict[int, str]:
    """For each draft (by index) the key of the lab that it matches; those equal in everything first.

    Uses only name, leader, institution and home page of the profiles.
    """
    by_word: dict[str, list[str]] = {}
    for key, profile in profiles.items():
        for word in _search_keys(profile):
            by_word.setdefault(word, []).append(key)
    matches: dict[int, str] = {}
    matched: set[str] = set()
    for test in (_equal, _same_lab):
        for index, draft in enumerate(drafts):
            if index in matches:
                continue
            candidates = (key for key in _near(draft, by_word) if key not in matched)
            lab_key = next((key for key in candidates if test(profiles[key], draft)), None)
            if lab_key is not None:
                matches[index] = lab_key
                matched.add(lab_key)
    return matches


def _near(draft: LabRecord, keys_by_search_key: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Labs that share a search key with a draft, those that share a rare one first."""
    for key in sorted(_search_keys(draft), key=lambda key: (len(keys_by_search_key.get(key, ())), key)):
        yield from keys_by_search_key.get(key, ())[:_NEAR]


def _search_keys(record: LabRecord) -> set[str]:
    """The keys of a record: home page, leader's name and its words, name. Two records of one lab share at least one."""
    keys = {f"name {' '.join(sorted(name_words(record.name)))}"}
    if record.homepage:
        keys.add(f"page {bare_address(record.homepage)}")
    if record.leader:
        name_parts = name_words(record.leader)
        keys |= {f"leader {' '.join(sorted(name_parts))}", *(f"leader {word}" for word in name_parts if len(word) > 1)}
    return keys


def _equal(profile: LabRecord, draft: LabRecord) -> bool:
    return (profile.name, profile.leader, profile.institution) == (draft.name, draft.leader, draft.institution)


def _same_lab(profile: LabRecord, draft: LabRecord) -> bool:
    places = [name_words(record.institution) for record in (profile, draft)]
    one_place = not places[0] or not places[1] or bool(places[0] <= places[1] or places[1] <= places[0])
    if profile.homepage and draft.homepage and bare_address(profile.homepage) == bare_address(draft.homepage):
        return True
    if profile.leader and draft.leader:
        return same_person(profile.leader, draft.leader) and one_place
    return name_words(profile.name) == name_words(draft.name) and one_place
