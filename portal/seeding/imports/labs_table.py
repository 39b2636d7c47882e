"""A table of labs (CSV, semicolons or tabs) → one draft per row."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from portal.seeding.imports.identifiers import web_link
from portal.seeding.imports.imported import ImportRefused, Ledger
from portal.seeding.imports.table_rows import TableRow, rows_of
from portal.seeding.imports.texts import LINE_LIMIT, NAME_LIMIT, paragraphs, plain
from portal.seeding.imports.works_of_a_file import Keys, Reading
from portal.seeding.names import name_words, slug
from portal.seeding.records import LabRecord, MemberRecord, OpeningRecord, Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """Whether the first row that says something has the columns of labs: two that are known, one of them a name."""
    try:
        return any(map(_is_header, rows_of(text[:20_000], limit=_ROWS_ABOVE)))
    except csv.Error:
        return False


def _is_header(row: TableRow) -> bool:
    known = {field for field in map(_field, row.cells) if field}
    return len(known) > 1 and bool({"name", "leader"} & known)


def read_labs(filename: str, text: str) -> Reading:
    """One draft per row that names a lab or its leader.

    Raises:
        ImportRefused: no known columns, no row, or more than 20,000 rows.
    """
    try:
        rows = list(rows_of(text, limit=ROWS_LIMIT + 2))
    except csv.Error as error:
        raise ImportRefused(f"{filename}: the table cannot be read ({error}); save it as CSV again") from None
    if len(rows) > ROWS_LIMIT + 1:
        raise ImportRefused(f"{filename}: the table has more than {ROWS_LIMIT:,} rows; split it")
    # A title and empty rows may stand above the columns.
    above = next((place for place, row in enumerate(rows[:_ROWS_ABOVE]) if _is_header(row)), 0)
    ledger = Ledger()
    for row in rows[:above]:
        ledger.note("ignored", " · ".join(filter(None, row.cells)), "a row above the columns", line=row.line)
    rows = rows[above:]
    header = rows[0] if rows else TableRow(1, ())
    fields = [_field(cell) for cell in header.cells]
    if "name" not in fields and "leader" not in fields:
        raise ImportRefused(
            f"{filename}: the first row names no column “name” or “leader”; known columns are "
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
        same = (name_words(lab.name), name_words(lab.leader), name_words(lab.institution))
        if same in lines:
            reason = f"the same lab as in line {lines[same]}; make them one row"
            ledger.note("merged", lab.name, reason, line=row.line)
            continue
        lines[same] = row.line
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
    said = " ".join(words.split()).strip(" .")
    parts = (part.strip() for part in said.split("/"))
    return _COLUMNS.get(said) or next((_COLUMNS[part] for part in parts if part in _COLUMNS), "")


def _check_header(header: TableRow, fields: Sequence[str], ledger: Ledger) -> None:
    for number, (cell, field) in enumerate(zip(header.cells, fields, strict=True), start=1):
        if not field and cell.strip():
            known = ", ".join(known_columns())
            ledger.remark(cell, f"column {number} is not known and was left out; known are {known}", line=header.line)
        elif field and field in fields[: number - 1]:
            ledger.remark(cell, f"column {number} says “{field}” again; both were joined", line=header.line)


def _lab(filename: str, row: TableRow, fields: Sequence[str], width: int, ledger: Ledger) -> LabRecord | None:
    said = " · ".join(cell.strip() for cell in row.cells if cell.strip())
    if row.is_open:
        reason = "a quotation mark is opened in this row and never closed; close it, or take it away"
        ledger.note("problem", said, reason, line=row.line)
        return None
    if len(row.cells) > width and any(cell.strip() for cell in row.cells[width:]):
        reason = f"{len(row.cells)} cells, but the first row has {width}; put quotation marks around cells with commas"
        ledger.note("problem", said, reason, line=row.line)
        return None
    values: dict[str, list[str]] = {}
    for field, cell in zip(fields, row.cells, strict=False):
        if field and cell.strip():
            values.setdefault(field, []).append(_GUARD.sub(r"\1", cell))
    leader = plain(" ".join(values.get("leader", ())), NAME_LIMIT)
    name = plain(" ".join(values.get("name", ())), LINE_LIMIT // 2) or (f"{leader}’s lab" if leader else "")
    if not name:
        ledger.note("problem", said, "the row names neither a lab nor its leader", line=row.line)
        return None
    origin = Origin(filename, row.line)
    texts = {
        field: plain(", ".join(values.get(field, ())), LINE_LIMIT // 2)
        for field in ("leader_title", "institution", "department", "place")
    }
    long = {field: paragraphs("\n\n".join(values.get(field, ()))) for field in ("about", "recruiting", "contact")}
    topics, hardware = (_list(values.get(field, ())) for field in ("topics", "hardware"))
    homepage = _homepage(values.get("homepage", ()), row, ledger)
    facts = {
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
        name=name,
        leader=leader,
        homepage=homepage,
        topics=topics,
        hardware=hardware,
        members=(MemberRecord(slug(leader), leader, "leader", origins=(origin,)),) if leader else (),
        openings=_openings("; ".join(values.get("openings", ())), row, origin, ledger),
        origins=tuple((field, origin) for field, fact in facts.items() if fact),
        leader_title=texts["leader_title"],
        institution=texts["institution"],
        department=texts["department"],
        place=texts["place"],
        about=long["about"],
        recruiting=long["recruiting"],
        contact=long["contact"],
    )


def _homepage(cells: Sequence[str], row: TableRow, ledger: Ledger) -> str:
    for cell in cells:
        address = cell.strip()
        if not re.match(r"(?i)[a-z][a-z0-9+.-]*:", address) and re.match(r"[\w-]+(?:\.[\w-]+)+(?:/|$)", address):
            address = f"https://{address}"
        link = web_link("home page", address)
        if link:
            return link.url
        ledger.remark(cell, "this home page is no address on the web and was left out", line=row.line)
    return ""


def _list(cells: Sequence[str]) -> tuple[str, ...]:
    """The parts of the cells. Commas part a cell only where nothing else does: a topic may have one of its own."""
    found: dict[str, str] = {}
    for part in (
        part for cell in cells for part in (_LISTED if _LISTED.search(cell) else _LISTED_BY_COMMAS).split(cell)
    ):
        text = plain(part.strip(), 120).strip(" .")
        if text:
            found.setdefault(text.casefold(), text)
    return tuple(found.values())


def _openings(said: str, row: TableRow, origin: Origin, ledger: Ledger) -> tuple[OpeningRecord, ...]:
    """Openings from "2 PhD, 1 postdoc", "yes" (Ph.D. students) or a number (of Ph.D. positions)."""
    if _NO.match(said):
        return ()
    found: dict[str, OpeningRecord] = {}
    for part in re.split(r"[;,\n]|\band\b|\+|&", said):
        for degree, words in _DEGREES:
            if words.search(part) and degree not in found:
                text = plain(part)
                found[degree] = OpeningRecord(degree, degree, text=text, seats=_seats(part), origins=(origin,))
    if not found and (_YES.match(said) or _seats(said) is not None):
        found["phd"] = OpeningRecord("phd", "phd", seats=_seats(said), origins=(origin,))
    if not found:
        ledger.remark(
            said, "no degree can be told from these openings; write for example “2 PhD; 1 postdoc”", line=row.line
        )
    return tuple(found.values())


def _seats(text: str) -> int | None:
    number = _SEATS.search(text)
    return int(number[1]) if number and 0 < int(number[1]) <= _MOST_SEATS else None
