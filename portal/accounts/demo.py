"""The made-up people of the demo, as seeds/demo_people.toml lists them."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from flask_security import verify_password
from sqlalchemy import select

from portal import instance
from portal.accounts import service
from portal.accounts.rules import normal_password
from portal.accounts.service import person_by_address
from portal.config import RESOURCES
from portal.models import Lab, LabProfessor

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import User

PEOPLE = RESOURCES / "seeds" / "demo_people.toml"


class DemoError(RuntimeError):
    """The demo's people cannot be created; the message says what is missing."""


def demo_people() -> list[dict[str, Any]]:
    """The people in the file of the demo; other code reads their interests and resumes from it. The `lab` that a
    professor reads for is {"slug": …} or {"leader": …}.
    """
    listed: list[dict[str, Any]] = tomllib.loads(PEOPLE.read_text(encoding="utf-8"))["people"]
    return listed


def ensure_demo_people(session: Session, password: str, now: datetime) -> None:
    """Create the demo's people that are missing, and mark the database as a demo; a new `password` replaces the present
    one. The caller commits. Raises DemoError if the lab of a professor does not exist.
    """
    instance.mark_as_demo(session, now)
    for listed in demo_people():
        person = person_by_address(session, listed["email"])
        if person is None:
            person = service.create_person(
                session, listed["email"], password, listed["roles"], name=listed["name"], confirmed=True, now=now
            )
        elif person.password is None or not verify_password(normal_password(password), person.password):
            service.set_password(session, person, password, author=None, now=now)
        if "lab" in listed:
            _read_for(session, person, _find_lab(session, listed["lab"], listed["email"]))


def _find_lab(session: Session, criteria: dict[str, str], email: str) -> Lab:
    statement = select(Lab)
    for column, value in criteria.items():
        statement = statement.where(Lab.__table__.columns[column] == value)
    labs = session.scalars(statement.order_by(Lab.slug)).all()
    if not labs:
        described = " and ".join(f"{column} {value!r}" for column, value in criteria.items())
        known_slugs = ", ".join(session.scalars(select(Lab.slug).order_by(Lab.slug))) or "none"
        raise DemoError(f"There is no lab with {described} for {email} to read for. Known labs: {known_slugs}.")
    return labs[0]


def _read_for(session: Session, person: User, lab: Lab) -> None:
    if session.get(LabProfessor, (lab.id, person.id)) is None:
        session.add(LabProfessor(lab_id=lab.id, user_id=person.id, position="leader"))
        session.flush()
