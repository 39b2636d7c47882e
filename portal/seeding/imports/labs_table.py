"""A table of labs (CSV, semicolons or tabs) → one draft per row, and the plan for each beside the existing labs."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from portal.seeding.imports.imported import ImportRefused
from portal.seeding.imports.planning import matches_of, plan_import
from portal.seeding.names import Keys, name_words, same_person, slug
from portal.seeding.pages import Ledger, Reading
from portal.seeding.records import LabRecord, MemberRecord, OpeningRecord, Origin
from portal.seeding.texts import DEGREES_SOUGHT, LINE_LIMIT, NAME_LIMIT, paragraphs, plain, same_place, web_link

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from portal.seeding.merging import Proposal

ROWS_LIMIT = 2000

_COLUMNS: dict[str, str] = {
    name: field
    for field, names in {
        "name": "name|lab|lab name|group|group name|research group|laboratory|team",
        "leader": "leader|pi|principal investigator|professor|prof|supervisor|advisor|adviser|head|director|lab leader",
        "leader_title": "leader title|rank|position|academic rank|title",
        "institution": "institution|university|institute|organisation|organization|affiliation",
        "department": "department|dept|school|faculty|division",
        "place": "place|city|location|town|campus|address",
        "country": "country|nation",
        "stipend": "stipend|salary|pay",
        "duration": "duration|length|years",
        "languages": "languages|language|working language|languages of work",
        "recent_hires": "recent hires|alumni|placements|recent placements",
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
_KNOWN = ", ".join(dict.fromkeys(_COLUMNS.values()))
_LISTED = re.compile(r"[;|\n•]")
# How a file for spreadsheets keeps a text, or a part of it, from being a formula.
_GUARD = re.compile(r"((?:^|[;\t\n])[\s\"]*+)(?:'(?=\s*[=+\-@|%＝＋－＠]))?")
_SEATS = re.compile(r"(?<![\d.])([1-4]?\d)(?![\d.])")
_NO = re.compile(r"\W*+(?:no|none|n/?a|nil|closed|false|0)?\W*+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LabPlan:
    """The plan for a row of a table: a `new` lab, or proposals for an existing one."""

    lab: str
    proposals: tuple[Proposal, ...] = ()
    new: LabRecord | None = None
    line: int = 0


def looks_like_labs(text: str) -> bool:
    """Whether the first row names columns of labs: two that are known, one of them a name or leader."""
    try:
        _, header = next(_rows_of(text[:20_000]), (1, []))
    except csv.Error:
        return False
    fields = set(map(_field, header)) - {""}
    return len(fields) > 1 and bool({"name", "leader"} & fields)


def read_labs(filename: str, text: str) -> Reading:
    """One draft per row that names a lab or its leader; a table without known columns or rows is refused."""
    try:
        rows = list(_rows_of(text))
    except csv.Error as error:
        raise ImportRefused(f"{filename}: the table cannot be read ({error}); save it as CSV again") from None
    if len(rows) > ROWS_LIMIT + 1:
        raise ImportRefused(f"{filename}: the table has more than {ROWS_LIMIT:,} rows; split it")
    (first, header), *below = rows or [(1, [])]
    fields = [_field(cell) for cell in header]
    if "name" not in fields and "leader" not in fields:
        raise ImportRefused(f"{filename}: the first row has no column “name” or “leader”; known columns are {_KNOWN}")
    if not below:
        raise ImportRefused(f"{filename}: the table has a first row, but no lab below it")
    ledger = Ledger(filename)
    for cell, field in zip(header, fields, strict=True):
        if not field and cell.strip():
            ledger.note("remark", cell, f"this column is not known and was left out; known are {_KNOWN}", line=first)
    labs: list[LabRecord] = []
    lines: dict[tuple[frozenset[str], ...], int] = {}
    keys = Keys()
    for line, cells in below:
        lab = _lab(Origin(filename, line), cells, fields, ledger)
        if lab is None:
            continue
        identity = (name_words(lab.name), name_words(lab.leader), name_words(lab.institution))
        if lines.setdefault(identity, line) != line:
            reason = f"the same lab as in line {lines[identity]}; make them one row"
            ledger.note("merged", lab.name, reason, line=line)
            continue
        labs.append(replace(lab, key=keys.give(lab.key)))
        ledger.note("taken", f"{lab.name} ({lab.leader})" if lab.leader else lab.name, line=line, item=labs[-1].key)
    return Reading(filename, "labs_csv", tuple(labs), tuple(ledger.notes))


def plan_labs(
    profiles: Mapping[str, LabRecord], imported: Reading, *, excluded: Collection[str] = frozenset()
) -> tuple[LabPlan, ...]:
    """For every row of a table: the existing lab it matches, with proposals, or a new lab.

    A row matches a lab with the same home page, or the same leader and compatible institution, or the same name and
    institution; a lab matches at most one row. Rows that propose nothing are left out.
    """
    present = list(profiles.values())
    matches = matches_of(present, imported.labs, _SAME_LABS)
    plans: list[LabPlan] = []
    keys = Keys(profiles)
    for index, draft in enumerate(imported.labs):
        line = draft.origins[0][1].line if draft.origins else 0
        match = matches.get(index)
        if match is None:
            record = replace(draft, key=keys.give(draft.key))
            plans.append(LabPlan(record.key, new=record, line=line))
            continue
        profile = present[match.index]
        # Every row lists its leader as a person, which is not new if the profile has the same leader.
        compared = replace(draft, members=()) if same_person(profile.leader, draft.leader) else draft
        proposals = plan_import(profile, imported, excluded=excluded, draft=compared)
        if proposals:
            plans.append(LabPlan(profile.key, proposals, line=line))
    return tuple(plans)


def _rows_of(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, each with the line it starts on; a csv.Error says that quotes cannot be read."""
    first = re.sub(r'"[^"]*"', "", next((line for line in text.split("\n", 50) if line.strip()), ""))
    delimiter = max("\t;,|", key=lambda mark: (first.count(mark), mark == ","))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    line = 1
    for cells in reader:
        if any(cell.strip() for cell in cells):
            yield line, cells
        line = 1 + reader.line_num


def _field(cell: str) -> str:
    words = re.sub(r"\([^()]*\)|[*:.]", " ", cell.casefold().replace("_", " "))
    return _COLUMNS.get(" ".join(words.split()), "")


def _lab(origin: Origin, cells: Sequence[str], fields: Sequence[str], ledger: Ledger) -> LabRecord | None:
    """The lab of a row; None if the row cannot be used, with the reason noted in the ledger."""
    values: dict[str, list[str]] = {}
    for field, cell in zip(fields, cells, strict=False):
        if field and cell.strip():
            values.setdefault(field, []).append(_GUARD.sub(r"\1", cell))
    leader = plain(" ".join(values.get("leader", ())), NAME_LIMIT)
    name = plain(" ".join(values.get("name", ())), LINE_LIMIT // 2) or (f"{leader}’s lab" if leader else "")
    reason = "" if name else "the row names neither a lab nor its leader"
    if any(cell.strip() for cell in cells[len(fields) :]):
        reason = f"{len(cells)} cells, but the first row has {len(fields)}; put cells with commas in quotation marks"
    if reason:
        ledger.note("problem", " · ".join(filter(None, map(str.strip, cells))), reason, line=origin.line)
        return None
    facts: dict[str, Any] = {"name": name, "leader": leader, "homepage": _homepage(values, origin, ledger)}
    for field in ("leader_title", "institution", "department", "place", "country", "stipend", "duration"):
        facts[field] = plain(", ".join(values.get(field, ())), LINE_LIMIT // 2)
    for field in ("about", "recruiting", "contact", "recent_hires"):
        facts[field] = paragraphs("\n\n".join(values.get(field, ())))
    for field in ("topics", "hardware", "languages"):
        facts[field] = _list(values.get(field, ()))
    return LabRecord(
        key=slug(name),
        **facts,
        members=(MemberRecord(slug(leader), leader, "leader", origins=(origin,)),) if leader else (),
        openings=_openings("; ".join(values.get("openings", ())), origin, ledger),
        origins=tuple((field, origin) for field, fact in facts.items() if fact),
    )


def _homepage(values: Mapping[str, Sequence[str]], origin: Origin, ledger: Ledger) -> str:
    for cell in values.get("homepage", ()):
        address = cell.strip()
        is_bare = re.match(r"[\w-]+(?:\.[\w-]+)+(?:/|$)", address)
        link = web_link("home page", f"https://{address}" if is_bare else address)
        if link:
            return link.url
        ledger.note("remark", cell, "this home page is not a web address and was left out", line=origin.line)
    return ""


def _list(cells: Sequence[str]) -> tuple[str, ...]:
    """The parts of the cells. Commas separate only where no other separator does: a topic may contain one."""
    parts = (part for cell in cells for part in (_LISTED.split(cell) if _LISTED.search(cell) else cell.split(",")))
    texts = [text for part in parts if (text := plain(part.strip(), 120).strip(" ."))]
    return tuple({text.casefold(): text for text in reversed(texts)}.values())[::-1]


def _openings(said: str, origin: Origin, ledger: Ledger) -> tuple[OpeningRecord, ...]:
    """Openings from "2 PhD, 1 postdoc", a number (of Ph.D. positions) or nothing."""
    openings: dict[str, OpeningRecord] = {}
    for part in re.split(r"[;,\n]|\band\b|\+|&", said):
        seats = _SEATS.search(part)
        for degree, words in DEGREES_SOUGHT:
            if words.search(part) or (degree == "phd" and seats and part.strip() == seats[1]):
                count = int(seats[1]) if seats and int(seats[1]) else None
                openings.setdefault(degree, OpeningRecord(degree, degree, plain(part), count, origins=(origin,)))
    if not openings and not _NO.match(said):
        reason = "the degrees of these openings cannot be recognised; write for example “2 PhD; 1 postdoc”"
        ledger.note("remark", said, reason, line=origin.line)
    return tuple(openings.values())


# The same lab: the strictest test first
_SAME_LABS: tuple[Callable[[LabRecord, LabRecord], bool], ...] = (
    lambda lab, row: (lab.name, lab.leader, lab.institution) == (row.name, row.leader, row.institution),
    lambda lab, row: bool(row.homepage) and same_place(lab.homepage) == same_place(row.homepage),
    lambda lab, row: bool(row.leader) and name_words(lab.leader) == name_words(row.leader) and _may_be_one(lab, row),
    lambda lab, row: name_words(lab.name) == name_words(row.name) and _may_be_one(lab, row),
)


def _may_be_one(profile: LabRecord, draft: LabRecord) -> bool:
    if profile.leader and draft.leader and not same_person(profile.leader, draft.leader):
        return False
    places = [name_words(record.institution) for record in (profile, draft)]
    return not places[0] or not places[1] or places[0] <= places[1] or places[1] <= places[0]
