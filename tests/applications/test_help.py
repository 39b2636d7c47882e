"""The table of moves as people see it, drawn and listed in the docs, and the help for applicants."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, get_args
from xml.etree import ElementTree as ET

import pytest

from portal.applications.states import LABELS, MOVES, OPEN_CHOICE, Subject

if TYPE_CHECKING:
    from flask.testing import FlaskClient

DOCS = Path(__file__).parents[2] / "docs"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("subject", get_args(Subject))
def test_every_state_and_every_move_is_drawn_and_listed(subject: Subject) -> None:
    texts = [text.text or "" for text in ET.parse(DOCS / f"states-{subject}.svg").iter(f"{SVG}text")]  # noqa: S314 - our own
    words = " ".join(texts)
    assert [label for label in LABELS[subject].values() if label not in words] == []
    moves = list(enumerate((move for move in MOVES if move.subject == subject), start=1))
    said = {n for n, move in moves if move.target is None or (subject == "choice" and move.sources == OPEN_CHOICE)}
    drawn = {int(number) for text in texts for number in re.findall(r"\b\d+\b", text)}
    assert drawn == {number for number, _ in moves} - said
    table = (
        (DOCS / "states.md")
        .read_text(encoding="utf-8")
        .partition(f"## Moves of a{'n' * (subject == 'application')} {subject}\n")[2]
    )
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \|", table.partition("\n## ")[0], re.MULTILINE)
    assert [(int(number), label) for number, label, _ in rows] == [(number, move.label) for number, move in moves]
    for (_, move), (_, _, sources) in zip(moves, rows, strict=True):
        named = {state for state, label in LABELS[subject].items() if label in sources.split(", ")}
        assert (OPEN_CHOICE if sources == "every open state" else named) == move.sources, move.name


def test_everybody_can_read_the_help(client: FlaskClient) -> None:
    page = client.get("/help/")
    assert (page.status_code, page.text.count("<h1>")) == (200, 1)
    for told in ("Five steps", "Who reads what", "How the ranking works", "letters of reference", "reads blind"):
        assert told in page.text
