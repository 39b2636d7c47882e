"""`portal rank`: the labs ranked for a text, in the terminal or as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from flask import current_app
from flask.cli import with_appcontext

from portal.documents.extraction import extract
from portal.documents.refusals import Busy, ReaderFailed, RefusedDocument
from portal.documents.slots import Slots
from portal.labs.commands.input import STANDARD_INPUT, labs_at_hand, opened
from portal.labs.matches.views import LabMatch, matches_for
from portal.matching import Query, Topic
from portal.web.extensions import settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator


NOTHING_FITS = "No lab fits this. Try other words for the topic, or say more about what you want to work on."


@click.command("rank")
@click.argument("text")
@click.option("--json", "as_json", is_flag=True, help="Answer with JSON, a line for each query.")
@click.option(
    "--resume",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A resume (PDF, DOCX or text) to rank by as well.",
)
@click.option("-k", "most", type=click.IntRange(min=1), help="How many labs to show; unless given, all that fit.")
@with_appcontext
def rank(text: str, *, as_json: bool, resume: Path | None, most: int | None) -> None:
    """Rank the labs for a text.

    With - as TEXT, each line of standard input is ranked.

    If the database has no labs yet, those of the seed pages are ranked.
    """
    resume_text = _read_resume(resume) if resume else ""
    labs = labs_at_hand()
    for query_text in _queries(text):
        matches = matches_for(labs, Query(topics=(Topic(query_text),), resume=resume_text), most)
        if not matches:
            click.echo(NOTHING_FITS, err=True)
        if as_json:
            click.echo(json.dumps([as_data(match) for match in matches], ensure_ascii=False))
            sys.stdout.flush()
        else:
            for match in matches:
                click.echo(_in_words(match))


def as_data(match: LabMatch) -> dict[str, Any]:
    """A match as JSON-serialisable data, as `portal rank --json` prints it."""
    return {
        "lab": match.slug,
        "name": match.name,
        "score": match.score,
        "terms": [{"term": term.term, "share": term.share, "source": term.source} for term in match.terms],
        "evidence": [
            {
                "work": item.work_key,
                "title": item.title,
                "score": item.score,
                "sentence": item.sentence,
                "systems": list(item.systems),
            }
            for item in match.evidence
        ],
    }


def _queries(text: str) -> Iterator[str]:
    if text != STANDARD_INPUT:
        yield text
        return
    # Invalid UTF-8 is replaced rather than raising: it must not end a long run of queries.
    with opened(text) as lines:
        for line in lines:
            yield line.decode("utf-8", errors="replace").rstrip("\r\n")


def _read_resume(path: Path) -> str:
    settings = settings_of(current_app)
    if path.stat().st_size > settings.upload_bytes:
        raise click.ClickException(f"{path} is larger than {settings.upload_mb} MB, the most that is read.")
    slots = Slots(settings.instance / "slots", settings.extraction_slots)
    try:
        return extract(path.read_bytes(), slots=slots).text
    except (RefusedDocument, Busy) as refusal:
        raise click.ClickException(f"{path}: {refusal.message}") from None
    except ReaderFailed as failure:
        raise click.ClickException(f"{path} cannot be read on this machine: {failure}") from None


def _in_words(match: LabMatch) -> str:
    lines = [f"{match.position}. {match.name}  ({match.slug}, score {match.score:.3f})"]
    if match.terms:
        lines.append("   terms: " + ", ".join(f"{term.term} {term.share:.3f}" for term in match.terms[:8]))
    for item in match.evidence[:2]:
        when = f" ({item.year})" if item.year else ""
        lines.append(f"   {item.title}{when}: {item.sentence}")
    if match.profile and (match.profile.adds or not match.evidence):
        lines.append(f"   From the lab’s profile: {match.profile.sentence}")
    return "\n".join(lines)
