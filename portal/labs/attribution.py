"""Where each fact of a profile comes from: the line of a page, or the person who entered it last."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from portal.config import extension
from portal.labs.service import COMMAND_LINE
from portal.models import Lab, LabRevision
from portal.seeding.snapshots import COLLECTIONS
from portal.web.templating import point_in_time

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.seeding.records import LabRecord, Origin
    from portal.seeding.snapshots import Json


EXTENSION = "portal_attribution"
READ_AT_ONCE = 20  # revisions
MOST_REMEMBERED = 2_000  # labs


@dataclass(frozen=True, slots=True)
class Edit:
    """Who entered a fact, and when."""

    who: str
    at: datetime


class Attribution:
    """Caches, per process, who entered the facts of each lab's newest revision that no page states."""

    def __init__(self) -> None:
        self._edits: dict[str, tuple[LabRecord, Mapping[str, Edit]]] = {}

    def sources(self, session: Session, lab: Lab, record: LabRecord) -> dict[str, Sequence[str]]:
        """Where each fact of `record`, the lab's profile, comes from, in words.

        Keys are the paths of `portal.seeding.merging` ("about", "works/hexgen"); empty facts have no entry. Computed
        once per profile and process. Reads the lab's revisions, newest first, until each fact that no page states is
        found.
        """
        origins = dict(_origins(record))
        unstated = [path for path, pages in origins.items() if not pages]
        remembered = self._edits.get(record.key)
        if remembered is None or remembered[0] is not record:
            if len(self._edits) >= MOST_REMEMBERED:
                self._edits.clear()
            remembered = (record, last_edits(session, lab, unstated))
            self._edits[record.key] = remembered
        edits = remembered[1]
        return {
            path: [_page_words(origin) for origin in pages] or [_edit_words(edit) for edit in [edits.get(path)] if edit]
            for path, pages in origins.items()
        }


def attribution(app: Flask) -> Attribution:
    """The cache of an application."""
    return extension(app, EXTENSION, Attribution)


def last_edits(session: Session, lab: Lab, paths: Collection[str]) -> dict[str, Edit]:
    """Who gave each of `paths` its present value, and when. Reads the lab's revisions until all are found."""
    remaining = set(paths)
    edits: dict[str, Edit] = {}
    newer: LabRevision | None = None
    newer_values: dict[str, Json] = {}
    if not remaining:
        return edits
    newest_first = (
        select(LabRevision)
        .where(LabRevision.lab_id == lab.id, LabRevision.number <= lab.revision_number)
        .options(joinedload(LabRevision.author))
        .order_by(LabRevision.number.desc())
        .execution_options(yield_per=READ_AT_ONCE)
    )
    with session.scalars(newest_first) as revisions:
        for revision in revisions:
            older_values = _values(revision.snapshot, remaining)
            if newer is not None:
                edit = _edit(newer)
                changed = [path for path in remaining if newer_values.get(path) != older_values.get(path)]
                edits.update(dict.fromkeys(changed, edit))
                remaining.difference_update(changed)
            newer, newer_values = revision, older_values
            if not remaining:
                break
    if newer is not None:
        edits.update(dict.fromkeys(remaining, _edit(newer)))
    return edits


def _edit(revision: LabRevision) -> Edit:
    """The edit that a revision records. Shows only names that people gave: a label may have part of an address."""
    if revision.author is not None:
        return Edit(revision.author.name or "a person who gave no name", revision.saved_at)
    by_command = revision.author_label == COMMAND_LINE
    return Edit("the portal's command line" if by_command else "a person who has left the portal", revision.saved_at)


def _values(snapshot: Mapping[str, Json], paths: Collection[str]) -> dict[str, Json]:
    """The values at `paths`, without their origins."""
    values: dict[str, Json] = {path: snapshot.get(path) for path in paths if "/" not in path}
    for name in COLLECTIONS:
        items = snapshot.get(name)
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict) and f"{name}/{item['key']}" in paths:
                values[f"{name}/{item['key']}"] = {**item, "origins": None}
    return values


def _origins(record: LabRecord) -> Iterable[tuple[str, tuple[Origin, ...]]]:
    """Every stated fact, with the lines that state it."""
    stated = dict(record.origins)
    values = {spec.name: getattr(record, spec.name) for spec in fields(record)}
    for name, value in values.items():
        if value and name not in {*COLLECTIONS, "origins", "key"}:
            yield name, (stated[name],) if name in stated else ()
    for member in record.members:
        yield f"members/{member.key}", member.origins
    for work in record.works:
        yield f"works/{work.key}", work.origins
    for system in record.systems:
        yield f"systems/{system.key}", system.origins
    for activity in record.activities:
        yield f"activities/{activity.key}", activity.origins
    for opening in record.openings:
        yield f"openings/{opening.key}", opening.origins


def _page_words(origin: Origin) -> str:
    if origin.page.endswith(".toml"):
        return f"the portal's corrections, {origin.page}, line {origin.line:,}"
    return f"seed page {origin.page}, line {origin.line:,}"


def _edit_words(edit: Edit) -> str:
    return f"entered by {edit.who} on {point_in_time(edit.at)}"
