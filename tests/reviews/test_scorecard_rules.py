"""Until when scorecards can be written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from portal.applications.states import CHOICE_LABELS, OPEN_CHOICE
from portal.models import Application, Choice, Cycle
from portal.models.admission import APPLICATION_STATES, CHOICE_STATES
from portal.reviews.scorecards.rules import why_not_score

CLOSED = "Fall 2027 is closed; its scorecards can no longer be changed."
NOT_OPEN = "This application is not open any more; its scorecards can no longer be changed."


def choice(state: str = "in_review", application: str = "eligible", *, closed: bool = False) -> Choice:
    cycle = Cycle(name="Fall 2027", closed_at=datetime(2027, 3, 1, tzinfo=UTC) if closed else None)
    return Choice(state=state, application=Application(state=application, cycle=cycle))


@pytest.mark.parametrize("state", CHOICE_STATES)
def test_cards_are_written_while_the_lab_has_not_decided(state: str) -> None:
    decided = f"This application is “{CHOICE_LABELS[state]}”; its scorecards can no longer be changed."
    assert why_not_score(choice(state)) == (None if state in OPEN_CHOICE else decided)
    assert why_not_score(choice(state, closed=True)) == CLOSED


@pytest.mark.parametrize("state", APPLICATION_STATES)
def test_cards_are_written_on_eligible_applications_alone(state: str) -> None:
    assert why_not_score(choice(application=state)) == (None if state == "eligible" else NOT_OPEN)
