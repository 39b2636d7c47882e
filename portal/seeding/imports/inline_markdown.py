"""Runs of text → inline Markdown with all characters escaped."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from portal.seeding.citation_titles import LINK_LABELS
from portal.seeding.headings import classify
from portal.seeding.imports.blocks import NOWHERE, Block, Run, lines_of
from portal.seeding.imports.heading_words import in_english
from portal.seeding.names import looks_like_name, split_authors

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBERED = re.compile(r"\s*(?:\[\s*[A-Za-z]{0,3}\d{1,4}\s*\]|\(\s*\d{1,3}\s*\)|[A-Z]{0,2}\d{1,3}[.)](?=\s))\s*")
# "1." with formatting of its own, as in lists by Word.
_NUMBER_ALONE = re.compile(r"\s*[\[(]?\d{1,3}[.)\]]\s*")
_SPECIAL = re.compile(r"[\\`*_\[\]<>&~|!]")
_BRACES = str.maketrans({"{": "&#123;", "}": "&#125;"})
_LINE_START = re.compile(r"^(\s*)([#+=>-]|\d{1,9}(?=[.)]))")
_LINE_NUMBER = re.compile(r"^(\s*\d{1,9})([.)])")
_ADDRESS_LENGTH = 1000
_LONGEST_NAMES = 500
_SHORT_LINE = 70
_WORDS_OF_A_LINE = 3
_WORDS_OF_A_HEADING = 4
_SHORT_ENTRY = 40
_SEVERAL = 3
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_BUTTONS = frozenset(("cite", "cited", "citation", "copy", "share", "more", "details", "reprint", "ps"))


def parts_of(block: Block) -> list[Block]:
    """A paragraph, split at bold lines that are headings ("Publications:")."""
    if block.kind != "paragraph" or not any("\n" in run.text for run in block.runs):
        return [block]
    parts: list[Block] = []
    runs: list[Run] = []
    for line in lines_of(block.runs):
        text = " ".join("".join(run.text for run in line).split())
        if _is_bold_heading(line, text):
            parts += [replace(block, runs=tuple(runs))] if any(run.text.strip() for run in runs) else []
            parts.append(Block("heading", block.line, tuple(line)))
            runs = []
        else:
            runs += [*([Run("\n")] if runs else []), *line]
    if any(run.text.strip() for run in runs):
        parts.append(replace(block, runs=tuple(runs)))
    return parts if len(parts) > 1 else [block]


def _is_bold_heading(line: list[Run], text: str) -> bool:
    is_bold = all(run.strong or not run.text.strip() for run in line)
    is_known = classify(in_english(text.strip(" :"))) is not None
    return is_bold and len(text.split()) <= _WORDS_OF_A_HEADING and (is_known or (text.endswith(":") and len(text) > 1))


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


def without_number(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """An entry without its leading "[12]" or "3."."""
    for index, run in enumerate(runs):
        if run.text.strip():
            numbered = _NUMBERED.match(run.text) or _NUMBER_ALONE.fullmatch(run.text)
            text = run.text[numbered.end() :] if numbered else run.text
            return (*runs[:index], Run(text, run.strong, run.emphasis, run.href), *runs[index + 1 :])
    return runs


def are_buttons(text: str) -> bool:
    """Whether a text consists of link labels only: "PDF", "Cite", "project page"."""
    flat = " ".join(text.split())
    return bool(LINK_LABELS.match(flat)) or all(
        word.casefold() in _BUTTONS or LINK_LABELS.match(word) for word in re.findall(r"\w+", flat)
    )


def names_before_colon(runs: tuple[Run, ...]) -> tuple[Run, ...]:
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
            return (*runs[:index], Run(f"{head}.{rest}", run.strong, run.emphasis, run.href), *runs[index + 1 :])
        if len(before) > _LONGEST_NAMES:
            return runs
    return runs


def on_one_line(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """Runs with commas in place of line breaks, as in "Ann Lee, Ph.D. student"."""
    lines = [line for line in lines_of(runs) if any(character.isalnum() for run in line for character in run.text)]
    return tuple(run for index, line in enumerate(lines) for run in ([Run(", "), *line] if index else line))


def marked_item(runs: tuple[Run, ...]) -> tuple[str, ...]:
    """An entry of a list, line by line."""
    lines = [text for line in lines_of(runs) if (text := marked_line(_without_buttons(line))).strip()]
    return tuple(f"{'  ' if index else '- '}{text.strip()}" for index, text in enumerate(lines))


def _without_buttons(line: list[Run]) -> list[Run]:
    """A line of links and buttons without those that lead nowhere ("Abs", "Bib")."""
    with_text = [run for run in line if any(character.isalnum() for character in run.text)]
    if not with_text or not all(are_buttons(run.text) for run in with_text):
        return line
    return [part for run in line if run.href not in ("", NOWHERE) for part in (run, Run(" "))]


def marked_line(runs: list[Run]) -> str:
    """Runs as inline Markdown; formatting as HTML tags, which need no surrounding spaces."""
    parts: list[str] = []
    for run in runs:
        text = escaped(run.text)
        if not run.text.strip():
            parts.append(" " if run.text else "")
            continue
        if run.emphasis:
            text = f"<em>{text}</em>"
        if run.strong:
            text = f"<strong>{text}</strong>"
        if run.href not in ("", NOWHERE) and len(run.href) <= _ADDRESS_LENGTH:
            text = f'<a href="{html.escape(run.href.replace(chr(39), "%27"))}">{text}</a>'
        parts.append(text)
    line = "".join(parts).strip()
    line = _LINE_NUMBER.sub(r"\1\\\2", line)
    return _LINE_START.sub(lambda start: start[0] if start[2].isdigit() else f"{start[1]}\\{start[2]}", line)


def escaped(text: str) -> str:
    """A text with its Markdown characters escaped."""
    return _SPECIAL.sub(lambda mark: f"\\{mark[0]}", " ".join(text.split(" "))).translate(_BRACES)


def prose_lines(block: Block) -> list[list[Run]]:
    """The paragraphs of a block: short lines (a rank, a place) joined by commas, long lines separate."""
    groups: list[list[Run]] = []
    was_short = False
    for line in lines_of(block.runs):
        text = "".join(run.text for run in line).strip()
        if not any(character.isalnum() for character in text):
            continue
        is_short = len(text) <= _SHORT_LINE and not text.endswith((".", "!", "?", ":", ",", ";"))
        if groups and was_short and is_short:
            groups[-1] += [Run(", "), *line]
        elif groups and not block.is_weak:
            groups[-1] += [Run(" "), *line]
        else:
            if groups and was_short:
                groups[-1] += _full_stop(groups[-1])
            groups.append(list(line))
        was_short = is_short
    if groups and was_short:
        groups[-1] += _full_stop(groups[-1])
    return groups


def _full_stop(line: list[Run]) -> list[Run]:
    """Ends a line so that it is not read as one sentence with the next."""
    words = "".join(run.text for run in line).split()
    if len(words) < _WORDS_OF_A_LINE or re.search(r"[@/]", words[-1]):
        return []
    while line and not line[-1].text.strip():
        line.pop()
    line[-1] = Run(line[-1].text.rstrip(), line[-1].strong, line[-1].emphasis, line[-1].href)
    return [Run(".")]
