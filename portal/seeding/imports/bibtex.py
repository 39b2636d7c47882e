"""BibTeX → works: each entry becomes one, or is reported with the reason why it does not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.seeding.imports.bibtex_file import MONTHS, BibEntry, read_bibtex_file
from portal.seeding.imports.bibtex_names import people_of
from portal.seeding.imports.identifiers import arxiv_in, arxiv_link, distinct_links, doi_in, doi_link, web_link
from portal.seeding.imports.imported import ImportRefused, Ledger, Reading, works_of
from portal.seeding.imports.latex import text_of, title_of
from portal.seeding.names import slug
from portal.seeding.phrases import links_in
from portal.seeding.records import Link, Origin, WorkRecord
from portal.seeding.texts import ABSTRACT_LIMIT, LINE_LIMIT, TITLE_LIMIT, cut, without_markup
from portal.seeding.venues import short_venue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ENTRIES_LIMIT = 20_000

_NO_WORKS = {
    "proceedings": "a whole volume of proceedings, not a single work",
    "collection": "a whole collection, not a single work",
    "periodical": "a whole issue of a periodical, not a single work",
    "mvproceedings": "a whole volume of proceedings, not a single work",
    "mvcollection": "a whole collection, not a single work",
    "set": "a set of entries, not a work of its own",
    "xdata": "data for other entries, not a work of its own",
    "ieeetranbstctl": "settings of a style, not a work",
    "control": "settings of a style, not a work",
    "acmtrans": "settings of a style, not a work",
    "dataset": "a data set, not a publication",
    "software": "software, not a publication",
    "softwareversion": "software, not a publication",
    "patent": "a patent, not a publication",
    "standard": "a standard, not a publication",
}
_INHERITING = ("inproceedings", "conference", "incollection", "inbook", "suppbook", "bookinbook")
_VENUES = ("journal", "journaltitle", "booktitle", "maintitle", "eventtitle", "publication", "fjournal")
_OTHER_VENUES = ("school", "institution", "howpublished", "organization", "publisher")
_LINKED = {
    "url": "paper", "ee": "paper", "link": "paper", "html": "paper", "pdf": "pdf", "code": "code", "github": "code",
    "slides": "slides", "poster": "poster", "video": "video", "website": "project", "project": "project",
    "demo": "demo", "blog": "blog", "supp": "supplement", "bdsk-url-1": "paper", "bdsk-url-2": "paper", "adsurl": "ADS",
    "dataset": "data", "data": "data",
}  # fmt: skip
_AWARD = re.compile(
    r"\b(?:award|best (?:student )?paper|spotlight|oral\b|runner-?up|honou?rable mention|prize)", re.IGNORECASE
)
_PATENT = re.compile(r"google patents|\b(?:US|EP|WO|CN|JP) patent\b", re.IGNORECASE)
_FRONT_MATTER = re.compile(
    r"(?:table of contents|(?:front|back) ?matter|contents|(?:title|copyright) pages?|(?:author|subject) index|"
    r"\[.*cover.*\])\W*",
    re.IGNORECASE,
)
_THESIS = {"phdthesis": "Ph.D. thesis", "mastersthesis": "Master’s thesis", "thesis": "Thesis"}
_YEAR = re.compile(r"(?<!\d)(1[89]\d{2}|20\d{2})(?!\d)")
_SHORTEST_AWARD = 5
_MOST_PARENTS = 20
_AWARD_LENGTH = 120
_SHORT_ABBREVIATION = 40


def read_bibtex(filename: str, text: str) -> Reading:
    """The works of a BibTeX text.

    Raises:
        ImportRefused: It has no entry, or more than 20,000.
    """
    file = read_bibtex_file(text)
    if not file.entries:
        raise ImportRefused(f"{filename}: there is no BibTeX entry in the file")
    if len(file.entries) > ENTRIES_LIMIT:
        raise ImportRefused(
            f"{filename}: the file has {len(file.entries):,} entries; at most {ENTRIES_LIMIT:,} can be read – split it"
        )
    ledger = Ledger()
    parents = {entry.key.lower(): entry for entry in file.entries if isinstance(entry, BibEntry) and entry.key}
    works: list[tuple[WorkRecord, int, str]] = []
    for entry in file.entries:
        if not isinstance(entry, BibEntry):
            ledger.note("problem", entry.text, entry.reason, line=entry.line)
            continue
        for remark in dict.fromkeys(entry.remarks):
            ledger.remark(_description(entry), remark, line=entry.line)
        work = _work_or_note(filename, entry, parents, ledger)
        if work is not None:
            works.append((work, entry.line, ""))
    return works_of(works, ledger)


def _work_or_note(filename: str, entry: BibEntry, parents: Mapping[str, BibEntry], ledger: Ledger) -> WorkRecord | None:
    reason = _NO_WORKS.get(entry.type)
    if reason:
        ledger.note("ignored", _description(entry), reason, line=entry.line)
        return None
    fields = _inherited(entry, parents)
    title = _title(fields)
    if not title:
        ledger.note(
            "problem",
            _description(entry),
            "the entry has no title; add one, or enter the work by hand",
            line=entry.line,
        )
        return None
    if _PATENT.search(f"{fields.get('publisher', '')} {fields.get('note', '')}"):
        ledger.note("ignored", title, _NO_WORKS["patent"], line=entry.line)
        return None
    if not fields.get("author", "").strip() and _FRONT_MATTER.fullmatch(title):
        ledger.note("ignored", title, "front matter of a volume, not a work", line=entry.line)
        return None
    if entry.type in ("book", "mvbook") and not fields.get("author") and fields.get("editor"):
        ledger.note("ignored", title, "an edited volume, not a single work", line=entry.line)
        return None
    if "crossref" in entry.fields and text_of(entry.fields["crossref"]).lower() not in parents:
        ledger.remark(title, f"its crossref “{text_of(entry.fields['crossref'])}” is not in the file", line=entry.line)
    return _work(filename, entry, fields, title)


def _work(filename: str, entry: BibEntry, fields: Mapping[str, str], title: str) -> WorkRecord:
    authors, complete = people_of(fields.get("author", ""))
    venue_full = _venue(entry, fields)
    doi, arxiv = _identifiers(fields)
    abbreviation = text_of(fields.get("abbr", ""))
    venue = short_venue(venue_full, text_of(fields.get("series", ""))) if venue_full else ""
    if abbreviation and len(abbreviation) <= _SHORT_ABBREVIATION:
        venue = abbreviation
    if arxiv and not venue:
        venue = "arXiv"
    return WorkRecord(
        key=slug(title),
        title=title,
        authors=authors,
        authors_complete=complete and bool(authors),
        venue=venue,
        venue_full=cut(_with_pages(venue_full, fields), LINE_LIMIT) if venue_full and venue_full != venue else "",
        year=_year(fields),
        date=_date(fields),
        subject=text_of(fields.get("primaryclass", ""))[:_SHORT_ABBREVIATION],
        abstract=without_markup(text_of(fields.get("abstract", "")), ABSTRACT_LIMIT),
        links=distinct_links(_links(fields, doi, arxiv)),
        awards=_awards(fields),
        origins=(Origin(filename, entry.line),),
    )


def _description(entry: BibEntry) -> str:
    return f"@{entry.type}{{{entry.key}}} {text_of(entry.fields.get('title', ''))}".strip()


def _inherited(entry: BibEntry, parents: Mapping[str, BibEntry]) -> dict[str, str]:
    """The fields of an entry, completed by its crossref; the parent's title becomes the booktitle."""
    fields = dict(entry.fields)
    for key in text_of(fields.get("xdata", "")).split(",")[:_MOST_PARENTS]:
        data = parents.get(key.strip().lower())
        if data is not None:
            fields = {**data.fields, **fields}
    parent = parents.get(text_of(fields.get("crossref", fields.get("xref", ""))).lower())
    if parent is None or parent is entry:
        return fields
    for name, value in parent.fields.items():
        if name in ("title", "subtitle", "booktitle"):
            if entry.type in _INHERITING:
                fields.setdefault("booktitle", parent.fields.get("booktitle") or parent.fields.get("title") or value)
        elif name not in ("author", "doi", "url", "ee", "isbn", "abstract", "pages", "crossref", "eprint", "note"):
            fields.setdefault(name, value)
    return fields


def _title(fields: Mapping[str, str]) -> str:
    title = title_of(without_markup(text_of(fields.get("title", "")), TITLE_LIMIT))
    subtitle = without_markup(text_of(fields.get("subtitle", "")), TITLE_LIMIT)
    if title.endswith(".") and not title.endswith("..") and title.count(".") == 1:
        title = title[:-1].rstrip()  # DBLP's titles end with a full stop
    return cut(f"{title}: {subtitle}", TITLE_LIMIT) if title and subtitle else title


def _venue(entry: BibEntry, fields: Mapping[str, str]) -> str:
    names = _VENUES if entry.type not in _THESIS else ()
    for name in (*names, *_OTHER_VENUES):
        venue = without_markup(text_of(fields.get(name, "")))
        if venue and not re.match(r"(?:https?:|\\url)", venue):
            kind = _THESIS.get(entry.type)
            return f"{kind}, {venue}" if kind else venue
    return ""


def _with_pages(venue: str, fields: Mapping[str, str]) -> str:
    volume, issue_number = (text_of(fields.get(name, ""))[:30] for name in ("volume", "number"))
    pages = re.sub(r"\s*[-–—]+\s*", "–", text_of(fields.get("pages", "")))[:40]
    issue = f"({issue_number})" if issue_number else ""
    parts = [venue, f"{volume}{issue}" if volume else "", f"pp. {pages}" if pages else ""]
    return ", ".join(part for part in parts if part)


def _year(fields: Mapping[str, str]) -> int | None:
    for name in ("year", "date", "eventdate"):
        match = _YEAR.search(text_of(fields.get(name, "")))
        if match:
            return int(match[1])
    return None


def _date(fields: Mapping[str, str]) -> str:
    """The date as printed, such as "2024-03-15", or month and year."""
    date = text_of(fields.get("date", ""))
    if re.fullmatch(r"\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?", date):
        return date
    month, year = text_of(fields.get("month", "")), _year(fields)
    month = MONTHS.get(month.lower().strip(". "), month)
    if not month or year is None or not re.search(r"[A-Za-z]{3}", month):
        return ""
    return f"{month[:30]} {year}"


def _identifiers(fields: Mapping[str, str]) -> tuple[str, str]:
    """(DOI, arXiv number), from whichever fields contain them."""
    tidy = {name: fields.get(name, "").replace("\\_", "_").replace("{", "").replace("}", "") for name in fields}
    arxiv = ""
    if re.match(r"(?i)arxiv", tidy.get("archiveprefix", "") or tidy.get("eprinttype", "")):
        arxiv = arxiv_in(tidy.get("eprint", "").strip())
    for name in (
        "arxivid",
        "arxiv",
        "eprint",
        "doi",
        "url",
        "journal",
        "journaltitle",
        "ee",
        "howpublished",
        "volume",
        "note",
    ):
        value = tidy.get(name, "")
        if not arxiv and (name in ("arxivid", "arxiv") or "arxiv" in value.lower()):
            arxiv = arxiv_in(value if name in ("arxivid", "arxiv") else value[value.lower().find("arxiv") :])
    doi = next((doi for name in ("doi", "ee", "url", "bdsk-url-1", "note") if (doi := doi_in(tidy.get(name, "")))), "")
    if doi.startswith("10.48550/arxiv."):
        return "", arxiv or arxiv_in(doi)
    return doi, arxiv


def _links(fields: Mapping[str, str], doi: str, arxiv: str) -> Iterator[Link | None]:
    if doi:
        yield doi_link(doi)
    if arxiv:
        yield arxiv_link(arxiv)
    for name, label in _LINKED.items():
        for address in re.split(r"\s+", _address(fields.get(name, "")))[:3]:
            yield web_link(label, address)
    for name in ("note", "annote", "howpublished"):
        yield from links_in(_address(fields.get(name, "")))


def _address(tex: str) -> str:
    bare = re.sub(r"\\(?:url|href)\s*\{([^{}]*)\}", r" \1 ", tex[:5000])
    return re.sub(r"\\([_%#&~])", r"\1", bare).replace("{", "").replace("}", "").strip()


def _awards(fields: Mapping[str, str]) -> tuple[str, ...]:
    """Awards from the award field and from notes that mention one."""
    notes = [text_of(fields.get(name, "")) for name in ("award", "award_name", "honor")]
    for name in ("note", "annote", "addendum", "keywords"):
        notes += [part for part in re.split(r"[;,.]\s+", text_of(fields.get(name, ""))) if _AWARD.search(part)]
    awards = (part.strip(" .,;:()*") for part in notes if not links_in(part))
    return tuple(dict.fromkeys(award for award in awards if _SHORTEST_AWARD <= len(award) <= _AWARD_LENGTH))
