"""A lab with its leader, whose board is moved about in tests."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.db import db
from portal.models import Lab
from portal.reviews.board import board_of
from tests.reviews.cards import send

if TYPE_CHECKING:
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from portal.models import Choice
    from tests.admission import Admission
    from tests.people import Person

TICKET = re.compile(r'name="choice" value="(\d+\.[^"]+)"')
_numbers = itertools.count(1)


@dataclass
class Desk:
    """A lab of its own for a test, in an admission that all tests share."""

    admission: Admission
    name: str

    @property
    def address(self) -> str:
        return f"/reviews/{self.name.lower().replace(' ', '-')}"

    @property
    def board(self) -> str:
        return f"{self.address}/board"

    @property
    def leader(self) -> Person:
        return self.admission.leaders[self.name]

    @property
    def reviewer(self) -> Person:
        return self.admission.reviewers[self.name]

    def people(self, *names: str) -> list[Choice]:
        """Applicants of the lab whom the leader reviews."""
        found = []
        for name in names:
            application = self.admission.eligible(self.admission.add_applicant(name), self.name)
            choice = self.admission.choice(application, self.name)
            self.admission.move(choice, "start_review", as_="leader")
            found.append(choice)
        return found

    def columns(self) -> dict[str, list[str]]:
        """The names in each column that has any, as the leader sees them."""
        lab = db.session.get_one(Lab, self.admission.labs[self.name])
        board = board_of(db.session(), lab, self.admission.cycle, self.admission.user(self.leader))
        return {column.key: [card.shown.label for card in column.cards] for column in board.columns if column.cards}

    def post(self, client: FlaskClient, path: str, **data: object) -> TestResponse:
        """Send a form of the board."""
        return send(client, f"{self.board}/{path}", data)  # type: ignore[arg-type]  # lists of values as well

    def do(self, client: FlaskClient, move: str, tickets: list[str], **data: str) -> str:
        """Do a bulk move as its preview would; what is said after it."""
        self.post(client, "do", move=move, choice=tickets, **data)
        return client.get(self.board).text

    def tickets(self, client: FlaskClient, move: str, choices: list[Choice]) -> list[str]:
        """What the preview of a bulk move sends back."""
        page = self.post(client, "preview", move=move, choice=[str(choice.id) for choice in choices]).text
        return TICKET.findall(page)


def new_desk(admission: Admission) -> Desk:
    """A lab that no other test knows."""
    name = f"Lab {next(_numbers)}"
    admission.add_lab(name)
    return Desk(admission, name)
