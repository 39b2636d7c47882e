"""BibTeX → works: each entry becomes one, or is reported with the reason why it does not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from portal.seeding.identifiers import arxiv_in, arxiv_link, distinct_links, doi_in, doi_link, web_link
from portal.seeding.imports.imported import ImportRefused, Ledger, works_of
from portal.seeding.imports.latex import text_of, title_of, with_letters
from portal.seeding.names import slug, split_authors, without_marks
from portal.seeding.pages import excerpt
from portal.seeding.records import Link, Origin, WorkRecord
from portal.seeding.texts import (
    ABSTRACT_LIMIT,
    LINE_LIMIT,
    NAME_LIMIT,
    TITLE_LIMIT,
    cut,
    links_in,
    plain,
    without_markup,
)
from portal.seeding.venues import short_venue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from portal.seeding.imports.imported import Reading

ENTRIES_LIMIT = 20_000
VALUE_LIMIT = 200_000  # characters, and of all that macros stand for
PEOPLE_LIMIT = 300

_MONTHS = dict(
    zip(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
        ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
         "December"),
        strict=True,
    )
)  # fmt: skip
_NO_WORKS = {
    "proceedings": "a whole volume of proceedings, not a single work",
    "collection": "a whole collection, not a single work",
    "periodical": "a whole issue of a periodical, not a single work",
    "mvproceedings": "a whole volume of proceedings, not a single work",
    "set": "a set of entries, not a work of its own",
    "xdata": "data for other entries, not a work of its own",
    "ieeetranbstctl": "settings of a style, not a work",
    "control": "settings of a style, not a work",
    "dataset": "a data set, not a publication",
    "software": "software, not a publication",
    "patent": "a patent, not a publication",
    "standard": "a standard, not a publication",
}
_INHERITING = ("inproceedings", "conference", "incollection", "inbook", "suppbook", "bookinbook")
_NOT_INHERITED = ("author", "doi", "url", "ee", "isbn", "abstract", "pages", "crossref", "eprint", "note")
_VENUES = ("journal", "journaltitle", "booktitle", "maintitle", "eventtitle", "publication", "fjournal")
_OTHER_VENUES = ("school", "institution", "howpublished", "organization", "publisher")
_LINKED = {
    "url": "paper", "ee": "paper", "link": "paper", "html": "paper", "pdf": "pdf", "code": "code", "github": "code",
    "slides": "slides", "poster": "poster", "video": "video", "website": "project", "project": "project",
    "demo": "demo", "supp": "supplement", "bdsk-url-1": "paper", "adsurl": "ADS",
}  # fmt: skip
_AWARD = re.compile(
    r"\b(?:award|best (?:student )?paper|spotlight|oral\b|runner-?up|honou?rable mention|prize)", re.IGNORECASE
)
_PATENT = re.compile(r"google patents|\b(?:US|EP|WO|CN|JP) patent\b", re.IGNORECASE)
_FRONT_MATTER = re.compile(
    r"(?:table of contents|(?:front|back) ?matter|contents|(?:title|copyright) pages?|(?:author|subject) index)\W*",
    re.IGNORECASE,
)
_THESIS = {"phdthesis": "Ph.D. thesis", "mastersthesis": "Master’s thesis", "thesis": "Thesis"}
_YEAR = re.compile(r"(?<!\d)(1[89]\d{2}|20\d{2})(?!\d)")
_SHORTEST_AWARD, _LONGEST_AWARD = 5, 120
_SHORT_ABBREVIATION = 40

_OPENING = re.compile(r"(?<![\w.@])@[ \t]*(\w{1,30})\s{0,20}([{(])")
_NEXT = re.compile(r"\n[ \t]*@[ \t]*\w{1,30}\s{0,20}[{(]")
_KEY = re.compile(r"\s*([^\s,={}\"()]{0,200})\s*(,|(?==)|)")
_BETWEEN = re.compile(r"(?:[\s,]|%[^\n]*\n)*+")
_FIELD = re.compile(r"([A-Za-z][\w.+:-]{0,60})\s*")
_BARE = re.compile(r"[^\s{}\"#,()=]+")
_LEFTOVER = re.compile(r"\s*,?\s*([A-Za-z][\w.+-]{0,40})\s*=\s*[{\"\w]")


class _Broken(ValueError):
    """An entry that cannot be read; the message says why."""


@dataclass(slots=True)
class BibEntry:
    """An entry: its type and field names in lower case, values as TeX, and remarks on what was mended.

    `problem` says why an entry could not be read, and is empty for others.
    """

    line: int
    type: str
    key: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    problem: str = ""
    text: str = ""


def read_bibtex(filename: str, text: str) -> Reading:
    """The works of a BibTeX text.

    Raises:
        ImportRefused: It has no entry, or more than 20,000.
    """
    entries = read_entries(text)
    if not entries:
        raise ImportRefused(f"{filename}: there is no BibTeX entry in the file")
    if len(entries) > ENTRIES_LIMIT:
        raise ImportRefused(
            f"{filename}: the file has {len(entries):,} entries; at most {ENTRIES_LIMIT:,} can be read – split it"
        )
    ledger = Ledger()
    parents = {entry.key.lower(): entry for entry in entries if entry.key and not entry.problem}
    works: list[tuple[WorkRecord, int, str]] = []
    for entry in entries:
        if entry.problem:
            ledger.note("problem", entry.text, entry.problem, line=entry.line)
            continue
        for remark in dict.fromkeys(entry.remarks):
            ledger.remark(_description(entry), remark, line=entry.line)
        work = _work_or_note(filename, entry, parents, ledger)
        if work is not None:
            works.append((work, entry.line, ""))
    return works_of(works, ledger)


# Entries


def read_entries(text: str) -> list[BibEntry]:
    """The entries of a BibTeX text, with macros filled in. Never raises for what is wrong with the text."""
    macros = dict(_MONTHS)
    entries: list[BibEntry] = []
    position = line = counted = 0
    while opening := _OPENING.search(text, position):
        line += text.count("\n", counted, opening.start())
        counted = opening.start()
        kind = opening[1].lower()
        position = opening.end()
        if kind in ("comment", "preamble"):
            continue  # a comment around entries, which are read by themselves
        following = _NEXT.search(text, position)
        limit = following.start() if following else len(text)
        entry = BibEntry(line + 1, kind)
        try:
            position = _Scanner(text, position, limit, macros, ")" if opening[2] == "(" else "}").read(entry)
        except _Broken as broken:
            entry.problem = _why_broken(text[opening.start() : limit], str(broken), line + 1)
            entry.text = excerpt(text[opening.start() : limit])
            position = limit
        leftover = _LEFTOVER.match(text, position, position + 200)
        if leftover and not entry.problem:
            entry.text = excerpt(text[opening.start() : position])
            entry.problem = (
                f"a closing brace too many: the entry ends before its field “{leftover[1]}”; remove the brace and "
                "import the file again"
            )
        if kind != "string" or entry.problem:
            entries.append(entry)
        else:
            macros |= {name: value[:VALUE_LIMIT] for name, value in entry.fields.items()}
    return entries


def _why_broken(raw: str, why: str, first: int) -> str:
    lines = raw.rstrip().count("\n")
    where = f"in lines {first}–{first + lines}" if lines else f"in line {first}"
    missing = raw.count("{") - raw.count("}")
    if why == "open" and missing == 1:
        return f"a closing brace “}}” is missing {where}; add it and import the file again"
    if why == "open" and missing > 1:
        return f"{missing} closing braces “}}” are missing {where}; add them and import the file again"
    if why == "open":
        return f"a quotation mark is missing {where}; add it and import the file again"
    return f"this entry cannot be read {where} ({why}); correct it and import the file again"


class _Scanner:
    """Reads the fields of one entry, which ends before `limit`."""

    def __init__(self, text: str, position: int, limit: int, macros: Mapping[str, str], closing: str) -> None:
        self._text, self._at, self._limit = text, position, limit
        self._macros = macros
        self._closing = closing

    def read(self, entry: BibEntry) -> int:
        """Fill the entry; where it ends.

        Raises:
            _Broken: It cannot be read.
        """
        key = _KEY.match(self._text, self._at, self._limit)
        if entry.type != "string" and key and not self._text.startswith("=", key.end()):
            entry.key = key[1]
            self._at = key.end()
            if not key[2] and not self._text.startswith(self._closing, self._at):
                entry.remarks.append("a comma was missing and was added")
        elif entry.type != "string":
            entry.remarks.append("a comma was missing and was added")
        while True:
            self._at = _BETWEEN.match(self._text, self._at, self._limit).end()  # type: ignore[union-attr]
            if self._at >= self._limit:
                raise _Broken("open")
            if self._text[self._at] == self._closing:
                return self._at + 1
            self._field(entry)

    def _field(self, entry: BibEntry) -> None:
        name = _FIELD.match(self._text, self._at, self._limit)
        if name is None or not self._text.startswith("=", name.end()):
            said = excerpt(self._text[self._at : min(self._limit, self._at + 40)])
            raise _Broken(f"Expected a “=” behind a field’s name, not “{said}”")
        self._at = name.end() + 1
        value = self._value(entry)
        key = name[1].lower()
        if key in entry.fields:
            entry.remarks.append(f"the field {key} occurs twice; the first value was taken")
        elif value.strip():
            entry.fields[key] = value
        behind = re.compile(r"\s*").match(self._text, self._at, self._limit).end()  # type: ignore[union-attr]
        if behind < self._limit and self._text[behind] not in f",{self._closing}%":
            field_follows = _LEFTOVER.match(self._text, behind, self._limit)
            if not field_follows or "\n" not in self._text[self._at : behind]:
                word = re.split(r"[\s{},]", self._text[behind : behind + 40])[0]
                raise _Broken(f"a comma is missing before “{word}”")
            entry.remarks.append("a comma was missing and was added")

    def _value(self, entry: BibEntry) -> str:
        """The text of a value: strings, numbers and macros joined by "#"."""
        parts: list[str] = []
        size = 0
        while True:
            self._at = re.compile(r"\s*").match(self._text, self._at, self._limit).end()  # type: ignore[union-attr]
            parts.append(self._part(entry))
            size += len(parts[-1])
            if size > VALUE_LIMIT:
                raise _Broken(f"a value has more than {VALUE_LIMIT:,} characters")
            joint = re.compile(r"\s*#").match(self._text, self._at, self._limit)
            if joint is None:
                return "".join(parts)
            self._at = joint.end()

    def _part(self, entry: BibEntry) -> str:
        if self._at < self._limit and self._text[self._at] in '{"':
            start, end = self._at + 1, (self._brace() if self._text[self._at] == "{" else self._quote())
            self._at = end + 1
            return self._text[start:end]
        bare = _BARE.match(self._text, self._at, self._limit)
        if bare is None:
            raise _Broken("open" if self._at >= self._limit else f"“{self._text[self._at]}” is unexpected")
        self._at = bare.end()
        value = bare[0] if bare[0].isdigit() else self._macros.get(bare[0].lower())
        if value is None:
            entry.remarks.append(f"the macro “{bare[0][:60]}” is not defined in the file; its name was used instead")
        return bare[0] if value is None else value

    def _brace(self) -> int:
        depth = 0
        marks = re.compile(r"\\.|[{}]", re.DOTALL)
        for mark in marks.finditer(self._text, self._at, self._limit):
            depth += {"{": 1, "}": -1}.get(mark[0], 0)
            if not depth:
                return mark.start()
        raise _Broken("open")

    def _quote(self) -> int:
        """The quotation mark that ends a value: the first outside braces that is followed by its end."""
        depth = 0
        for mark in re.compile(r"\\.|[{}\"]", re.DOTALL).finditer(self._text, self._at + 1, self._limit):
            depth += {"{": 1, "}": -1}.get(mark[0], 0)
            ends = re.compile(r"\s*(?:[,#})]|$|\n)")
            if mark[0] == '"' and depth <= 0 and ends.match(self._text, mark.end(), self._limit):
                return mark.start()
        raise _Broken("open")


# People

_OTHERS = re.compile(r"^(?:\W*(?:others|et\.?\s*al\.?)\W*)$", re.IGNORECASE)
_EXTENDED = re.compile(
    r"(?<![a-z])(given|family|prefix|suffix)(?:-i)?\s*=\s*(?:\"([^\"]*)\"|\{((?:[^{}]|\{[^{}]*\})*)\}|([^,]*))",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV|Jnr|Snr|Ph\.?\s?D|M\.?\s?D)\b\.?", re.IGNORECASE)
# An affiliation mark after a name: "Ann Lee\\textsuperscript{1}", "Bo Kim$^{2,*}$".
_MARK = re.compile(r"\\textsuperscript\s*\{[^{}]*\}|\$\s*\^[^$]{1,40}\$")
# DBLP numbers namesakes: "Yang Liu 0005".
_HOMONYM = re.compile(r"\s+0\d{3}(?!\S)")
_AND = re.compile(r"[{}]|\s+and\s+", re.IGNORECASE)
_COMMAS_OF_A_NAME = 2
_LONGEST = 100_000


def people_of(tex: str) -> tuple[tuple[str, ...], bool]:
    """The names in a field such as "Doe, Jane and {The LAB Team} and others", given names first; whether all are
    listed.
    """
    names: dict[str, None] = {}
    complete = len(tex) <= _LONGEST
    for person in _parts(with_letters(_MARK.sub("", " ".join(tex[:_LONGEST].split()))), _AND):
        if _OTHERS.match(person.strip("{} ")):
            complete = False
        else:
            names.update(dict.fromkeys(filter(None, _names(person.strip()))))
    return tuple(names)[:PEOPLE_LIMIT], complete and len(names) <= PEOPLE_LIMIT


def _parts(tex: str, separator: re.Pattern[str]) -> list[str]:
    """The parts of a text between the separators outside braces; the pattern matches braces, too."""
    parts: list[str] = []
    start = depth = 0
    for mark in separator.finditer(tex):
        if mark[0] in "{}":
            depth += 1 if mark[0] == "{" else -1
        elif depth <= 0:
            parts.append(tex[start : mark.start()])
            start = mark.end()
    return [*parts, tex[start:]]


def _names(person: str) -> list[str]:
    if re.match(r"\s*(?:given|family|prefix|suffix)(?:-i)?\s*=", person, re.IGNORECASE):
        values = {match[1].lower(): match[2] or match[3] or match[4] or "" for match in _EXTENDED.finditer(person)}
        return [_tidy(" ".join(values.get(name, "").strip() for name in ("given", "prefix", "family", "suffix")))]
    if person.startswith("{") and person.endswith("}") and "}" not in person[1:-1]:
        return [plain(text_of(person), NAME_LIMIT)]  # a corporate author is not inverted
    several = _parts(person, re.compile(r"[{};]"))
    if len(several) > 1:
        return [name for part in several if part.strip() for name in _names(part.strip())]
    parts = [part.strip() for part in _parts(person, re.compile(r"[{},]"))]
    sides = re.split(r"\s\\?&\s", person)
    if (len(sides) > 1 and all(len(side.split()) > 1 for side in sides)) or _are_people(parts):
        listed, _ = split_authors(text_of(person))  # "A. One, B. Two, C. Three": a list without "and"
        return [plain(name, NAME_LIMIT) for name in listed]
    if len(parts) > 1 and _SUFFIX.fullmatch(parts[-1]):  # "Doe, Jane, Jr." or "Jane Doe, Jr."
        return [_tidy(f"{' '.join(reversed(parts[:-1]))} {parts[-1]}")]
    family, *suffixes, given = parts if len(parts) > 1 else ["", parts[0]]
    return [_tidy(" ".join([given, family, *suffixes]))]


def _are_people(parts: list[str]) -> bool:
    """Whether the parts between the commas are names themselves: "Ann Lee, Bo Kim, Cy Wu"."""
    if len(parts) > _COMMAS_OF_A_NAME + 1:
        return True
    whole = all(len(part.split()) > 1 and max(map(len, re.findall(r"\w+", part)), default=0) > 1 for part in parts)
    return len(parts) > _COMMAS_OF_A_NAME and whole and not _SUFFIX.fullmatch(parts[1])


def _tidy(tex: str) -> str:
    return _HOMONYM.sub("", without_marks(plain(text_of(tex), NAME_LIMIT)).strip(" ,;"))


# Works


def _work_or_note(filename: str, entry: BibEntry, parents: Mapping[str, BibEntry], ledger: Ledger) -> WorkRecord | None:
    fields = _inherited(entry, parents)
    title = _title(fields)
    reason = _NO_WORKS.get(entry.type, "")
    if not reason and title:
        if _PATENT.search(f"{fields.get('publisher', '')} {fields.get('note', '')}"):
            reason = _NO_WORKS["patent"]
        elif not fields.get("author", "").strip() and _FRONT_MATTER.fullmatch(title):
            reason = "front matter of a volume, not a work"
        elif entry.type in ("book", "mvbook") and not fields.get("author") and fields.get("editor"):
            reason = "an edited volume, not a single work"
    if reason:
        ledger.note("ignored", title or _description(entry), reason, line=entry.line)
        return None
    if not title:
        why = "the entry has no title; add one, or enter the work by hand"
        ledger.note("problem", _description(entry), why, line=entry.line)
        return None
    if "crossref" in entry.fields and text_of(entry.fields["crossref"]).lower() not in parents:
        ledger.remark(title, f"its crossref “{text_of(entry.fields['crossref'])}” is not in the file", line=entry.line)
    return _work(filename, entry, fields, title)


def _work(filename: str, entry: BibEntry, fields: Mapping[str, str], title: str) -> WorkRecord:
    authors, complete = people_of(fields.get("author", ""))
    venue_full = _venue(entry, fields)
    doi, arxiv = _identifiers(fields)
    abbreviation = text_of(fields.get("abbr", ""))
    venue = short_venue(venue_full, text_of(fields.get("series", ""))) if venue_full else "arXiv" if arxiv else ""
    if abbreviation and len(abbreviation) <= _SHORT_ABBREVIATION:
        venue = abbreviation
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
    """The fields of an entry, completed by its data and its crossref; the parent's title becomes the booktitle."""
    fields = dict(entry.fields)
    data = parents.get(text_of(fields.get("xdata", "")).lower())
    fields = {**data.fields, **fields} if data else fields
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
    title = title_of(without_markup(text_of(fields.get("title", "")), TITLE_LIMIT))
    subtitle = without_markup(text_of(fields.get("subtitle", "")), TITLE_LIMIT)
    if title.endswith(".") and title.count(".") == 1:
        title = title[:-1].rstrip()  # DBLP's titles end with a full stop
    return cut(f"{title}: {subtitle}", TITLE_LIMIT) if title and subtitle else title


def _venue(entry: BibEntry, fields: Mapping[str, str]) -> str:
    kind = _THESIS.get(entry.type)
    for name in (*(() if kind else _VENUES), *_OTHER_VENUES):
        venue = without_markup(text_of(fields.get(name, "")))
        if venue and not re.match(r"(?:https?:|\\url)", venue):
            return f"{kind}, {venue}" if kind else venue
    return ""


def _with_pages(venue: str, fields: Mapping[str, str]) -> str:
    volume, issue_number = (text_of(fields.get(name, ""))[:30] for name in ("volume", "number"))
    pages = re.sub(r"\s*[-–—]+\s*", "–", text_of(fields.get("pages", "")))[:40]
    issue = f"({issue_number})" if issue_number else ""
    parts = [venue, f"{volume}{issue}" if volume else "", f"pp. {pages}" if pages else ""]
    return ", ".join(part for part in parts if part)


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
    arxiv = ""
    if re.match(r"(?i)arxiv", tidy.get("archiveprefix", "") or tidy.get("eprinttype", "")):
        arxiv = arxiv_in(tidy.get("eprint", "").strip())
    for name in ("arxivid", "arxiv", "eprint", "doi", "url", "journal", "journaltitle", "ee", "howpublished", "note"):
        value = tidy.get(name, "")
        if not arxiv and (name in ("arxivid", "arxiv") or "arxiv" in value.lower()):
            arxiv = arxiv_in(value if name in ("arxivid", "arxiv") else value[value.lower().find("arxiv") :])
    doi = next((doi for name in ("doi", "ee", "url", "bdsk-url-1", "note") if (doi := doi_in(tidy.get(name, "")))), "")
    return ("", arxiv or arxiv_in(doi)) if doi.startswith("10.48550/arxiv.") else (doi, arxiv)


def _links(fields: Mapping[str, str], doi: str, arxiv: str) -> Iterator[Link | None]:
    if doi:
        yield doi_link(doi)
    if arxiv:
        yield arxiv_link(arxiv)
    for name, label in _LINKED.items():
        for address in _address(fields.get(name, "")).split()[:3]:
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
    return tuple(dict.fromkeys(award for award in awards if _SHORTEST_AWARD <= len(award) <= _LONGEST_AWARD))
