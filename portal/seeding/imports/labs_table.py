"""A table of labs (CSV, semicolons or tabs) → one draft per row."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from portal.seeding.identifiers import web_link
from portal.seeding.imports.imported import ImportRefused, Ledger, Reading
from portal.seeding.names import Keys, name_words, slug
from portal.seeding.records import LabRecord, MemberRecord, OpeningRecord, Origin
from portal.seeding.texts import LINE_LIMIT, NAME_LIMIT, paragraphs, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


ROWS_LIMIT = 20_000
_ROWS_ABOVE = 6

_COLUMNS: dict[str, str] = {
    name: field
    for field, names in {
        "name": "name|lab|lab name|group|group name|research group|laboratory|team|name of lab|lab title|gruppe",
        "leader": "leader|pi|principal investigator|professor|prof|supervisor|advisor|adviser|head|faculty|director|"
        "lab leader|group leader|pi name|leader name|contact person|leitung|professor name",
        "leader_title": "leader title|title of leader|rank|position|academic rank|title",
        "institution": "institution|university|institute|organisation|organization|affiliation|school name|"
        "employer|universität|hochschule|college",
        "department": "department|dept|school|faculty name|division|unit|section|chair|institute name|fakultät",
        "place": "place|city|location|town|campus|country|region|site|ort|address|stadt",
        "homepage": "homepage|home page|url|website|web site|web|link|web page|webpage|lab url|lab website|site url",
        "topics": "topics|topic|keywords|research topics|research areas|research area|areas|area|fields|field|tags|"
        "research interests|interests|themes|subjects",
        "hardware": "hardware|facilities|equipment|compute|resources|infrastructure|gpus",
        "openings": "openings|opening|positions|position types|vacancies|open positions|degrees|recruits|seats|"
        "phd positions|available positions|hiring",
        "recruiting": "recruiting|recruiting statement|recruitment|statement|looking for|call|recruiting text|message",
        "about": "about|description|summary|overview|abstract|bio|profile|text|about the lab|mission",
        "contact": "contact|e-mail|email|mail|contact email|how to apply|contact e-mail",
    }.items()
    for name in names.split("|")
}  # fmt: skip
_LISTED = re.compile(r"[;|\n•]")
# How a file for spreadsheets keeps a text, or a part of it, from being a formula.
_GUARD = re.compile(r"((?:^|[;\t\n])[\s\"]*+)(?:'(?=\s*[=+\-@|%＝＋－＠]))?")
_LISTED_BY_COMMAS = re.compile(r",(?![^()]{0,150}\))")
_DEGREES = (
    ("phd", re.compile(r"\bph\.?\s?d|doctora", re.IGNORECASE)),
    ("mphil", re.compile(r"\bm\.?\s?phil|\bmaster|\bmsc\b", re.IGNORECASE)),
    ("ra", re.compile(r"research assistant|\bRAs?\b")),
    ("postdoc", re.compile(r"\bpost-?\s?doc", re.IGNORECASE)),
)
_SEATS = re.compile(r"(?<![\d.])(\d{1,2})(?![\d.])")
_MOST_SEATS = 50
_NO = re.compile(r"\W*+(?:no|none|n/?a|nil|closed|false|0)?\W*+$", re.IGNORECASE)
_YES = re.compile(r"[^\w✓]*+(?:yes|open|true|y|ja|x|✓)\W*+$", re.IGNORECASE)


def looks_like_labs(text: str) -> bool:
    """Whether one of the first rows names columns of labs: two that are known, one of them a name or leader."""
    try:
        return any(map(_is_header, rows_of(text[:20_000], limit=_ROWS_ABOVE)))
    except csv.Error:
        return False


def _is_header(row: TableRow) -> bool:
    fields = {field for field in map(_field, row.cells) if field}
    return len(fields) > 1 and bool({"name", "leader"} & fields)


def read_labs(filename: str, text: str) -> Reading:
    """One draft per row that names a lab or its leader.

    Raises:
        ImportRefused: It has no known columns, no row below them, or more than 20,000 rows.
    """
    ledger = Ledger()
    rows = _rows_from_header(filename, text, ledger)
    header = rows[0] if rows else TableRow(1, ())
    fields = [_field(cell) for cell in header.cells]
    if "name" not in fields and "leader" not in fields:
        raise ImportRefused(
            f"{filename}: the first row has no column “name” or “leader”; known columns are "
            + ", ".join(known_columns())
        )
    _check_header(header, fields, ledger)
    labs: list[LabRecord] = []
    lines: dict[tuple[frozenset[str], ...], int] = {}
    keys = Keys()
    for row in rows[1:]:
        lab = _lab(filename, row, fields, len(header.cells), ledger)
        if lab is None:
            continue
        identity = (name_words(lab.name), name_words(lab.leader), name_words(lab.institution))
        if identity in lines:
            reason = f"the same lab as in line {lines[identity]}; make them one row"
            ledger.note("merged", lab.name, reason, line=row.line)
            continue
        lines[identity] = row.line
        labs.append(replace(lab, key=keys.give(lab.key)))
        ledger.note("taken", f"{lab.name} ({lab.leader})" if lab.leader else lab.name, line=row.line, item=labs[-1].key)
    if len(rows) == 1:
        raise ImportRefused(f"{filename}: the table has a first row, but no lab below it")
    return Reading(tuple(labs), ledger)


def known_columns() -> tuple[str, ...]:
    """The columns that are understood, by their plainest names."""
    return tuple(dict.fromkeys(_COLUMNS.values()))


def _field(cell: str) -> str:
    words = re.sub(r"\([^()]*\)|[*:]", " ", cell.casefold().replace("_", " "))
    name = " ".join(words.split()).strip(" .")
    parts = (part.strip() for part in name.split("/"))
    return _COLUMNS.get(name) or next((_COLUMNS[part] for part in parts if part in _COLUMNS), "")


def _check_header(header: TableRow, fields: Sequence[str], ledger: Ledger) -> None:
    for column, (cell, field) in enumerate(zip(header.cells, fields, strict=True), start=1):
        if not field and cell.strip():
            known_names = ", ".join(known_columns())
            ledger.remark(
                cell, f"column {column} is not known and was left out; known are {known_names}", line=header.line
            )
        elif field and field in fields[: column - 1]:
            ledger.remark(cell, f"column {column} says “{field}” again; both were joined", line=header.line)


def _rows_from_header(filename: str, text: str, ledger: Ledger) -> list[TableRow]:
    """The row with the columns and those below it. Notes in the ledger what stands above: a title, empty rows.

    Raises:
        ImportRefused: The table cannot be read, or has more than 20,000 rows.
    """
    try:
        rows = list(rows_of(text, limit=ROWS_LIMIT + 2))
    except csv.Error as error:
        raise ImportRefused(f"{filename}: the table cannot be read ({error}); save it as CSV again") from None
    if len(rows) > ROWS_LIMIT + 1:
        raise ImportRefused(f"{filename}: the table has more than {ROWS_LIMIT:,} rows; split it")
    header_index = next((index for index, row in enumerate(rows[:_ROWS_ABOVE]) if _is_header(row)), 0)
    for row in rows[:header_index]:
        ledger.note("ignored", " · ".join(filter(None, row.cells)), "a row above the columns", line=row.line)
    return rows[header_index:]


def _lab(filename: str, row: TableRow, fields: Sequence[str], width: int, ledger: Ledger) -> LabRecord | None:
    """The lab of a row; None if the row cannot be used, with the reason noted in the ledger."""
    values = _values(row, fields)
    leader = plain(" ".join(values.get("leader", ())), NAME_LIMIT)
    name = plain(" ".join(values.get("name", ())), LINE_LIMIT // 2) or (f"{leader}’s lab" if leader else "")
    reason = _why_misread(row, width) or ("" if name else "the row names neither a lab nor its leader")
    if reason:
        ledger.note("problem", " · ".join(cell.strip() for cell in row.cells if cell.strip()), reason, line=row.line)
        return None
    origin = Origin(filename, row.line)
    texts = {
        field: plain(", ".join(values.get(field, ())), LINE_LIMIT // 2)
        for field in ("leader_title", "institution", "department", "place")
    }
    long = {field: paragraphs("\n\n".join(values.get(field, ()))) for field in ("about", "recruiting", "contact")}
    topics, hardware = (_list(values.get(field, ())) for field in ("topics", "hardware"))
    homepage = _homepage(values.get("homepage", ()), row, ledger)
    facts: dict[str, Any] = {
        "name": name,
        "leader": leader,
        "homepage": homepage,
        "topics": topics,
        "hardware": hardware,
        **texts,
        **long,
    }
    return LabRecord(
        key=slug(name),
        **facts,
        members=(MemberRecord(slug(leader), leader, "leader", origins=(origin,)),) if leader else (),
        openings=_openings("; ".join(values.get("openings", ())), row, origin, ledger),
        origins=tuple((field, origin) for field, fact in facts.items() if fact),
    )


def _homepage(cells: Sequence[str], row: TableRow, ledger: Ledger) -> str:
    for cell in cells:
        address = cell.strip()
        if not re.match(r"(?i)[a-z][a-z0-9+.-]*:", address) and re.match(r"[\w-]+(?:\.[\w-]+)+(?:/|$)", address):
            address = f"https://{address}"
        link = web_link("home page", address)
        if link:
            return link.url
        ledger.remark(cell, "this home page is not a web address and was left out", line=row.line)
    return ""


def _list(cells: Sequence[str]) -> tuple[str, ...]:
    """The parts of the cells. Commas separate only where no other separator does: a topic may contain one."""
    parts_by_folded: dict[str, str] = {}
    for part in (
        part for cell in cells for part in (_LISTED if _LISTED.search(cell) else _LISTED_BY_COMMAS).split(cell)
    ):
        text = plain(part.strip(), 120).strip(" .")
        if text:
            parts_by_folded.setdefault(text.casefold(), text)
    return tuple(parts_by_folded.values())


def _why_misread(row: TableRow, width: int) -> str:
    """Why the cells of a row may be in the wrong columns; "" if there is no sign of it."""
    if row.is_open:
        return "a quotation mark in this row is never closed; close or delete it"
    if any(cell.strip() for cell in row.cells[width:]):
        return f"{len(row.cells)} cells, but the first row has {width}; put cells with commas between quotation marks"
    return ""


def _values(row: TableRow, fields: Sequence[str]) -> dict[str, list[str]]:
    """The cells of each field that are not empty, without the quotes of a spreadsheet."""
    values: dict[str, list[str]] = {}
    for field, cell in zip(fields, row.cells, strict=False):
        if field and cell.strip():
            values.setdefault(field, []).append(_GUARD.sub(r"\1", cell))
    return values


def _openings(cells_text: str, row: TableRow, origin: Origin, ledger: Ledger) -> tuple[OpeningRecord, ...]:
    """Openings from "2 PhD, 1 postdoc", "yes" (Ph.D. students) or a number (of Ph.D. positions)."""
    if _NO.match(cells_text):
        return ()
    openings: dict[str, OpeningRecord] = {}
    for part in re.split(r"[;,\n]|\band\b|\+|&", cells_text):
        for degree, words in _DEGREES:
            if words.search(part) and degree not in openings:
                text = plain(part)
                openings[degree] = OpeningRecord(degree, degree, text=text, seats=_seats(part), origins=(origin,))
    if not openings and (_YES.match(cells_text) or _seats(cells_text) is not None):
        openings["phd"] = OpeningRecord("phd", "phd", seats=_seats(cells_text), origins=(origin,))
    if not openings:
        ledger.remark(
            cells_text,
            "the degrees of these openings cannot be recognised; write for example “2 PhD; 1 postdoc”",
            line=row.line,
        )
    return tuple(openings.values())


def _seats(text: str) -> int | None:
    match = _SEATS.search(text)
    return int(match[1]) if match and 0 < int(match[1]) <= _MOST_SEATS else None


FIELD_LIMIT = 200_000
COLUMNS_LIMIT = 200


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row with the line it starts on; `is_open` says that a quotation mark in it is never closed."""

    line: int
    cells: tuple[str, ...]
    is_open: bool = False


def rows_of(text: str, *, limit: int) -> Iterator[TableRow]:
    """The rows that are not empty, with the line each starts on.

    Raises:
        csv.Error: The quoting cannot be read.
    """
    first = next((line for line in text.split("\n", 50) if line.strip()), "")
    skipped = 0
    if re.match(r"(?i)sep=[,;\t|]$", first.strip()):  # Excel's own first line
        delimiter = first.strip()[-1]
        text = text[text.index(first) + len(first) + 1 :]
        skipped = 1
    else:
        outside = re.sub(r'"[^"]*"', "", first)
        delimiter = max("\t;,|", key=lambda mark: (outside.count(mark), mark == ","))
    previous = csv.field_size_limit(FIELD_LIMIT)
    try:
        rows = _split(text, delimiter, 1 + skipped)
        yield from islice((row for row in rows if any(cell.strip() for cell in row.cells)), limit)
    finally:
        csv.field_size_limit(previous)


def _split(text: str, delimiter: str, start: int) -> Iterator[TableRow]:
    """All rows. Of a row whose quotation mark is never closed only the first line is taken; the next line is a row."""
    lines = text.split("\n")
    begin = 0
    is_odd = text.count('"') % 2 == 1
    while begin < len(lines):
        rest = io.StringIO("\n".join(lines[begin:]), newline="")
        reader = csv.reader(rest, delimiter=delimiter, skipinitialspace=True, strict=is_odd)
        first = begin
        try:
            for cells in reader:
                yield TableRow(start + first, tuple(cells[:COLUMNS_LIMIT]))
                first = begin + reader.line_num
        except csv.Error:
            if not is_odd:
                raise
            is_odd = False
            yield TableRow(start + first, tuple(lines[first].split(delimiter)[:COLUMNS_LIMIT]), is_open=True)
            begin = first + 1
        else:
            return
