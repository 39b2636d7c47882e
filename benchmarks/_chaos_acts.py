"""What people do while the portal is killed, each once and over HTTP, and whether the portal acknowledged it."""

from __future__ import annotations

import hashlib
import http.client
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sqlalchemy import func, select

from benchmarks._rush import LEAST_FAULT, fields_of, filled, form_with, sign_in
from portal.db import db
from portal.models import (
    Application,
    Decision,
    InterviewSlot,
    MoveRecord,
    OutboxMail,
    Release,
    ReleaseItem,
    Resume,
    Scorecard,
    Submission,
)
from tests.people import PASSWORD

if TYPE_CHECKING:
    from benchmarks._rush import Answer, Browser

OK, FOUND = http.client.OK, http.client.FOUND
POINTS = {"fit": "4", "potential": "3", "preparation": "5", "writing": "2", "confidence": "2"}


@dataclass
class Act(ABC):
    """Something that one person does once. `acknowledged` says that the answer told of its success."""

    browser: Browser
    email: str
    acknowledged: bool = False
    kind: ClassVar[str] = ""

    def sign_in(self) -> bool:
        """Sign in; whether that went well."""
        return sign_in(self.browser, self.email, PASSWORD) < LEAST_FAULT

    def do(self) -> None:
        """Do it, until an answer is missing or refuses, or the form is gone because it was done already."""
        try:
            self.acknowledged = self._is_done()
        except StopIteration:
            self.acknowledged = False
        self.browser.close()

    @abstractmethod
    def _is_done(self) -> bool:
        """Do it; whether the portal says that it is done."""

    @abstractmethod
    def times_stored(self) -> int:
        """How often it is found in the database, in a context of the application: 0, 1, or more, which is a fault;
        -1 for half of it.
        """


@dataclass
class Submit(Act):
    """An applicant submits a draft."""

    application_id: int = 0
    cycle: str = ""
    kind: ClassVar[str] = "submissions"

    def _is_done(self) -> bool:
        path = f"/me/application/{self.cycle}/submit"
        page = self.browser.request("page before submitting", path)
        if page.status != OK:
            return False
        return self.browser.request("submit", path, filled(page.text, "after")).status == FOUND

    def times_stored(self) -> int:
        application = db.session.get_one(Application, self.application_id)
        rows = _count(Submission.application_id == self.application_id)
        moves = _count(MoveRecord.application_id == self.application_id, MoveRecord.move == "submit")
        whole = (application.submissions, application.state == "submitted") == (rows, rows > 0) and moves == rows
        return rows if whole else -1


@dataclass
class Upload(Act):
    """An applicant uploads a resume in place of the one there is."""

    user_id: int = 0
    kind: ClassVar[str] = "uploads"

    @property
    def text(self) -> str:
        """What is in the file."""
        return f"I built a scheduler for graphics processors. This file is of {self.email}.\n"

    def _is_done(self) -> bool:
        page = self.browser.request("resume", "/me/resume")
        if page.status != OK:
            return False
        form = [(name, value) for name, value in fields_of(form_with(page.text, "resume")) if name != "resume"]
        return self.browser.request("upload", "/me/resume", form, file=("resume", self.text)).status == FOUND

    def times_stored(self) -> int:
        digest = hashlib.sha256(self.text.encode()).hexdigest()
        return _count(Resume.user_id == self.user_id, Resume.sha256 == digest, Resume.storage_key != "")


@dataclass
class Lock(Act):
    """A reviewer fills in a scorecard, and locks it."""

    choice_id: int = 0
    path: str = ""
    reviewer_id: int = 0
    kind: ClassVar[str] = "scorecards"

    def _is_done(self) -> bool:
        page = self.browser.request("applicant", self.path)
        if page.status != OK:
            return False
        form = form_with(page.text, "version")
        sent = filled(page.text, "version", **POINTS, then="lock")
        answer: Answer = self.browser.request("lock", str(form.action).partition("?")[0], sent)
        return answer.status == FOUND and self.browser.request("locked", self.path).status == OK

    def times_stored(self) -> int:
        mine = (Scorecard.choice_id == self.choice_id, Scorecard.reviewer_id == self.reviewer_id)
        cards = db.session.scalars(select(Scorecard).where(*mine)).all()
        locked = [card for card in cards if card.locked_at is not None]
        whole = all(str(getattr(card, name)) == points for card in locked for name, points in POINTS.items())
        return len(locked) if whole else -1


@dataclass
class Pick(Act):
    """An applicant picks a time for an interview."""

    choice_id: int = 0
    cycle: str = ""
    kind: ClassVar[str] = "times picked"

    def _is_done(self) -> bool:
        path = f"/me/application/{self.cycle}/interview"
        page = self.browser.request("times", path)
        if page.status != OK:
            return False
        form = form_with(page.text, "slot")
        times = form.xpath(".//input[@name='slot']/@value")
        mine = str(times[self.choice_id % len(times)])
        return self.browser.request("pick", path, filled(page.text, "slot", slot=mine)).status == FOUND

    def times_stored(self) -> int:
        return _count(InterviewSlot.choice_id == self.choice_id, InterviewSlot.picked_at.is_not(None))


@dataclass
class Approve(Act):
    """An administrator approves a release, which the portal then carries out."""

    release_id: int = 0
    kind: ClassVar[str] = "releases"

    def _is_done(self) -> bool:
        path = f"/admin/releases/{self.release_id}"
        page = self.browser.request("release", path)
        if page.status != OK:
            return False
        form = [(name, value) for name, value in fields_of(form_with(page.text, "csrf_token")) if name == "csrf_token"]
        return self.browser.request("approve", f"{path}/approve", form).status == FOUND

    def times_stored(self) -> int:
        release = db.session.get_one(Release, self.release_id)
        if release.state == "prepared":
            return 0
        decisions = db.session.scalars(
            select(Decision).join(ReleaseItem).where(ReleaseItem.release_id == self.release_id)
        ).all()
        people = [decision.choice.application.applicant_id for decision in decisions]
        told = [_count(OutboxMail.kind == "decision_released", OutboxMail.user_id == person) for person in people]
        whole = release.state == "done" and all(decision.released_at for decision in decisions)
        return max(told) if whole and min(told) > 0 else -1


def _count(*conditions: object) -> int:
    return db.session.scalar(select(func.count()).where(*conditions)) or 0  # type: ignore[arg-type]  # of columns
