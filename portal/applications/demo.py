"""The demo's admission, from seeds/demo_admission.toml: cycles, applications, and what became of them.

Everything goes through the services that the pages use, at times before the demo was started, so that states, timelines
and match records are those that people would have produced.
"""

from __future__ import annotations

import tomllib
from datetime import datetime, timedelta
from heapq import merge
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from portal.applications.application.submission import submit
from portal.applications.cycles import cycle_by_slug
from portal.applications.drafts import save_draft, start_application
from portal.applications.interests.service import Stated, interests_of, resume_of, save_interests
from portal.applications.moves.service import perform
from portal.applications.resume import confirm_resume, keep_resume
from portal.applications.sharing import share_with_lab
from portal.applications.submissions import ChosenLab, Draft
from portal.documents.extraction import pasted
from portal.labs.queries import lab_by_slug
from portal.matching import Topic
from portal.models import Choice, Cycle, Lab, LabIntake, LabProfessor, Role, User
from portal.models.user import ADMIN
from portal.moments import ANYWHERE_ON_EARTH

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy.orm import Session

    from portal.labs.live_index.state import IndexedLabs
    from portal.storage import FileStore


BEFORE_DEADLINE = timedelta(days=3)
STEP = timedelta(hours=5)


def ensure_demo_interests(session: Session, files: FileStore, seeds: Path, now: datetime) -> None:
    """Let the demo's applicants state what the file says, unless they state something already. Raises `LookupError`:
    the file names a person or a lab that is not there.
    """
    people = tomllib.loads((seeds / "demo_people.toml").read_text(encoding="utf-8"))["people"]
    for person in people:
        user = session.scalar(select(User).where(User.email == person["email"]))
        if user is None:
            raise LookupError(f"{person['email']} has no account")
        if "interests" in person and interests_of(session, user) is None:
            _state(session, user, person["interests"], now)
        if "resume" in person and resume_of(session, user) is None:
            text = pasted(person["resume"]["text"])
            resume = keep_resume(session, files, user, text, data=b"", filename="", now=now)
            confirm_resume(session, user, sha256=resume.sha256, now=now)


def _state(session: Session, user: User, entry: dict[str, Any], now: datetime) -> None:
    stated = Stated(
        topics=tuple(Topic(topic["text"], topic["weight"]) for topic in entry.get("topics", ())),
        statement=entry.get("statement", "").strip(),
        discoverable=entry.get("discoverable", False),
    )
    save_interests(session, user, stated, base=0, now=now)
    for slug in entry.get("shares_with", ()):
        lab = lab_by_slug(session, slug)
        if lab is None:
            raise LookupError(f"no lab has the address {slug}")
        share_with_lab(session, user, lab, now=now)


def ensure_demo_admission(session: Session, labs: IndexedLabs, seeds: Path, now: datetime) -> None:
    """Make the demo's cycles and applications, unless the first of the cycles is there already. The caller commits.
    Raises `LookupError`: the file names somebody who has no account or reads for no lab.
    """
    seeds_file = tomllib.loads((seeds / "demo_admission.toml").read_text(encoding="utf-8"))
    if cycle_by_slug(session, seeds_file["cycles"][0]["slug"]) is not None:
        return
    for cycle in seeds_file["cycles"]:
        session.add(_cycle(cycle, now))
    session.flush()
    for seats in seeds_file["seats"]:
        cycle_id = session.scalars(select(Cycle.id).where(Cycle.slug == seats["cycle"])).one()
        lab = _lab_of(session, seats["lab_of"])
        session.add(LabIntake(lab_id=lab.id, cycle_id=cycle_id, seats=seats["seats"]))
    stories = [_application(session, labs, application, now) for application in seeds_file["applications"]]
    for _ in merge(*stories):
        pass  # a story takes its step when its next one is asked for: all in the order of time, as in an audit log


def _cycle(entry: dict[str, Any], now: datetime) -> Cycle:
    midnight = now.replace(hour=11, minute=59, second=0, microsecond=0)  # 23:59 Anywhere on Earth
    return Cycle(
        slug=entry["slug"],
        name=entry["name"],
        zone=ANYWHERE_ON_EARTH,
        opens_at=midnight + timedelta(days=entry["opens"]),
        deadline_at=midnight + timedelta(days=entry["deadline"]),
        reply_by_at=midnight + timedelta(days=entry["reply_by"]),
        most_choices=entry["most_choices"],
        referees=entry["referees"],
        about=entry.get("about", "").strip(),
        questions=[{"required": False, **question} for question in entry["questions"]],
        documents=[{"required": False, **asked} for asked in entry.get("documents", ())],
        created_at=now,
    )


def _application(session: Session, labs: IndexedLabs, entry: dict[str, Any], now: datetime) -> Iterator[datetime]:
    """The story of one application: yields the time of each step before it is taken."""
    cycle = session.scalars(select(Cycle).where(Cycle.slug == entry["cycle"])).one()
    user = _person(session, entry["applicant"])
    when = min(now, cycle.deadline_at - BEFORE_DEADLINE)
    yield when
    application = start_application(session, user, cycle, now=when)
    chosen = tuple(
        ChosenLab(_lab_of(session, choice_entry["lab_of"]).id, choice_entry["reason"])
        for choice_entry in entry["choices"]
    )
    save_draft(session, application, Draft(chosen, entry["answers"]), base=application.version, now=when)
    if not entry.get("submit", True):
        return
    yield (when := when + STEP)
    submit(session, labs, application, actor=user, now=when)
    if not entry["eligible"]:
        return
    admin = session.scalars(select(User).where(User.roles.any(Role.name == ADMIN)).order_by(User.id)).first()
    yield (when := cycle.deadline_at + STEP)
    perform(session, "mark_eligible", application, actor=admin, capacity="admin", now=when)
    choices = zip(entry["choices"], list(application.choices), strict=True)
    reviews = [_review(session, choice, choice_entry, admin, when) for choice_entry, choice in choices]
    yield from merge(*reviews)


def _review(
    session: Session, choice: Choice, entry: dict[str, Any], admin: User | None, when: datetime
) -> Iterator[datetime]:
    """The same for one choice, after the application was found eligible."""
    leader = _person(session, entry["lab_of"])
    for name in entry["moves"]:
        yield (when := when + STEP)
        by_admin = name == "release"
        perform(
            session,
            name,
            choice,
            actor=admin if by_admin else leader,
            capacity="admin" if by_admin else "leader",
            now=when,
            message=entry.get("message", "") if name == "offer" else "",
        )


def _person(session: Session, email: str) -> User:
    person = session.scalar(select(User).where(User.email == email))
    if person is None:
        raise LookupError(f"{email} has no account")
    return person


def _lab_of(session: Session, email: str) -> Lab:
    lab = session.scalar(
        select(Lab)
        .join(LabProfessor, LabProfessor.lab_id == Lab.id)
        .where(LabProfessor.user_id == _person(session, email).id)
    )
    if lab is None:
        raise LookupError(f"{email} reads for no lab")
    return lab
