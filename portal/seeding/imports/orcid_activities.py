"""Educations, employments, distinctions and services of an ORCID record → activities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.seeding.imports.json_file import items, obj, text, year_of
from portal.seeding.imports.orcid_works import year_of_part
from portal.seeding.names import slug
from portal.seeding.records import ActivityKind, ActivityRecord, Origin
from portal.seeding.texts import LINE_LIMIT, plain

if TYPE_CHECKING:
    from portal.seeding.imports.imported import Ledger
    from portal.seeding.snapshots import Json

_KINDS: dict[str, ActivityKind] = {
    "educations": "education",
    "qualifications": "education",
    "employments": "employment",
    "invited-positions": "employment",
    "distinctions": "award",
    "memberships": "service",
    "services": "service",
}
_REFUSED = {
    "fundings": "a grant; a profile has no place for grants",
    "peer-reviews": "peer reviews are not listed on a profile one by one",
    "research-resources": "a research resource; a profile has no place for these",
}
_NAMELESS: dict[ActivityKind, str] = {"education": "Degree", "employment": "Employment", "service": "Service"}


def read_activities(section: str, value: Json, person: str, origin: Origin, ledger: Ledger) -> list[ActivityRecord]:
    """The activities of one section; the ledger records every entry."""
    activities: list[ActivityRecord] = []
    for index, item in enumerate(_summaries(value)):
        pointer = f"/activities-summary/{section}/{index}"
        kind = _KINDS.get(section)
        organisation, department, role = _affiliation(item)
        if kind is None:
            title = plain(_value(obj(item.get("title")).get("title"))) or organisation or section
            ledger.note("ignored", title, _REFUSED[section], pointer=pointer)
            continue
        title = role or (organisation if kind in ("award", "service") else _NAMELESS[kind] if organisation else "")
        if not title:
            reason = "the entry names neither a role nor an organisation; correct it in ORCID"
            ledger.note("problem", section, reason, pointer=pointer)
            continue
        when, year = _time(item, is_open=kind in ("employment", "service"))
        record = ActivityRecord(
            key=slug(f"{kind} {title} {organisation} {when}"),
            kind=kind,
            title=title,
            person=person,
            organisation=organisation if organisation != title else "",
            when=when,
            year=year,
            note=department,
            origins=(origin,),
        )
        activities.append(record)
        ledger.note("taken", f"{title}, {organisation}", pointer=pointer, item=f"activities/{record.key}")
    return activities


def _summaries(value: Json) -> list[dict[str, Json]]:
    """The entries of a section, which v3.0 groups and v2.1 lists."""
    fields = obj(value)
    groups = items(fields.get("affiliation-group")) or items(fields.get("group"))
    holders: list[Json] = []
    for group in groups:
        inner = obj(group)
        listed = items(inner.get("summaries"))
        for name, part in inner.items():
            if name.endswith("-summary"):
                listed = [*listed, *(items(part) or [part])]
        # A group is one affiliation as described by one or several sources; the first one is preferred.
        holders += listed[:1] or [group]
    for name, part in fields.items():
        if name.endswith("-summary"):
            holders += items(part)
    return [_unwrapped(obj(item)) for item in holders]


def _unwrapped(item: dict[str, Json]) -> dict[str, Json]:
    inner = next((obj(part) for name, part in item.items() if name.endswith("-summary")), {})
    return inner or item


def _affiliation(item: dict[str, Json]) -> tuple[str, str, str]:
    organisation = plain(obj(item.get("organization")).get("name"), LINE_LIMIT)
    return organisation, plain(item.get("department-name"), LINE_LIMIT), plain(item.get("role-title"), LINE_LIMIT)


def _time(item: dict[str, Json], *, is_open: bool) -> tuple[str, int | None]:
    start, end = _point(item.get("start-date")), _point(item.get("end-date"))
    years = [year for year in (_year(item.get("end-date")), _year(item.get("start-date"))) if year]
    last = end or ("present" if is_open and start else "")
    when = " – ".join(dict.fromkeys(part for part in (start, last) if part))
    return when, years[0] if years else None


def _point(value: Json) -> str:
    fields = obj(value)
    year = _year(value)
    month = year_of_part(_value(fields.get("month")))
    return "" if year is None else f"{year}/{month:02}" if 1 <= month <= 12 else str(year)  # noqa: PLR2004


def _year(value: Json) -> int | None:
    return year_of(_value(obj(value).get("year")))


def _value(wrapped: Json) -> str:
    return text(obj(wrapped).get("value"))
