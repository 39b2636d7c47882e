"""A big department, written straight into the tables: labs, professors, applicants, three cycles and what piled up.

One lab (`BIG`) is chosen by half of all applicants. States are spread as in the middle of a season, but without the
moves that lead to them, so the rows are only good for measuring pages.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
from flask_security import hash_password
from sqlalchemy import String, cast, insert, literal, select, update

from benchmarks._corpus import corpus, vocabulary
from benchmarks._department_season import ADMINS, add_piles, add_states
from portal.accounts.extension import user_datastore
from portal.labs.projection import summary_of
from portal.labs.queries import profile_of
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
    """The numbers of applicants, of labs, and of professors who lead them or review for them."""

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
    big_lab, others = labs[0], labs[1:]
    for first in range(0, size.applicants, GROUP):
        two_labs = chance.sample(others, 2)
        chosen_labs = [big_lab, *two_labs] if first < size.applicants // 2 else [*two_labs, chance.choice(others)]
        chosen_labs = list(dict.fromkeys(chosen_labs))
        add_crowd(session, cycles[1], chosen_labs, min(GROUP, size.applicants - first), now=now - timedelta(days=9))
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


def _labs(session: Session, count: int, now: datetime) -> list[Lab]:
    generator = np.random.default_rng(count)
    labs: list[Lab] = []
    lab_docs = corpus(count, WORKS, generator, vocabulary(generator))
    for position, lab_doc in enumerate(lab_docs):
        works = tuple(
            WorkRecord(work.key, work.title, venue="OSDI", year=2015 + position % 11, abstract=work.abstract)
            for work in lab_doc.works
        )
        words = lab_doc.profile.split()
        record = LabRecord(
            key=BIG if position == 0 else f"lab-{position}",
            name="Big Lab" if position == 0 else f"Lab for {words[0]} and {words[1]} {position}",
            leader=f"Leader {position}",
            institution=f"Faculty of {words[0]}" if position % 40 == 0 else f"Faculty {position % 40}",
            place=f"Building {position % 12}",
            interests=lab_doc.profile,
            topics=tuple(words[2:5]),
            works=works,
            openings=(OpeningRecord("phd", "phd", "Students.", seats=2, start="Fall 2027"),),
        )
        labs.append(create_lab(session, record, author=None, reason="for a benchmark", now=now - timedelta(days=400)))
        if position % GROUP == 0:
            session.commit()
    session.commit()
    return labs


def _people(
    session: Session, emails: Sequence[str], name: str, role_id: int, password: str, now: datetime
) -> Sequence[int]:
    rows = [
        {"email": email, "name": name.format(number), "active": True, "created_at": now, "confirmed_at": now}
        | {"fs_uniquifier": email, "password": password}
        for number, email in enumerate(emails)
    ]
    user_ids = session.scalars(insert(User).returning(User.id, sort_by_parameter_order=True), rows).all()
    session.execute(insert(role_of_user), [{"user_id": user_id, "role_id": role_id} for user_id in user_ids])
    return user_ids


def _professors(
    session: Session, labs: Sequence[Lab], count: int, roles: dict[str, int], password: str, now: datetime
) -> Sequence[int]:
    """Half lead labs, the others review; all labs have a leader, so some lead several."""
    half = count // 2
    leaders = _people(
        session, [f"leader{number}@example.edu" for number in range(half)], "Leader {}", roles[PROFESSOR], password, now
    )
    reviewers = _people(
        session,
        [f"reviewer{number}@example.edu" for number in range(count - half)],
        "Reviewer {}",
        roles[PROFESSOR],
        password,
        now,
    )
    rows = [
        {"lab_id": lab.id, "user_id": leaders[number % half], "position": "leader"} for number, lab in enumerate(labs)
    ]
    rows += [
        {"lab_id": labs[number % len(labs)].id, "user_id": user_id, "position": "reviewer"}
        for number, user_id in enumerate(reviewers)
    ]
    session.execute(insert(LabProfessor), rows)
    return reviewers


def _cycles(session: Session, now: datetime) -> list[Cycle]:
    """Three cycles: one open, one in review, one of last year."""
    cycles = [
        Cycle(
            slug=slug,
            name=name,
            opens_at=now - timedelta(days=deadline + 60),
            deadline_at=now - timedelta(days=deadline),
            reply_by_at=now - timedelta(days=deadline - 80),
            closed_at=closed_at,
            referees=2,
            questions=[{"key": "why", "text": "Why a Ph.D.?", "help": "", "required": False, "most": 2000}],
            created_at=now - timedelta(days=deadline + 70),
        )
        for slug, name, deadline, closed_at in (
            ("open", "Open cycle", -20, None),
            ("review", "Cycle in review", 5, None),
            ("last", "Last year", 360, now - timedelta(days=200)),
        )
    ]
    session.add_all(cycles)
    session.commit()
    return cycles


def _open_cycle(session: Session, cycle: Cycle, count: int, now: datetime) -> None:
    """Applications of the applicants with the newest ones; half of them are submitted, the others drafts."""
    applicants = session.scalars(select(Application.applicant_id).order_by(Application.id.desc()).limit(count)).all()
    rows = [
        {"cycle_id": cycle.id, "applicant_id": applicant_id, "state_since": now, "answers": {}, "created_at": now}
        | (
            {"state": "submitted", "submissions": 1, "submitted_at": now}
            if number % 2
            else {"state": "draft", "submissions": 0, "submitted_at": None}
        )
        for number, applicant_id in enumerate(applicants)
    ]
    session.execute(insert(Application), rows)


def _receipts(session: Session) -> None:
    """Give receipts to all applications that were submitted; assignment rounds name applicants by these."""
    application_id = cast(Application.id, String)
    session.execute(
        update(Application)
        .where(Application.state != "draft")
        .values(receipt=literal("R-") + application_id)
        .execution_options(synchronize_session=False)
    )


def _give_roles(session: Session, user_ids: Sequence[int], role_id: int, password: str) -> None:
    session.execute(insert(role_of_user), [{"user_id": user_id, "role_id": role_id} for user_id in user_ids])
    session.execute(
        update(User)
        .where(User.id.in_(select(Application.applicant_id)))
        .values(password=password, confirmed_at=User.created_at)
        .execution_options(synchronize_session=False)
    )


def _interests(
    session: Session, user_ids: Sequence[int], labs: Sequence[Lab], chance: random.Random, now: datetime
) -> None:
    """Interests, topics and a resume for everybody. Half agree to be found; one in twenty shares with the big lab."""
    profiles = [profile_of(session, lab) for lab in labs]
    rows = [
        {
            "user_id": user_id,
            "statement": summary_of(chance.choice(profiles)),
            "facets": {},
            "discoverable": position % 2 == 0,
        }
        | {"changed_at": now - timedelta(days=2)}
        for position, user_id in enumerate(user_ids)
    ]
    interests_ids = session.scalars(insert(Interests).returning(Interests.id, sort_by_parameter_order=True), rows).all()
    topics = [
        {"interests_id": interests_id, "position": position, "text": topic, "weight": 1.0}
        for interests_id in interests_ids
        for position, topic in enumerate(chance.choice(profiles).topics[:3], start=1)
    ]
    session.execute(insert(InterestTopic), topics)
    resumes = [
        {
            "user_id": user_id,
            "kind": "pasted",
            "text": (summary_of(chance.choice(profiles)) + " ") * 4,
            "sha256": f"{user_id:064d}",
        }
        | {"warnings": [], "uploaded_at": now, "confirmed_at": now}
        for user_id in user_ids
    ]
    session.execute(insert(Resume), resumes)
    shares = [{"user_id": user_id, "lab_id": labs[0].id, "shared_at": now} for user_id in user_ids[::20]]
    session.execute(insert(LabShare), shares)


def _last_year(session: Session, cycle: Cycle, now: datetime) -> None:
    """Decline all choices of a cycle, release this, and close its applications."""
    of_cycle = select(Application.id).where(Application.cycle_id == cycle.id)
    released_at = now - timedelta(days=280)
    session.execute(
        update(Choice)
        .where(Choice.application_id.in_(of_cycle))
        .values(state="declined", shown_state="declined", released_at=released_at, replied_at=released_at)
        .execution_options(synchronize_session=False)
    )
    session.execute(
        update(Application)
        .where(Application.cycle_id == cycle.id)
        .values(state="closed")
        .execution_options(synchronize_session=False)
    )
