"""`portal concepts`: check a concept file, entry by entry."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click
from flask import current_app
from flask.cli import with_appcontext

from portal.config import settings_of
from portal.matching import Concept, ConceptError, read_concepts
from portal.web.templating import counted

ENTRY = re.compile(r"^[ \t]*\[\[[ \t]*concept[ \t]*\]\]", re.MULTILINE)
_WITHIN_ENTRY = re.compile(r"^concept 1(?: is|:) ?")


@click.command("concepts")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@with_appcontext
def concepts(file: Path | None) -> None:
    """Check a concept file.

    Without FILE, the one in use. Lists the entries that cannot be used, such as those without a reason. Ends with 1 if
    the portal would refuse the file.
    """
    path = file or settings_of(current_app).concepts
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{path} cannot be read: {error}") from None
    usable, refusals = read_entries(text)
    for line in refusals:
        click.echo(line)
    if refusals:
        sys.exit(1)
    phrases = sum(len(concept.phrases) for concept in usable)
    click.echo(f"{path}: {counted(len(usable), 'concept', 'concepts')} with {counted(phrases, 'phrase', 'phrases')}.")


def read_entries(text: str) -> tuple[list[Concept], list[str]]:
    """The usable entries of a file, and what is wrong with the others, or with the file as a whole.

    Each entry is read by itself, so that one bad entry does not hide the others.
    """
    starts = [match.start() for match in ENTRY.finditer(text)]
    usable: list[Concept] = []
    refusals: list[str] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        line = text.count("\n", 0, start) + 1
        try:
            usable += read_concepts(text[start:end])
        except ConceptError as error:
            refusals.append(f"line {line}: {_WITHIN_ENTRY.sub('', str(error))}")
    if not refusals:
        try:
            read_concepts(text)
        except ConceptError as error:
            refusals.append(str(error))
    return usable, refusals
