"""Writes lab data: each save of a profile is a revision, with its projection and an audit entry."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import delete, update
from sqlalchemy.orm.attributes import set_committed_value

from portal import audit
from portal.db import lock_row
from portal.labs.projection import project
from portal.labs.queries import profile_at, profile_of, revision_at
from portal.models import Lab, LabProfessor, LabRevision
from portal.seeding.merging import Merge, three_way
from portal.seeding.records import (
    ActivityRecord,
    MemberRecord,
    OpeningRecord,
    SystemRecord,
    WorkRecord,
    from_json,
    to_json,
    without_lost_references,
)

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User
    from portal.models.lab import RevisionSource
    from portal.seeding.records import LabRecord


def claim_revision(session: Session, lab: Lab, base: int) -> bool:
    """Take the next revision number if `base` is still the newest; in one statement, so that only one save succeeds.

    Side effects: flushes the session; reads the row again if somebody else was first.
    """
    session.flush()
    claimed = session.execute(
        update(Lab)
        .where(Lab.id == lab.id, Lab.revision_number == base)
        .values(revision_number=base + 1)
        .execution_options(synchronize_session=False)
    )
    won = bool(claimed.rowcount)  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult
    if won:
        set_committed_value(lab, "revision_number", base)
    else:
        session.refresh(lab)
    return won


COMMAND_LINE = "command line"


class StaleEdit(Exception):
    """Somebody saved the profile after the editor opened it. Nothing was written.

    `merge.record` has both sides' changes, with the editor's where they conflict; `merge.conflicts` lists those places
    (`ours` is the editor's value, `theirs` the saved one); `theirs` is the newest revision.
    """

    def __init__(self, merge: Merge, theirs: LabRevision) -> None:
        super().__init__(f"revision {theirs.number} was saved meanwhile")
        self.merge = merge
        self.theirs = theirs


def create_lab(
    session: Session,
    record: LabRecord,
    *,
    author: User | None,
    reason: str,
    now: datetime,
    source: RevisionSource | None = None,
    is_draft: bool = False,
) -> Lab:
    """Store a new lab with its first revision; a draft is seen by administrators and its leader only."""
    # It has nothing yet, so nothing of it need be looked up before its rows are written.
    lab = Lab(
        slug=record.key,
        name="",  # which follows with the profile, as all its texts
        revision_number=0,
        changed_at=now,
        is_draft=is_draft,
        untold_since=None if is_draft else now,
        works=[],
        openings=[],
    )
    session.add(lab)
    session.flush()
    _write_revision(session, lab, _normalised(record), author=author, reason=reason, now=now, source=source)
    return lab


def save_profile(
    session: Session,
    lab: Lab,
    record: LabRecord,
    *,
    base: int,
    author: User | None,
    reason: str,
    now: datetime,
    source: RevisionSource | None = None,
) -> LabRevision | None:
    """Save an edited profile as a new revision; `base` is the number of the revision the editor started from.

    `source` defaults to a form if there is an author, else to the command line. A fact that a person changed loses its
    origin on a page, unless the source is an undo, which restores origins too.

    Returns:
        The new revision, or None if nothing changed (a form sent twice).

    Raises:
        StaleEdit: There is a newer revision than `base`, and `record` differs from it.
        LookupError: The lab has no revision `base`.
    """
    started_from = profile_at(session, lab, base)
    if started_from is None:
        raise LookupError(f"{lab.slug} has no revision {base}")
    edited = _normalised(record)
    if author is not None and source != "undo":
        edited = with_origins_of_unchanged(started_from, edited)
    if edited == started_from and base == lab.revision_number:
        return None
    if not claim_revision(session, lab, base):
        _refuse_if_different(session, lab, started_from, edited)
        return None
    return _write_revision(session, lab, edited, author=author, reason=reason, now=now, source=source)


def note_in_history(session: Session, lab: Lab, reason: str, *, author: User, now: datetime) -> None:
    """Write a revision that changes nothing: what stands beside the profile was changed, as `reason` says. The caller
    has the lock of `hold`.
    """
    record = profile_of(session, lab)
    _write_revision(session, lab, record, author=author, reason=reason, now=now, source=None)


def attach_professor(
    session: Session, lab: Lab, user: User, position: str, *, author: User | None, now: datetime
) -> None:
    """Give a professor a position in a lab, or change it.

    Side effect: takes the lab's lock until the transaction ends, so that a second click sees what the first one did.
    """
    lock_row(session, Lab.slug, lab.id)
    seat = session.get(LabProfessor, (lab.id, user.id), populate_existing=True)
    before = seat.position if seat else None
    if before == position:
        return
    if seat is None:
        session.add(LabProfessor(lab_id=lab.id, user_id=user.id, position=position))
    else:
        seat.position = position
    seats = {"before": {user.email: before}, "after": {user.email: position}}
    audit.record(session, author, "lab.attach_professor", "lab", lab.slug, now, **seats)


def detach_professor(session: Session, lab: Lab, user: User, *, author: User | None, now: datetime) -> None:
    """End a professor's position in a lab."""
    seat = session.get(LabProfessor, (lab.id, user.id))
    if seat is None:
        return
    session.execute(delete(LabProfessor).where(LabProfessor.lab_id == lab.id, LabProfessor.user_id == user.id))
    session.expunge(seat)
    seats = {"before": {user.email: seat.position}, "after": {user.email: None}}
    audit.record(session, author, "lab.detach_professor", "lab", lab.slug, now, **seats)


def _refuse_if_different(session: Session, lab: Lab, started_from: LabRecord, edited: LabRecord) -> None:
    """Raise `StaleEdit` unless the newest revision already contains all that the editor wants."""
    newest = revision_at(session, lab, lab.revision_number)
    if newest is None:
        raise LookupError(f"{lab.slug} has no revision {lab.revision_number}")
    saved = from_json(newest.snapshot)
    merge = three_way(started_from, edited, saved)
    if edited == saved or (merge.record == saved and not merge.conflicts):
        return
    raise StaleEdit(merge, newest)


def _write_revision(
    session: Session,
    lab: Lab,
    record: LabRecord,
    *,
    author: User | None,
    reason: str,
    now: datetime,
    source: RevisionSource | None,
) -> LabRevision:
    before = lab.revision_number
    lab.revision_number = before + 1
    lab.changed_at = now
    revision = LabRevision(
        lab_id=lab.id,
        number=lab.revision_number,
        saved_at=now,
        author_id=author.id if author else None,
        author_label=author.display_name if author else COMMAND_LINE,
        reason=reason,
        source=source or ("form" if author else "command"),
        snapshot=to_json(record),
    )
    session.add(revision)
    project(session, lab, record)
    act, after = "lab.save" if before else "lab.create", {"revision": revision.number, "reason": reason}
    audit.record(session, author, act, "lab", lab.slug, now, before={"revision": before}, after=after)
    return revision


def _normalised(record: LabRecord) -> LabRecord:
    """The record without references to works that it no longer has, validated as a snapshot."""
    return from_json(to_json(without_lost_references(record)))


Item = TypeVar("Item", MemberRecord, WorkRecord, SystemRecord, ActivityRecord, OpeningRecord)


def with_origins_of_unchanged(before: LabRecord, after: LabRecord) -> LabRecord:
    """`after` without the origins of facts that a person changed: they no longer come from a page."""
    changed = {spec.name for spec in fields(before) if getattr(before, spec.name) != getattr(after, spec.name)}
    return replace(
        after,
        origins=tuple((name, origin) for name, origin in after.origins if name not in changed),
        members=_own(before.members, after.members),
        works=_own(before.works, after.works),
        systems=_own(before.systems, after.systems),
        activities=_own(before.activities, after.activities),
        openings=_own(before.openings, after.openings),
    )


def _own(before: tuple[Item, ...], after: tuple[Item, ...]) -> tuple[Item, ...]:
    unchanged = {item.key: item for item in before}
    return tuple(item if item == unchanged.get(item.key) else replace(item, origins=()) for item in after)


def hold(session: Session, lab: Lab) -> None:
    """Keep anything from being submitted to the lab until the transaction ends, and read it again: who asks afterwards
    whether anybody waits for it gets an answer that stays true. Whoever submits takes the other side of this lock.
    """
    lock_row(session, Lab.slug, lab.id)
    session.refresh(lab, with_for_update=True)


def publish(session: Session, lab: Lab, *, author: User, now: datetime) -> bool:
    """List a draft on the public pages and in rankings; False if it is published already. Side effect: as of `hold`."""
    hold(session, lab)
    if not lab.is_draft:
        return False
    lab.is_draft, lab.untold_since = False, now
    _record(session, lab, "lab.publish", author, now, {})
    return True


def archive(session: Session, lab: Lab, *, reason: str, author: User | None, now: datetime) -> bool:
    """Take a lab off the public pages and out of all rankings; False if it is archived already. Nothing is deleted.

    Side effect: takes the lock of `hold`, so that a second click changes nothing.
    """
    hold(session, lab)
    if lab.archived_at is not None:
        return False
    lab.archived_at, lab.archived_why = now, reason
    _record(session, lab, "lab.archive", author, now, {"reason": reason})
    return True


def list_again(session: Session, lab: Lab, *, author: User | None, now: datetime) -> bool:
    """Put an archived lab back as it was; False if it is listed already. Side effect: as of `archive`."""
    hold(session, lab)
    if lab.archived_at is None:
        return False
    lab.archived_at, lab.archived_why, lab.untold_since = None, "", now
    _record(session, lab, "lab.list_again", author, now, {})
    return True


def _record(session: Session, lab: Lab, act: str, author: User | None, now: datetime, after: dict[str, str]) -> None:
    audit.record(session, author, act, "lab", lab.slug, now, before=None, after=after)
