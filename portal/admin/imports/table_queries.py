"""The proposals of a table of labs, for pages and jobs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from sqlalchemy import ColumnElement, func, select

from portal.admin.imports.views import views_of
from portal.labs.imports.service import waiting_of_files
from portal.labs.imports.tables import labs_like, record_of
from portal.labs.queries import profile_of
from portal.models import Lab, LabImport, LabProposal, NewLabProposal
from portal.web.paging import Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.admin.imports.views import ImportedChange
    from portal.models import User
    from portal.seeding.records import LabRecord

What = Literal["ticked", "new", "changes", "everything"]


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows and changes of a table are open, accepted and refused."""

    new: dict[str, int]
    changes: dict[str, int]


@dataclass(frozen=True, slots=True)
class NewRow:
    """A row that would become a lab; `like` is the slug of a lab made since that seems to be the same, or None."""

    proposal: NewLabProposal
    record: LabRecord
    like: str | None


@dataclass(frozen=True, slots=True)
class Selected:
    """The rows and changes that a decision covers: rows that would become labs, and changes by lab."""

    new: Sequence[NewRow]
    changes: Sequence[tuple[Lab, Sequence[LabProposal]]]

    @property
    def change_count(self) -> int:
        """How many single changes there are."""
        return sum(len(rows) for _, rows in self.changes)


@dataclass(frozen=True, slots=True)
class Upto:
    """The ids of the newest proposals that a person saw; "all" does not include later ones."""

    new: int
    change: int


def tables_page(session: Session, page_number: int) -> Page[LabImport]:
    """One page of the imported tables of labs, the newest first."""
    tables = select(LabImport).where(LabImport.lab_id.is_(None)).order_by(LabImport.id.desc())
    shown, page, total = cut_to_page(session, tables, page_number)
    return Page(session.scalars(shown).all(), page, total)


def open_by_table(session: Session) -> dict[int, int]:
    """How many rows and changes wait for a decision, by table; tables without any are left out."""
    waiting: dict[int, int] = {}
    for table in (NewLabProposal, LabProposal):
        rows = session.execute(
            select(LabImport.id, func.count())
            .join(table, LabImport.id == table.import_id)
            .where(LabImport.lab_id.is_(None), table.state == "open")
            .group_by(LabImport.id)
        )
        for import_id, count in rows:
            waiting[import_id] = waiting.get(import_id, 0) + count
    return waiting


def row_counts(session: Session, lab_import: LabImport) -> RowCounts:
    """How many rows and changes are in which state."""
    new, changes = (
        {
            str(state): int(count)
            for state, count in session.execute(
                select(table.state, func.count()).where(table.import_id == lab_import.id).group_by(table.state)
            )
        }
        for table in (NewLabProposal, LabProposal)
    )
    return RowCounts(new, changes)


def new_page(session: Session, lab_import: LabImport, page_number: int) -> Page[NewRow]:
    """One page of the rows that would become labs."""
    waiting = select(NewLabProposal).where(NewLabProposal.import_id == lab_import.id, NewLabProposal.state == "open")
    shown, page, total = cut_to_page(session, waiting.order_by(NewLabProposal.id), page_number)
    return Page(_new_rows(session, session.scalars(shown).all()), page, total)


def change_page(
    session: Session, lab_import: LabImport, page_number: int
) -> Page[tuple[Lab, Sequence[ImportedChange]]]:
    """One page of the changes of existing labs, grouped by lab; the page counts changes."""
    waiting = select(LabProposal).where(LabProposal.import_id == lab_import.id, LabProposal.state == "open")
    shown, page, total = cut_to_page(session, waiting.order_by(LabProposal.lab_id, LabProposal.id), page_number)
    rows = session.scalars(shown).all()
    by_lab = [(lab, views_of(lab, profile_of(session, lab), proposals)) for lab, proposals in _by_lab(rows)]
    return Page(by_lab, page, total)


def selected(
    session: Session, lab_import: LabImport, what: What, *, new: Collection[int], changes: Collection[int], upto: Upto
) -> Selected:
    """The open rows and changes that a decision covers: the ticked ones, or all of a kind up to `upto`."""
    new_conditions: list[ColumnElement[bool]] = [
        NewLabProposal.import_id == lab_import.id,
        NewLabProposal.state == "open",
    ]
    change_conditions: list[ColumnElement[bool]] = [LabProposal.import_id == lab_import.id, LabProposal.state == "open"]
    if what == "ticked":
        new_conditions.append(NewLabProposal.id.in_(new))
        change_conditions.append(LabProposal.id.in_(changes))
    else:
        new_conditions.append(NewLabProposal.id <= (upto.new if what != "changes" else 0))
        change_conditions.append(LabProposal.id <= (upto.change if what != "new" else 0))
    rows = session.scalars(select(NewLabProposal).where(*new_conditions).order_by(NewLabProposal.id)).all()
    changed = session.scalars(
        select(LabProposal).where(*change_conditions).order_by(LabProposal.lab_id, LabProposal.id)
    ).all()
    return Selected(_new_rows(session, rows), _by_lab(changed))


def decided_since(session: Session, lab_import: LabImport, state: str, *, by: User, since: datetime) -> int:
    """How many rows and changes of a table somebody has accepted or refused since then."""
    return sum(
        session.scalar(
            select(func.count(table.id)).where(
                table.import_id == lab_import.id,
                table.state == state,
                table.decided_by_id == by.id,
                table.decided_at >= since,
            )
        )
        or 0
        for table in (NewLabProposal, LabProposal)
    )


def selected_again(session: Session, rows: Collection[str], changes: Collection[str]) -> Selected:
    """The open rows and changes of files with these fingerprints, from whichever import."""
    waiting = select(NewLabProposal).where(NewLabProposal.state == "open").order_by(NewLabProposal.id)
    new = [row for row in session.scalars(waiting) if row.fingerprint in rows]
    return Selected(_new_rows(session, new), _by_lab(waiting_of_files(session, changes)))


def count_open_rows(session: Session, fingerprints: Collection[str]) -> int:
    """How many open rows of tables have one of these fingerprints."""
    waiting = select(NewLabProposal.fingerprint).where(NewLabProposal.state == "open")
    return sum(fingerprint in fingerprints for fingerprint in session.scalars(waiting))


def still_open(session: Session, new: Collection[int], changes: Collection[int]) -> int:
    """How many of the rows and changes with these ids are open."""
    return sum(
        sum(proposal_id in ids for proposal_id in session.scalars(select(table.id).where(table.state == "open")))
        for table, ids in ((NewLabProposal, new), (LabProposal, changes))
    )


def newest_proposals(session: Session, lab_import: LabImport) -> Upto:
    """The newest proposals of a table."""
    new, change = (
        session.scalar(select(func.coalesce(func.max(table.id), 0)).where(table.import_id == lab_import.id)) or 0
        for table in (NewLabProposal, LabProposal)
    )
    return Upto(new, change)


def _new_rows(session: Session, rows: Sequence[NewLabProposal]) -> list[NewRow]:
    records = [record_of(row) for row in rows]
    like = labs_like(session, records) if rows else {}
    return [NewRow(row, record, like.get(index)) for index, (row, record) in enumerate(zip(rows, records, strict=True))]


def _by_lab(rows: Sequence[LabProposal]) -> list[tuple[Lab, list[LabProposal]]]:
    return [(lab, list(of_lab)) for lab, of_lab in groupby(rows, key=lambda row: row.lab)]
