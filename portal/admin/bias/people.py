"""The people whose resumes are audited: the applicants of a cycle, and made-up people from seeds/."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.applications.content.match_records import query_of_submission
from portal.applications.content.submissions import IS_NEWEST
from portal.config import RESOURCES
from portal.matching import Query, Topic
from portal.matching.bias.audit import Person
from portal.models import Application, Submission, User

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from portal.models import Cycle

BATCH_SIZE = 100  # submissions read in one statement


def made_up_people() -> list[Person]:
    """The people of seeds/bias_resumes.toml."""
    document = tomllib.loads((RESOURCES / "seeds" / "bias_resumes.toml").read_text(encoding="utf-8"))
    return [
        Person(entry["name"], Query(tuple(map(Topic, entry["topics"])), entry["statement"], entry["resume"]))
        for entry in document["people"]
    ]


def resumes(session: Session, cycle: Cycle) -> int:
    """How many applications of a cycle were submitted with a resume and not withdrawn."""
    return session.scalar(_with_resume(select(func.count()), cycle)) or 0


def applicants(session: Session, cycle: Cycle, most: int) -> list[Person]:
    """The applicants of a cycle with a resume, as they last submitted it; if more than `most`, evenly spaced ones."""
    numbers = list(session.scalars(_with_resume(select(Submission.id), cycle).order_by(Submission.id)))
    chosen = _evenly(numbers, most)
    people = []
    for start in range(0, len(chosen), BATCH_SIZE):
        rows = session.execute(
            select(Submission, User.name)
            .join(Application, Application.id == Submission.application_id)
            .join(User, User.id == Application.applicant_id)
            .where(Submission.id.in_(chosen[start : start + BATCH_SIZE]))
            .order_by(Submission.id)
        )
        people += [Person(name, query_of_submission(submission)) for submission, name in rows]
    return people


def _with_resume(statement: Select[int], cycle: Cycle) -> Select[int]:
    return (
        statement.select_from(Application)
        .join(Submission, IS_NEWEST)
        .where(Application.cycle_id == cycle.id, Application.state != "withdrawn", Submission.resume_text != "")
    )


def _evenly(numbers: Sequence[int], most: int) -> list[int]:
    count = min(most, len(numbers))
    return [numbers[index * len(numbers) // count] for index in range(count)]
