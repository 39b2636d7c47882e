"""A big department, written straight into the tables: labs, professors, applicants, three cycles and what piled up.

One lab (`BIG`) is chosen by half of all applicants. States are spread as they would be in the middle of a season, but
nobody made the moves; so the rows are good for measuring pages and for nothing else.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
from flask_security import hash_password
from sqlalchemy import String, cast, insert, literal, select, update

from benchmarks._department_season import ADMINS, add_piles, add_states
from benchmarks.matching import corpus, vocabulary
from portal.accounts.extension import user_datastore
from portal.labs.service import create_lab
from portal.models import (
    Application,
    Choice,
    Cycle,
    Interests,
    InterestTopic,
    Lab,
    LabIntake,
    LabProfessor,
    LabShare,
    Resume,
    User,
)
from portal.models.user import ADMIN, APPLICANT, PROFESSOR, role_of_user
from portal.seeding.records import LabRecord, OpeningRecord, WorkRecord
from tests.people import PASSWORD
from tests.reviews.crowd import add_crowd

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

BIG = "big-lab"
WORKS = 6
GROUP = 50  # applicants with the same three labs


@dataclass(frozen=True, slots=True)
class Size:
    """How big it is: applicants, labs, and how many professors read for them."""

    applicants: int
    labs: int
    professors: int = 300


def make_department(session: Session, size: Size, now: datetime) -> None:
    """Fill empty tables. Commits."""
    chance = random.Random(size.applicants)  # noqa: S311 - for rows, not for secrets
    roles = {name: user_datastore.find_or_create_role(name).id for name in (APPLICANT, PROFESSOR, ADMIN)}
    password = hash_password(PASSWORD)
    labs = _labs(session, size.labs, now)
    _professors(session, labs, size.professors, roles, password, now)
    _people(session, ADMINS, "Administrator {}", roles[ADMIN], password, now)
    cycles = _cycles(session, now)
    for lab in labs[: size.professors]:
        session.add(LabIntake(lab_id=lab.id, cycle_id=cycles[1].id, seats=chance.randint(1, 6)))
    big, others = labs[0], labs[1:]
    for begin in range(0, size.applicants, GROUP):
        two = chance.sample(others, 2)
        chosen = [big, *two] if begin < size.applicants // 2 else [*two, chance.choice(others)]
        chosen = list(dict.fromkeys(chosen))
        add_crowd(session, cycles[1], chosen, min(GROUP, size.applicants - begin), now=now - timedelta(days=9))
    for _ in range(0, size.applicants // 3, GROUP):
        add_crowd(session, cycles[2], chance.sample(labs, 2), GROUP, now=now - timedelta(days=370), name="Last year {}")
    _open_cycle(session, cycles[0], size.applicants // 5, now)
    _receipts(session)
    applicants = session.scalars(select(Application.applicant_id).distinct()).all()
    _give_roles(session, applicants, roles[APPLICANT], password)
    _interests(session, applicants, labs, chance, now)
    add_states(session, cycles[1], chance, now)
    _last_year(session, cycles[2], now)
    add_piles(session, applicants, now)
    session.commit()


def _labs(session: Session, number: int, now: datetime) -> list[Lab]:
    generator = np.random.default_rng(number)
    made: list[Lab] = []
    docs = corpus(number, WORKS, generator, vocabulary(generator))
    for at, doc in enumerate(docs):
        works = tuple(
            WorkRecord(work.key, work.title, venue="OSDI", year=2015 + at % 11, abstract=work.abstract)
            for work in doc.works
        )
        words = doc.profile.split()
        record = LabRecord(
            key=BIG if at == 0 else f"lab-{at}",
            name="Big Lab" if at == 0 else f"Lab for {words[0]} and {words[1]} {at}",
            leader=f"Leader {at}",
            institution=f"Faculty of {words[0]}" if at % 40 == 0 else f"Faculty {at % 40}",
            place=f"Building {at % 12}",
            interests=doc.profile,
            topics=tuple(words[2:5]),
            works=works,
            openings=(OpeningRecord("phd", "phd", "Students.", seats=2, start="Fall 2027"),),
        )
        made.append(create_lab(session, record, author=None, reason="for a benchmark", now=now - timedelta(days=400)))
        if at % GROUP == 0:
            session.commit()
    session.commit()
    return made


def _people(
    session: Session, emails: Sequence[str], name: str, role: int, password: str, now: datetime
) -> Sequence[int]:
    rows = [
        {"email": email, "name": name.format(at), "active": True, "created_at": now, "confirmed_at": now}
        | {"fs_uniquifier": email, "password": password}
        for at, email in enumerate(emails)
    ]
    ids = session.scalars(insert(User).returning(User.id, sort_by_parameter_order=True), rows).all()
    session.execute(insert(role_of_user), [{"user_id": one, "role_id": role} for one in ids])
    return ids


def _professors(
    session: Session, labs: Sequence[Lab], number: int, roles: dict[str, int], password: str, now: datetime
) -> Sequence[int]:
    """Half lead labs, the others review; all labs have a leader, so some lead several."""
    half = number // 2
    leaders = _people(
        session, [f"leader{at}@example.edu" for at in range(half)], "Leader {}", roles[PROFESSOR], password, now
    )
    reviewers = _people(
        session,
        [f"reviewer{at}@example.edu" for at in range(number - half)],
        "Reviewer {}",
        roles[PROFESSOR],
        password,
        now,
    )
    seats = [{"lab_id": lab.id, "user_id": leaders[at % half], "position": "leader"} for at, lab in enumerate(labs)]
    seats += [
        {"lab_id": labs[at % len(labs)].id, "user_id": user, "position": "reviewer"}
        for at, user in enumerate(reviewers)
    ]
    session.execute(insert(LabProfessor), seats)
    return reviewers


def _cycles(session: Session, now: datetime) -> list[Cycle]:
    """One open, one in review, one of last year."""
    made = [
        Cycle(
            slug=slug,
            name=name,
            opens_at=now - timedelta(days=deadline + 60),
            deadline_at=now - timedelta(days=deadline),
            reply_by_at=now - timedelta(days=deadline - 80),
            closed_at=closed,
            referees=2,
            questions=[{"key": "why", "text": "Why a Ph.D.?", "help": "", "required": False, "most": 2000}],
            created_at=now - timedelta(days=deadline + 70),
        )
        for slug, name, deadline, closed in (
            ("open", "Open cycle", -20, None),
            ("review", "Cycle in review", 5, None),
            ("last", "Last year", 360, now - timedelta(days=200)),
        )
    ]
    session.add_all(made)
    session.commit()
    return made


def _open_cycle(session: Session, cycle: Cycle, number: int, now: datetime) -> None:
    """Drafts of people who applied last year or are new, by half submitted."""
    people = session.scalars(select(Application.applicant_id).order_by(Application.id.desc()).limit(number)).all()
    rows = [
        {"cycle_id": cycle.id, "applicant_id": person, "state_since": now, "answers": {}, "created_at": now}
        | (
            {"state": "submitted", "submissions": 1, "submitted_at": now}
            if at % 2
            else {"state": "draft", "submissions": 0, "submitted_at": None}
        )
        for at, person in enumerate(people)
    ]
    session.execute(insert(Application), rows)


def _receipts(session: Session) -> None:
    """Assignment rounds call applicants by these."""
    number = cast(Application.id, String)
    session.execute(
        update(Application)
        .where(Application.state != "draft")
        .values(receipt=literal("R-") + number)
        .execution_options(synchronize_session=False)
    )


def _give_roles(session: Session, people: Sequence[int], role: int, password: str) -> None:
    session.execute(insert(role_of_user), [{"user_id": person, "role_id": role} for person in people])
    session.execute(
        update(User)
        .where(User.id.in_(select(Application.applicant_id)))
        .values(password=password, confirmed_at=User.created_at)
        .execution_options(synchronize_session=False)
    )


def _interests(
    session: Session, people: Sequence[int], labs: Sequence[Lab], chance: random.Random, now: datetime
) -> None:
    """Half state topics and agree to be found, with a resume; some share with the big lab."""
    rows = [
        {"user_id": one, "statement": f"{lab.summary[:300]}", "facets": {}, "discoverable": at % 2 == 0}
        | {"changed_at": now - timedelta(days=2)}
        for at, one in enumerate(people)
        for lab in [chance.choice(labs)]
    ]
    ids = session.scalars(insert(Interests).returning(Interests.id, sort_by_parameter_order=True), rows).all()
    topics = [
        {"interests_id": number, "position": at, "text": topic, "weight": 1.0}
        for number in ids
        for at, topic in enumerate(chance.choice(labs).topics[:3], start=1)
    ]
    session.execute(insert(InterestTopic), topics)
    resumes = [
        {
            "user_id": person,
            "kind": "pasted",
            "text": (chance.choice(labs).summary + " ") * 4,
            "sha256": f"{person:064d}",
        }
        | {"warnings": [], "uploaded_at": now, "confirmed_at": now}
        for person in people
    ]
    session.execute(insert(Resume), resumes)
    shares = [{"user_id": person, "lab_id": labs[0].id, "shared_at": now} for person in people[::20]]
    session.execute(insert(LabShare), shares)


def _last_year(session: Session, cycle: Cycle, now: datetime) -> None:
    """All decided and told."""
    of_cycle = select(Application.id).where(Application.cycle_id == cycle.id)
    told = now - timedelta(days=280)
    session.execute(
        update(Choice)
        .where(Choice.application_id.in_(of_cycle))
        .values(state="declined", shown_state="declined", released_at=told, replied_at=told)
        .execution_options(synchronize_session=False)
    )
    session.execute(
        update(Application)
        .where(Application.cycle_id == cycle.id)
        .values(state="closed")
        .execution_options(synchronize_session=False)
    )
