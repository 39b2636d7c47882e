"""Blocks of a section about people → blocks with one person each, below headings that say what they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.seeding.headings import classify, names_people
from portal.seeding.names import looks_like_name, plain_name
from portal.seeding.page_blocks import Block, Run, flat, lines_of, part_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LABEL = re.compile(r"\s*([^:：\n]{2,60})[:：]\s*(?=\S)")
_BETWEEN_PEOPLE = re.compile(r"[(（]|[)）]|[,;，、；]\s{0,3}(?:(?:and\b|&)\s{0,3})?|\sand\s")
_REMARK = re.compile(r"\s*[(（].*$", re.DOTALL)
_WHICH = re.compile(r"current|present|former|past|graduated|incoming", re.IGNORECASE)
_WORDS_OF_A_LABEL = 5
_LONGEST_LIST = 3000
_LONGEST_BUTTON = 3
_MOST_BELOW = 12
_SEVERAL = 3


def with_people_apart(blocks: Sequence[Block]) -> list[Block]:
    """The blocks; in sections about people with one entry for each person who has a heading, a line or a place in a
    list of names.
    """
    return list(_with_labels(list(_with_named_headings(blocks))))


def _with_named_headings(blocks: Sequence[Block]) -> Iterator[Block]:
    """Names that are headings inside a section about people, joined with what stands below them."""
    section = 0
    index = 0
    while index < len(blocks):
        block = blocks[index]
        index += 1
        if block.kind != "heading":
            yield block
            continue
        name = _without_buttons(block.runs)
        if section and block.level > section and is_person(flat(name)):
            below = index
            while below < len(blocks) and blocks[below].kind != "heading" and below - index < _MOST_BELOW:
                below += 1
            texts = [other for other in blocks[index:below] if not other.is_linked]
            yield Block("entry", block.line, (*name, *(run for other in texts for run in (Run("\n"), *other.runs))))
            index = below
            continue
        if names_people(block.flat.strip(" :")):
            section = min(section, block.level) if section and block.level > section else block.level
        elif block.level <= section:
            section = 0
        yield block


def _without_buttons(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """A name without the letters beside it that are links ("Ann Lee [S] [G]")."""
    rest = tuple(run for run in runs if not run.href or len(run.text.strip("[]() ")) > _LONGEST_BUTTON)
    return rest if flat(rest) else runs


def _with_labels(blocks: Sequence[Block]) -> Iterator[Block]:
    """Paragraphs "Ph.D. Students: A. Lee (2021), B. Kim" as headings and entries, and lists of names as entries."""
    is_members = False
    for block in blocks:
        if block.kind == "heading":
            topic = classify(block.flat.strip(" :"))
            is_members = topic.kind == "members" if topic is not None else is_members and block.level >= _SEVERAL
        if block.kind == "heading" or block.is_row or not is_members or len(block.flat) > _LONGEST_LIST:
            yield block
            continue
        label = _LABEL.match("".join(run.text for run in block.runs))
        if label and _says_which(label[1].strip()):
            people = _people(part_of(block.runs, label.end()), at_least=1)
            if people:
                yield Block("heading", block.line, (Run(label[1].strip(), strong=True),), level=6)
                yield from (Block("entry", block.line, person) for person in people)
                continue
        people = _people(block.runs, at_least=2) if block.kind == "paragraph" else []
        if people:
            yield from (Block("entry", block.line, person) for person in people)
        else:
            yield block


def _says_which(label: str) -> bool:
    """Whether a label says what the people behind it are ("Ph.D. Students", "Current")."""
    is_role = names_people(label) is not None
    return len(label.split()) <= _WORDS_OF_A_LABEL and (is_role or bool(_WHICH.fullmatch(label)))


def _people(runs: tuple[Run, ...], *, at_least: int) -> list[tuple[Run, ...]]:
    """The people of a paragraph, if it is a list of names, each perhaps with a remark in brackets, else none."""
    lines = [tuple(line) for line in lines_of(runs) if flat(line)]
    if len(lines) > 1:
        return lines if all(is_person(_REMARK.sub("", flat(line))) for line in lines) else []
    people: list[tuple[Run, ...]] = []
    for line in lines:
        text = "".join(run.text for run in line)
        people += [part for start, end in _places(text) if flat(part := part_of(line, start, end))]
    names = [_REMARK.sub("", flat(person)) for person in people]
    remarked = all(_REMARK.search(flat(person)) for person in people)
    several = len(names) >= _SEVERAL or " and " in flat(runs) or at_least == 1 or remarked
    sure = sum(map(is_person, names))
    return people if sure >= at_least and several and sure * 3 >= len(names) * 2 else []


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Where the parts of a list stand, between its separators outside brackets."""
    start = depth = 0
    for mark in _BETWEEN_PEOPLE.finditer(text):
        if mark[0] in "(（)）":
            depth = max(0, depth + (1 if mark[0] in "(（" else -1))
        elif not depth:
            yield start, mark.start()
            start = mark.end()
    yield start, len(text)


def is_person(text: str) -> bool:
    """Whether a text is a person's name, perhaps with a remark in brackets behind it, and no heading."""
    name = plain_name(_REMARK.sub("", text.strip()))
    return looks_like_name(name) and classify(name) is None
