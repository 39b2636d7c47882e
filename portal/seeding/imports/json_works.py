"""Works of OpenAlex, and ORCID records (v3.0, whole or their list of works), as JSON → works and a person."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from portal.seeding.imports.imported import (
    PEOPLE_LIMIT,
    WORKS_LIMIT,
    ImportRefused,
    Ledger,
    Reading,
    items,
    number,
    obj,
    text,
    works_of,
    year_of,
)
from portal.seeding.imports.latex import title_of
from portal.seeding.names import plain_name, slug
from portal.seeding.records import LabRecord, Link, MemberRecord, Origin, WorkRecord
from portal.seeding.texts import (
    ABSTRACT_LIMIT,
    LINE_LIMIT,
    MONTH_NAMES,
    NAME_LIMIT,
    TITLE_LIMIT,
    arxiv_in,
    arxiv_link,
    cut,
    distinct_links,
    doi_in,
    doi_link,
    paragraphs,
    plain,
    web_link,
    without_markup,
)
from portal.seeding.venues import is_preprint, short_venue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.seeding.snapshots import Json


_NO_WORKS = frozenset(
    ("dataset", "database", "software", "paratext", "erratum", "retraction", "peer-review", "grant",
     "supplementary-materials", "reference-entry", "standard", "libguides", "other")
)  # fmt: skip
_PUBLISHED = ("journal", "conference", "book series")
_MOST_POSITIONS = 500_000
_LONGEST_WORD = 80


def is_work(value: object) -> bool:
    """Whether a JSON value is a work of OpenAlex."""
    return bool({"authorships", "abstract_inverted_index", "primary_location", "publication_year"} & obj(value).keys())


def entries_of(value: Json) -> list[tuple[str, Json]]:
    """The objects of a file with their pointers: a single one, a list, an API response, or a list of responses."""
    if isinstance(value, list):
        return [
            (f"/{index}{inner.removesuffix('/')}", entry)
            for index, item in enumerate(value)
            for inner, entry in (entries_of(item) if isinstance(obj(item).get("results"), list) else [("", item)])
        ]
    results = obj(value).get("results")
    if isinstance(results, list):
        return [(f"/results/{index}", item) for index, item in enumerate(results)]
    return [("/", value)]


def read_openalex(filename: str, entries: list[tuple[str, Json]]) -> Reading:
    """The works among the entries; others are recorded with the reason.

    Raises:
        ImportRefused: There are more than 20,000.
    """
    if len(entries) > WORKS_LIMIT:
        raise ImportRefused(
            f"{filename}: the file has {len(entries):,} works; at most {WORKS_LIMIT:,} can be read – split it"
        )
    ledger = Ledger()
    works: list[tuple[WorkRecord, int, str]] = []
    for pointer, value in entries:
        fields = obj(value)
        title = title_of(without_markup(fields.get("title") or fields.get("display_name"), TITLE_LIMIT))
        kind = text(fields.get("type")).lower()
        problem = "" if title else "the work has no title; look it up and enter it by hand"
        if not is_work(fields):
            problem = "this entry is not a work of OpenAlex; import each kind of entry from a file of its own"
        elif fields.get("is_retracted") is True:
            problem = "the work was retracted; enter it by hand if it should be on the profile nevertheless"
        if is_work(fields) and (fields.get("is_paratext") is True or kind in _NO_WORKS):
            reason = f"not a publication (its type is “{kind if kind in _NO_WORKS else 'paratext'}”)"
            ledger.note("ignored", title or pointer, reason, pointer=pointer)
        elif problem:
            said = title or plain(text(fields.get("id"))) or str(value)[:100]
            ledger.note("problem", said, problem, pointer=pointer)
        else:
            works.append((_work(filename, fields, title), 0, pointer))
    return works_of(works, ledger)


def _work(filename: str, fields: dict[str, Json], title: str) -> WorkRecord:
    places = [obj(fields.get("primary_location")), *map(obj, items(fields.get("locations"))[:30])]
    # The published version rather than the preprint.
    published = (place for place in places if obj(place.get("source")).get("type") in _PUBLISHED)
    location = next(published, places[0])
    source = obj(location.get("source"))
    long = without_markup(source.get("display_name")) or without_markup(location.get("raw_source_name"))
    short = plain(text(source.get("abbreviated_title")), 60)
    venue = "arXiv" if is_preprint(long) and "arxiv" in long.lower() else short or (short_venue(long) if long else "")
    authors = tuple(dict.fromkeys(filter(None, map(_name, items(fields.get("authorships"))))))
    cut_short = bool(fields.get("is_authors_truncated")) or len(authors) > PEOPLE_LIMIT
    doi = doi_in(fields.get("doi")) or doi_in(obj(fields.get("ids")).get("doi"))
    printed = re.fullmatch(r"\d{4}-\d{2}-\d{2}", text(fields.get("publication_date")))
    date = printed[0] if printed else ""
    return WorkRecord(
        key=slug(title),
        title=title,
        authors=authors[:PEOPLE_LIMIT],
        authors_complete=bool(authors) and not cut_short,
        venue=venue,
        venue_full=_with_pages(long, obj(fields.get("biblio"))) if long and long != venue else "",
        year=year_of(fields.get("publication_year")) or year_of(date[:4]),
        date=date if not date.endswith("-01-01") else "",
        subject=plain(text(obj(obj(fields.get("primary_topic")).get("subfield")).get("display_name")), 100),
        abstract=_abstract(fields),
        links=distinct_links(_links(fields, [location, *places], doi)),
        origins=(Origin(filename, 0),),
    )


def _name(authorship: Json) -> str:
    fields = obj(authorship)
    display_name = plain(obj(fields.get("author")).get("display_name"), NAME_LIMIT)
    return plain_name(display_name or plain(fields.get("raw_author_name"), NAME_LIMIT))


def _with_pages(venue: str, biblio: dict[str, Json]) -> str:
    volume, issue, first, last = (
        plain(str(biblio.get(part) or ""), 20) for part in ("volume", "issue", "first_page", "last_page")
    )
    pages = f"{first}–{last}" if first and last and first != last else first
    parts = [venue, volume + (f"({issue})" if issue and volume else ""), f"pp. {pages}" if pages else ""]
    return cut(", ".join(part for part in parts if part), LINE_LIMIT)


def _abstract(fields: dict[str, Json]) -> str:
    """The abstract from its inverted index, which maps each word to its positions."""
    places: dict[int, str] = {}
    for word, positions in obj(fields.get("abstract_inverted_index")).items():
        for position in items(positions):
            if isinstance(position, int) and 0 <= position < _MOST_POSITIONS and len(places) <= ABSTRACT_LIMIT:
                places[position] = word[:_LONGEST_WORD]
    abstract = without_markup(" ".join(places[position] for position in sorted(places)), ABSTRACT_LIMIT)
    return abstract.removeprefix("Abstract ").removeprefix("ABSTRACT ")


def _links(fields: dict[str, Json], places: list[dict[str, Json]], doi: str) -> Iterator[Link | None]:
    addresses = [doi, *(text(place.get(name)) for place in places for name in ("landing_page_url", "pdf_url"))]
    arxiv = next((arxiv for address in addresses if "arxiv" in address.lower() and (arxiv := arxiv_in(address))), "")
    if doi and not doi.startswith("10.48550/"):
        yield doi_link(doi)
    if arxiv:
        yield arxiv_link(arxiv)
    if not doi and not arxiv:
        yield web_link("paper", places[0].get("landing_page_url"))
    yield web_link("pdf", places[0].get("pdf_url") or obj(fields.get("best_oa_location")).get("pdf_url"))


# ORCID


_SECTIONS = frozenset(
    ("educations", "employments", "distinctions", "invited-positions", "memberships", "qualifications", "services",
     "fundings", "peer-reviews", "research-resources")
)  # fmt: skip
_NO_WORKS_ORCID = frozenset(
    ("data-set", "software", "patent", "invention", "license", "trademark", "registered-copyright", "lecture-speech",
     "research-technique", "spin-off-company", "standards-and-policy", "technical-standard", "website", "blog-post",
     "artistic-performance", "other")
)  # fmt: skip


def is_orcid(value: Json) -> bool:
    """Whether a JSON value is an ORCID record, or its list of works."""
    fields = obj(value)
    known = {"orcid-identifier", "activities-summary", "group", *_SECTIONS}
    return bool(known & fields.keys()) or "name" in obj(fields.get("person")) or "group" in obj(fields.get("works"))


def read_orcid(filename: str, value: Json) -> Reading:
    """The person and works of a record; its other sections are listed as not read.

    Raises:
        ImportRefused: It has more than 20,000 entries, or nothing readable.
    """
    record = obj(value)
    person = obj(record.get("person"))
    ledger = Ledger()
    origin = Origin(filename, 0)
    listed, path = record, ""
    for part in ("activities-summary", "works"):
        if obj(record.get(part)) or obj(listed.get(part)):
            listed, path = obj(listed.get(part)), f"{path}/{part}"
    groups = items(listed.get("group"))
    if len(groups) > WORKS_LIMIT:
        raise ImportRefused(f"{filename}: the record has more than {WORKS_LIMIT:,} works; split it")
    draft = _person(person, origin, ledger)
    pointers = ((f"{path}/group/{index}", obj(group)) for index, group in enumerate(groups))
    works = [
        (work, 0, at) for at, group in pointers if (work := _work_of_orcid(origin, at, group, draft.leader, ledger))
    ]
    reading = works_of(works, ledger)
    for section, content in sorted((obj(record.get("activities-summary")) or record).items()):
        if section in _SECTIONS and content:
            reason = "not read from ORCID; enter what belongs on the profile by hand"
            ledger.note("ignored", section, reason, pointer=f"/activities-summary/{section}")
    if not ledger.entries:
        raise ImportRefused(f"{filename}: the ORCID record has no person or work that can be read")
    lab = replace(draft, works=reading.labs[0].works)
    return Reading((lab,), ledger, subject=lab.leader, role="leader" if lab.leader else "author")


def _value(wrapped: Json) -> str:
    """Unwraps {"value": "…"}."""
    return text(obj(wrapped).get("value")) or text(wrapped)


def _person(person: dict[str, Json], origin: Origin, ledger: Ledger) -> LabRecord:
    """The person of the record as the leader of a lab."""
    names = obj(person.get("name"))
    given, family, credit = (
        plain(_value(names.get(part)), NAME_LIMIT) for part in ("given-names", "family-name", "credit-name")
    )
    name = f"{given} {family}".strip() or credit
    biography = paragraphs(obj(person.get("biography")).get("content"))
    contents = (text(obj(item).get("content")) for item in items(obj(person.get("keywords")).get("keyword")))
    # Many people enter all their keywords as one.
    words = [plain(word, 120).strip(" .") for said in contents for word in said.replace(";", ",").split(",")]
    topics = tuple({word.casefold(): word for word in reversed(words) if word}.values())[::-1]
    facts: dict[str, Any] = {"leader": name, "about": biography, "topics": topics}
    for (item, fact), place in zip(facts.items(), ("name", "biography", "keywords"), strict=True):
        if fact:
            ledger.note("taken", "; ".join(topics) if item == "topics" else fact, pointer=f"/person/{place}", item=item)
    return LabRecord(
        key="",
        name="",
        **facts,
        members=(MemberRecord(slug(name), name, "leader", origins=(origin,)),) if name else (),
        origins=tuple((field, origin) for field, fact in facts.items() if fact),
    )


def _work_of_orcid(
    origin: Origin, pointer: str, group: dict[str, Json], person: str, ledger: Ledger
) -> WorkRecord | None:
    """The work of a group, which one or several sources describe, or None with a note in the ledger that says why.

    The owner's preferred summary takes precedence; the others fill gaps.
    """
    versions = [obj(item) for item in items(group.get("work-summary"))] or [group]
    versions.sort(key=lambda version: number(version.get("display-index")) or 0, reverse=True)
    title = next(filter(None, map(_title, versions)), "")
    kind = next((kind for version in versions if (kind := text(version.get("type")).lower().replace("_", "-"))), "")
    if not title:
        ledger.note(
            "problem", pointer, "the work has no title; correct it in ORCID, or enter it by hand", pointer=pointer
        )
        return None
    if kind in _NO_WORKS_ORCID:
        ledger.note("ignored", title, f"not a publication (its type is “{kind}”)", pointer=pointer)
        return None
    journal = next(filter(None, (without_markup(_value(version.get("journal-title"))) for version in versions)), "")
    year, date = next((found for version in versions if (found := _date(version))[0]), (None, ""))
    authors = next(filter(None, map(_people, versions)), ())
    identifiers = list(_identifiers(group, versions))
    dois = [doi for kind, code in identifiers if kind == "doi" and (doi := doi_in(code))]
    arxivs = [arxiv for kind, code in identifiers if "arxiv" in (kind + code).lower() and (arxiv := arxiv_in(code))]
    links = [doi_link(doi) for doi in dois if not doi.startswith("10.48550/arxiv")] + [*map(arxiv_link, arxivs)]
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
        links=distinct_links([*links, *(web_link("paper", _value(version.get("url"))) for version in versions)]),
        origins=(origin,),
    )


def _identifiers(group: dict[str, Json], versions: list[dict[str, Json]]) -> Iterator[tuple[str, str]]:
    """(kind, value) of the identifiers of the work itself; "part-of" identifies its book or journal."""
    for holder in (group, *versions):
        for item in map(obj, items(obj(holder.get("external-ids")).get("external-id"))):
            relation = text(item.get("external-id-relationship")).lower().replace("_", "-")
            value = _value(item.get("external-id-normalized")) or text(item.get("external-id-value"))
            if value and relation in ("self", "version-of", ""):
                yield text(item.get("external-id-type")).lower(), value


def _title(version: dict[str, Json]) -> str:
    titles = obj(version.get("title"))
    title, subtitle = (without_markup(_value(titles.get(part)), TITLE_LIMIT // 2) for part in ("title", "subtitle"))
    has_more = title and subtitle and subtitle.casefold() not in title.casefold()
    return title_of(f"{title}: {subtitle}" if has_more else title)


def _date(version: dict[str, Json]) -> tuple[int | None, str]:
    date = obj(version.get("publication-date"))
    year, month = (number(_value(date.get(part))) or 0 for part in ("year", "month"))
    is_dated = year_of(year) and 1 <= month <= len(MONTH_NAMES)
    return year_of(year), f"{MONTH_NAMES[month - 1]} {year}" if is_dated else ""


def _people(version: dict[str, Json]) -> tuple[str, ...]:
    """The contributors of a full work."""
    listed = items(obj(version.get("contributors")).get("contributor"))
    names = (plain_name(plain(_value(obj(item).get("credit-name")), NAME_LIMIT)) for item in listed)
    return tuple(dict.fromkeys(filter(None, names)))
