"""The table of moves as people see it: drawn and on the help page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from portal.applications.routes import SUBJECTS, everywhere, numbered
from portal.applications.states import LABELS, MOVES

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from portal.applications.states import Subject

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_state_and_every_move_is_drawn_or_said_in_words(subject: Subject) -> None:
    drawing = ET.parse(ROOT / "templates" / "help" / f"{subject}.svg")  # noqa: S314 - our own
    texts = [text.text or "" for text in drawing.iter(f"{SVG}text")]
    words = " ".join(texts)
    assert [label for label in LABELS[subject].values() if label not in words] == []
    drawn = {int(number) for text in texts for number in re.findall(r"\b\d+\b", text)}
    said = {number for number, _ in everywhere(subject)}
    assert drawn | said == {number for number, _ in numbered(subject)}
    assert not drawn & said


def test_everybody_can_read_what_happens_to_an_application(client: FlaskClient) -> None:
    page = client.get("/help/states")
    assert page.status_code == 200
    assert [move.label for move in MOVES if move.label not in page.text] == []
    assert page.text.count('<svg class="states"') == 2
