"""Reads the imports of one lab and their proposals, each beside today's value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.admin.profiles.differences import item_fields, text_at
from portal.admin.profiles.merge_form import place_of
from portal.labs.imports import fitting, with_accepted
from portal.labs.queries import profile_of
from portal.models import Job, LabImport, LabProposal
from portal.seeding.changes import MergeError
from portal.web.paging import Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from portal.models import Lab
    from portal.seeding.records import LabRecord


AN_ITEM = 1  # slashes in its path


@dataclass(frozen=True, slots=True)
class ImportedChange:
    """One proposal: its place, why it is made, today's value and the file's, each as a text or as an item's fields.

    `fits` is False if the profile no longer has its place: it can only be refused.
    """

    id: int
    place: str
    why: str
    now_text: str
    now_fields: list[tuple[str, str]]
    file_text: str
    file_fields: list[tuple[str, str]]
    fits: bool


def views_of(lab: Lab, profile: LabRecord, rows: Sequence[LabProposal]) -> list[ImportedChange]:
    """The proposals, each beside the current value in the profile."""
    fits = list(rows)
    try:
        proposed_profile = with_accepted(lab, profile, fits)
    except MergeError:
        fits = fitting(lab, profile, rows)
        proposed_profile = with_accepted(lab, profile, fits)
    fitting_ids = {row.id for row in fits}
    return [
        _view(profile, proposed_profile if row.id in fitting_ids else profile, row, fits=row.id in fitting_ids)
        for row in rows
    ]


def _view(profile: LabRecord, proposed_profile: LabRecord, row: LabProposal, *, fits: bool) -> ImportedChange:
    is_item = row.path.count("/") == AN_ITEM
    return ImportedChange(
        id=row.id,
        place=place_of((profile, proposed_profile), row.path),
        why=row.why,
        now_text="" if is_item or not fits else text_at(profile, row.path),
        now_fields=item_fields(profile, row.path) if is_item else [],
        file_text="" if is_item or not fits else text_at(proposed_profile, row.path),
        file_fields=item_fields(proposed_profile, row.path) if is_item and fits else [],
        fits=fits,
    )


def imports_page(session: Session, lab: Lab, page_number: int) -> Page[LabImport]:
    """One page of the imports of a lab, newest first."""
    of_lab = select(LabImport).where(LabImport.lab_id == lab.id).order_by(LabImport.id.desc())
    shown, page, total = cut_to_page(session, of_lab, page_number)
    return Page(session.scalars(shown).all(), page, total)


def kind_asked_for(session: Session, lab_import: LabImport, job_kind: str) -> str:
    """The kind of file that whoever imported it chose; empty if they left it open."""
    of_import = select(Job).where(Job.kind == job_kind, Job.arguments["import"].as_integer() == lab_import.id)
    job = session.scalars(of_import.order_by(Job.id).limit(1)).first()
    return str(job.arguments.get("kind") or "") if job is not None else ""


def waiting_by_import(session: Session, lab: Lab) -> dict[int, int]:
    """How many proposals of each import of a lab wait for a decision; imports without any are left out."""
    rows = session.execute(
        select(LabProposal.import_id, func.count())
        .where(LabProposal.lab_id == lab.id, LabProposal.state == "open", LabProposal.import_id.is_not(None))
        .group_by(LabProposal.import_id)
    )
    return {import_id: count for import_id, count in rows if import_id is not None}


def proposals_by_state(session: Session, lab_import: LabImport) -> dict[str, int]:
    """How many proposals of an import are in which state."""
    rows = session.execute(
        select(LabProposal.state, func.count())
        .where(LabProposal.import_id == lab_import.id)
        .group_by(LabProposal.state)
    )
    return {str(state): int(count) for state, count in rows}


def waiting_page(session: Session, lab: Lab, lab_import: LabImport, page_number: int) -> Page[ImportedChange]:
    """One page of the proposals that wait, each beside today's value."""
    shown, page, total = cut_to_page(session, _waiting(lab_import), page_number)
    return Page(views_of(lab, profile_of(session, lab), session.scalars(shown).all()), page, total)


def waiting_proposals(
    session: Session, lab_import: LabImport, ids: Collection[int] | None = None
) -> Sequence[LabProposal]:
    """The proposals of an import that wait, in their order; only those with these `ids`, if given."""
    waiting = _waiting(lab_import)
    return session.scalars(waiting if ids is None else waiting.where(LabProposal.id.in_(ids))).all()


def _waiting(lab_import: LabImport) -> Select[LabProposal]:
    return (
        select(LabProposal)
        .where(LabProposal.import_id == lab_import.id, LabProposal.state == "open")
        .order_by(LabProposal.id)
    )
