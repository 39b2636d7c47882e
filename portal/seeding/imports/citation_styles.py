"""Publication entries in styles without a marked title → the same entries with the title marked."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from portal.seeding.citations import VENUE
from portal.seeding.imports.blocks import NOWHERE, Block, Run, lines_of
from portal.seeding.names import are_names, looks_like_name, plain_name, split_authors

if TYPE_CHECKING:
    from collections.abc import Sequence

# Medical style: initials without full stops ("Lee A, Kim BC"), then the title, the journal and the year.
_NAME = r"[^\W\d_][\w'’-]+(?: [^\W\d_][\w'’-]+)? [A-Z]{1,3}"
_VANCOUVER = re.compile(
    rf"\s*((?:{_NAME}, ){{0,99}}{_NAME}(?:, et al)?)\. "
    r"([^.?!]{8,400}[.?!]) (?=[A-Z][^.]{0,120}\. (?:19|20)\d{2}\b)"
)
_FAMILY_FIRST = re.compile(r"([^,]+?) ([A-Z]{1,3})(?=,|$)")
# The year between people and title, between full stops or in brackets without one after them.
_YEAR_IN_STOPS = re.compile(r"^([^\n]{0,1500}?)\.\s+((?:19|20)\d{2}[a-z]?)\.\s+")
_YEAR_IN_BRACKETS = re.compile(r"^([^\n]{0,1500}?)[.,]?\s*(\((?:19|20)\d{2}[a-z]?\))[,:]?\s+(?=[^\W\d_“\"])")
# Family names first, separated by semicolons, and the year in brackets before a colon.
_FAMILIES = re.compile(
    r"((?:[^,;\n]{2,40},[^,;\n]{1,40};){1,99}[^,;\n]{2,40},[^,;\n(]{1,40})(\((?:19|20)\d{2}[a-z]?\))[,:.]?\s+"
)
# A title in lower case, a comma, people, and a full stop before the journal.
_TITLE_FIRST = re.compile(r"\s*([^,.\n“\"]{15,400}), ((?:[^.\n]|(?<=\b[A-Z])\.){4,1000}?)\.\s+")
_SMALL_WORD = re.compile(r"\s[a-z]{3,}")
_NO_TITLE = re.compile(
    r"\b(?:proc|proceedings|journal|j|trans|transactions|conference|conf|in|vol|letters|lett|review|reviews|magazine|"
    r"symposium|workshop|arxiv|press|phys|rev|ph\.?d|thesis)\b|\d{4}",
    re.IGNORECASE,
)
_COLUMNS = {
    "title": "title|paper|publication|paper title|article|name|titel",
    "people": "author|authors|author(s)|people|autoren|by",
    "venue": "venue|journal|conference|conference/journal|journal/conference|published in|where|publisher|source",
    "year": "year|date|when|jahr|published",
    "": "no|no.|#|nr|nr.|id|link|links|pdf|doi|code|url|download|bibtex|slides|notes|type|citations|cited by|award",
}
_OF_COLUMN = {name: column for column, names in _COLUMNS.items() for name in names.split("|")}
_LONGEST = 1500
_WORDS_OF_A_TITLE = 3
_COLUMNS_OF_A_TABLE = 2


def in_known_style(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """An entry with its title quoted, or with a full stop after its people, if it has neither."""
    runs = tuple(_standing_out(run) for run in runs)
    before = ""
    for index, run in enumerate(runs):
        plain = not (run.strong or run.emphasis or run.href)
        people = before.rstrip(" ,;:")
        # What follows a full stop, perhaps the venue, needs no mark for the citation parser.
        if run.emphasis and people and not people.endswith(".") and _is_title(run.text) and _are_all_names(people):
            quoted = Run(f". “{run.text.strip().rstrip('.,')}” ", href=run.href)
            return (*_people(runs[:index]), quoted, *runs[index + 1 :])
        if plain:
            restyled = _restyled(before, run.text)
            if restyled != run.text:
                return (*runs[:index], Run(restyled), *runs[index + 1 :])
        before += run.text
        if len(before) > _LONGEST or "\n" in before.strip():
            break
    return runs


def _standing_out(run: Run) -> Run:
    """A link without a target, which may be the title, as strong text."""
    if run.href != NOWHERE or len(run.text.split()) < _WORDS_OF_A_TITLE or are_names(run.text):
        return run
    return Run(run.text, strong=True, emphasis=run.emphasis, href=run.href)


def _are_all_names(text: str) -> bool:
    names, _ = split_authors(text)
    return bool(names) and all(map(looks_like_name, names))


def _people(runs: Sequence[Run]) -> list[Run]:
    """People without the trailing comma."""
    last = Run(runs[-1].text.rstrip(" ,.;:\n"), runs[-1].strong, runs[-1].emphasis, runs[-1].href)
    return [*runs[:-1], last]


def _is_title(text: str) -> bool:
    return len(text.split()) >= _WORDS_OF_A_TITLE and not _NO_TITLE.search(text)


def _restyled(before: str, text: str) -> str:
    vancouver = None if before.strip() else _VANCOUVER.match(text)
    if vancouver:
        people = _FAMILY_FIRST.sub(lambda name: f"{'. '.join(name[2])}. {name[1].strip()}", vancouver[1])
        return f"{people}. “{vancouver[2]}” {text[vancouver.end() :]}"
    titled = None if before.strip() else _TITLE_FIRST.match(text)
    if titled and len(_SMALL_WORD.findall(titled[1])) > 1 and _are_all_names(titled[2]):
        return f"“{titled[1].strip()}” {titled[2]}. {text[titled.end() :]}"
    listed = _FAMILIES.match(text)
    if listed and not before.strip():
        people = ", ".join(plain_name(name) for name in listed[1].split(";"))
        return f"{people} {listed[2]}. {text[listed.end() :]}"
    for pattern, behind in ((_YEAR_IN_STOPS, r"\1 (\2). "), (_YEAR_IN_BRACKETS, r"\1 \2. ")):
        match = pattern.match(text)
        if match and are_names(f"{before}{match[1]}".strip(" .,")):
            return pattern.sub(behind, text, count=1)
    return text


def columns_of(runs: tuple[Run, ...]) -> tuple[str, ...]:
    """The meaning of a publication table's columns, if these are the cells of its header row; else empty."""
    cells = [_text(line).casefold() for line in lines_of(runs)]
    columns = tuple(_OF_COLUMN.get(name, "?") for name in cells if name)
    return columns if "title" in columns and "?" not in columns and len(columns) >= _COLUMNS_OF_A_TABLE else ()


def without_empty_cells(block: Block) -> Block:
    """A row without its empty cells."""
    lines = [line for line in lines_of(block.runs) if any(map(str.isalnum, _text(line)))]
    return replace(block, runs=_joined(lines))


def row_in_order(runs: tuple[Run, ...], columns: Sequence[str]) -> tuple[Run, ...]:
    """The cells of a row as title, people, venue with its year, and the rest, according to the header row if it
    fits.
    """
    lines = [line for line in lines_of(runs) if _text(line)]
    filled = [line for line in lines if any(character.isalnum() for character in _text(line))]
    if len(columns) == len(lines):
        return _joined(_by_columns(lines, columns))
    ahead = 0
    while ahead < len(filled) - 1 and _is_numbering(_text(filled[ahead])):
        ahead += 1
    return _joined([*filled[ahead:], *filled[:ahead]]) if ahead else _joined(filled)


def _by_columns(lines: list[list[Run]], columns: Sequence[str]) -> list[list[Run]]:
    cells: dict[str, list[list[Run]]] = {}
    for line, column in zip(lines, columns, strict=True):
        if any(character.isalnum() for character in _text(line)):
            cells.setdefault(column, []).append(line)
    title = [_quoted(line) for line in cells.get("title", [])[:1]]
    year = [run for line in cells.get("year", []) for run in (Run(" "), *line)]
    venue = [[*(run for line in cells.get("venue", []) for run in line), *year]] if year or "venue" in cells else []
    others = [line for line in cells.get("", []) if not _text(line).isdigit()]
    return [*title, *cells.get("people", []), *venue, *cells.get("title", [])[1:], *others]


def _quoted(title: list[Run]) -> list[Run]:
    text = _text(title)
    if re.search(r"[“”\"]", text):
        return [Run(run.text, strong=True, href=run.href) for run in title]
    return [Run(f"“{text}”", href=next((run.href for run in title if run.href), ""))]


def _is_numbering(text: str) -> bool:
    return bool(re.fullmatch(r"\W*(?:\d{1,4}|[A-Z]{1,2}\d{1,3})\W*", text) or VENUE.fullmatch(text))


def _text(line: Sequence[Run]) -> str:
    return " ".join("".join(run.text for run in line).split())


def _joined(lines: Sequence[Sequence[Run]]) -> tuple[Run, ...]:
    return tuple(part for index, line in enumerate(lines) for part in (([Run("\n")] if index else []) + list(line)))
