"""Works of OpenAlex, and ORCID records (v3.0, whole or their list of works), as JSON → works and a person."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from portal.seeding import texts
from portal.seeding.imports.imported import PEOPLE_LIMIT, WORKS_LIMIT, ImportRefused, with_pages, works_of
from portal.seeding.imports.latex import title_of
from portal.seeding.names import plain_name, slug
from portal.seeding.pages import Ledger, Reading
from portal.seeding.records import LabRecord, Link, MemberRecord, Origin, WorkRecord
from portal.seeding.venues import is_preprint, short_venue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.seeding.pages import ImportKind
    from portal.seeding.records import Json


_NO_WORKS = frozenset(
    ("dataset", "database", "software", "paratext", "erratum", "retraction", "peer-review", "grant",
     "supplementary-materials", "reference-entry", "standard", "libguides", "other")
)  # fmt: skip
JSON_KINDS = ("openalex_works", "orcid")
_PUBLISHED = ("journal", "conference", "book series")
_MOST_POSITIONS = 500_000
_LONGEST_WORD = 80


def looks_like_json(text: str) -> bool:
    """Whether a text begins like a JSON object or list."""
    return bool(re.match(r"\s*(?:\{\s*[\"}]|\[\s*[\[\]{\"\d-])", text))


def read_json(filename: str, text: str, kind: ImportKind | None = None) -> Reading:
    """The works of a JSON text of `kind`, or of that which its content tells; others are refused."""
    try:
        value: Json = json.loads(text, parse_constant=lambda _name: None)
    except RecursionError:
        raise ImportRefused(f"{filename}: the JSON is nested too deeply to be read") from None
    except ValueError as error:
        place = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else "a number too long"
        raise ImportRefused(f"{filename}: the JSON is broken ({place}); download or export it again") from None
    entries = _entries(value)
    if kind == "openalex_works" or (kind is None and any(_is_work(entry) for _, entry in entries[:50])):
        return _read_openalex(filename, entries)
    if kind == "orcid" or _is_orcid(value):
        return _read_orcid(filename, value)
    raise ImportRefused(
        f"{filename}: this kind of JSON is not known; the portal reads works of OpenAlex and records of ORCID; from "
        "other services, export BibTeX"
    )


# Values of JSON: where one has another type than expected, an empty one takes its place.
def _obj(value: object) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _items(value: object) -> list[Json]:
    return value if isinstance(value, list) else []


def _at(value: object, *path: str) -> Json:
    """What is at a path of names in JSON objects, or None."""
    for name in path:
        value = _obj(value).get(name)
    return cast("Json", value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    """`value` if it is a whole number of at most nine digits (also as a string), else 0."""
    digits = str(value).strip() if isinstance(value, int | str) else ""
    return int(digits) if re.fullmatch(r"\d{1,9}", digits, re.ASCII) else 0


def _year(value: object) -> int | None:
    return _number(value) if 1500 <= _number(value) <= 2100 else None  # noqa: PLR2004


def _is_work(value: object) -> bool:
    return bool({"authorships", "abstract_inverted_index", "primary_location", "publication_year"} & _obj(value).keys())


def _entries(value: Json) -> list[tuple[str, Json]]:
    """The objects of a file with their pointers: a single one, a list, an API response, or a list of responses."""
    if isinstance(value, list):
        return [
            (f"/{index}{inner.removesuffix('/')}", entry)
            for index, item in enumerate(value)
            for inner, entry in (_entries(item) if isinstance(_obj(item).get("results"), list) else [("", item)])
        ]
    results = _obj(value).get("results")
    if isinstance(results, list):
        return [(f"/results/{index}", item) for index, item in enumerate(results)]
    return [("/", value)]


def _read_openalex(filename: str, entries: list[tuple[str, Json]]) -> Reading:
    """The works among the entries; others are noted with the reason. More than 20,000 are refused."""
    if len(entries) > WORKS_LIMIT:
        raise ImportRefused(f"{filename}: the file has more than {WORKS_LIMIT:,} works; split it")
    ledger = Ledger(filename)
    works: list[tuple[WorkRecord, int, str]] = []
    for pointer, value in entries:
        fields = _obj(value)
        title = title_of(texts.without_markup(fields.get("title") or fields.get("display_name"), texts.TITLE_LIMIT))
        kind = _text(fields.get("type")).lower()
        problem = "" if title else "the work has no title; look it up and enter it by hand"
        if not _is_work(fields):
            problem = "this entry is not a work of OpenAlex; import each kind of entry from a file of its own"
        elif fields.get("is_retracted") is True:
            problem = "the work was retracted; enter it by hand if it should be on the profile nevertheless"
        if _is_work(fields) and (fields.get("is_paratext") is True or kind in _NO_WORKS):
            reason = f"not a publication (its type is “{kind if kind in _NO_WORKS else 'paratext'}”)"
            ledger.note("ignored", title or pointer, reason, pointer=pointer)
        elif problem:
            said = title or texts.plain(_text(fields.get("id"))) or str(value)[:100]
            ledger.note("problem", said, problem, pointer=pointer)
        else:
            works.append((_work(filename, fields, title), 0, pointer))
    return works_of("openalex_works", works, ledger)


def _work(filename: str, fields: dict[str, Json], title: str) -> WorkRecord:
    places = [_obj(fields.get("primary_location")), *map(_obj, _items(fields.get("locations"))[:30])]
    # The published version rather than the preprint.
    published = (place for place in places if _at(place, "source", "type") in _PUBLISHED)
    location = next(published, places[0])
    source = _obj(location.get("source"))
    long = texts.without_markup(source.get("display_name")) or texts.without_markup(location.get("raw_source_name"))
    short = texts.plain(_text(source.get("abbreviated_title")), 60)
    venue = "arXiv" if is_preprint(long) and "arxiv" in long.lower() else short or (short_venue(long) if long else "")
    people = _items(fields.get("authorships"))
    names = (_at(one, "author", "display_name") or _at(one, "raw_author_name") for one in people)
    authors = tuple(dict.fromkeys(filter(None, (plain_name(texts.plain(name, texts.NAME_LIMIT)) for name in names))))
    cut_short = bool(fields.get("is_authors_truncated")) or len(authors) > PEOPLE_LIMIT
    doi = texts.doi_in(fields.get("doi")) or texts.doi_in(_at(fields, "ids", "doi"))
    volume, issue, first, last = (
        texts.plain(str(_at(fields, "biblio", part) or ""), 20)
        for part in ("volume", "issue", "first_page", "last_page")
    )
    pages = f"{first}–{last}" if first and last and first != last else first
    printed = re.fullmatch(r"\d{4}-\d{2}-\d{2}", _text(fields.get("publication_date")))
    date = printed[0] if printed else ""
    return WorkRecord(
        key=slug(title),
        title=title,
        authors=authors[:PEOPLE_LIMIT],
        authors_complete=bool(authors) and not cut_short,
        venue=venue,
        venue_full=with_pages(long, volume, issue, pages) if long and long != venue else "",
        year=_year(fields.get("publication_year")) or _year(date[:4]),
        date=date if not date.endswith("-01-01") else "",
        subject=texts.plain(_at(fields, "primary_topic", "subfield", "display_name"), 100),
        abstract=_abstract(fields),
        links=texts.distinct_links(_links(fields, [location, *places], doi)),
        origins=(Origin(filename, 0),),
    )


def _abstract(fields: dict[str, Json]) -> str:
    """The abstract from its inverted index, which maps each word to its positions."""
    places: dict[int, str] = {}
    for word, positions in _obj(fields.get("abstract_inverted_index")).items():
        for position in _items(positions):
            if isinstance(position, int) and 0 <= position < _MOST_POSITIONS and len(places) <= texts.ABSTRACT_LIMIT:
                places[position] = word[:_LONGEST_WORD]
    abstract = texts.without_markup(" ".join(places[position] for position in sorted(places)), texts.ABSTRACT_LIMIT)
    return abstract.removeprefix("Abstract ").removeprefix("ABSTRACT ")


def _links(fields: dict[str, Json], places: list[dict[str, Json]], doi: str) -> Iterator[Link | None]:
    addresses = [doi, *(_text(place.get(name)) for place in places for name in ("landing_page_url", "pdf_url"))]
    arxiv = next(filter(None, (texts.arxiv_in(address) for address in addresses if "arxiv" in address.lower())), "")
    yield from texts.links_of(doi, arxiv)
    if not doi and not arxiv:
        yield texts.web_link("paper", places[0].get("landing_page_url"))
    yield texts.web_link("pdf", places[0].get("pdf_url") or _at(fields, "best_oa_location", "pdf_url"))


_LISTS_OF_WORKS = (("activities-summary", "works"), ("works",))
_NO_WORKS_ORCID = frozenset(
    ("data-set", "software", "patent", "invention", "license", "trademark", "registered-copyright", "lecture-speech",
     "research-technique", "spin-off-company", "standards-and-policy", "technical-standard", "website", "blog-post",
     "artistic-performance", "other")
)  # fmt: skip


def _is_orcid(value: Json) -> bool:
    is_record = bool({"orcid-identifier", "activities-summary", "group"} & _obj(value).keys())
    return is_record or "name" in _obj(_at(value, "person")) or "group" in _obj(_at(value, "works"))


def _read_orcid(filename: str, value: Json) -> Reading:
    """The person and works of a record, which is refused with more than 20,000 or none; other sections are not read."""
    ledger = Ledger(filename)
    origin = Origin(filename, 0)
    path = next((path for path in _LISTS_OF_WORKS if _obj(_at(value, *path))), ())
    groups = _items(_at(value, *path, "group"))
    if len(groups) > WORKS_LIMIT:
        raise ImportRefused(f"{filename}: the record has more than {WORKS_LIMIT:,} works; split it")
    draft = _person(_at(value, "person"), origin, ledger)
    works: list[tuple[WorkRecord, int, str]] = []
    for index, group in enumerate(groups):
        pointer = "/".join(("", *path, "group", str(index)))
        work = _work_of_orcid(origin, pointer, _obj(group), draft.leader, ledger)
        works += [(work, 0, pointer)] if work is not None else []
    reading = works_of("orcid", works, ledger)
    if not ledger.notes:
        raise ImportRefused(f"{filename}: the ORCID record has no person or work that can be read")
    lab = replace(draft, works=reading.draft.works)
    return replace(reading, labs=(lab,), subject=lab.leader, role="leader" if lab.leader else "author")


def _value(wrapped: Json) -> str:
    """Unwraps {"value": "…"}."""
    return _text(_at(wrapped, "value")) or _text(wrapped)


def _person(person: Json, origin: Origin, ledger: Ledger) -> LabRecord:
    given, family, credit = (
        texts.plain(_value(_at(person, "name", part)), texts.NAME_LIMIT)
        for part in ("given-names", "family-name", "credit-name")
    )
    name = f"{given} {family}".strip() or credit
    contents = (_text(_at(item, "content")) for item in _items(_at(person, "keywords", "keyword")))
    # Many people enter all their keywords as one.
    words = [texts.plain(word, 120).strip(" .") for said in contents for word in said.replace(";", ",").split(",")]
    topics = tuple({word.casefold(): word for word in reversed(words) if word}.values())[::-1]
    facts: dict[str, tuple[str, Any]] = {
        "leader": ("name", name),
        "about": ("biography", texts.paragraphs(_at(person, "biography", "content"))),
        "topics": ("keywords", topics),
    }
    for item, (place, fact) in facts.items():
        if fact:
            said = "; ".join(topics) if fact is topics else fact
            ledger.note("taken", said, pointer=f"/person/{place}", item=item)
    return LabRecord(
        key="",
        name="",
        **{item: fact for item, (_, fact) in facts.items()},
        members=(MemberRecord(slug(name), name, "leader", origins=(origin,)),) if name else (),
        origins=tuple((item, origin) for item, (_, fact) in facts.items() if fact),
    )


def _work_of_orcid(
    origin: Origin, pointer: str, group: dict[str, Json], person: str, ledger: Ledger
) -> WorkRecord | None:
    """The work of a group, which one or several sources describe, or None with a note in the ledger that says why.

    The owner's preferred summary takes precedence; the others fill gaps.
    """
    versions = [_obj(item) for item in _items(group.get("work-summary"))] or [group]
    versions.sort(key=lambda version: _number(version.get("display-index")), reverse=True)
    title = next(filter(None, map(_title, versions)), "")
    kinds = (_text(version.get("type")).lower().replace("_", "-") for version in versions)
    kind = next(filter(None, kinds), "")
    if not title:
        reason = "the work has no title; correct it in ORCID, or enter it by hand"
        ledger.note("problem", pointer, reason, pointer=pointer)
        return None
    if kind in _NO_WORKS_ORCID:
        ledger.note("ignored", title, f"not a publication (its type is “{kind}”)", pointer=pointer)
        return None
    journals = (texts.without_markup(_value(version.get("journal-title"))) for version in versions)
    journal = next(filter(None, journals), "")
    year, date = next((found for version in versions if (found := _date(version))[0]), (None, ""))
    authors = next(filter(None, map(_people, versions)), ())
    links = list(_identified(group, versions))
    arxiv = any(link.label == "arXiv" for link in links)
    venue = short_venue(journal) if journal else ("arXiv" if arxiv else "")
    abstract = next((said for version in versions if (said := version.get("short-description"))), "")
    addresses = (texts.web_link("paper", _value(version.get("url"))) for version in versions)
    return WorkRecord(
        key=slug(title),
        title=title,
        authors=authors[:PEOPLE_LIMIT] or ((person,) if person else ()),
        authors_complete=0 < len(authors) <= PEOPLE_LIMIT,
        venue=venue,
        venue_full=journal if journal != venue else "",
        year=year,
        date=date,
        abstract=texts.without_markup(abstract, texts.ABSTRACT_LIMIT),
        links=texts.distinct_links([*links, *addresses]),
        origins=(origin,),
    )


def _identified(group: dict[str, Json], versions: list[dict[str, Json]]) -> Iterator[Link]:
    """The links of the identifiers of the work itself; "part-of" identifies its book or journal."""
    for holder in (group, *versions):
        for item in map(_obj, _items(_at(holder, "external-ids", "external-id"))):
            relation = _text(item.get("external-id-relationship")).lower().replace("_", "-")
            kind = _text(item.get("external-id-type")).lower()
            code = _value(item.get("external-id-normalized")) or _text(item.get("external-id-value"))
            if relation in ("self", "version-of", ""):
                is_arxiv = "arxiv" in (kind + code).lower()
                yield from texts.links_of(
                    texts.doi_in(code) if kind == "doi" else "", texts.arxiv_in(code) if is_arxiv else ""
                )


def _title(version: dict[str, Json]) -> str:
    title, subtitle = (
        texts.without_markup(_value(_at(version, "title", part)), texts.TITLE_LIMIT // 2)
        for part in ("title", "subtitle")
    )
    has_more = title and subtitle and subtitle.casefold() not in title.casefold()
    return title_of(f"{title}: {subtitle}" if has_more else title)


def _date(version: dict[str, Json]) -> tuple[int | None, str]:
    year, month = (_number(_value(_at(version, "publication-date", part))) for part in ("year", "month"))
    is_dated = _year(year) and 1 <= month <= len(texts.MONTH_NAMES)
    return _year(year), f"{texts.MONTH_NAMES[month - 1]} {year}" if is_dated else ""


def _people(version: dict[str, Json]) -> tuple[str, ...]:
    listed = _items(_at(version, "contributors", "contributor"))
    names = (plain_name(texts.plain(_value(_at(item, "credit-name")), texts.NAME_LIMIT)) for item in listed)
    return tuple(dict.fromkeys(filter(None, names)))
