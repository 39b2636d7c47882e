"""Mail and jobs as administrators see them: states and errors, never the text of a mail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import func, or_, select

from portal.admin.searching import contains_text, is_called
from portal.mail.kinds import KINDS
from portal.models import Job, OutboxMail, User
from portal.models.mail import OUTBOX_STATES
from portal.web.paging import Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

OVERDUE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class MailRow:
    """A mail in the table."""

    id: int
    state: str
    kind: str
    address: str
    tries: int
    error: str
    written_at: datetime
    due_at: datetime
    sent_at: datetime | None

    @property
    def label(self) -> str:
        """Its kind in words, as its reader’s preferences call it; by its code if it is of an older version."""
        return KINDS[self.kind].label if self.kind in KINDS else self.kind

    @property
    def may_try(self) -> bool:
        """Whether it can be tried again."""
        return self.state == "dead"

    @property
    def may_drop(self) -> bool:
        """Whether it can be given up."""
        return self.state in {"waiting", "dead"}


def outbox_page(session: Session, *, state: str, search: str, number: int) -> Page[MailRow]:
    """Mails, the newest first, of one state or of all; to those whose address or name holds each word of `search`."""
    conditions = _recipient_conditions(session, search)
    if state:
        conditions.append(OutboxMail.state == state)
    columns = select(
        OutboxMail.id,
        OutboxMail.state,
        OutboxMail.kind,
        OutboxMail.address,
        OutboxMail.tries,
        OutboxMail.error,
        OutboxMail.created_at,
        OutboxMail.due_at,
        OutboxMail.sent_at,
    )
    newest_first = columns.where(*conditions).order_by(OutboxMail.id.desc())
    shown, number, total = cut_to_page(session, newest_first, number)
    return Page([MailRow(*row) for row in session.execute(shown)], number, total)


def outbox_counts(session: Session, search: str = "") -> dict[str, int]:
    """How many mails there are in each state, of those that `search` finds."""
    statement = select(OutboxMail.state, func.count(OutboxMail.id)).where(*_recipient_conditions(session, search))
    rows = session.execute(statement.group_by(OutboxMail.state)).all()
    counts: dict[str, int] = dict(rows)
    return {state: counts.get(state, 0) for state in OUTBOX_STATES}


def _recipient_conditions(session: Session, search: str) -> list[ColumnElement[bool]]:
    of_account = select(User.id).where(User.id == OutboxMail.user_id)
    return [
        or_(
            contains_text(OutboxMail.address.expression, word),
            of_account.where(is_called(session, word)).exists(),
        )
        for word in search.split()
    ]


def overdue_mail(session: Session, now: datetime) -> int:
    """How many mails should have been tried a while ago: `portal work` does not seem to run."""
    late = (OutboxMail.state == "waiting") & (OutboxMail.due_at < now - OVERDUE)
    return session.scalar(select(func.count(OutboxMail.id)).where(late)) or 0


def dead_mails(session: Session) -> Sequence[OutboxMail]:
    """All mails that were given up."""
    return session.scalars(select(OutboxMail).where(OutboxMail.state == "dead").order_by(OutboxMail.id)).all()


def jobs_page(session: Session, number: int) -> Page[Job]:
    """Jobs, the newest first."""
    shown, number, total = cut_to_page(session, select(Job).order_by(Job.id.desc()), number)
    return Page(session.scalars(shown).all(), number, total)
