"""The table of moves as people see it: printed, drawn, in the docs and on the help page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from portal.applications.moves.drawing import PLACES, _on_curve, as_markdown, as_svg, everywhere, numbered
from portal.applications.states import LABELS, MOVES, Subject

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

DOCS = Path(__file__).parents[2] / "docs"
SVG = "{http://www.w3.org/2000/svg}"
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
    texts = [text.text or "" for text in ET.fromstring(as_svg(subject)).iter(f"{SVG}text")]  # noqa: S314 - our own
    drawn = {int(number) for text in texts for number in re.findall(r"\b\d+\b", text)}
    said = {number for number, _ in everywhere(subject)}
    assert drawn | said == {number for number, _ in numbered(subject)}
    assert not drawn & said


def test_everybody_can_read_what_happens_to_an_application(client: FlaskClient) -> None:
    page = client.get("/help/states")
    assert page.status_code == 200
    assert [move.label for move in MOVES if move.label not in page.text] == []
    assert page.text.count('<svg class="states"') == 2


@pytest.mark.parametrize("subject", SUBJECTS)
def test_no_arrow_leads_through_a_state_and_no_numbers_stand_on_others_or_in_a_state(subject: Subject) -> None:
    drawing = ET.fromstring(as_svg(subject))  # noqa: S314 - our own
    boxes = [
        (x, y, x + width, y + height)
        for x, y, width, height in (
            [float(one.get(name, "")) for name in ("x", "y", "width", "height")] for one in drawing.iter(f"{SVG}rect")
        )
    ]
    width, height = (float(part) for part in drawing.get("viewBox", "").split()[2:])
    for arrow in drawing.iter(f"{SVG}path"):
        ends = [float(part) for part in re.findall(r"-?[\d.]+", arrow.get("d", ""))]
        for part in range(1, 40):
            x, y = _on_curve((ends[0], ends[1]), (ends[2], ends[3]), (ends[4], ends[5]), part / 40)
            assert not [box for box in boxes if box[0] < x < box[2] and box[1] < y < box[3]], ends
            assert (0 < x < width, 0 < y < height) == (True, True)
    for label in drawing.iter(f"{SVG}text"):
        if label.get("font-size") == "12":
            x, y, half = float(label.get("x", "")), float(label.get("y", "")), 3.5 * len(label.text or "")
            here = (x - half, y - 10, x + half, y)
            met = [
                box for box in boxes if here[0] < box[2] and box[0] < here[2] and here[1] < box[3] and box[1] < here[3]
            ]
            assert met == [], label.text
            boxes.append(here)
