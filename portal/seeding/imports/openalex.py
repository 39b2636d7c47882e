"""OpenAlex → works: single objects, lists, and response pages of its API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.seeding.identifiers import arxiv_in, arxiv_link, distinct_links, doi_in, doi_link, web_link
from portal.seeding.imports.decoding import PEOPLE_LIMIT, WORKS_LIMIT, items, obj, text, year_of
from portal.seeding.imports.imported import ImportRefused, Ledger, Reading, works_of
from portal.seeding.imports.latex import title_of
from portal.seeding.names import plain_name, slug
from portal.seeding.records import Link, Origin, WorkRecord
from portal.seeding.texts import ABSTRACT_LIMIT, LINE_LIMIT, NAME_LIMIT, TITLE_LIMIT, cut, plain, without_markup
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


def read_works(filename: str, entries: list[tuple[str, Json]]) -> Reading:
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
