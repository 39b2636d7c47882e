"""Publication entries in styles without a marked title → the same entries with the title marked."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from portal.seeding.citation_titles import VENUE, leading_names
from portal.seeding.family_names_first import leading_people
from portal.seeding.imports.blocks import NOWHERE, Block, Run, lines_of
from portal.seeding.names import are_names, looks_like_name, split_authors
from portal.seeding.phrases import years

if TYPE_CHECKING:
    from collections.abc import Sequence

# The year between people and title, between full stops or in brackets without one after them.
_YEAR_IN_STOPS = re.compile(r"^([^\n]{0,1500}?)\.\s+((?:19|20)\d{2}[a-z]?)\.\s+")
_YEAR_IN_BRACKETS = re.compile(r"^([^\n]{0,1500}?)[.,]?\s*(\((?:19|20)\d{2}[a-z]?\))[,:]?\s+(?=[^\W\d_“\"])")
# A title in lower case, a comma, people, and a full stop before the journal.
_TITLE_FIRST = re.compile(r"\s*([^,.\n“\"]{15,400}), ((?:[^.\n]|(?<=\b[A-Z])\.){4,1000}?)\.\s+")
_SMALL_WORD = re.compile(r"\s[a-z]{3,}")
_NO_TITLE = re.compile(
    r"^in\b|\b(?:proc|proceedings|journal|j|trans|transactions|conference|conf|vol|letters|lett|review|reviews|magazine|"
    r"symposium|workshop|arxiv|press|phys|rev|ph\.?d|thesis)\b",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\s*[,.:;]?\s*(?P<year>\((?:19|20)\d{2}[a-z]?(?:,[^()]{1,30})?\)|(?:19|20)\d{2}[a-z]?(?=[.:]\s))?\s*[,.:;]?\s*"
)
_RECOMMENDED = re.compile(r"\s*(?:recommended |suggested )?citation:\s*", re.IGNORECASE)
_COLUMNS = {
    "title": "title|paper|publication|paper title|article|name|titel",
    "people": "author|authors|author(s)|people|autoren|by",
    "venue": "venue|journal|conference|conference/journal|journal/conference|published in|where|publisher|source",
    "year": "year|date|when|jahr|published",
    "": "no|no.|#|nr|nr.|id|link|links|pdf|doi|code|url|download|bibtex|slides|notes|type|citations|cited by|award",
}
_OF_COLUMN = {name: column for column, names in _COLUMNS.items() for name in names.split("|")}
_AROUND_TITLE = ' \n.,“”"'
_LONGEST = 1500  # characters
_WORDS_OF_A_TITLE = 3
_WORDS_OF_A_TITLE_WITH_YEAR = 6
_COLUMNS_OF_A_TABLE = 2


def in_known_style(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """An entry with its title quoted, or with a full stop after its people, if it has neither."""
    runs = tuple(_standing_out(run) for run in runs)
    before = ""
    for index, run in enumerate(runs):
        plain = not (run.strong or run.emphasis or run.href)
        people = before.rstrip(" ,;:–—|-")
        # What follows a full stop, perhaps the venue, needs no mark for the citation parser.
        if run.emphasis and people and not people.endswith(".") and _is_title(run.text) and _are_all_names(people):
            quoted = Run(f". “{run.text.strip(_AROUND_TITLE)}” ", href=run.href)
            return (*_people(runs[:index]), quoted, *runs[index + 1 :])
        if plain:
            restyled = _restyled(before, run.text)
            if restyled != run.text:
                return (*runs[:index], Run(restyled), *runs[index + 1 :])
        before += run.text
        if len(before) > _LONGEST or "\n" in before.strip():
            break
    return runs


def with_given_names_first(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """The entry with "A. Lee, B. C. Kim." in place of its people; unchanged if these have their given names first."""
    text = "".join(run.text for run in runs)
    found = leading_people(text[:_LONGEST])
    if found is None:
        return runs
    names, end = found
    behind = _BEHIND.match(text, end)
    year = f" ({behind['year'].strip('()')})" if behind and behind["year"] else ""
    return (Run(f"{names}{year}. "), *_from(runs, behind.end() if behind else end))


def _from(runs: tuple[Run, ...], start: int) -> list[Run]:
    """The runs from a place of their text on."""
    rest: list[Run] = []
    for run in runs:
        if start < len(run.text):
            rest.append(Run(run.text[max(0, start) :], run.strong, run.emphasis, run.href))
        start -= len(run.text)
    return rest


def with_people_of_citation(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """The entry with its people behind its title, if it has these only in a line "Recommended citation: …"."""
    lines = list(lines_of(runs))
    for index, line in enumerate(lines[1:], start=1):
        text = _text(line)
        label = _RECOMMENDED.match(text)
        people = leading_names(text[label.end() :]).strip(" ,;") if label else ""
        if people:
            return _joined([lines[0], [Run(people)], *lines[1:index], *lines[index + 1 :]])
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
    words = len(text.split())
    return words >= (_WORDS_OF_A_TITLE_WITH_YEAR if years(text) else _WORDS_OF_A_TITLE) and not _NO_TITLE.search(text)


def _restyled(before: str, text: str) -> str:
    titled = None if before.strip() else _TITLE_FIRST.match(text)
    if (
        titled
        and not looks_like_name(titled[1])
        and len(_SMALL_WORD.findall(titled[1])) > 1
        and _are_all_names(titled[2])
    ):
        return f"“{titled[1].strip()}” {titled[2]}. {text[titled.end() :]}"
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
