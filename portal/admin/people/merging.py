"""Merges an account into another one of the same person, in one transaction. The caller commits.

What moves, is joined, chosen, ended or stays is decided in `merging_fates`, column by column.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select, update

from portal import audit, mail
from portal.accounts.service import grant_role
from portal.admin.people.merging_fates import BY_COLUMN
from portal.admin.people.merging_joins import carry_rights, join_rows, leave_labs, move_application, settle
from portal.admin.people.merging_overlaps import KEPT, OTHER, OVERLAPS, shared_cycles
from portal.admin.people.merging_plan import merge_plan
from portal.admin.people.service import hold_admins
from portal.admin.rules import NotAllowed
from portal.applications.locks import lock_person
from portal.applications.service import delete_resume
from portal.db import Base
from portal.models import (
    ApiAnswer,
    ApiToken,
    CalendarFeed,
    Interests,
    MergedAccount,
    OutboxMail,
    Resume,
    User,
)
from portal.models.user import APPLICANT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.admin.people.merging_plan import MergePlan
    from portal.storage import FileStore


class PlanChanged(Exception):
    """The accounts have changed since the page was shown. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Consent:
    """An administrator's consent to the plan with this fingerprint: whose rows stay, and whether rights are joined."""

    fingerprint: str
    choices: Mapping[str, str]
    joins_rights: bool
    reason: str


def merge(
    session: Session, files: FileStore, kept: User, other: User, consent: Consent, *, actor: User, now: datetime
) -> None:
    """Merge two accounts: `other` is closed for good, and its data moves to `kept`.

    Side effects: sessions, tokens and the calendar address of `other` end; mails to both addresses; audit entries on
    both; files of a resume that was not chosen are deleted once the transaction is committed.

    Raises:
        PlanChanged: The plan is not the one that was agreed to.
        NotAllowed: The merge is forbidden, or a question has no answer.
    """
    plan = _agreed_plan(session, kept, other, consent, actor, now)
    choices = {question.key: consent.choices[question.key] for question in plan.questions}
    roles, emails = [role.name for role in other.roles], (kept.email, other.email)
    _settle_interests_and_resume(session, files, kept, other, choices)
    for cycle, sides in shared_cycles(session, kept, other):
        if sides:
            move_application(session, cycle, kept, other, choices[f"application-{cycle.id}"])
    for overlap in OVERLAPS:
        settle(session, overlap, kept, other, choices.get(overlap.key, KEPT))
    join_rows(session, kept, other)
    if consent.joins_rights:
        carry_rights(session, kept, other, author=actor, now=now)
    else:
        leave_labs(session, other, author=actor, now=now)
        if APPLICANT in roles:
            grant_role(session, kept, APPLICANT, author=actor, now=now)
    _move_other_rows(session, kept, other)
    _close(session, kept, other, now)
    _tell(session, kept, other, now)
    details = {
        "kept": emails[0],
        "closed": emails[1],
        "reason": consent.reason,
        "rights": list(plan.rights) if consent.joins_rights else [],
        "chosen": choices,
        "moved": {line.label: line.count for line in plan.lines},
    }
    for act, email in (("account.merge_into", emails[0]), ("account.close_merged", emails[1])):
        audit.record(
            session,
            actor=actor,
            act=act,
            object_type="account",
            object_key=email,
            now=now,
            before={"roles": roles},
            after=details,
        )


def _agreed_plan(session: Session, kept: User, other: User, consent: Consent, actor: User, now: datetime) -> MergePlan:
    """The current plan, if it is the one that was agreed to. Side effect: locks both accounts."""
    hold_admins(session)
    for person in sorted((kept, other), key=lambda account: account.id):
        lock_person(session, person)
        session.refresh(person)
    plan = merge_plan(session, kept, other, actor=actor, now=now)
    if plan.fingerprint != consent.fingerprint:
        raise PlanChanged
    if plan.refusals:
        raise NotAllowed(" ".join(plan.refusals))
    if any(consent.choices.get(question.key) not in question.sides for question in plan.questions):
        raise NotAllowed("Choose whose stays, for everything that both accounts have.")
    return plan


def _settle_interests_and_resume(
    session: Session, files: FileStore, kept: User, other: User, choices: Mapping[str, str]
) -> None:
    """Delete the interests and resume that were not chosen, and move the others: an account has one of each."""
    losers = {KEPT: other, OTHER: kept}
    if choices.get("resume"):
        delete_resume(session, files, losers[choices["resume"]])
    if choices.get("interests"):
        row = session.scalar(select(Interests).where(Interests.user_id == losers[choices["interests"]].id))
        if row is not None:
            session.delete(row)
    session.flush()
    for table in (Interests, Resume):
        _move(session, table.__table__, "user_id", kept, other)


def _move_other_rows(session: Session, kept: User, other: User) -> None:
    """Move all rows that cannot collide any more."""
    waiting = update(OutboxMail).where(OutboxMail.user_id == other.id, OutboxMail.state == "waiting")
    session.execute(waiting.values(address=kept.email).execution_options(synchronize_session=False))
    for (table, column), rule in BY_COLUMN.items():
        if rule.fate in {"moves", "joined", "chosen"}:
            _move(session, Base.metadata.tables[table], column, kept, other, rule.while_in)
    session.expire_all()


def _move(
    session: Session,
    table: Any,  # noqa: ANN401  (of any columns)
    column: str,
    kept: User,
    other: User,
    while_in: Sequence[str] = (),
) -> None:
    moved = update(table).where(table.c[column] == other.id).values({column: kept.id})
    if while_in:
        moved = moved.where(table.c.state.in_(while_in))
    session.execute(moved.execution_options(synchronize_session=False))


def _close(session: Session, kept: User, other: User, now: datetime) -> None:
    """Close the account: end its sign-in, sessions, tokens and calendar address, and remove its roles."""
    session.execute(
        update(ApiToken)
        .where(ApiToken.user_id == other.id, ApiToken.revoked_at.is_(None))
        .values(revoked_at=now)
        .execution_options(synchronize_session=False)
    )
    for table in (ApiAnswer, CalendarFeed):
        session.execute(delete(table).where(table.user_id == other.id).execution_options(synchronize_session=False))
    session.expire_all()
    other.active = False
    other.password = None
    other.fs_uniquifier = uuid.uuid4().hex
    other.tf_primary_method = other.tf_totp_secret = other.tf_last_counter = other.mf_recovery_codes = None
    other.roles = []
    session.add(MergedAccount(user_id=other.id, into_id=kept.id, merged_at=now))
    session.flush()


def _tell(session: Session, kept: User, other: User, now: datetime) -> None:
    """A mail to both addresses; neither names the other one, in case it was not one person after all."""
    key = f"merged:{other.id}"
    mail.tell(session, kept, "accounts_merged", {}, now=now, path="/accounts/", dedupe=f"{key}:kept")
    mail.write_to(session, other.email, other.name, "account_closed", {}, now=now, path="/", dedupe=f"{key}:closed")
