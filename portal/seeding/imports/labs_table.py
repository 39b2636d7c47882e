"""A table of labs (CSV, semicolons or tabs) → one draft per row, and the plan for each beside the existing labs."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from portal.seeding.identifiers import bare_address, web_link
from portal.seeding.imports.imported import ImportRefused, Ledger, Reading
from portal.seeding.imports.planning import plan_draft
from portal.seeding.names import Keys, name_words, same_person, slug
from portal.seeding.records import LabRecord, MemberRecord, OpeningRecord, Origin
from portal.seeding.texts import DEGREES_SOUGHT, LINE_LIMIT, NAME_LIMIT, paragraphs, plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from portal.seeding.imports.imported import Imported
    from portal.seeding.plan import Proposal

ROWS_LIMIT = 20_000
FIELD_LIMIT = 200_000
COLUMNS_LIMIT = 200

_ROWS_ABOVE = 6
_COLUMNS: dict[str, str] = {
    name: field
    for field, names in {
        "name": "name|lab|lab name|group|group name|research group|laboratory|team",
        "leader": "leader|pi|principal investigator|professor|prof|supervisor|advisor|adviser|head|director|lab leader",
        "leader_title": "leader title|rank|position|academic rank|title",
        "institution": "institution|university|institute|organisation|organization|affiliation|universität|hochschule",
        "department": "department|dept|school|faculty|division|unit|section|fakultät",
        "place": "place|city|location|town|campus|country|address",
        "homepage": "homepage|home page|url|website|web site|web|link|web page|webpage",
        "topics": "topics|topic|keywords|research topics|research areas|research area|areas|fields|research interests",
        "hardware": "hardware|facilities|equipment|compute|resources",
        "openings": "openings|opening|positions|vacancies|open positions|seats|phd positions",
        "recruiting": "recruiting|recruiting statement|recruitment|statement|looking for",
        "about": "about|description|summary|overview|profile|mission",
        "contact": "contact|e-mail|email|mail|how to apply",
    }.items()
    for name in names.split("|")
}
_KNOWN = tuple(dict.fromkeys(_COLUMNS.values()))
_LISTED = re.compile(r"[;|\n•]")
_LISTED_BY_COMMAS = re.compile(r",(?![^()]{0,150}\))")
# How a file for spreadsheets keeps a text, or a part of it, from being a formula.
_GUARD = re.compile(r"((?:^|[;\t\n])[\s\"]*+)(?:'(?=\s*[=+\-@|%＝＋－＠]))?")
_SEATS = re.compile(r"(?<![\d.])(\d{1,2})(?![\d.])")
_MOST_SEATS = 50
_NO = re.compile(r"\W*+(?:no|none|n/?a|nil|closed|false|0)?\W*+$", re.IGNORECASE)
_YES = re.compile(r"[^\w✓]*+(?:yes|open|true|y|ja|x|✓)\W*+$", re.IGNORECASE)
_NEAR = 100


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row with the line it starts on; `is_open` says that a quotation mark in it is never closed."""

    line: int
    cells: tuple[str, ...]
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class LabPlan:
    """The plan for a row of a table: a `new` lab, or proposals for an existing one."""

    lab: str
    proposals: tuple[Proposal, ...] = ()
    new: LabRecord | None = None
    line: int = 0


def looks_like_labs(text: str) -> bool:
    """Whether one of the first rows names columns of labs: two that are known, one of them a name or leader."""
    try:
        return any(map(_is_header, _rows_of(text[:20_000], _ROWS_ABOVE)))
    except csv.Error:
        return False


def read_labs(filename: str, text: str) -> Reading:  # noqa: C901 - one step for each thing that may be wrong
    """One draft per row that names a lab or its leader.

    Raises:
        ImportRefused: It has no known columns, no row below them, or more than 20,000 rows.
    """
    try:
        rows = list(_rows_of(text, ROWS_LIMIT + 2))
    except csv.Error as error:
        raise ImportRefused(f"{filename}: the table cannot be read ({error}); save it as CSV again") from None
    if len(rows) > ROWS_LIMIT + 1:
        raise ImportRefused(f"{filename}: the table has more than {ROWS_LIMIT:,} rows; split it")
    ledger = Ledger()
    start = next((index for index, row in enumerate(rows[:_ROWS_ABOVE]) if _is_header(row)), 0)
    for row in rows[:start]:
        ledger.note("ignored", " · ".join(filter(None, row.cells)), "a row above the columns", line=row.line)
    header, *below = rows[start:] or [TableRow(1, ())]
    fields = [_field(cell) for cell in header.cells]
    if "name" not in fields and "leader" not in fields:
        known = ", ".join(_KNOWN)
        raise ImportRefused(f"{filename}: the first row has no column “name” or “leader”; known columns are {known}")
    if not below:
        raise ImportRefused(f"{filename}: the table has a first row, but no lab below it")
    for column, (cell, field) in enumerate(zip(header.cells, fields, strict=True), start=1):
        if not field and cell.strip():
            reason = f"column {column} is not known and was left out; known are {', '.join(_KNOWN)}"
            ledger.remark(cell, reason, line=header.line)
    labs: list[LabRecord] = []
    lines: dict[tuple[frozenset[str], ...], int] = {}
    keys = Keys()
    for row in below:
        lab = _lab(filename, row, fields, ledger)
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
    return Reading(tuple(labs), ledger)


def plan_labs(
    profiles: Mapping[str, LabRecord], imported: Imported, *, excluded: Collection[str] = frozenset()
) -> tuple[LabPlan, ...]:
    """For every row of a table: the existing lab it matches, with proposals, or a new lab.

    A row matches a lab with the same home page, or the same leader and compatible institution, or the same name and
    institution; a lab matches at most one row. Rows that propose nothing are left out.
    """
    matches = same_labs(profiles, imported.labs)
    plans: list[LabPlan] = []
    keys = Keys(profiles)
    for index, draft in enumerate(imported.labs):
        line = draft.origins[0][1].line if draft.origins else 0
        profile = profiles.get(matches.get(index, ""))
        if profile is None:
            record = replace(draft, key=keys.give(draft.key))
            plans.append(LabPlan(record.key, new=record, line=line))
            continue
        # Every row lists its leader as a person, which is not new if the profile has the same leader.
        compared = replace(draft, members=()) if same_person(profile.leader, draft.leader) else draft
        proposals = plan_draft(profile, compared, imported, excluded=excluded)
        if proposals:
            plans.append(LabPlan(profile.key, proposals, line=line))
    return tuple(plans)


# Rows


def _rows_of(text: str, limit: int) -> Iterator[TableRow]:
    """The rows that are not empty, with the line each starts on.

    Raises:
        csv.Error: The quoting cannot be read.
    """
    first = next((line for line in text.split("\n", 50) if line.strip()), "")
    start = 1
    if re.match(r"(?i)sep=[,;\t|]$", first.strip()):  # Excel's own first line
        delimiter = first.strip()[-1]
        text = text[text.index(first) + len(first) + 1 :]
        start = 2
    else:
        outside = re.sub(r'"[^"]*"', "", first)
        delimiter = max("\t;,|", key=lambda mark: (outside.count(mark), mark == ","))
    previous = csv.field_size_limit(FIELD_LIMIT)
    try:
        rows = _split(text, delimiter, start)
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


def _is_header(row: TableRow) -> bool:
    fields = {field for field in map(_field, row.cells) if field}
    return len(fields) > 1 and bool({"name", "leader"} & fields)


def _field(cell: str) -> str:
    words = re.sub(r"\([^()]*\)|[*:]", " ", cell.casefold().replace("_", " "))
    name = " ".join(words.split()).strip(" .")
    return _COLUMNS.get(name) or next((_COLUMNS[part] for part in re.split(r"\s*/\s*", name) if part in _COLUMNS), "")


# A lab


def _lab(filename: str, row: TableRow, fields: Sequence[str], ledger: Ledger) -> LabRecord | None:
    """The lab of a row; None if the row cannot be used, with the reason noted in the ledger."""
    values: dict[str, list[str]] = {}
    for field, cell in zip(fields, row.cells, strict=False):
        if field and cell.strip():
            values.setdefault(field, []).append(_GUARD.sub(r"\1", cell))
    leader = plain(" ".join(values.get("leader", ())), NAME_LIMIT)
    name = plain(" ".join(values.get("name", ())), LINE_LIMIT // 2) or (f"{leader}’s lab" if leader else "")
    reason = _why_misread(row, len(fields)) or ("" if name else "the row names neither a lab nor its leader")
    if reason:
        ledger.note("problem", " · ".join(cell.strip() for cell in row.cells if cell.strip()), reason, line=row.line)
        return None
    origin = Origin(filename, row.line)
    facts: dict[str, Any] = {"name": name, "leader": leader, "homepage": _homepage(values, row, ledger)}
    for field in ("leader_title", "institution", "department", "place"):
        facts[field] = plain(", ".join(values.get(field, ())), LINE_LIMIT // 2)
    for field in ("about", "recruiting", "contact"):
        facts[field] = paragraphs("\n\n".join(values.get(field, ())))
    for field in ("topics", "hardware"):
        facts[field] = _list(values.get(field, ()))
    return LabRecord(
        key=slug(name),
        **facts,
        members=(MemberRecord(slug(leader), leader, "leader", origins=(origin,)),) if leader else (),
        openings=_openings("; ".join(values.get("openings", ())), origin, ledger),
        origins=tuple((field, origin) for field, fact in facts.items() if fact),
    )


def _why_misread(row: TableRow, width: int) -> str:
    """Why the cells of a row may be in the wrong columns; "" if there is no sign of it."""
    if row.is_open:
        return "a quotation mark in this row is never closed; close or delete it"
    if any(cell.strip() for cell in row.cells[width:]):
        return f"{len(row.cells)} cells, but the first row has {width}; put cells with commas between quotation marks"
    return ""


def _homepage(values: Mapping[str, Sequence[str]], row: TableRow, ledger: Ledger) -> str:
    for cell in values.get("homepage", ()):
        address = cell.strip()
        if re.match(r"[\w-]+(?:\.[\w-]+)+(?:/|$)", address):
            address = f"https://{address}"
        link = web_link("home page", address)
        if link:
            return link.url
        ledger.remark(cell, "this home page is not a web address and was left out", line=row.line)
    return ""


def _list(cells: Sequence[str]) -> tuple[str, ...]:
    """The parts of the cells. Commas separate only where no other separator does: a topic may contain one."""
    parts = (part for cell in cells for part in (_LISTED if _LISTED.search(cell) else _LISTED_BY_COMMAS).split(cell))
    texts = (plain(part.strip(), 120).strip(" .") for part in parts)
    return tuple({text.casefold(): text for text in reversed([text for text in texts if text])}.values())[::-1]


def _openings(said: str, origin: Origin, ledger: Ledger) -> tuple[OpeningRecord, ...]:
    """Openings from "2 PhD, 1 postdoc", "yes" (Ph.D. students) or a number (of Ph.D. positions)."""
    if _NO.match(said):
        return ()
    openings: dict[str, OpeningRecord] = {}
    for part in re.split(r"[;,\n]|\band\b|\+|&", said):
        for degree, words in DEGREES_SOUGHT:
            if words.search(part) and degree not in openings:
                openings[degree] = OpeningRecord(degree, degree, plain(part), _seats(part), origins=(origin,))
    if not openings and (_YES.match(said) or _seats(said) is not None):
        openings["phd"] = OpeningRecord("phd", "phd", seats=_seats(said), origins=(origin,))
    if not openings:
        reason = "the degrees of these openings cannot be recognised; write for example “2 PhD; 1 postdoc”"
        ledger.remark(said, reason, line=origin.line)
    return tuple(openings.values())


def _seats(text: str) -> int | None:
    match = _SEATS.search(text)
    return int(match[1]) if match and 0 < int(match[1]) <= _MOST_SEATS else None


# The same lab


def same_labs(profiles: Mapping[str, LabRecord], drafts: Sequence[LabRecord]) -> dict[int, str]:
    """For each draft (by index) the key of the lab that it matches; those equal in everything first.

    Uses only name, leader, institution and home page of the profiles.
    """
    by_word: dict[str, list[str]] = {}
    for key, profile in profiles.items():
        for word in _search_keys(profile):
            by_word.setdefault(word, []).append(key)
    matches: dict[int, str] = {}
    matched: set[str] = set()
    for test in (_equal, _same_lab):
        for index, draft in enumerate(drafts):
            if index in matches:
                continue
            # Labs that share a rare search key first.
            words = sorted(_search_keys(draft), key=lambda word: (len(by_word.get(word, ())), word))
            near = (key for word in words for key in by_word.get(word, ())[:_NEAR] if key not in matched)
            found = next((key for key in near if test(profiles[key], draft)), None)
            if found is not None:
                matches[index] = found
                matched.add(found)
    return matches


def _search_keys(record: LabRecord) -> set[str]:
    """The keys of a record: home page, leader's name and its words, name. Two records of one lab share at least one."""
    keys = {f"name {' '.join(sorted(name_words(record.name)))}"}
    if record.homepage:
        keys.add(f"page {bare_address(record.homepage)}")
    words = name_words(record.leader)
    return keys | {f"leader {' '.join(sorted(words))}"} | {f"leader {word}" for word in words if len(word) > 1}


def _equal(profile: LabRecord, draft: LabRecord) -> bool:
    return (profile.name, profile.leader, profile.institution) == (draft.name, draft.leader, draft.institution)


def _same_lab(profile: LabRecord, draft: LabRecord) -> bool:
    places = [name_words(record.institution) for record in (profile, draft)]
    one_place = not places[0] or not places[1] or bool(places[0] <= places[1] or places[1] <= places[0])
    if profile.homepage and draft.homepage and bare_address(profile.homepage) == bare_address(draft.homepage):
        return True
    if profile.leader and draft.leader:
        return same_person(profile.leader, draft.leader) and one_place
    return name_words(profile.name) == name_words(draft.name) and one_place
