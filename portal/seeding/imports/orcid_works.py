"""One group of works of an ORCID record (the same work from one or several sources) → a work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.seeding.imports.bibtex_file import BibEntry, read_bibtex_file
from portal.seeding.imports.bibtex_names import people_of
from portal.seeding.imports.identifiers import arxiv_in, arxiv_link, distinct_links, doi_in, doi_link, web_link
from portal.seeding.imports.json_file import items, obj, text, year_of
from portal.seeding.imports.latex import title_of
from portal.seeding.names import plain_name, slug
from portal.seeding.records import Link, Origin, WorkRecord
from portal.seeding.texts import ABSTRACT_LIMIT, LINE_LIMIT, NAME_LIMIT, TITLE_LIMIT, cut, plain, without_markup
from portal.seeding.venues import short_venue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.seeding.imports.imported import Ledger
    from portal.seeding.snapshots import Json

PEOPLE_LIMIT = 300
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_NO_WORKS = frozenset(
    """
    data-set software dissertation-supervision test spin-off-company license trademark registered-copyright patent
    artistic-performance lecture-speech standards-and-policy invention cartographic-material physical-object website
    teaching-material supervised-student-publication disclosure other annotation blog-post design image learning-object
    moving-image musical-composition public-speech research-tool sound transcription online-resource technical-standard
    artistic-output
    """.split()  # noqa: SIM905 - a table, not code
)
_OWN = frozenset(("self", "version-of", ""))


def read_group(filename: str, pointer: str, group: Json, person: str, ledger: Ledger) -> WorkRecord | None:
    """The work of a group, or None with a note in the ledger that says why.

    The owner's preferred summary takes precedence; the others fill gaps.
    """
    fields = obj(group)
    versions = [obj(item) for item in items(fields.get("work-summary"))] or [obj(fields.get("work")) or fields]
    versions = sorted((version for version in versions if version), key=_preference, reverse=True)
    title = next((title for version in versions if (title := _title(version))), "")
    if not title:
        reason = "the work has no title; correct it in ORCID, or enter it by hand"
        ledger.note("problem", _code(versions) or pointer, reason, pointer=pointer)
        return None
    kind = next((kind for version in versions if (kind := text(version.get("type")).lower().replace("_", "-"))), "")
    if kind in _NO_WORKS and not (kind == "other" and any(map(_is_publication, _identifiers(fields, versions)))):
        ledger.note("ignored", title, f"not a publication (its type is “{kind}”)", pointer=pointer)
        return None
    return _work(filename, fields, versions, title, person)


def _is_publication(identifier: tuple[str, str, str]) -> bool:
    """Whether an identifier of a work of type "other" is typical of publications, such as an arXiv number."""
    return identifier[0] in ("doi", "arxiv", "pmid", "eid", "dblp")


def _preference(version: dict[str, Json]) -> int:
    shown = text(version.get("display-index"))
    return int(shown) if shown.isdigit() and len(shown) < 9 else 0  # noqa: PLR2004 - no index is longer


def _work(
    filename: str, group: dict[str, Json], versions: list[dict[str, Json]], title: str, person: str
) -> WorkRecord:
    identifiers = list(_identifiers(group, versions))
    journal = next((name for version in versions if (name := _journal(version))), "")
    year, date = next((year_and_date for version in versions if (year_and_date := _date(version))[0]), (None, ""))
    authors, complete = next((people for version in versions if (people := _people(version))[0]), ((), False))
    dois = [doi for kind, value, _ in identifiers if kind == "doi" and (doi := doi_in(value))]
    arxivs = [arxiv for kind, value, _ in identifiers if kind in ("arxiv", "doi") and (arxiv := _arxiv(kind, value))]
    venue = short_venue(journal) if journal else ("arXiv" if arxivs else "")
    abstract = next((description for version in versions if (description := version.get("short-description"))), "")
    return WorkRecord(
        key=slug(title),
        title=title,
        authors=authors or ((person,) if person else ()),
        authors_complete=complete,
        venue=venue,
        venue_full=journal if journal != venue else "",
        year=year,
        date=date,
        abstract=without_markup(abstract, ABSTRACT_LIMIT),
        links=distinct_links(_links(dois, arxivs, identifiers, versions)),
        origins=(Origin(filename, 0),),
    )


def _links(
    dois: list[str], arxivs: list[str], identifiers: list[tuple[str, str, str]], versions: list[dict[str, Json]]
) -> Iterator[Link | None]:
    yield from (doi_link(doi) for doi in dois if not doi.startswith("10.48550/arxiv"))
    yield from (arxiv_link(arxiv) for arxiv in arxivs)
    for version in versions:
        yield web_link("paper", _value(version.get("url")))
    if not dois and not arxivs:
        yield from (web_link("paper", url) for kind, _, url in identifiers if kind not in ("isbn", "issn"))


def _identifiers(group: dict[str, Json], versions: list[dict[str, Json]]) -> Iterator[tuple[str, str, str]]:
    """(kind, value, address) of the identifiers of the work itself; "part-of" identifies its book or journal."""
    for holder in (group, *versions):
        for item in items(obj(holder.get("external-ids")).get("external-id")):
            identifier = obj(item)
            relation = text(identifier.get("external-id-relationship")).lower().replace("_", "-")
            normal = text(obj(identifier.get("external-id-normalized")).get("value"))
            value = normal or text(identifier.get("external-id-value"))
            kind = text(identifier.get("external-id-type")).lower()
            if value and relation in _OWN and kind != "issn":
                yield kind, value, _value(identifier.get("external-id-url"))


def _arxiv(kind: str, value: str) -> str:
    return arxiv_in(value) if kind == "arxiv" or "arxiv" in value.lower() else ""


def _title(version: dict[str, Json]) -> str:
    titles = obj(version.get("title"))
    title = title_of(without_markup(_value(titles.get("title")) or text(version.get("title")), TITLE_LIMIT))
    subtitle = without_markup(_value(titles.get("subtitle")), TITLE_LIMIT)
    if title and subtitle and subtitle.casefold() not in title.casefold():
        return cut(f"{title}: {subtitle}", TITLE_LIMIT)
    return title or without_markup(_value(titles.get("translated-title")), TITLE_LIMIT)


def _journal(version: dict[str, Json]) -> str:
    return without_markup(_value(version.get("journal-title")) or text(version.get("journal-title")), LINE_LIMIT)


def _date(version: dict[str, Json]) -> tuple[int | None, str]:
    date_parts = obj(version.get("publication-date"))
    year = year_of(_value(date_parts.get("year")))
    month, day = (year_of_part(_value(date_parts.get(part))) for part in ("month", "day"))
    if year is None or not 1 <= month <= len(_MONTHS):
        return year, ""
    return year, f"{_MONTHS[month - 1]} {day}, {year}" if 1 <= day <= 31 else f"{_MONTHS[month - 1]} {year}"  # noqa: PLR2004


def year_of_part(value: str) -> int:
    """A month or day as a number, 0 if invalid."""
    return int(value) if value.isascii() and value.isdigit() and len(value) <= 2 else 0  # noqa: PLR2004


def _people(version: dict[str, Json]) -> tuple[tuple[str, ...], bool]:
    """The people of a full work: its contributors, or else those of its citation."""
    listed = items(obj(version.get("contributors")).get("contributor"))
    names = (plain_name(plain(_value(obj(item).get("credit-name")), NAME_LIMIT)) for item in listed)
    people = tuple(dict.fromkeys(name for name in names if name))
    if people:
        return people[:PEOPLE_LIMIT], len(people) <= PEOPLE_LIMIT
    citation = obj(version.get("citation"))
    if text(citation.get("citation-type")).lower() == "bibtex":
        entries = read_bibtex_file(text(citation.get("citation-value"))[:20_000]).entries
        first = entries[0] if entries else None
        if isinstance(first, BibEntry):
            return people_of(first.fields.get("author", ""))
    return (), False


def _value(wrapped: Json) -> str:
    return text(obj(wrapped).get("value")) or text(obj(wrapped).get("content"))


def _code(versions: list[dict[str, Json]]) -> str:
    code = versions[0].get("put-code") if versions else None
    return f"put-code {code}" if isinstance(code, int | str) else ""
