"""`portal merge-accounts`: two accounts of one person become one, in one transaction.

What is deleted with an account (its rows refer to it with ON DELETE CASCADE) moves to the one that is kept; what only
names who did something stays with the closed account, as history. The exceptions are listed here by table and column.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click
from flask import current_app
from flask.cli import with_appcontext
from sqlalchemy import UniqueConstraint, and_, delete, exists, func, select, update
from sqlalchemy.orm import aliased

from portal import audit, mail
from portal.accounts.cli import account_of
from portal.accounts.service import close, grant_role
from portal.admin.people.service import hold_admins
from portal.admin.rules import NotAllowed
from portal.applications.files import file_store
from portal.applications.interests.service import resume_of
from portal.applications.locks import lock_person
from portal.applications.resume import delete_resume
from portal.db import Base, db
from portal.labs import service as labs
from portal.models import (
    Application,
    Choice,
    Conflict,
    Cycle,
    Lab,
    LabProfessor,
    OutboxMail,
    Release,
    Scorecard,
    User,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Table
    from sqlalchemy.orm import Session

    from portal.storage import FileStore

MOVES_TOO = {
    ("choice_note", "author_id"),
    ("interview_slot", "interviewer_id"),
    ("merged_account", "into_id"),
    ("release", "prepared_by_id"),
}
ENDS = {("api_answer", "user_id"), ("api_token", "user_id")}
RIGHTS = {("lab_professor", "user_id"), ("role_of_user", "user_id")}
STAYS_TOO = {("merged_account", "user_id")}
STRONGEST = ("declared", "dismissed")  # states of conflicts of interest


@click.command("merge-accounts")
@click.argument("keep")
@click.argument("other")
@click.option("--dry-run", is_flag=True, help="Say what would move, and change nothing.")
@with_appcontext
def merge_accounts(keep: str, other: str, *, dry_run: bool) -> None:
    """Merge the account OTHER into the account KEEP.

    Both are given by e-mail address and belong to one person. Everything of OTHER moves, its roles and labs included,
    and it is closed for good. Where an account can have only one of something and both have it, that of KEEP stays.
    """
    session, now = db.session(), datetime.now(UTC)
    kept, closed = account_of(keep), account_of(other)
    try:
        lines = merge(session, file_store(current_app), kept, closed, now=now)
    except NotAllowed as refusal:
        raise click.ClickException(str(refusal)) from None
    click.echo("\n".join(lines or ["There is nothing to move."]))
    if dry_run:
        db.session.rollback()
        click.echo("Nothing was changed. Run it without --dry-run to merge.")
        return
    session.commit()
    click.echo(f"{closed.email} is merged into {kept.email} and closed.")


def merge(session: Session, files: FileStore, kept: User, other: User, *, now: datetime) -> list[str]:
    """Merge `other` into `kept`; returns a line for everything that moves, ends or is left out. The caller commits.

    Side effects: sessions and tokens of `other` end; mails to both addresses; an audit entry on
    each; the file of a resume that does not stay is deleted once the transaction is committed.

    Raises:
        NotAllowed: They cannot be joined; with all reasons. Nothing was written.
    """
    hold_admins(session)
    for person in sorted((kept, other), key=lambda account: account.id):
        lock_person(session, person)
        session.refresh(person)
    reasons = why_not_merge(session, kept, other)
    if reasons:
        raise NotAllowed(" ".join(reasons))
    roles, emails = [role.name for role in other.roles], (kept.email, other.email)
    lines = [*_move_rights(session, kept, other, now), *_keep_the_stronger(session, kept, other)]
    if resume_of(session, kept) is not None and delete_resume(session, files, other):
        lines.append("resume: both have one; that of the kept account stays")
    waiting = update(OutboxMail).where(OutboxMail.user_id == other.id, OutboxMail.state == "waiting")
    session.execute(waiting.values(address=kept.email).execution_options(synchronize_session=False))
    lines += [line for table, column in moving_columns() for line in _move(session, table, column, kept, other)]
    close(session, other, into=kept, now=now)
    # Neither mail names the other address, in case it was not one person after all.
    key = f"merged:{other.id}"
    mail.tell(session, kept, "accounts_merged", {}, now=now, path="/accounts/", dedupe=f"{key}:kept")
    mail.write_to(session, other.email, other.name, "account_closed", {}, now=now, path="/", dedupe=f"{key}:closed")
    after = {"kept": emails[0], "closed": emails[1], "moved": lines}
    for act, email in (("account.merge_into", emails[0]), ("account.close_merged", emails[1])):
        audit.record(session, None, act, "account", email, now, before={"roles": roles}, after=after)
    session.flush()
    return lines


def why_not_merge(session: Session, kept: User, other: User) -> list[str]:
    """The reasons why two accounts cannot become one, as sentences."""
    if kept.id == other.id:
        return ["These are one account already."]
    pair = (kept.id, other.id)
    reasons = [f"{person.email} is closed. Restore it first." for person in (kept, other) if not person.active]
    if kept.confirmed_at is None:
        reasons.append(f"Nobody has confirmed {kept.email}. Merge the other way round.")
    theirs = aliased(Application)
    shared_cycles = session.scalars(
        select(Cycle.name)
        .join(Application, Application.cycle_id == Cycle.id)
        .join(theirs, theirs.cycle_id == Cycle.id)
        .where(Application.applicant_id == kept.id, theirs.applicant_id == other.id)
    )
    reasons += [
        f"Both accounts have an application in {name}, and two cannot become one. Their owner can erase one of them."
        for name in shared_cycles
    ]
    their_card = aliased(Scorecard)
    both_locked = (
        select(Scorecard.id)
        .join(their_card, their_card.choice_id == Scorecard.choice_id)
        .where(Scorecard.reviewer_id == kept.id, their_card.reviewer_id == other.id)
        .where(Scorecard.locked_at.is_not(None), their_card.locked_at.is_not(None))
    )
    if _finds(session, both_locked):
        reasons.append("Both accounts have locked a scorecard on the same choice, and locked scorecards stay.")
    scored = (
        select(Scorecard.id)
        .join(Choice, Choice.id == Scorecard.choice_id)
        .join(Application, Application.id == Choice.application_id)
        .where(Application.applicant_id.in_(pair), Scorecard.reviewer_id.in_(pair))
    )
    if _finds(session, scored):
        reasons.append("One of these accounts has reviewed the other as an applicant.")
    read_and_chosen = (
        select(Lab.name)
        .distinct()
        .join(LabProfessor, LabProfessor.lab_id == Lab.id)
        .join(Choice, Choice.lab_id == Lab.id)
        .join(Application, Application.id == Choice.application_id)
        .where(LabProfessor.user_id.in_(pair), Application.applicant_id.in_(pair))
        .order_by(Lab.name)
    )
    names = ", ".join(session.scalars(read_and_chosen))
    if names:
        reasons.append(f"One account applies to {names}, and one is attached to it. Detach it there first.")
    crossed = select(Release.id).where(
        Release.state == "held", Release.prepared_by_id == other.id, Release.approved_by_id == kept.id
    )
    if _finds(session, crossed):
        reasons.append("A release that is held was prepared by one and approved by the other. Discard it first.")
    return reasons


def moving_columns() -> list[tuple[Table, str]]:
    """The tables and columns whose rows move with an account, besides roles and labs."""
    return [
        (table, key.parent.name)
        for table in Base.metadata.sorted_tables
        for key in sorted(table.foreign_keys, key=lambda key: key.parent.name)
        if key.column.table.name == "user_account"
        and (key.ondelete == "CASCADE" or (table.name, key.parent.name) in MOVES_TOO)
        and (table.name, key.parent.name) not in ENDS | RIGHTS | STAYS_TOO
    ]


def _finds(session: Session, statement: Any) -> bool:  # noqa: ANN401  (a select of any columns)
    return session.scalar(statement.limit(1)) is not None


def _move_rights(session: Session, kept: User, other: User, now: datetime) -> Iterator[str]:
    """Give the kept account the roles and labs of the other one. Of two positions at a lab, that of leader counts."""
    for role in [role.name for role in other.roles]:
        if grant_role(session, kept, role, author=None, now=now):
            yield f"the role {role}"
    for seat in session.scalars(select(LabProfessor).where(LabProfessor.user_id == other.id)).all():
        before = session.get(LabProfessor, (seat.lab_id, kept.id))
        if before is None or (seat.position == "leader" and before.position != "leader"):
            labs.attach_professor(session, seat.lab, kept, seat.position, author=None, now=now)
            yield f"{seat.position} of {seat.lab.name}"
        labs.detach_professor(session, seat.lab, other, author=None, now=now)
    session.flush()


def _keep_the_stronger(session: Session, kept: User, other: User) -> Iterator[str]:
    """Delete what the kept account has where the other one's counts more: the draft of a scorecard that the other has
    locked, and the weaker of two conflicts of interest: one declared by either keeps the person out.
    """
    locked = select(Scorecard.choice_id).where(Scorecard.reviewer_id == other.id, Scorecard.locked_at.is_not(None))
    drafts = session.scalars(
        select(Scorecard).where(Scorecard.reviewer_id == kept.id, Scorecard.choice_id.in_(locked))
    ).all()
    for draft in drafts:
        session.delete(draft)
        yield "scorecard: both have one on a choice; the locked one stays, not the draft of the kept account"
    pair = (kept.id, other.id)
    session.execute(
        delete(Conflict)
        .where(Conflict.reviewer_id.in_(pair), Conflict.applicant_id.in_(pair))
        .execution_options(synchronize_session=False)
    )
    for mine, same in ((Conflict.reviewer_id, "applicant_id"), (Conflict.applicant_id, "reviewer_id")):
        theirs = {getattr(each, same): each for each in session.scalars(select(Conflict).where(mine == other.id))}
        for ours in session.scalars(select(Conflict).where(mine == kept.id)).all():
            rival = theirs.get(getattr(ours, same))
            if rival is not None and STRONGEST.index(rival.state) < STRONGEST.index(ours.state):
                session.delete(ours)
    session.flush()


def _move(session: Session, table: Table, column: str, kept: User, other: User) -> Iterator[str]:
    """Move the rows, without those of which the kept account has one already; these are deleted."""
    name, owner = table.name.replace("_", " "), table.c[column]
    belongs = [owner == other.id]
    if (table.name, column) == ("release", "prepared_by_id"):  # what is done stays with who did it
        belongs.append(table.c.state.in_(("prepared", "held")))
    twice = [_is_twice(table, column, key, kept) for key in _unique_keys(table, column)]
    for condition in twice:
        left_out = session.execute(delete(table).where(*belongs, condition)).rowcount  # type: ignore[attr-defined]  # of a cursor
        if left_out:
            yield f"{name}: both have {left_out}; that of the kept account stays"
    count = session.scalar(select(func.count()).select_from(table).where(*belongs)) or 0
    if count:
        session.execute(update(table).where(*belongs).values({column: kept.id}))
        yield f"{name}: {count} moved"


def _unique_keys(table: Table, column: str) -> Iterator[Sequence[str]]:
    """The columns that may not be equal in two rows, if `column` is one of them, without it."""
    keys = [each.columns for each in table.constraints if isinstance(each, UniqueConstraint)]
    for key in (*keys, table.primary_key.columns):
        names = [each.name for each in key]
        if column in names:
            yield [name for name in names if name != column]


def _is_twice(table: Table, column: str, key: Sequence[str], kept: User) -> ColumnElement[bool]:
    """Whether the kept account has a row with the same key."""
    ours = table.alias()
    return exists().where(ours.c[column] == kept.id, and_(True, *(ours.c[name] == table.c[name] for name in key)))
