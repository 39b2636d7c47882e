"""The table of moves as people see it: printed, drawn, in the docs and on the help page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from portal.applications.states import LABELS, MOVES, Subject
from portal.applications.states_drawing import PLACES, as_markdown, as_svg, everywhere, numbered

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

DOCS = Path(__file__).parents[2] / "docs"
SUBJECTS: tuple[Subject, ...] = ("application", "choice")


def test_the_docs_hold_the_table_and_the_drawings_as_they_are_printed(app: Flask) -> None:
    printed = app.test_cli_runner().invoke(args=["states"]).output
    assert printed == as_markdown()
    assert (DOCS / "states.md").read_text(encoding="utf-8").endswith(printed)
    for subject in SUBJECTS:
        drawn = app.test_cli_runner().invoke(args=["states", "--svg", subject]).output
        assert (DOCS / f"states-{subject}.svg").read_text(encoding="utf-8") == drawn


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_state_and_every_move_is_drawn_or_said_in_words(subject: Subject) -> None:
    assert set(PLACES[subject]) == set(LABELS[subject])
    texts = [text.text or "" for text in ET.fromstring(as_svg(subject)).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314 - our own
    drawn = {int(number) for text in texts for number in re.findall(r"\b\d+\b", text)}
    said = {number for number, _ in everywhere(subject)}
    assert drawn | said == {number for number, _ in numbered(subject)}
    assert not drawn & said


def test_everybody_can_read_what_happens_to_an_application(client: FlaskClient) -> None:
    page = client.get("/help/states")
    assert page.status_code == 200
    assert [one.label for one in MOVES if one.label not in page.text] == []
    assert page.text.count('<svg class="states"') == 2
