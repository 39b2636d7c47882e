"""`portal concepts`: check a concept file, entry by entry."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
from flask import current_app
from flask.cli import with_appcontext

from portal.config import settings_of
from portal.labs.commands.console import profiles_at_hand
from portal.labs.lab_docs import lab_doc
from portal.matching import Concept, ConceptError, read_concepts
from portal.matching.language.abbreviations import long_keys
from portal.matching.language.terms import keys, terms
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.matching import LabDoc

ENTRY = re.compile(r"^[ \t]*\[\[[ \t]*concept[ \t]*\]\]", re.MULTILINE)
_WITHIN_ENTRY = re.compile(r"^concept 1(?: is|:) ?")


class Entry(NamedTuple):
    """An entry of the file, and the line it begins in."""

    line: int
    concept: Concept


@click.command("concepts")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@with_appcontext
def concepts(file: Path | None) -> None:
    """Check a concept file.

    Without FILE, the one in use. Lists the entries that cannot be used, such as those without a reason; phrases that
    stand twice; and terms that no lab uses, which have no effect. Ends with 1 if the portal would refuse the file.
    """
    path = file or settings_of(current_app).concepts
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{path} cannot be read: {error}") from None
    entries, refusals = read_entries(text)
    unused = unused_terms(entries, map(lab_doc, profiles_at_hand()))
    for line in (*refusals, *repeated_phrases(entries), *unused):
        click.echo(line)
    if refusals:
        sys.exit(1)
    phrases = sum(len(entry.concept.phrases) for entry in entries)
    click.echo(f"{path}: {counted(len(entries), 'concept', 'concepts')} with {counted(phrases, 'phrase', 'phrases')}.")


def read_entries(text: str) -> tuple[list[Entry], list[str]]:
    """The usable entries of a file, and what is wrong with the others, or with the file as a whole.

    Each entry is read by itself, so that one bad entry does not hide the others.
    """
    starts = [match.start() for match in ENTRY.finditer(text)]
    entries: list[Entry] = []
    refusals: list[str] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        line = text.count("\n", 0, start) + 1
        try:
            entries += [Entry(line, concept) for concept in read_concepts(text[start:end])]
        except ConceptError as error:
            refusals.append(f"line {line}: {_WITHIN_ENTRY.sub('', str(error))}")
    if not refusals:
        try:
            read_concepts(text)
        except ConceptError as error:
            refusals.append(str(error))
    return entries, refusals


def repeated_phrases(entries: Iterable[Entry]) -> Iterator[str]:
    """The phrases that stand twice in any inflection: a query with one gets the terms of both entries."""
    lines: dict[tuple[str, ...], int] = {}
    for entry in entries:
        for phrase in entry.concept.phrases:
            if (words := long_keys(phrase)) in lines:
                yield f"line {entry.line}: “{phrase}” stands in the entry of line {lines[words]} already"
            lines[words] = entry.line


def unused_terms(entries: Iterable[Entry], labs: Iterable[LabDoc]) -> Iterator[str]:
    """The terms that no lab uses, entry by entry."""
    used = set(keys(text for lab in labs for text in _texts(lab)))
    for entry in entries:
        unused = [term for term in entry.concept.terms if not _is_used(term, used)]
        if unused:
            yield f"line {entry.line}: no lab uses {', '.join(f'“{term}”' for term in unused)}"


def _texts(lab: LabDoc) -> Iterator[str]:
    yield lab.profile
    for work in lab.works:
        yield from (work.title, work.abstract, *work.systems)


def _is_used(phrase: str, used: set[str]) -> bool:
    """Whether all word pairs of a phrase, or its single word, are among the keys that labs use."""
    occurrences = list(terms(phrase))
    pairs = [term.key for term in occurrences if term.kind == "pair"]
    return used.issuperset(pairs or [term.key for term in occurrences if term.kind == "word"])
