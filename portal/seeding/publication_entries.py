"""Entries of lists of publications in the order and with the marks by which a citation is read."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from portal.seeding.citation_titles import LINK_LABELS, VENUE, leading_people
from portal.seeding.names import are_names, looks_like_name, split_authors
from portal.seeding.page_blocks import SOFT_BREAK, Run, flat, leads_nowhere, lines_of, part_of
from portal.seeding.texts import is_open_address, years

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.seeding.page_blocks import Block

_NUMBERED = re.compile(r"\s*(?:\[\s*[A-Za-z]{0,3}\d{1,4}\s*\]|\(\s*\d{1,3}\s*\)|[A-Z]{0,2}\d{1,3}[.)](?=\s))\s*")
# "1." with formatting of its own, as in lists by Word.
_NUMBER_ALONE = re.compile(r"\s*[\[(]?\d{1,3}[.)\]]\s*")
_NUMBER = re.compile(r"\W*\d{1,4}(?:\s*·\s*\d{1,4})?\W*")
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
# A line that ends within a list of people; a remark on people in brackets.
_GOES_ON = re.compile(r"(?:[,;&]|\band)\s*$")
_NOTE = re.compile(r"\([^()]*\)|\.\s*$")
_BUTTONS = frozenset(("cite", "cited", "citation", "copy", "share", "more", "details", "reprint", "ps"))
_COLUMNS = frozenset(
    ("title", "paper", "publication", "article", "name", "author", "authors", "author(s)", "people", "venue", "journal",
     "conference", "published in", "where", "publisher", "source", "year", "date", "no", "no.", "#", "nr.", "id",
     "link", "links", "pdf", "doi", "code", "url", "download", "type", "citations", "cited by", "award")
)  # fmt: skip
_AROUND_TITLE = ' \n.,“”"'
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_LONGEST = 1500  # characters
_LONGEST_NAMES = 500
_SHORT_ENTRY = 40
_SEVERAL = 3
_WORDS_OF_A_TITLE = 3
_WORDS_OF_A_TITLE_WITH_YEAR = 6
_COLUMNS_OF_A_TABLE = 2


def publication_entry(block: Block, runs: tuple[Run, ...], title_at: int | None) -> tuple[Run, ...]:
    """An entry of a list of publications, or the row of a table, with its title marked if its style marks none."""
    lined = _at_soft_breaks(runs)
    ordered = _row_in_order(lined, title_at) if block.is_row else _without_number(lined)
    listed = _names_before_colon(_with_given_names_first(ordered))
    return without_buttons(_in_known_style(listed))


def entries_in(block: Block) -> Iterator[tuple[Run, ...]]:
    """The entries of a paragraph: lines that all have a year or a number, or parts between blank lines."""
    lines = list(lines_of(block.runs))
    filled = ["".join(run.text for run in line).strip() for line in lines]
    numbered = sum(bool(_NUMBERED.match(text)) for text in filled)
    non_empty = [text for text in filled if text]
    dated = sum(len(text) > _SHORT_ENTRY and bool(_YEAR.search(text)) for text in non_empty)
    each = len(non_empty) >= _SEVERAL and dated * 5 >= len(non_empty) * 4
    current: list[Run] = []
    for line, text in zip(lines, filled, strict=True):
        starts = each or (_NUMBERED.match(text) if numbered > 1 else not text)
        if starts and current:
            yield tuple(current)
            current = []
        if text:
            current += [*([Run("\n")] if current else []), *line]
    if current:
        yield tuple(current)


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
    kept: list[Run] = []
    for line in lines_of(runs):
        with_text = [run for run in line if any(map(str.isalnum, run.text))]
        if with_text and all(are_buttons(run.text) for run in with_text):
            line = [part for run in line if is_open_address(run.href) for part in (run, Run(" "))]  # noqa: PLW2901
        if flat(line):
            kept += [*([Run("\n")] if kept else []), *line]
    return tuple(kept)


def title_column(runs: tuple[Run, ...]) -> int | None:
    """Which of the cells of a header row names the title, if it is that of a table of publications."""
    cells = [cell for line in lines_of(runs) if (cell := flat(line).casefold())]
    at = next((index for index, cell in enumerate(cells) if cell in ("title", "paper", "publication")), None)
    return at if len(cells) >= _COLUMNS_OF_A_TABLE and set(cells) <= _COLUMNS else None


def _at_soft_breaks(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """The runs with line breaks at the line ends of the file, if one of its lines is a whole list of people."""
    lines = "".join(run.text for run in runs).split(SOFT_BREAK)
    people = (line for line in lines[:-1] if not _GOES_ON.search(line) and _are_all_names(_NOTE.sub("", line)))
    end = "\n" if any(people) or (len(lines) > 1 and _are_all_names(_NOTE.sub("", lines[-1]))) else " "
    return tuple(replace(run, text=run.text.replace(SOFT_BREAK, end)) for run in runs)


def _without_number(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """An entry without its leading "[12]" or "3."."""
    for index, run in enumerate(runs):
        if run.text.strip():
            numbered = _NUMBERED.match(run.text) or _NUMBER_ALONE.fullmatch(run.text)
            text = run.text[numbered.end() :] if numbered else run.text
            return (*runs[:index], replace(run, text=text), *runs[index + 1 :])
    return runs


def _names_before_colon(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """An entry "A. One, B. Two: A Title. …" with a full stop after its people."""
    before = ""
    for index, run in enumerate(runs):
        head, colon, rest = run.text.partition(":")
        before += head
        if colon:
            names, _ = split_authors(before)
            # A single name in strong text or a link may as well be a title ("Indexing Without Regret: …").
            is_title = len(names) == 1 and (run.strong or run.emphasis or bool(run.href))
            if not rest[:1].isspace() or is_title or not names or not all(map(looks_like_name, names)):
                return runs
            return (*runs[:index], replace(run, text=f"{head}.{rest}"), *runs[index + 1 :])
        if len(before) > _LONGEST_NAMES:
            return runs
    return runs


def _with_given_names_first(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """The entry with "A. Lee, B. C. Kim." in place of its people; unchanged if these have their given names first."""
    text = "".join(run.text for run in runs)
    found = leading_people(text[:_LONGEST])
    if found is None:
        return runs
    names, end = found
    behind = _BEHIND.match(text, end)
    year = f" ({behind['year'].strip('()')})" if behind and behind["year"] else ""
    return (Run(f"{names}{year}. "), *part_of(runs, behind.end() if behind else end))


def _in_known_style(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """An entry with its title quoted, or with a full stop after its people, if it has neither."""
    runs = tuple(_standing_out(run) for run in runs)
    before = ""
    for index, run in enumerate(runs):
        people = before.rstrip(" ,;:–—|-")
        # What follows a full stop, perhaps the venue, needs no mark for the citation parser.
        if run.emphasis and people and not people.endswith(".") and _is_title(run.text) and _are_all_names(people):
            quoted = Run(f". “{run.text.strip(_AROUND_TITLE)}” ", href=run.href)
            return (*_without_comma(runs[:index]), quoted, *runs[index + 1 :])
        if not (run.strong or run.emphasis or run.href):
            restyled = _restyled(before, run.text)
            if restyled != run.text:
                return (*runs[:index], Run(restyled), *runs[index + 1 :])
        before += run.text
        if len(before) > _LONGEST or "\n" in before.strip():
            break
    return runs


def _standing_out(run: Run) -> Run:
    """A link without a target, which may be the title, as strong text."""
    if not leads_nowhere(run) or len(run.text.split()) < _WORDS_OF_A_TITLE or are_names(run.text):
        return run
    return replace(run, strong=True)


def _are_all_names(text: str) -> bool:
    names, _ = split_authors(text)
    return bool(names) and all(map(looks_like_name, names))


def _without_comma(runs: Sequence[Run]) -> list[Run]:
    """People without the trailing comma."""
    return [*runs[:-1], replace(runs[-1], text=runs[-1].text.rstrip(" ,.;:\n"))]


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
        people = f"{before}{match[1]}" if match else ""
        if match and not re.search(r"[“”\"]", people) and are_names(people.strip(" .,")):
            return pattern.sub(behind, text, count=1)
    return text


def _row_in_order(runs: tuple[Run, ...], title_at: int | None) -> tuple[Run, ...]:
    """The cells of a row that say something, the title first if its column is known, numbers and years last."""
    lines = [line for line in lines_of(runs) if flat(line)]
    title: list[list[Run]] = []
    if title_at is not None and title_at < len(lines):
        cell = lines.pop(title_at)
        title = [[Run(f"“{re.sub('[“”]', '', flat(cell))}”", href=next((run.href for run in cell if run.href), ""))]]
    filled = [line for line in lines if any(map(str.isalnum, flat(line)))]
    ahead = 0
    while ahead < len(filled) - 1 and _is_numbering(flat(filled[ahead])):
        ahead += 1
    return _joined([*title, *filled[ahead:], *filled[:ahead]])


def _is_numbering(text: str) -> bool:
    return bool(re.fullmatch(r"\W*(?:\d{1,4}|[A-Z]{1,2}\d{1,3})\W*", text) or VENUE.fullmatch(text))


def _joined(lines: Sequence[Sequence[Run]]) -> tuple[Run, ...]:
    return tuple(part for index, line in enumerate(lines) for part in (([Run("\n")] if index else []) + list(line)))
