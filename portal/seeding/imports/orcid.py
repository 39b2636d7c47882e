"""An ORCID record (JSON, v3.0 or v2.1, whole or one section) → a person, their works and their career."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from portal.seeding.imports.identifiers import distinct_links, web_link
from portal.seeding.imports.imported import ImportRefused, Ledger, Reading, works_of
from portal.seeding.imports.json_file import items, obj, text
from portal.seeding.imports.orcid_activities import read_activities
from portal.seeding.imports.orcid_works import read_group
from portal.seeding.names import Keys, slug
from portal.seeding.records import LabRecord, MemberRecord, Origin
from portal.seeding.texts import LINE_LIMIT, NAME_LIMIT, paragraphs, plain

if TYPE_CHECKING:
    from portal.seeding.records import ActivityRecord, Link, WorkRecord
    from portal.seeding.snapshots import Json

ENTRIES_LIMIT = 20_000

_SECTIONS = (
    "educations", "employments", "distinctions", "invited-positions", "memberships", "qualifications", "services",
    "fundings", "peer-reviews", "research-resources",
)  # fmt: skip


def is_orcid(value: Json) -> bool:
    """Whether a JSON value is an ORCID record, or a section or a work of one."""
    fields = obj(value)
    if {"orcid-identifier", "activities-summary"} & (fields.keys() | obj(fields.get("record")).keys()):
        return True
    if "person" in fields and ("orcid" in str(fields.get("path", "")) or "name" in obj(fields.get("person"))):
        return True
    if {"given-names", "credit-name"} & obj(fields.get("name")).keys() or "bulk" in fields:
        return True
    if any("work-summary" in obj(group) for group in items(fields.get("group"))[:50]):
        return True
    if "put-code" in fields and "title" in fields:
        return True
    return any(name in fields for name in _SECTIONS) or (
        isinstance(value, list) and bool(value) and all("put-code" in obj(item) for item in value[:50])
    )


def read_orcid(filename: str, value: Json) -> Reading:
    """The person, works and career of a record.

    Raises:
        ImportRefused: It has more than 20,000 entries, or nothing readable.
    """
    fields = obj(value)
    record = obj(fields.get("record")) or fields
    person = obj(record.get("person")) or (record if "name" in record else {})
    summary = obj(record.get("activities-summary")) or record
    ledger = Ledger()
    origin = Origin(filename, 0)
    name = _name(person)
    groups = _groups(value, summary, record)
    if len(groups) > ENTRIES_LIMIT:
        raise ImportRefused(f"{filename}: the record has more than {ENTRIES_LIMIT:,} works; split it")
    works: list[tuple[WorkRecord, int, str]] = []
    for pointer, group in groups:
        work = read_group(filename, pointer, group, name, ledger)
        if work is not None:
            works.append((work, 0, pointer))
    career: list[ActivityRecord] = []
    for section in _SECTIONS:
        career += read_activities(section, summary.get(section), name, origin, ledger)
    draft = _person(person, name, origin, ledger)
    reading = works_of(works, ledger)
    if not ledger.entries:
        raise ImportRefused(f"{filename}: the ORCID record has no person, work or career that can be read")
    lab = _merged(draft, reading.labs[0], career)
    return Reading((lab,), ledger, subject=name, role="leader" if name else "author")


def _groups(value: Json, summary: dict[str, Json], record: dict[str, Json]) -> list[tuple[str, Json]]:
    """The groups of works with their pointers. A group is one work, as described by one or several sources."""
    if isinstance(value, list):
        return [(f"/{index}", item) for index, item in enumerate(value)]
    works = obj(summary.get("works"))
    path = "/activities-summary/works" if works and "activities-summary" in record else "/works"
    if works:
        return [(f"{path}/group/{index}", group) for index, group in enumerate(items(works.get("group")))]
    if isinstance(record.get("group"), list):
        return [(f"/group/{index}", group) for index, group in enumerate(items(record["group"]))]
    if isinstance(record.get("bulk"), list):
        return [(f"/bulk/{index}", obj(item).get("work") or item) for index, item in enumerate(items(record["bulk"]))]
    return [("/", value)] if "put-code" in record and "title" in record else []


def _name(person: dict[str, Json]) -> str:
    names = obj(person.get("name"))
    credit = plain(_value(names.get("credit-name")), NAME_LIMIT)
    given_name, family_name = (plain(_value(names.get(part)), NAME_LIMIT) for part in ("given-names", "family-name"))
    return f"{given_name} {family_name}".strip() or credit


def _value(wrapped: Json) -> str:
    """Unwraps {"value": "…"} (or "content" in old responses)."""
    return text(obj(wrapped).get("value")) or text(obj(wrapped).get("content")) or text(wrapped)


def _person(person: dict[str, Json], name: str, origin: Origin, ledger: Ledger) -> LabRecord:
    """The person of the record as the leader of a lab."""
    if name:
        ledger.note("taken", name, pointer="/person/name", item="leader")
    biography = paragraphs(obj(person.get("biography")).get("content"))
    if biography:
        ledger.note("taken", biography, pointer="/person/biography", item="about")
    keywords = _keywords(person, ledger)
    homepage, links = _homepage(person, ledger)
    members: tuple[MemberRecord, ...] = ()
    if name:
        members = (MemberRecord(slug(name), name, "leader", homepage=homepage or _first(links), origins=(origin,)),)
    for section, label in (
        ("addresses", "an address"),
        ("emails", "an e-mail address"),
        ("other-names", "another name"),
    ):
        for index, item in enumerate(_listed(person.get(section))):
            value = _value(item.get("country")) or text(item.get("content")) or section
            ledger.note("ignored", value, f"{label}, not part of a profile", pointer=f"/person/{section}/{index}")
    facts: dict[str, Any] = {"leader": name, "about": biography, "homepage": homepage, "topics": keywords}
    return LabRecord(
        key="",
        name="",
        **facts,
        members=members,
        origins=tuple((field, origin) for field, fact in facts.items() if fact),
    )


def _keywords(person: dict[str, Json], ledger: Ledger) -> tuple[str, ...]:
    topics: dict[str, str] = {}
    for index, item in enumerate(_listed(person.get("keywords"))):
        pointer = f"/person/keywords/{index}"
        content = text(item.get("content"))
        # Many people enter all their keywords as one.
        parts = [plain(part, 120).strip(" .") for part in content.replace(";", ",").split(",")]
        keywords = [part for part in parts if part]
        if keywords:
            ledger.note("taken", content, pointer=pointer, item="topics")
            topics.update({part.casefold(): part for part in keywords if part.casefold() not in topics})
        else:
            ledger.note("ignored", pointer, "an empty keyword", pointer=pointer)
    return tuple(topics.values())


def _homepage(person: dict[str, Json], ledger: Ledger) -> tuple[str, tuple[Link, ...]]:
    """The person's own page (the first address that is not a profile on a platform), and all addresses."""
    links: list[Link | None] = []
    homepage = ""
    for index, item in enumerate(_listed(person.get("researcher-urls"))):
        pointer = f"/person/researcher-urls/{index}"
        address = _value(item.get("url"))
        link = web_link(plain(text(item.get("url-name")), 80) or "page", address)
        if link is None:
            ledger.note("problem", address or pointer, "this address does not lead to the web", pointer=pointer)
            continue
        links.append(link)
        platform = any(host in link.url for host in _PLATFORMS)
        if platform or homepage:
            ledger.note("ignored", link.url, "a further page; a profile has one home page", pointer=pointer)
        else:
            homepage = link.url
            ledger.note("taken", link.url, pointer=pointer, item="homepage")
    for index, item in enumerate(_listed(person.get("external-identifiers"))):
        pointer = f"/person/external-identifiers/{index}"
        identifier_type = text(item.get("external-id-type")) or pointer
        ledger.note("ignored", identifier_type, "an identifier at another service", pointer=pointer)
    return homepage, distinct_links(links)


_PLATFORMS = ("scholar.google.", "researchgate.net", "linkedin.com", "twitter.com", "x.com/", "dblp.", "academia.edu",
              "scopus.com", "publons.com", "webofscience", "github.com/", "facebook.com", "youtube.com")  # fmt: skip
_INNER = {
    "researcher-urls": "researcher-url", "keywords": "keyword", "addresses": "address", "emails": "email",
    "other-names": "other-name", "external-identifiers": "external-identifier",
}  # fmt: skip


def _listed(section: Json) -> list[dict[str, Json]]:
    """The entries of a section of the person, whatever their wrapper."""
    fields = obj(section)
    inner = next((fields[name] for name in (*_INNER.values(), *_INNER) if isinstance(fields.get(name), list)), section)
    return [obj(item) for item in items(inner)]


def _first(links: tuple[Link, ...]) -> str:
    return links[0].url[: LINE_LIMIT * 2] if links else ""


def _merged(draft: LabRecord, works: LabRecord, career: list[ActivityRecord]) -> LabRecord:
    """One draft of the person, the works and the career, with the institution of the latest open employment."""
    keys = Keys()
    activities = tuple(replace(item, key=keys.give(item.key)) for item in career)
    now = [item for item in activities if item.kind == "employment" and item.when.endswith("present")]
    job = max(now, key=lambda item: item.when, default=None)
    if job is None or not draft.leader:
        return replace(draft, works=works.works, activities=activities)
    return replace(
        draft,
        works=works.works,
        activities=activities,
        institution=job.organisation,
        department=job.note if job.note and len(job.note) <= LINE_LIMIT else "",
        leader_title=job.title if job.title != job.organisation else "",
        origins=(*draft.origins, ("institution", job.origins[0])),
    )
