"""An admission for tests: a cycle, labs with their people, applications that come into any state by legal moves."""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from portal.applications.application.submission import submit
from portal.applications.drafts import save_draft, start_application
from portal.applications.interests.service import Stated, save_interests
from portal.applications.moves.service import perform
from portal.applications.submissions import ChosenLab, Draft
from portal.db import db
from portal.labs.service import create_lab
from portal.matching import Topic
from portal.models import Application, Choice, Cycle, Lab, LabProfessor, Resume, User
from portal.seeding.records import LabRecord, WorkRecord
from tests.people import Person, add_person

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from sqlalchemy.orm import Session

_numbers = itertools.count(1)
ZONE = "Etc/GMT+12"


@dataclass
class Admission:
    """A cycle whose deadline lies `deadline_in` from now, and who takes part in it.

    `now` is the time at which everything is done; move it on with `later`. Rows are read by id in `db.session()` of an
    application context that the test has pushed.
    """

    app: Flask
    cycle_id: int
    now: datetime
    admin: Person
    labs: dict[str, int] = field(default_factory=dict)
    leaders: dict[str, Person] = field(default_factory=dict)
    reviewers: dict[str, Person] = field(default_factory=dict)

    @property
    def session(self) -> Session:
        return db.session()

    @property
    def cycle(self) -> Cycle:
        return self.session.get_one(Cycle, self.cycle_id)

    def later(self, **of_time: float) -> datetime:
        """Let time pass; the time it is then."""
        self.now += timedelta(**of_time)
        return self.now

    def while_open(self) -> datetime:
        """Now, or the last minute before the deadline if it has passed: who comes later in a test was not late."""
        return min(self.now, self.cycle.deadline_at - timedelta(minutes=1))

    def after_deadline(self) -> datetime:
        """Let the deadline pass, if it has not."""
        self.now = max(self.now, self.cycle.deadline_at + timedelta(minutes=1))
        return self.now

    def add_lab(self, name: str, topic: str = "Serving language models on GPUs") -> Lab:
        """A lab with a leader and a reviewer."""
        slug = name.lower().replace(" ", "-")
        record = LabRecord(
            key=slug, name=name, leader=f"Leader of {name}", interests=topic, works=(WorkRecord("w1", topic),)
        )
        lab = create_lab(self.session, record, author=None, reason="for a test", now=self.now)
        self.session.commit()
        self.labs[name] = lab.id
        self.leaders[name] = add_person(self.app, "professor", name=f"Leader {name}")
        self.reviewers[name] = add_person(self.app, "professor", name=f"Reviewer {name}")
        self.session.add_all(
            [
                LabProfessor(lab_id=lab.id, user_id=self.leaders[name].id, position="leader"),
                LabProfessor(lab_id=lab.id, user_id=self.reviewers[name].id, position="reviewer"),
            ]
        )
        self.session.commit()
        return lab

    def add_applicant(self, name: str = "", *, topics: tuple[str, ...] = ("language models on GPUs",)) -> Person:
        """An applicant with interests and a confirmed resume, ready to apply."""
        number = next(_numbers)
        person = add_person(self.app, "applicant", name=name or f"Applicant {number}")
        user = self.user(person)
        stated = Stated(topics=tuple(Topic(topic) for topic in topics))
        save_interests(self.session, user, stated, base=0, now=self.now)
        self.session.add(
            Resume(
                user_id=user.id,
                kind="pasted",
                text=f"I built a serving system, number {number}.",
                sha256=f"{number:064d}",
                uploaded_at=self.now,
                confirmed_at=self.now,
            )
        )
        self.session.commit()
        return person

    def draft(self, person: Person, *labs: str, reason: str = "Your work is what I want to do.") -> Application:
        """A complete draft with these labs in this order."""
        now = self.while_open()
        application = start_application(self.session, self.user(person), self.cycle, now=now)
        chosen = tuple(ChosenLab(self.labs[lab], reason) for lab in labs)
        answers = {question["key"]: "An answer." for question in self.cycle.questions}
        save_draft(self.session, application, Draft(chosen, answers), base=application.version, now=now)
        self.session.commit()
        return application

    def submitted(self, person: Person, *labs: str) -> Application:
        """A submitted application."""
        application = self.draft(person, *labs)
        submit(self.session, None, application, actor=self.user(person), now=self.while_open())
        self.session.commit()
        return application

    def eligible(self, person: Person, *labs: str) -> Application:
        """An application that was found eligible after the deadline."""
        application = self.submitted(person, *labs)
        self.after_deadline()
        self.one_move(application, "mark_eligible", "admin")
        return application

    def choice(self, application: Application, lab: str) -> Choice:
        """The choice of a lab in an application."""
        return next(choice for choice in application.choices if choice.lab_id == self.labs[lab])

    def move(self, subject: Application | Choice, *names: str, as_: str, message: str = "") -> None:
        """Make moves one after the other."""
        for name in names:
            self.one_move(subject, name, as_, message=message)

    def one_move(self, subject: Application | Choice, name: str, as_: str, *, message: str = "") -> None:
        """Make one move as "applicant", "leader", "reviewer", "admin", "clock" or "system". Commits."""
        application = subject.application if isinstance(subject, Choice) else subject
        actor: User | None = None
        if as_ == "admin":
            actor = self.user(self.admin)
        elif as_ == "applicant":
            actor = application.applicant
        elif as_ in {"leader", "reviewer"} and isinstance(subject, Choice):
            lab = next(key for key, value in self.labs.items() if value == subject.lab_id)
            actor = self.user((self.leaders if as_ == "leader" else self.reviewers)[lab])
        perform(
            self.session,
            name,
            subject,
            actor=actor,
            capacity=as_,  # type: ignore[arg-type]  # one of the capacities
            now=self.now,
            message=message or "A sentence that says why.",
        )
        self.session.commit()

    def user(self, person: Person) -> User:
        """The row of a person."""
        return self.session.get_one(User, person.id)


def add_admission(
    app: Flask, *, deadline_in: timedelta = timedelta(days=30), now: datetime | None = None, **cycle: object
) -> Admission:
    """A cycle that opened yesterday, with an administrator and no lab. Needs an application context."""
    now = now or datetime.now(UTC).replace(microsecond=0)
    number = next(_numbers)
    values: dict[str, object] = {
        "slug": f"fall-{number}",
        "name": f"Fall {2000 + number}",
        "zone": ZONE,
        "opens_at": now - timedelta(days=1),
        "deadline_at": now + deadline_in,
        "reply_by_at": now + deadline_in + timedelta(days=60),
        "created_at": now,
    }
    row = Cycle(**(values | cycle))
    db.session.add(row)
    db.session.commit()
    return Admission(app, row.id, now, add_person(app, "admin"))


@contextmanager
def admission_of(app: Flask, *labs: str, **values: Any) -> Iterator[Admission]:  # noqa: ANN401  (as of `add_admission`)
    """An admission with these labs, in a context of the application that lasts as long as the test."""
    with app.app_context():
        made = add_admission(app, **values)
        for lab in labs:
            made.add_lab(lab)
        yield made
        db.session.remove()
