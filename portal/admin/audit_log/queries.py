"""Pages of the audit log."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.admin.audit_log.about import about_in_words
from portal.admin.audit_log.places import places_of
from portal.admin.audit_log.words import act_in_words
from portal.models import AuditEntry
from portal.web.paging import Page, cut_to_page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.admin.audit_log.filters import AuditFilter
    from portal.admin.audit_log.places import Place


@dataclass(frozen=True, slots=True)
class AuditRow:
    """An entry of the audit log. `words` is the act in words, `about` its object, by name if known, and `place` the
    page of that object. `before` and `after` are indented JSON, or empty.
    """

    at: datetime
    actor: str
    act: str
    words: str
    about: str
    place: Place | None
    object_type: str
    object_key: str
    before: str
    after: str


def audit_acts(session: Session) -> list[str]:
    """Every act that occurs in the log."""
    return list(session.scalars(select(AuditEntry.act).distinct().order_by(AuditEntry.act)))


def count_entries(session: Session, conditions: Sequence[ColumnElement[bool]] = ()) -> int:
    """How many entries meet the conditions."""
    return session.scalar(select(func.count(AuditEntry.id)).where(*conditions)) or 0


def is_no_newer_than_now(session: Session) -> ColumnElement[bool]:
    """A condition on `AuditEntry`: it was written before this call."""
    return AuditEntry.id <= (session.scalar(select(func.max(AuditEntry.id))) or 0)


def audit_page(session: Session, chosen: AuditFilter, *, number: int) -> Page[AuditRow]:
    """One page of the entries that match a filter, newest first."""
    matching = select(AuditEntry).where(*chosen.conditions(session)).order_by(AuditEntry.id.desc())
    shown, page, total = cut_to_page(session, matching, number)
    return Page(audit_rows(session, session.scalars(shown).all()), page, total)


def audit_rows(session: Session, entries: Sequence[AuditEntry]) -> list[AuditRow]:
    """Entries as rows, with what they are about by name."""
    about, places = about_in_words(session, entries), places_of(session, entries)
    return [
        AuditRow(
            entry.at,
            entry.actor_label,
            entry.act,
            act_in_words(entry.act),
            about[entry.id],
            places.get(entry.id),
            entry.object_type,
            entry.object_key,
            _as_text(entry.before),
            _as_text(entry.after),
        )
        for entry in entries
    ]


def _as_text(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)
