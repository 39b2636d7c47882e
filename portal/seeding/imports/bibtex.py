"""BibTeX → works: each entry becomes one, or is reported with the reason why it does not."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bibtexparser.middlewares.names import split_multiple_persons_names
from bibtexparser.model import DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, Entry, ParsingFailedBlock, String
from bibtexparser.splitter import Splitter

from portal.seeding import texts
from portal.seeding.imports.imported import PEOPLE_LIMIT, WORKS_LIMIT, ImportRefused, with_pages, works_of
from portal.seeding.imports.latex import text_of, title_of, with_letters
from portal.seeding.names import slug, split_authors, without_marks
from portal.seeding.pages import Ledger, excerpt
from portal.seeding.records import Link, Origin, WorkRecord
from portal.seeding.venues import short_venue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from portal.seeding.pages import Reading

# What is wrong with a file is reported in its list of problems, not in the log of the program.
logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)

VALUE_LIMIT = 200_000  # characters, and of all that macros stand for

_MONTHS = {name[:3].lower(): name for name in texts.MONTH_NAMES}
_NO_WORKS = frozenset(
    ("proceedings", "collection", "periodical", "mvproceedings", "set", "xdata", "ieeetranbstctl", "control", "dataset",
     "software", "patent", "standard")
)  # fmt: skip
_INHERITING = ("inproceedings", "conference", "incollection", "inbook", "suppbook", "bookinbook")
_NOT_INHERITED = ("author", "doi", "url", "ee", "isbn", "abstract", "pages", "crossref", "eprint", "note")
_VENUES = ("journal", "journaltitle", "booktitle", "maintitle", "eventtitle", "publication", "fjournal")
_OTHER_VENUES = ("school", "institution", "howpublished", "organization", "publisher")
_LINKED = {
    "url": "paper", "ee": "paper", "link": "paper", "html": "paper", "pdf": "pdf", "code": "code", "github": "code",
    "slides": "slides", "poster": "poster", "video": "video", "website": "project", "project": "project",
    "bdsk-url-1": "paper",
}  # fmt: skip
_AWARD = re.compile(r"\b(?:award|best (?:student )?paper|spotlight|oral\b|honou?rable mention|prize)", re.IGNORECASE)
_PATENT = re.compile(r"google patents|\b(?:US|EP|WO|CN|JP) patent\b", re.IGNORECASE)
_THESIS = {"phdthesis": "Ph.D. thesis", "mastersthesis": "Master’s thesis", "thesis": "Thesis"}
_YEAR = re.compile(r"(?<!\d)(1[89]\d{2}|20\d{2})(?!\d)")
_LONGEST_AWARD = 120
_SHORT_ABBREVIATION = 40

# A field that follows a value without a comma between them.
_NO_COMMA = re.compile(r"([}\"])([ \t]*\n[ \t]*[A-Za-z][\w.+-]{0,40}[ \t]*=[ \t]*[{\"\w])")
_LEFTOVER = re.compile(r"\s*,?\s*([A-Za-z][\w.+-]{0,40})\s*=\s*[{\"\w]")
_PART_OF_A_VALUE = re.compile(r"\s*(?:\{(.*)\}|\"(.*)\"|([^\s{}\"#,()=]+))\s*\Z", re.DOTALL)


@dataclass(slots=True)
class BibEntry:
    """An entry: its type and field names in lower case, values as TeX, and remarks on what was mended."""

    line: int
    type: str = ""
    key: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def read_bibtex(filename: str, text: str) -> Reading:
    """The works of a BibTeX text, which is refused without an entry or with more than 20,000."""
    ledger = Ledger(filename)
    entries = _entries(text, ledger)
    if not entries and not ledger.notes:
        raise ImportRefused(f"{filename}: there is no BibTeX entry in the file")
    if len(entries) > WORKS_LIMIT:
        raise ImportRefused(f"{filename}: the file has more than {WORKS_LIMIT:,} entries; split it")
    parents = {entry.key.lower(): entry for entry in entries if entry.key}
    works: list[tuple[WorkRecord, int, str]] = []
    for entry in entries:
        for remark in dict.fromkeys(entry.remarks):
            ledger.note("remark", _description(entry), remark, line=entry.line)
        work = _work_or_note(filename, entry, parents, ledger)
        if work is not None:
            works.append((work, entry.line, ""))
    return works_of("bibtex", works, ledger)


def _entries(text: str, ledger: Ledger) -> list[BibEntry]:
    """The entries of a BibTeX text, with macros filled in; a note for each that cannot be read."""
    macros = dict(_MONTHS)
    entries: list[BibEntry] = []
    lines = text.split("\n")
    blocks = Splitter(_NO_COMMA.sub(r"\1,\2", text)).split().blocks
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        found = block
        while isinstance(found, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock) and found.ignore_error_block:
            found = found.ignore_error_block  # content decides whether two entries with one key are one work
        start, raw = block.start_line or 0, found.raw or ""
        entry, problem = BibEntry(start + 1), ""
        try:
            if isinstance(found, String):
                macros[found.key.lower()] = _value(str(found.value), macros, entry)
            elif isinstance(found, Entry):
                _fill(entry, found, macros)
                is_mended = _NO_COMMA.search("\n".join(lines[start : start + raw.count("\n") + 1]))
                entry.remarks += ["a comma was missing and was added"] if is_mended else []
                leftover = _LEFTOVER.match(getattr(following, "comment", "") or "")
                if leftover:
                    what = f"a closing brace too many: the entry ends before its field “{leftover[1]}”"
                    problem = f"{what}; remove the brace and import the file again"
            elif isinstance(found, ParsingFailedBlock) and not re.match(r"@\s*comment\b", raw, re.IGNORECASE):
                problem = _why_broken(raw, str(getattr(found.error, "abort_reason", "")), start + 1)
        except ValueError as broken:
            problem = str(broken)
        if problem:
            ledger.note("problem", raw, problem, line=entry.line)
        elif entry.type:
            entries.append(entry)
    return entries


def _fill(entry: BibEntry, found: Entry, macros: Mapping[str, str]) -> None:
    entry.type, entry.key = found.entry_type.lower(), found.key
    for item in found.fields:
        name = item.key.rpartition("\n")[2].lower().strip()  # behind a remark
        value = _value(str(item.value), macros, entry)
        if name in entry.fields:
            entry.remarks.append(f"the field {name} occurs twice; the first value was taken")
        elif value.strip():
            entry.fields[name] = value


def _value(raw: str, macros: Mapping[str, str], entry: BibEntry) -> str:
    """The text of a value: strings, numbers and macros joined by "#"; a ValueError says what is wrong with another."""
    parts: list[str] = []
    depth = start = 0
    for mark in re.finditer(r"\\.|[{}#\"]", raw, re.DOTALL):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if mark[0] == "#" and not depth and raw[start : mark.start()].count('"') % 2 == 0:
            parts.append(raw[start : mark.start()])
            start = mark.end()
    values: list[str] = []
    for part in [*parts, raw[start:]]:
        match = _PART_OF_A_VALUE.match(part)
        if match is None:
            said = excerpt(part)[:40]
            raise ValueError(f"this entry cannot be read (a comma is missing in “{said}”); correct it and import again")
        bare = match[3] or ""
        values.append(match[1] or match[2] or macros.get(bare.lower(), bare))
        if bare and not bare.isdigit() and bare.lower() not in macros:
            entry.remarks.append(f"the macro “{bare[:60]}” is not defined in the file; its name was used instead")
    value = "".join(values)
    if len(value) > VALUE_LIMIT:
        raise ValueError(f"a value has more than {VALUE_LIMIT:,} characters; shorten it and import the file again")
    return value


def _why_broken(raw: str, why: str, first: int) -> str:
    lines = raw.rstrip().count("\n")
    where = f"in lines {first}–{first + lines}" if lines else f"in line {first}"
    missing = "quotation mark" if raw.count('"') % 2 else ""
    missing = "closing brace “}”" if raw.count("{") > raw.count("}") else missing
    if why.startswith("Unexpected") and missing:
        return f"a {missing} is missing {where}; add it and import the file again"
    detail = why.split("\n", 1)[0].replace("`", "“", 1).replace("`", "”", 1).strip().rstrip(".")
    return f"this entry cannot be read {where} ({detail}); correct it and import the file again"


_OTHERS = re.compile(r"^(?:\W*(?:others|et\.?\s*al\.?)\W*)$", re.IGNORECASE)
_SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV|Jnr|Snr|Ph\.?\s?D|M\.?\s?D)\b\.?", re.IGNORECASE)
# An affiliation mark after a name: "Ann Lee\\textsuperscript{1}", "Bo Kim$^{2,*}$".
_MARK = re.compile(r"\\textsuperscript\s*\{[^{}]*\}|\$\s*\^[^$]{1,40}\$")
# DBLP numbers namesakes: "Yang Liu 0005".
_HOMONYM = re.compile(r"\s+0\d{3}(?!\S)")
_PARTS_OF_A_NAME = 3
_LONGEST = 100_000


def people_of(tex: str) -> tuple[tuple[str, ...], bool]:
    """The names in "Doe, Jane and {The LAB Team} and others", given names first; whether all are listed."""
    names: dict[str, None] = {}
    complete = len(tex) <= _LONGEST
    decoded = with_letters(_MARK.sub("", " ".join(tex[:_LONGEST].split())))
    for person in split_multiple_persons_names(decoded):
        if _OTHERS.match(person.strip("{} ")):
            complete = False
        else:
            names.update(dict.fromkeys(filter(None, _names(person.strip()))))
    return tuple(names)[:PEOPLE_LIMIT], complete and len(names) <= PEOPLE_LIMIT


def _names(person: str) -> list[str]:
    if person.startswith("{") and person.endswith("}") and "}" not in person[1:-1]:
        return [texts.plain(text_of(person), texts.NAME_LIMIT)]  # a corporate author is not inverted
    text = text_of(person)
    parts = [part.strip() for part in text.split(",")]
    has_suffix = len(parts) > 1 and any(map(_SUFFIX.fullmatch, parts[1:]))
    are_whole = len(parts) == _PARTS_OF_A_NAME and not has_suffix and all(len(part.split()) > 1 for part in parts)
    if ";" in text or ("," in text and " & " in text) or len(parts) > _PARTS_OF_A_NAME or are_whole:
        return [texts.plain(name, texts.NAME_LIMIT) for name in split_authors(text)[0]]  # a list without "and"
    if len(parts) > 1 and _SUFFIX.fullmatch(parts[-1]):  # "Doe, Jane, Jr." or "Jane Doe, Jr."
        parts = [f"{' '.join(reversed(parts[:-1]))} {parts[-1]}"]
    family, *suffixes, given = parts if len(parts) > 1 else ["", parts[0]]
    name = " ".join([given, family, *suffixes])
    return [_HOMONYM.sub("", without_marks(texts.plain(name, texts.NAME_LIMIT)).strip(" ,;"))]


def _work_or_note(filename: str, entry: BibEntry, parents: Mapping[str, BibEntry], ledger: Ledger) -> WorkRecord | None:
    fields = _inherited(entry, parents)
    title = _title(fields)
    is_patent = _PATENT.search(f"{fields.get('publisher', '')} {fields.get('note', '')}")
    is_edited_volume = entry.type in ("book", "mvbook") and not fields.get("author") and fields.get("editor")
    if entry.type in _NO_WORKS or is_patent or is_edited_volume:
        reason = f"not a single work of its authors (its type is @{entry.type})"
        ledger.note("ignored", title or _description(entry), reason, line=entry.line)
        return None
    if not title:
        why = "the entry has no title; add one, or enter the work by hand"
        ledger.note("problem", _description(entry), why, line=entry.line)
        return None
    if "crossref" in entry.fields and text_of(entry.fields["crossref"]).lower() not in parents:
        missing = f"its crossref “{text_of(entry.fields['crossref'])}” is not in the file"
        ledger.note("remark", title, missing, line=entry.line)
    authors, complete = people_of(fields.get("author", ""))
    venue_full = _venue(entry, fields)
    doi, arxiv = _identifiers(fields)
    volume, issue, printed = (text_of(fields.get(name, "")) for name in ("volume", "number", "pages"))
    pages = re.sub(r"\s*[-–—]+\s*", "–", printed)
    venue = short_venue(venue_full, text_of(fields.get("series", ""))) if venue_full else "arXiv" if arxiv else ""
    return WorkRecord(
        key=slug(title),
        title=title,
        authors=authors,
        authors_complete=complete and bool(authors),
        venue=venue,
        venue_full=with_pages(venue_full, volume, issue, pages) if venue_full and venue_full != venue else "",
        year=_year(fields),
        date=_date(fields),
        subject=text_of(fields.get("primaryclass", ""))[:_SHORT_ABBREVIATION],
        abstract=texts.without_markup(text_of(fields.get("abstract", "")), texts.ABSTRACT_LIMIT),
        links=texts.distinct_links(_links(fields, doi, arxiv)),
        awards=_awards(fields),
        origins=(Origin(filename, entry.line),),
    )


def _description(entry: BibEntry) -> str:
    return f"@{entry.type}{{{entry.key}}} {text_of(entry.fields.get('title', ''))}".strip()


def _inherited(entry: BibEntry, parents: Mapping[str, BibEntry]) -> dict[str, str]:
    """The fields of an entry, completed by its crossref; the parent's title becomes the booktitle."""
    fields = dict(entry.fields)
    parent = parents.get(text_of(fields.get("crossref", fields.get("xref", ""))).lower())
    if parent is None or parent is entry:
        return fields
    for name, value in parent.fields.items():
        if name in ("title", "subtitle", "booktitle"):
            if entry.type in _INHERITING:
                fields.setdefault("booktitle", parent.fields.get("booktitle") or parent.fields.get("title") or value)
        elif name not in _NOT_INHERITED:
            fields.setdefault(name, value)
    return fields


def _title(fields: Mapping[str, str]) -> str:
    title = title_of(texts.without_markup(text_of(fields.get("title", "")), texts.TITLE_LIMIT))
    subtitle = texts.without_markup(text_of(fields.get("subtitle", "")), texts.TITLE_LIMIT)
    if title.endswith(".") and title.count(".") == 1:
        title = title[:-1].rstrip()  # DBLP's titles end with a full stop
    return texts.cut(f"{title}: {subtitle}", texts.TITLE_LIMIT) if title and subtitle else title


def _venue(entry: BibEntry, fields: Mapping[str, str]) -> str:
    kind = _THESIS.get(entry.type)
    for name in (*(() if kind else _VENUES), *_OTHER_VENUES):
        venue = texts.without_markup(text_of(fields.get(name, "")))
        if venue and not re.match(r"(?:https?:|\\url)", venue):
            return f"{kind}, {venue}" if kind else venue
    return ""


def _year(fields: Mapping[str, str]) -> int | None:
    found = (_YEAR.search(text_of(fields.get(name, ""))) for name in ("year", "date", "eventdate"))
    return next((int(match[1]) for match in found if match), None)


def _date(fields: Mapping[str, str]) -> str:
    """The date as printed, such as "2024-03-15", or month and year."""
    date = text_of(fields.get("date", ""))
    if re.fullmatch(r"\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?", date):
        return date
    month, year = text_of(fields.get("month", "")), _year(fields)
    month = _MONTHS.get(month.lower().strip(". "), month)
    return f"{month[:30]} {year}" if year is not None and re.search(r"[A-Za-z]{3}", month) else ""


def _identifiers(fields: Mapping[str, str]) -> tuple[str, str]:
    """(DOI, arXiv number), from whichever fields contain them."""
    tidy = {name: re.sub(r"[{}]|\\(?=_)", "", value) for name, value in fields.items()}
    is_arxiv = re.match(r"(?i)arxiv", tidy.get("archiveprefix", "") or tidy.get("eprinttype", ""))
    codes = [tidy.get(name, "") for name in ("arxivid", "arxiv", *(("eprint",) if is_arxiv else ()))]
    for name in ("eprint", "doi", "url", "journal", "journaltitle", "ee", "howpublished", "note"):
        value = tidy.get(name, "")
        codes += [value[value.lower().find("arxiv") :]] if "arxiv" in value.lower() else []
    arxiv = next(filter(None, map(texts.arxiv_in, codes)), "")
    addresses = (tidy.get(name) for name in ("doi", "ee", "url", "bdsk-url-1", "note"))
    doi = next(filter(None, map(texts.doi_in, addresses)), "")
    return doi, arxiv


def _links(fields: Mapping[str, str], doi: str, arxiv: str) -> Iterator[Link | None]:
    yield from texts.links_of(doi, arxiv)
    for name, label in _LINKED.items():
        for address in _address(fields.get(name, "")).split()[:3]:
            yield texts.web_link(label, address)
    for name in ("note", "annote", "howpublished"):
        yield from texts.links_in(_address(fields.get(name, "")))


def _address(tex: str) -> str:
    bare = re.sub(r"\\(?:url|href)\s*\{([^{}]*)\}", r" \1 ", tex[:5000])
    return re.sub(r"\\([_%#&~])", r"\1", bare).replace("{", "").replace("}", "").strip()


def _awards(fields: Mapping[str, str]) -> tuple[str, ...]:
    said = (text_of(fields.get(name, "")) for name in ("note", "annote", "addendum"))
    notes = [part for text in said for part in re.split(r"[;,.]\s+", text)]
    awards = [text_of(fields.get("award", "")), *filter(_AWARD.search, notes)]
    return tuple(dict.fromkeys(award.strip(" .,;:()*") for award in awards if 0 < len(award) <= _LONGEST_AWARD))
