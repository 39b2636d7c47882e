"""`portal read-resume`: what a person who uploads a file would be asked to confirm, in the terminal or as JSON."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from portal.documents.extraction import extract
from portal.documents.limits import Slots
from portal.documents.refusals import Busy, ReaderFailed, RefusedDocument

if TYPE_CHECKING:
    from portal.documents.extracted import Extracted


@click.command("read-resume")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Answer with JSON.")
def read_resume(file: Path, *, as_json: bool) -> None:
    """Print what is read from a resume.

    That is what a person who uploads it would confirm: its text, hidden text and warnings, or why it is refused. A
    file that is refused ends the command with status 1.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            extracted = extract(file.read_bytes(), slots=Slots(Path(folder), count=1))
        except RefusedDocument as refusal:
            if not as_json:
                raise click.ClickException(f"{refusal.message} ({refusal.reason})") from None
            click.echo(json.dumps({"refused": refusal.reason, "message": refusal.message}, ensure_ascii=False))
            raise SystemExit(1) from None
        except (Busy, ReaderFailed) as failure:
            raise click.ClickException(f"{file} cannot be read on this machine: {failure}") from None
    click.echo(json.dumps(_as_data(extracted), ensure_ascii=False) if as_json else _in_words(extracted))


def _as_data(extracted: Extracted) -> dict[str, Any]:
    return {
        "kind": extracted.kind,
        "pages": extracted.pages,
        "text": extracted.text,
        "hidden_text": extracted.hidden,
        "warnings": [{"warning": notice, "sentence": notice.sentence} for notice in extracted.warnings],
    }


def _in_words(extracted: Extracted) -> str:
    pages = f", {extracted.pages} pages" if extracted.pages else ""
    parts = [extracted.text, f"({extracted.kind.label}{pages})"]
    if extracted.hidden:
        parts.append(f"Hidden text:\n{extracted.hidden}")
    parts += [f"Warning: {notice.sentence}" for notice in extracted.warnings]
    return "\n\n".join(parts)
