"""An ORCID record (JSON, v3.0, whole or one section) → a person and their works."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from portal.seeding.identifiers import arxiv_in, arxiv_link, distinct_links, doi_in, doi_link, web_link
from portal.seeding.imports.decoding import items, number, obj, text, year_of
from portal.seeding.imports.imported import ImportRefused, Ledger, Reading, works_of
from portal.seeding.imports.latex import title_of
from portal.seeding.names import plain_name, slug
from portal.seeding.records import LabRecord, Link, MemberRecord, Origin, WorkRecord
from portal.seeding.texts import ABSTRACT_LIMIT, LINE_LIMIT, NAME_LIMIT, TITLE_LIMIT, paragraphs, plain, without_markup
from portal.seeding.venues import short_venue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.seeding.snapshots import Json

ENTRIES_LIMIT = 20_000
PEOPLE_LIMIT = 300

_SECTIONS = frozenset(
    ("educations", "employments", "distinctions", "invited-positions", "memberships", "qualifications", "services",
     "fundings", "peer-reviews", "research-resources")
)  # fmt: skip
_NO_WORKS = frozenset(
    ("data-set", "software", "patent", "invention", "license", "trademark", "registered-copyright", "lecture-speech",
     "research-technique", "spin-off-company", "standards-and-policy", "technical-standard", "website", "blog-post",
     "artistic-performance", "other")
)  # fmt: skip
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip


def is_orcid(value: Json) -> bool:
    """Whether a JSON value is an ORCID record, or a section or a work of one."""
    fields = obj(value)
    if {"orcid-identifier", "activities-summary", "bulk", *_SECTIONS} & fields.keys() or "name" in obj(
        fields.get("person")
    ):
        return True
    listed = [obj(entry) for _, entry in _groups(value)[:50]]
    return bool(listed) and all("work-summary" in entry or {"put-code", "title"} <= entry.keys() for entry in listed)


def read_orcid(filename: str, value: Json) -> Reading:
    """The person and works of a record; its other sections are listed as not read.

    Raises:
        ImportRefused: It has more than 20,000 entries, or nothing readable.
    """
    record = obj(value)
    person = obj(record.get("person"))
    ledger = Ledger()
    origin = Origin(filename, 0)
    name = _name(person)
    groups = _groups(value)
    if len(groups) > ENTRIES_LIMIT:
        raise ImportRefused(f"{filename}: the record has more than {ENTRIES_LIMIT:,} works; split it")
    works = [(work, 0, pointer) for pointer, group in groups if (work := _work(origin, pointer, group, name, ledger))]
    draft = _person(person, name, origin, ledger)
    reading = works_of(works, ledger)
    summary = obj(record.get("activities-summary")) or record
    for section in sorted(_SECTIONS & summary.keys()):
        if summary[section]:
            reason = "not read from ORCID; enter what belongs on the profile by hand"
            ledger.note("ignored", section, reason, pointer=f"/activities-summary/{section}")
    if not ledger.entries:
        raise ImportRefused(f"{filename}: the ORCID record has no person or work that can be read")
    lab = replace(draft, works=reading.labs[0].works)
    return Reading((lab,), ledger, subject=name, role="leader" if name else "author")


def _groups(value: Json) -> list[tuple[str, Json]]:
    """The groups of works with their pointers. A group is one work, as described by one or several sources."""
    if isinstance(value, list):
        return [(f"/{index}", item) for index, item in enumerate(value)]
    record = obj(value)
    path = ""
    for part in ("activities-summary", "works"):
        if obj(record.get(part)):
            record, path = obj(record[part]), f"{path}/{part}"
    groups = [(f"{path}/group/{index}", group) for index, group in enumerate(items(record.get("group")))]
    groups += [(f"/bulk/{at}", obj(item).get("work") or item) for at, item in enumerate(items(record.get("bulk")))]
    return groups or ([("/", value)] if {"put-code", "title"} <= record.keys() else [])


def _value(wrapped: Json) -> str:
    """Unwraps {"value": "…"}."""
    return text(obj(wrapped).get("value")) or text(wrapped)


# The person


def _name(person: dict[str, Json]) -> str:
    names = obj(person.get("name"))
    given, family, credit = (
        plain(_value(names.get(part)), NAME_LIMIT) for part in ("given-names", "family-name", "credit-name")
    )
    return f"{given} {family}".strip() or credit


def _person(person: dict[str, Json], name: str, origin: Origin, ledger: Ledger) -> LabRecord:
    """The person of the record as the leader of a lab."""
    biography = paragraphs(obj(person.get("biography")).get("content"))
    contents = (text(obj(item).get("content")) for item in items(obj(person.get("keywords")).get("keyword")))
    # Many people enter all their keywords as one.
    words = [plain(word, 120).strip(" .") for said in contents for word in said.replace(";", ",").split(",")]
    topics = tuple({word.casefold(): word for word in reversed(words) if word}.values())[::-1]
    for said, place, item in (
        (name, "name", "leader"),
        (biography, "biography", "about"),
        ("; ".join(topics), "keywords", "topics"),
    ):
        if said:
            ledger.note("taken", said, pointer=f"/person/{place}", item=item)
    facts: dict[str, Any] = {"leader": name, "about": biography, "topics": topics}
    return LabRecord(
        key="",
        name="",
        **facts,
        members=(MemberRecord(slug(name), name, "leader", origins=(origin,)),) if name else (),
        origins=tuple((field, origin) for field, fact in facts.items() if fact),
    )


# Works


def _work(origin: Origin, pointer: str, value: Json, person: str, ledger: Ledger) -> WorkRecord | None:
    """The work of a group, or None with a note in the ledger that says why.

    The owner's preferred summary takes precedence; the others fill gaps.
    """
    group = obj(value)
    versions = [obj(item) for item in items(group.get("work-summary"))] or [obj(group.get("work")) or group]
    versions.sort(key=lambda version: number(version.get("display-index")) or 0, reverse=True)
    title = next(filter(None, map(_title, versions)), "")
    kind = next((kind for version in versions if (kind := text(version.get("type")).lower().replace("_", "-"))), "")
    if not title:
        reason = "the work has no title; correct it in ORCID, or enter it by hand"
        ledger.note("problem", pointer, reason, pointer=pointer)
        return None
    if kind in _NO_WORKS:
        ledger.note("ignored", title, f"not a publication (its type is “{kind}”)", pointer=pointer)
        return None
    journals = (without_markup(_value(version.get("journal-title")), LINE_LIMIT) for version in versions)
    journal = next(filter(None, journals), "")
    year, date = next((found for version in versions if (found := _date(version))[0]), (None, ""))
    authors = next(filter(None, map(_people, versions)), ())
    identifiers = list(_identifiers(group, versions))
    dois = [doi for kind, code, _ in identifiers if kind == "doi" and (doi := doi_in(code))]
    arxivs = [arxiv for kind, code, _ in identifiers if "arxiv" in (kind + code).lower() and (arxiv := arxiv_in(code))]
    links: list[Link | None] = [doi_link(doi) for doi in dois if not doi.startswith("10.48550/arxiv")]
    links += [*map(arxiv_link, arxivs), *(web_link("paper", _value(version.get("url"))) for version in versions)]
    if not dois and not arxivs:
        links += [web_link("paper", url) for kind, _, url in identifiers if kind != "isbn"]
    venue = short_venue(journal) if journal else ("arXiv" if arxivs else "")
    abstract = next((said for version in versions if (said := version.get("short-description"))), "")
    return WorkRecord(
        key=slug(title),
        title=title,
        authors=authors[:PEOPLE_LIMIT] or ((person,) if person else ()),
        authors_complete=0 < len(authors) <= PEOPLE_LIMIT,
        venue=venue,
        venue_full=journal if journal != venue else "",
        year=year,
        date=date,
        abstract=without_markup(abstract, ABSTRACT_LIMIT),
        links=distinct_links(links),
        origins=(origin,),
    )


def _identifiers(group: dict[str, Json], versions: list[dict[str, Json]]) -> Iterator[tuple[str, str, str]]:
    """(kind, value, address) of the identifiers of the work itself; "part-of" identifies its book or journal."""
    for holder in (group, *versions):
        for item in map(obj, items(obj(holder.get("external-ids")).get("external-id"))):
            relation = text(item.get("external-id-relationship")).lower().replace("_", "-")
            value = _value(item.get("external-id-normalized")) or text(item.get("external-id-value"))
            kind = text(item.get("external-id-type")).lower()
            if value and relation in ("self", "version-of", "") and kind != "issn":
                yield kind, value, _value(item.get("external-id-url"))


def _title(version: dict[str, Json]) -> str:
    titles = obj(version.get("title"))
    title, subtitle = (without_markup(_value(titles.get(part)), TITLE_LIMIT // 2) for part in ("title", "subtitle"))
    has_more = title and subtitle and subtitle.casefold() not in title.casefold()
    return title_of(f"{title}: {subtitle}" if has_more else title)


def _date(version: dict[str, Json]) -> tuple[int | None, str]:
    date = obj(version.get("publication-date"))
    year, month, day = (number(_value(date.get(part))) or 0 for part in ("year", "month", "day"))
    if not year_of(year) or not 1 <= month <= len(_MONTHS):
        return year_of(year), ""
    return year, f"{_MONTHS[month - 1]} {day}, {year}" if 1 <= day <= 31 else f"{_MONTHS[month - 1]} {year}"  # noqa: PLR2004


def _people(version: dict[str, Json]) -> tuple[str, ...]:
    """The contributors of a full work."""
    listed = items(obj(version.get("contributors")).get("contributor"))
    names = (plain_name(plain(_value(obj(item).get("credit-name")), NAME_LIMIT)) for item in listed)
    return tuple(dict.fromkeys(filter(None, names)))
