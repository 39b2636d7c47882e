"""OpenAlex → works, or an author: single objects, lists, and response pages of its API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from portal.seeding.imports.identifiers import arxiv_in, arxiv_link, distinct_links, doi_in, doi_link, web_link
from portal.seeding.imports.imported import ImportRefused, Ledger, Reading, works_of
from portal.seeding.imports.json_file import items, number, obj, text, year_of
from portal.seeding.imports.latex import title_of
from portal.seeding.names import plain_name, slug
from portal.seeding.records import ActivityRecord, LabRecord, Link, MemberRecord, Origin, WorkRecord
from portal.seeding.texts import ABSTRACT_LIMIT, LINE_LIMIT, NAME_LIMIT, TITLE_LIMIT, cut, plain, without_markup
from portal.seeding.venues import is_preprint, short_venue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.seeding.imports.json_file import JsonFile
    from portal.seeding.snapshots import Json


WORKS_LIMIT = 20_000
PEOPLE_LIMIT = 300

_NO_WORKS = {
    "dataset": "a data set, not a publication",
    "software": "software, not a publication",
    "paratext": "front matter of an issue, not a work",
    "erratum": "a correction of another work",
    "retraction": "the notice that another work was retracted",
    "peer-review": "a peer review, not a publication",
    "grant": "a grant, not a publication",
    "supplementary-materials": "supplementary material of another work",
    "reference-entry": "an entry of a reference work",
    "standard": "a standard, not a publication",
    "other": "not a publication (its type is “other”)",
    "libguides": "a library’s guide, not a publication",
    "database": "a data set, not a publication",
}
_POSITIONS = 500_000
_LONGEST_WORD = 80


def is_work(value: object) -> bool:
    """Whether a JSON value is a work of OpenAlex."""
    fields = obj(value)
    if _kind_by_id(fields) == "W":
        return True
    return "authorships" in fields or "abstract_inverted_index" in fields or "primary_location" in fields


def is_author(value: object) -> bool:
    """Whether a JSON value is an author of OpenAlex."""
    fields = obj(value)
    return not is_work(fields) and (
        _kind_by_id(fields) == "A"
        or ("works_count" in fields and ("last_known_institutions" in fields or "last_known_institution" in fields))
        or ("display_name" in fields and "affiliations" in fields and "works_api_url" in fields)
    )


def entries_of(value: Json) -> list[tuple[str, Json]]:
    """The objects of a file with their pointers: a single one, a list, an API response, or a list of responses."""
    if isinstance(value, list):
        entries: list[tuple[str, Json]] = []
        for index, item in enumerate(value):
            inner = obj(item)
            if isinstance(inner.get("results"), list) and not is_work(inner):
                entries += [
                    (f"/{index}/results/{position}", work) for position, work in enumerate(items(inner["results"]))
                ]
            else:
                entries.append((f"/{index}", item))
        return entries
    if isinstance(obj(value).get("results"), list):
        return [(f"/results/{index}", item) for index, item in enumerate(items(obj(value)["results"]))]
    return [("/", value)]


def read_works(filename: str, file: JsonFile, entries: list[tuple[str, Json]]) -> Reading:
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
        title = _title(fields)
        outcome, reason = _refusal(value, title)
        if outcome == "ignored":
            ledger.note("ignored", title or pointer, reason, pointer=pointer)
        elif outcome:
            ledger.note("problem", title or plain(text(fields.get("id"))) or str(value)[:100], reason, pointer=pointer)
        else:
            works.append((_work(filename, fields, title), 0, pointer))
    if file.cut_at:
        reason = f"the file breaks off here ({file.why}); what stands before was read – download the file again"
        ledger.note("problem", f"line {file.cut_at}", reason, line=file.cut_at)
    return works_of(works, ledger)


def _kind_by_id(fields: dict[str, Json]) -> str:
    address = text(fields.get("id"))
    last = address.rpartition("/")[2]
    return last[:1].upper() if "openalex.org" in address and last[1:].isdigit() else ""


def _refusal(value: Json, title: str) -> tuple[str, str]:
    """(outcome, reason) of an entry that is not a work; ("", "") for a work."""
    fields = obj(value)
    kind = text(fields.get("type")).lower()
    if not fields:
        return "problem", "this entry is not an object; export the list again"
    if not is_work(fields) and not (title and ("publication_year" in fields or "doi" in fields)):
        return "problem", "this entry is not a work of OpenAlex; import each kind of entry from a file of its own"
    if fields.get("is_paratext") is True or kind in _NO_WORKS:
        return "ignored", _NO_WORKS.get(kind, _NO_WORKS["paratext"])
    if fields.get("is_retracted") is True:
        return "problem", "the work was retracted; enter it by hand if it should be on the profile nevertheless"
    return ("", "") if title else ("problem", "the work has no title; look it up and enter it by hand")


def _title(fields: dict[str, Json]) -> str:
    return title_of(without_markup(fields.get("title") or fields.get("display_name"), TITLE_LIMIT))


def _work(filename: str, fields: dict[str, Json], title: str) -> WorkRecord:
    location = _location(fields)
    source = obj(location.get("source"))
    long = without_markup(source.get("display_name") or obj(fields.get("host_venue")).get("display_name"))
    long = long or without_markup(location.get("raw_source_name"))
    short = plain(text(source.get("abbreviated_title")), 60)
    venue = "arXiv" if is_preprint(long) and "arxiv" in long.lower() else short or (short_venue(long) if long else "")
    authorships = items(fields.get("authorships"))
    authors = tuple(dict.fromkeys(filter(None, (_name(item) for item in authorships))))
    cut_short = bool(fields.get("is_authors_truncated")) or len(authors) > PEOPLE_LIMIT
    doi = doi_in(fields.get("doi")) or doi_in(obj(fields.get("ids")).get("doi"))
    date = text(fields.get("publication_date"))
    date = date if re.fullmatch(r"\d{4}-\d{2}-\d{2}", date) else ""
    year = year_of(fields.get("publication_year")) or year_of(date[:4])
    return WorkRecord(
        key=slug(title),
        title=title,
        authors=authors[:PEOPLE_LIMIT],
        authors_complete=bool(authors) and not cut_short,
        venue=venue,
        venue_full=_with_pages(long, obj(fields.get("biblio"))) if long and long != venue else "",
        year=year,
        date=date if date and not date.endswith("-01-01") else "",
        subject=plain(text(obj(obj(fields.get("primary_topic")).get("subfield")).get("display_name")), 100),
        abstract=_abstract(fields),
        links=distinct_links(_links(fields, location, doi)),
        origins=(Origin(filename, 0),),
    )


def _location(fields: dict[str, Json]) -> dict[str, Json]:
    """Where the work was published: the primary location, unless that is a preprint and another one is not."""
    primary = obj(fields.get("primary_location"))
    name = text(obj(primary.get("source")).get("display_name"))
    if name and not is_preprint(name):
        return primary
    for item in items(fields.get("locations")):
        other = obj(item)
        source = obj(other.get("source"))
        published = source.get("type") in ("journal", "conference", "book series")
        if published and text(source.get("display_name")) and not is_preprint(text(source.get("display_name"))):
            return other
    return primary


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
    index = fields.get("abstract_inverted_index")
    if not isinstance(index, dict):
        return without_markup(fields.get("abstract"), ABSTRACT_LIMIT)
    places: dict[int, str] = {}
    for word, positions in index.items():
        for position in items(positions):
            if isinstance(position, int) and not isinstance(position, bool) and 0 <= position < _POSITIONS:
                places[position] = word[:_LONGEST_WORD]
            if len(places) > ABSTRACT_LIMIT:
                break
    words = " ".join(places[position] for position in sorted(places))
    abstract = without_markup(words, ABSTRACT_LIMIT)
    return abstract.removeprefix("Abstract ").removeprefix("ABSTRACT ")


def _links(fields: dict[str, Json], location: dict[str, Json], doi: str) -> Iterator[Link | None]:
    arxiv = arxiv_in(doi) if doi.startswith("10.48550/") else ""
    if doi and not arxiv:
        yield doi_link(doi)
    for place in [location, *map(obj, items(fields.get("locations"))[:30])]:
        for address in (place.get("landing_page_url"), place.get("pdf_url")):
            if not arxiv and "arxiv.org" in text(address).lower():
                arxiv = arxiv_in(address)
    if arxiv:
        yield arxiv_link(arxiv)
    landing = text(location.get("landing_page_url"))
    if not doi and "openalex.org" not in landing and "arxiv.org" not in landing:
        yield web_link("paper", landing)
    yield web_link("pdf", location.get("pdf_url") or obj(fields.get("best_oa_location")).get("pdf_url"))


_FEW_AFFILIATIONS = 12
_FEW_TOPICS = 12


def read_author(filename: str, entries: list[tuple[str, Json]]) -> Reading:
    """An author as the leader of a lab: names, affiliations, topics, figures.

    Raises:
        ImportRefused: The author has no name.
    """
    pointer, value = next((pair for pair in entries if is_author(pair[1])), entries[0])
    author = obj(value)
    name = plain(text(author.get("display_name")), NAME_LIMIT)
    if not name:
        raise ImportRefused(f"{filename}: the author of the file has no name")
    ledger = Ledger()
    ledger.note("taken", name, pointer=pointer, item="leader")
    for other, item in entries:
        if other != pointer:
            reason = "not the first author of the file; import one file per person"
            ledger.note("problem", plain(text(obj(item).get("display_name"))) or other, reason, pointer=other)
    origin = Origin(filename, 0)
    institution = _current_institution(author)
    topics = _topics(author)
    facts: dict[str, Any] = {"leader": name, "institution": institution, "topics": topics}
    draft = LabRecord(
        key="",
        name="",
        **facts,
        figures=_figures(author),
        members=(MemberRecord(slug(name), name, "leader", homepage=_orcid(author), origins=(origin,)),),
        activities=tuple(_affiliations(author, name, origin)),
        origins=tuple((field, origin) for field, fact in facts.items() if fact),
    )
    return Reading((draft,), ledger, subject=name, role="leader")


def _current_institution(author: dict[str, Json]) -> str:
    institutions = items(author.get("last_known_institutions")) or [author.get("last_known_institution")]
    return next((name for item in institutions if (name := plain(obj(item).get("display_name"), 300))), "")


def _topics(author: dict[str, Json]) -> tuple[str, ...]:
    listed = items(author.get("topics")) or items(author.get("x_concepts"))
    names = (plain(obj(item).get("display_name"), 120) for item in listed[:_FEW_TOPICS])
    return tuple(dict.fromkeys(name for name in names if name))


def _figures(author: dict[str, Json]) -> tuple[tuple[str, int], ...]:
    stats = obj(author.get("summary_stats"))
    counts = (
        ("papers", number(author.get("works_count"))),
        ("citations", number(author.get("cited_by_count"))),
        ("h-index", number(stats.get("h_index"))),
    )
    return tuple((name, count) for name, count in counts if count)


def _orcid(author: dict[str, Json]) -> str:
    address = text(author.get("orcid")) or text(obj(author.get("ids")).get("orcid"))
    link = web_link("ORCID", address)
    return link.url if link else ""


def _affiliations(author: dict[str, Json], person: str, origin: Origin) -> Iterable[ActivityRecord]:
    """The person's institutions, by the years of their works."""
    names: set[str] = set()
    for item in items(author.get("affiliations"))[:_FEW_AFFILIATIONS]:
        name = plain(obj(obj(item).get("institution")).get("display_name"), 300)
        years = sorted(year for value in items(obj(item).get("years")) if (year := year_of(value)))
        if not name or name in names or not years:
            continue
        names.add(name)
        when = str(years[0]) if years[0] == years[-1] else f"{years[0]} – {years[-1]}"
        yield ActivityRecord(
            key=slug(f"employment {name}"),
            kind="employment",
            title="Affiliation",
            person=person,
            organisation=name,
            when=when,
            year=years[-1],
            note="by the years of the person’s works in OpenAlex",
            origins=(origin,),
        )
