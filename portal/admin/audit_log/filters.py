"""Filters of the audit log: an act, people, objects, days in a zone."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from portal.admin.audit_log.named import is_about, was_done_by
from portal.admin.searching import search_text
from portal.models import AuditEntry
from portal.moments import is_zone

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

NAMES = ("act", "person", "about", "since", "until", "zone")


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """The filter as typed; `errors` are by field. Unreadable values filter nothing, and their errors are always
    shown.
    """

    act: str = ""
    person: str = ""
    about: str = ""
    since: str = ""
    until: str = ""
    zone: str = "UTC"
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def narrows(self) -> bool:
        """Whether it excludes anything."""
        return any((self.act, self.person, self.about, self.since, self.until))

    def query(self) -> dict[str, str]:
        """The query parameters."""
        values = {name: str(getattr(self, name)) for name in NAMES}
        return {name: value for name, value in values.items() if value and (name, value) != ("zone", "UTC")}

    def conditions(self, session: Session) -> list[ColumnElement[bool]]:
        """The SQL conditions over `AuditEntry`. A person or a lab is found by its name, too."""
        result: list[ColumnElement[bool]] = []
        if self.act:
            result.append(AuditEntry.act == self.act)
        if self.person:
            result.append(was_done_by(session, self.person))
        result += [is_about(session, word) for word in self.about.split()]
        if self.since and "since" not in self.errors:
            result.append(AuditEntry.at >= self._begin(self.since, 0))
        if self.until and "until" not in self.errors:
            result.append(AuditEntry.at < self._begin(self.until, 1))
        return result

    def _begin(self, day: str, days_later: int) -> datetime:
        zone = ZoneInfo("UTC" if "zone" in self.errors else self.zone)
        return datetime.combine(date.fromisoformat(day) + timedelta(days=days_later), time(), zone).astimezone(UTC)


def read_filter(values: Mapping[str, str]) -> AuditFilter:
    """The filter in a query string."""
    typed = {name: search_text(values.get(name)) for name in NAMES}
    typed["zone"] = typed["zone"] or "UTC"
    errors: dict[str, str] = {}
    for name in ("since", "until"):
        if typed[name] and not _is_day(typed[name]):
            errors[name] = "Write the day as 2026-12-31."
    if not is_zone(typed["zone"]):
        errors["zone"] = "There is no such zone. Write one like Europe/Berlin, or UTC."
    if not errors and typed["since"] and typed["until"] and typed["since"] > typed["until"]:
        errors["until"] = "This is before the first day. Give a later one."
    return AuditFilter(**typed, errors=errors)


def _is_day(text: str) -> bool:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return False
    return text == day.isoformat() and 1970 <= day.year <= 9000  # noqa: PLR2004  (a zone and a day more still fit)
