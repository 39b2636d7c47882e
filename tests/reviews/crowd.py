"""Many applicants at once, written straight into the tables: for what has to stay quick and in a constant number."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import insert

from portal.applications.match_records import RESUME_MARKS
from portal.labs.matches import EvidenceView, LabMatch, SourceShare, match_to_json
from portal.matching import TermShare, mark
from portal.models import Application, Choice, MatchRecord, Submission, User

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab

TERMS = ("serving", "gpu kernels", "schedulers", "caches", "quantisation", "compilers", "networks", "storage")
RESUME = "I built a serving system. " * 60
MODEL = dict.fromkeys(("portal", "analyzer", "fitted_at", "corpus", "concepts", "profile"), "of then")


def match_in(lab: Lab, score: float, mine: str = "I built a serving system.") -> LabMatch:
    """A match as the matcher could have computed it."""
    return LabMatch(
        slug=lab.slug,
        name=lab.name,
        leader=lab.leader,
        place=lab.place,
        score=score,
        position=0,
        total=0,
        percentile=0.0,
        fits=True,
        shares_by_source=(SourceShare("topic", 0.7 * score, 0.7), SourceShare("resume", 0.3 * score, 0.3)),
        terms=tuple(TermShare(term, score / len(TERMS), "topic", ("w1",)) for term in TERMS),
        evidence=(
            EvidenceView(
                work_key="w1",
                title="Fair serving",
                venue="OSDI",
                year=2025,
                url="",
                systems=(),
                score=score,
                sentence="We schedule requests fairly.",
                spans=((3, 11),),
                mine=mine,
                mine_spans=((0, 7),),
                mine_source="resume",
            ),
        ),
        missing=(),
        facets_met=(),
        facets_missed=(),
    )


def add_crowd(
    session: Session,
    cycle: Cycle,
    labs: Sequence[Lab],
    number: int,
    *,
    now: datetime,
    name: str = "Applicant {}",
    statement: str = "I want to serve large models quickly, and number {} of them.",
) -> list[int]:
    """So many eligible applications that chose all of `labs`, with match records; the ids of the first lab's choices.

    Commits.
    """
    start = session.query(User).count() + 1
    users = [
        {"email": f"crowd{start + at}@example.edu", "name": name.format(at), "active": True, "created_at": now}
        | {"fs_uniquifier": f"crowd-{start + at}"}
        for at in range(number)
    ]
    user_ids = session.scalars(insert(User).returning(User.id, sort_by_parameter_order=True), users).all()
    applications = [
        {"cycle_id": cycle.id, "applicant_id": user_id, "state": "eligible", "state_since": now, "answers": {}}
        | {"submissions": 1, "submitted_at": now - timedelta(days=1, seconds=user_id), "created_at": now}
        for user_id in user_ids
    ]
    ids = session.scalars(insert(Application).returning(Application.id, sort_by_parameter_order=True), applications)
    application_ids = ids.all()
    submissions = [
        {"application_id": number, "number": 1, "submitted_at": now, "answers": {}, "choices": []}
        | {
            "interests": {
                "statement": statement.format(at),
                "topics": [{"text": "serving", "weight": 1.0}],
                "facets": {},
                "resume_weight": 0.3,
            }
        }
        | {"resume_kind": "txt", "resume_text": RESUME, "resume_warnings": []}
        for at, number in enumerate(application_ids)
    ]
    ids = session.scalars(insert(Submission).returning(Submission.id, sort_by_parameter_order=True), submissions)
    submission_ids = ids.all()
    first: list[int] = []
    marks = mark(RESUME, TERMS)
    for place, lab in enumerate(labs, start=1):
        scores = [round(0.4 - 0.35 * at / max(1, number), 6) for at in range(number)]
        rows = [
            {"application_id": application_id, "lab_id": lab.id, "position": place, "reason": "Their work."}
            | {"state": "pending", "state_since": now, "shown_state": "pending", "shown_since": now}
            | {"score": score, "percentile": 90.0, "reply_by_at": cycle.reply_by_at, "created_at": now}
            | {"listed_in_id": cycle.id, "listed_since": now, "submitted_at": application["submitted_at"]}
            for application, application_id, score in zip(applications, application_ids, scores, strict=True)
        ]
        choice_ids = session.scalars(insert(Choice).returning(Choice.id, sort_by_parameter_order=True), rows).all()
        first = first or list(choice_ids)
        session.execute(
            insert(MatchRecord),
            [
                {"choice_id": choice_id, "submission_id": submission_id, "computed_at": now, "score": score}
                | {"fits": True, "position": 3, "labs": 40, "percentile": 95.0, "applicant_position": at}
                | {"applicants": number, "applicant_percentile": 50.0, "model": MODEL}
                | {"found": {**match_to_json(match_in(lab, score)), RESUME_MARKS: marks}}
                for at, (choice_id, submission_id, score) in enumerate(
                    zip(choice_ids, submission_ids, scores, strict=True), start=1
                )
            ],
        )
    session.commit()
    return first
