"""The match record of a choice: computed from what was submitted, and stored with what it depends on."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import aliased

from portal import __version__
from portal.applications.submissions import IS_NEWEST
from portal.labs.matches import match_from_json, match_to_json, match_with, ranking_for
from portal.matching import Query, Topic, mark
from portal.matching.language.terms import ANALYZER_VERSION
from portal.models import Application, Choice, Lab, MatchRecord, Submission

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.labs.live_index.state import Corpus, IndexedLabs
    from portal.labs.matches import LabMatch
    from portal.matching import Span


WORTH_MARKING = 0.01  # of the score
RESUME_MARKS = "resume_marks"  # stored with the match in a record's `found`
_record = aliased(MatchRecord)
NEWEST_RECORD_ID = (
    select(func.max(_record.id)).where(_record.choice_id == Choice.id).correlate(Choice).scalar_subquery()
)
"""As an SQL expression over `Choice`: the id of its newest record, or NULL."""
_NEWEST_RECORD = (
    select(MatchRecord)
    .where(MatchRecord.choice_id == bindparam("choice"))
    .order_by(MatchRecord.computed_at.desc(), MatchRecord.id.desc())
    .limit(1)
)


def query_of_submission(submission: Submission) -> Query:
    """The matcher's query for what was submitted."""
    stated = submission.interests
    return Query(
        topics=tuple(Topic(topic["text"], topic["weight"]) for topic in stated.get("topics", ())),
        statement=stated.get("statement", ""),
        resume=submission.resume_text,
        resume_weight=stated.get("resume_weight", 0.0),
        facets={name: tuple(values) for name, values in stated.get("facets", {}).items()},
    )


def model_of(labs: IndexedLabs, slug: str) -> dict[str, Any]:
    """What a score depends on besides the query: versions, the fitted weights, the corpus, the lab's profile."""
    return {
        "portal": __version__,
        "analyzer": ANALYZER_VERSION,
        "fitted_at": labs.fit.at.isoformat(),
        **_corpus_in_model(labs.corpus),
        "profile": _digest(labs.index.lab(slug)),
    }


@lru_cache(maxsize=2)
def _corpus_in_model(corpus: Corpus) -> Mapping[str, str | int]:
    """The part of `model_of` that is the same for all labs. It takes 10 ms, and a submission holds locks meanwhile."""
    return {
        "corpus": _digest(sorted((key, repr(revision)) for key, revision in corpus.revisions.items())),
        "concepts": _digest(corpus.concepts),
        "labs": len(corpus.profiles),
        "works": corpus.works(),
    }


def keep_records(
    session: Session, labs: IndexedLabs, submission: Submission, choices: Sequence[Choice], *, now: datetime
) -> None:
    """Compute and store the match of each choice with the submission, unless there is a record already.

    Side effects: adds rows and sets `score` and `percentile` of the choices. The caller commits. Raises
    `IndexPreparing`: there is no index yet; nothing was written.
    """
    query = query_of_submission(submission)
    ranking = {match.lab: match for match in ranking_for(labs, query)}
    for choice in choices:
        of_this = (MatchRecord.choice_id == choice.id, MatchRecord.submission_id == submission.id)
        if session.scalar(select(MatchRecord.id).where(*of_this)) is not None:
            continue
        slug = session.scalars(select(Lab.slug).where(Lab.id == choice.lab_id)).one()
        match = match_with(labs, query, slug)
        if match is None:
            continue
        ranked = ranking.get(slug)
        choice.score = match.score
        choice.percentile = ranked.percentile if ranked else 0.0
        session.flush()
        recorded = match_to_json(match)
        higher, total = _place_among_applicants(session, choice)
        session.add(
            MatchRecord(
                choice_id=choice.id,
                submission_id=submission.id,
                computed_at=now,
                score=match.score,
                fits=ranked is not None,
                position=ranked.rank if ranked else 0,
                labs=len(ranking),
                percentile=choice.percentile,
                applicant_position=higher + 1,
                applicants=total,
                applicant_percentile=100 * (total - higher) / total,
                found=recorded | {RESUME_MARKS: mark(submission.resume_text, strong_terms(match))},
                model=model_of(labs, slug),
            )
        )
    session.flush()


def strong_terms(match: LabMatch) -> list[str]:
    """The terms that are marked in the resume: those that made at least a hundredth of the score."""
    return [term.term for term in match.terms if term.share >= WORTH_MARKING * match.score]


def resume_marks(record: MatchRecord, submission_id: int) -> Sequence[Span] | None:
    """Where the strong terms stand in the submitted resume, as stored; None if the record is of another submission."""
    if record.submission_id != submission_id or RESUME_MARKS not in record.found:
        return None
    return [(start, end) for start, end in record.found[RESUME_MARKS]]


def record_of(session: Session, choice: Choice) -> MatchRecord | None:
    """The newest record of a choice."""
    return session.scalar(_NEWEST_RECORD, {"choice": choice.id})


def match_of(record: MatchRecord) -> LabMatch:
    """The match as it was recorded, for the pages."""
    match = {name: value for name, value in record.found.items() if name != RESUME_MARKS}
    return match_from_json(
        {
            **match,
            "position": record.position,
            "total": record.labs,
            "percentile": record.percentile,
            "fits": record.fits,
        }
    )


def choices_without_record(session: Session) -> Sequence[tuple[int, int]]:
    """Ids of the submitted choices whose newest submission has no record yet, each with the id of that submission."""
    return [
        (choice_id, submission_id)
        for choice_id, submission_id in session.execute(
            select(Choice.id, Submission.id)
            .join(Application, Application.id == Choice.application_id)
            .join(Submission, IS_NEWEST)
            .outerjoin(MatchRecord, (MatchRecord.choice_id == Choice.id) & (MatchRecord.submission_id == Submission.id))
            .where(MatchRecord.id.is_(None), Application.state != "draft")
            .order_by(Submission.id, Choice.id)
        )
    ]


def _place_among_applicants(session: Session, choice: Choice) -> tuple[int, int]:
    """How many choices that the lab may read have a higher score, and how many there are with this one: the others
    would tell the lab how many applied and were not found eligible.
    """
    cycle_id = select(Application.cycle_id).where(Application.id == choice.application_id).scalar_subquery()
    others = select(func.count(), func.count().filter(Choice.score > choice.score)).where(
        Choice.lab_id == choice.lab_id, Choice.id != choice.id, Choice.listed_in_id == cycle_id
    )
    other_count, higher = session.execute(others).one()
    return higher, other_count + 1


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:16]
