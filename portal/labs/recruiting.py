"""What labs recruit: open positions, and changes in recruiting, revision by revision, which are the news feed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta, timezone
from typing import TYPE_CHECKING, Any

from sqlalchemy import select
from sqlalchemy.orm import aliased

from portal.labs.queries import IS_LISTED
from portal.labs.texts import deadline_words, degree_name, statement_beside_focus
from portal.models import Lab, LabRevision
from portal.seeding.snapshots import from_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import InstrumentedAttribute, Session

    from portal.seeding.records import LabRecord, OpeningRecord
    from portal.seeding.snapshots import Json

# A deadline passes when its day has ended everywhere on Earth.
ANYWHERE_ON_EARTH = timezone(timedelta(hours=-12))
NEWEST = 50  # entries of the feed
LOOKED_THROUGH = 2 * NEWEST  # revisions; of those saved before this was noted, some changed no more than origins


@dataclass(frozen=True)
class RecruitingNews:
    """What one save changed in a lab's recruiting: a headline and at least a sentence."""

    slug: str
    lab: str
    revision: int
    at: datetime
    headline: str
    lines: Sequence[str]


@dataclass(frozen=True)
class Recruiting:
    """The recruiting parts of a profile at one revision."""

    focus: str = ""
    statement: str = ""
    openings: tuple[OpeningRecord, ...] = ()


STATEMENT_TAKEN_OUT = "The recruiting statement was taken out."


def recruiting_news(session: Session) -> list[RecruitingNews]:
    """The newest changes, newest first; edits of other parts of a profile do not count."""
    before = aliased(LabRevision)
    rows = session.execute(
        select(
            Lab.slug,
            Lab.name,
            LabRevision.number,
            LabRevision.saved_at,
            *_parts(LabRevision.snapshot, "now"),
            *_parts(before.snapshot, "was"),
        )
        .join(Lab, Lab.id == LabRevision.lab_id)
        .outerjoin(before, (before.lab_id == LabRevision.lab_id) & (before.number == LabRevision.number - 1))
        .where(LabRevision.changes_recruiting, IS_LISTED)
        .order_by(LabRevision.id.desc())
        .limit(LOOKED_THROUGH)
    )
    news: list[RecruitingNews] = []
    for row in rows:
        now = recruiting_of(_record(row.now_focus, row.now_statement, row.now_openings), row.saved_at)
        was = recruiting_of(_record(row.was_focus, row.was_statement, row.was_openings), row.saved_at)
        if lines := changes_in(was, now):
            headline = f"{row.name}: {_headline(now)}"
            news.append(RecruitingNews(row.slug, row.name, row.number, row.saved_at, headline, lines))
    return news[:NEWEST]


def recruiting_of(record: LabRecord | None, saved_at: datetime) -> Recruiting:
    """What a profile recruits when it is saved, without origins: lines that moved on a page are no news."""
    if record is None:
        return Recruiting()
    day = last_open_day(saved_at)
    still_open = tuple(replace(opening, origins=()) for opening in record.openings if is_open(opening, day))
    return Recruiting(record.recruiting_focus, record.recruiting, still_open)


def changes_in(before: Recruiting, after: Recruiting) -> list[str]:
    """The change for readers, one sentence or paragraph each; empty if nothing changed."""
    lines = []
    if after.focus != before.focus:
        lines.append(after.focus or "The sentence on whom the lab looks for was taken out.")
    if after.statement != before.statement:
        lines.append(statement_beside_focus(after.statement, after.focus) if after.statement else STATEMENT_TAKEN_OUT)
    earlier = {opening.key: opening for opening in before.openings}
    for opening in after.openings:
        former = earlier.pop(opening.key, None)
        if former is None:
            lines.append(f"New position: {opening_words(opening)}")
        elif former != opening:
            lines.append(f"Position changed: {opening_words(opening)}")
    lines.extend(f"Position taken out: {degree_name(opening.degree)}." for opening in earlier.values())
    return [line for line in lines if line]


def opening_words(opening: OpeningRecord) -> str:
    """A position in one paragraph."""
    parts = [
        opening.text.strip().rstrip("."),
        f"Seats: {opening.seats}" if opening.seats is not None else "",
        f"Funding: {opening.funding}" if opening.funding else "",
        f"Start: {opening.start}" if opening.start else "",
        f"Deadline: {deadline_words(date.fromisoformat(opening.deadline))}" if opening.deadline else "",
    ]
    return ". ".join(part for part in (degree_name(opening.degree).rstrip("."), *parts) if part) + "."


def _headline(now: Recruiting) -> str:
    degrees = list(dict.fromkeys(degree_name(opening.degree) for opening in now.openings))
    if degrees:
        return f"recruiting ({', '.join(degrees)})"
    return "recruiting" if now.focus or now.statement else "not recruiting at present"


def _parts(snapshot: InstrumentedAttribute[dict[str, Any]], moment: str) -> tuple[ColumnElement[Any], ...]:
    """The parts of a snapshot that count as news, extracted by the database."""
    return (
        snapshot["recruiting_focus"].as_string().label(f"{moment}_focus"),
        snapshot["recruiting"].as_string().label(f"{moment}_statement"),
        snapshot["openings"].as_json().label(f"{moment}_openings"),
    )


def _record(focus: str | None, statement: str | None, openings: list[Json] | None) -> LabRecord:
    parts: dict[str, Json] = {"key": "lab", "name": "", "openings": openings or []}
    return from_json({**parts, "recruiting_focus": focus or "", "recruiting": statement or ""})


def last_open_day(now: datetime) -> date:
    """The earliest deadline that has not passed at `now`."""
    return now.astimezone(ANYWHERE_ON_EARTH).date()


def is_open(opening: OpeningRecord, today: date) -> bool:
    """Whether one can still apply; `today` comes from `last_open_day`. Without a deadline, always."""
    return not opening.deadline or date.fromisoformat(opening.deadline) >= today


def open_degrees(record: LabRecord, today: date) -> tuple[str, ...]:
    """The degrees of the positions still open, in words, each once."""
    degrees = (degree_name(opening.degree) for opening in record.openings if is_open(opening, today))
    return tuple(dict.fromkeys(degrees))
