"""Entries of lists of publications, as a citation is read: lines in order, without numbers and buttons."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from portal.seeding.citation_titles import LINK_LABELS, VENUE, are_all_names
from portal.seeding.page_blocks import SOFT_BREAK, Run, flat, lines_of
from portal.seeding.texts import is_open_address, years

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.seeding.page_blocks import Block

_NUMBERED = re.compile(r"\s*(?:\[\s*[A-Za-z]{0,3}\d{1,4}\s*\]|\(\s*\d{1,3}\s*\)|[A-Z]{0,2}\d{1,3}[.)](?=\s|$))\s*")
_NUMBER = re.compile(r"\W*\d{1,4}(?:\s*·\s*\d{1,4})?\W*")
# A line that ends within a list of people; a remark on people in brackets.
_GOES_ON = re.compile(r"(?:[,;&]|\band)\s*$")
_NOTE = re.compile(r"\([^()]*\)|\.\s*$")
_BUTTONS = frozenset(("cite", "cited", "citation", "copy", "share", "more", "details", "reprint", "ps"))
_COLUMNS = frozenset(
    ("title", "paper", "publication", "author", "authors", "author(s)", "venue", "journal", "conference",
     "year", "date", "no.", "#", "link", "links", "pdf", "doi", "code", "citations", "cited by")
)  # fmt: skip
_SHORT_ENTRY = 40
_SEVERAL = 3


def publication_entry(block: Block, runs: tuple[Run, ...], title_at: int | None) -> tuple[Run, ...]:
    """An entry of a list of publications, or the row of a table, whose title is quoted if its column is known."""
    lines = [line for line in lines_of(_at_soft_breaks(runs)) if flat(line)]
    if block.is_row and title_at is not None and title_at < len(lines):
        cell = lines.pop(title_at)
        link = next((run.href for run in cell if run.href), "")
        lines.insert(0, [Run(f"“{re.sub('[“”]', '', flat(cell))}”", href=link)])
    if block.is_row:
        # Numbers and years of a row stand last.
        cells = [line for line in lines if any(map(str.isalnum, flat(line)))]
        lines = sorted(cells, key=lambda line: _is_numbering(flat(line)))
    return without_buttons(_without_number(_joined(lines)))


def entries_in(block: Block) -> Iterator[tuple[Run, ...]]:
    """The entries of a paragraph: lines that all have a year or a number, or parts between blank lines."""
    lines = list(lines_of(block.runs))
    texts = ["".join(run.text for run in line).strip() for line in lines]
    numbered = sum(bool(_NUMBERED.match(text)) for text in texts)
    filled = [text for text in texts if text]
    dated = sum(len(text) > _SHORT_ENTRY and bool(years(text)) for text in filled)
    each = len(filled) >= _SEVERAL and dated * 5 >= len(filled) * 4
    current: list[list[Run]] = []
    for line, text in zip(lines, texts, strict=True):
        starts = each or (_NUMBERED.match(text) if numbered > 1 else not text)
        if starts and current:
            yield _joined(current)
            current = []
        if text:
            current.append(line)
    if current:
        yield _joined(current)


def is_number(text: str) -> bool:
    """Whether a line is nothing but a number or a year."""
    return bool(_NUMBER.fullmatch(text))


def are_buttons(text: str) -> bool:
    """Whether a text consists of link labels only: "PDF", "Cite", "project page"."""
    return bool(LINK_LABELS.match(" ".join(text.split()))) or all(
        word.casefold() in _BUTTONS or LINK_LABELS.match(word) for word in re.findall(r"\w+", text)
    )


def without_buttons(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """The lines of an entry that say something; of lines of links and buttons only what leads somewhere."""
    kept: list[list[Run]] = []
    for line in lines_of(runs):
        with_text = [run for run in line if any(map(str.isalnum, run.text))]
        if with_text and all(are_buttons(run.text) for run in with_text):
            line = [part for run in line if is_open_address(run.href) for part in (run, Run(" "))]  # noqa: PLW2901
        kept += [line] if flat(line) else []
    return _joined(kept)


def title_column(runs: tuple[Run, ...]) -> int | None:
    """Which of the cells of a header row names the title, if it is that of a table of publications."""
    cells = [cell for line in lines_of(runs) if (cell := flat(line).casefold())]
    at = next((index for index, cell in enumerate(cells) if cell in ("title", "paper", "publication")), None)
    return at if len(cells) > 1 and set(cells) <= _COLUMNS else None


def _at_soft_breaks(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """The runs with line breaks at the line ends of the file, if one of its lines is a whole list of people."""
    lines = "".join(run.text for run in runs).split(SOFT_BREAK)
    people = (line for line in lines[:-1] if not _GOES_ON.search(line) and are_all_names(_NOTE.sub("", line)))
    end = "\n" if any(people) or (len(lines) > 1 and are_all_names(_NOTE.sub("", lines[-1]))) else " "
    return tuple(replace(run, text=run.text.replace(SOFT_BREAK, end)) for run in runs)


def _without_number(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """An entry without its leading "[12]" or "3."."""
    index = next((index for index, run in enumerate(runs) if run.text.strip()), 0)
    numbered = _NUMBERED.match(runs[index].text) if runs else None
    if numbered is None:
        return runs
    return (*runs[:index], replace(runs[index], text=runs[index].text[numbered.end() :]), *runs[index + 1 :])


def _is_numbering(text: str) -> bool:
    return bool(re.fullmatch(r"\W*(?:\d{1,4}|[A-Z]{1,2}\d{1,3})\W*", text) or VENUE.fullmatch(text))


def _joined(lines: list[list[Run]]) -> tuple[Run, ...]:
    return tuple(part for index, line in enumerate(lines) for part in (([Run("\n")] if index else []) + line))
