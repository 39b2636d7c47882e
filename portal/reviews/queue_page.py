"""A page of a lab's queue as finished values: how each applicant is shown, what the match record says, what is due."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import func, literal, select

from portal.matching import TermShare
from portal.models import Application, Choice, MatchRecord, User
from portal.reviews.blinding import Shown, hidden_from, shown_person
from portal.reviews.queue_rows import CARD, fetch, is_fresh, is_new, with_card
from portal.reviews.redaction import redacted_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.reviews.queue_rows import Queue

Fresh = Literal["new", "changed", ""]
TERMS = 5
AT_ONCE = 5_000  # rows in one statement


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """What the newest match record of a choice says: both places as they were then, and the strongest terms.

    `position` of `labs` is the lab's place for the applicant (0: it does not fit), `applicant_position` of
    `applicants` the applicant's for the lab.
    """

    position: int
    labs: int
    applicant_position: int
    applicants: int
    terms: tuple[TermShare, ...]


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One line of the queue. `match` is None until its record is computed."""

    id: int
    shown: Shown
    state: str
    state_since: datetime
    score: float
    preference: int | None
    card: str
    fresh: Fresh
    submitted_at: datetime | None
    reply_by_at: datetime | None
    replied_at: datetime | None
    match: StoredMatch | None

    def is_late(self, now: datetime) -> bool:
        """Whether the applicant should have had a reply by now."""
        return self.replied_at is None and self.reply_by_at is not None and self.reply_by_at <= now


def rows_of(session: Session, queue: Queue, ids: Sequence[int], *, with_terms: bool = True) -> list[QueueRow]:
    """The lines of these choices of the queue, in this order. Two statements for up to five thousand."""
    found: dict[int, QueueRow] = {}
    for start in range(0, len(ids), AT_ONCE):
        part = ids[start : start + AT_ONCE]
        matches = _stored_matches(session, part, with_terms=with_terms)
        found.update((row.id, row) for row in _rows(session, queue, part, matches))
    return [found[number] for number in ids if number in found]


def _rows(session: Session, queue: Queue, ids: Sequence[int], matches: Mapping[int, StoredMatch]) -> Iterable[QueueRow]:
    new, fresh = (is_new(queue), is_fresh(queue)) if queue.since else (literal(value=False), literal(value=False))
    statement = with_card(
        queue,
        Choice.id,
        Choice.state,
        Choice.state_since,
        Choice.score,
        Choice.preference,
        Choice.reply_by_at,
        Choice.replied_at,
        Application.submitted_at,
        User.name,
        User.email,
        CARD.label("card"),
        hidden_from(queue.lab, queue.reviewer).label("hidden"),
        new.label("new"),
        fresh.label("fresh"),
    )
    statement = statement.join(User, User.id == Application.applicant_id).where(Choice.id.in_(ids))
    for row in fetch(session, statement):
        match = matches.get(row.id)
        yield QueueRow(
            id=row.id,
            shown=shown_person(row.id, row.name, row.email, row.hidden),
            state=row.state,
            state_since=row.state_since,
            score=row.score,
            preference=row.preference,
            card=row.card,
            fresh="new" if row.new else "changed" if row.fresh else "",
            submitted_at=row.submitted_at,
            reply_by_at=row.reply_by_at,
            replied_at=row.replied_at,
            match=_without_terms_of_the_person(match, row.name, row.email) if match and row.hidden else match,
        )


def _stored_matches(session: Session, ids: Sequence[int], *, with_terms: bool) -> dict[int, StoredMatch]:
    newest = (
        select(func.max(MatchRecord.id)).where(MatchRecord.choice_id.in_(ids)).group_by(MatchRecord.choice_id)
    ).scalar_subquery()
    terms: Any = MatchRecord.found["terms"] if with_terms else literal(None)
    rows = fetch(
        session,
        select(
            MatchRecord.choice_id,
            MatchRecord.position,
            MatchRecord.labs,
            MatchRecord.applicant_position,
            MatchRecord.applicants,
            terms.label("terms"),
        ).where(MatchRecord.id.in_(newest)),
    )
    return {
        row.choice_id: StoredMatch(
            row.position, row.labs, row.applicant_position, row.applicants, _strongest(row.terms or ())
        )
        for row in rows
    }


def _strongest(terms: Iterable[Mapping[str, Any]]) -> tuple[TermShare, ...]:
    kept = list(terms)[:TERMS]
    return tuple(TermShare(**{**term, "works": tuple(term["works"])}) for term in kept)


def _without_terms_of_the_person(match: StoredMatch, name: str, email: str) -> StoredMatch:
    """Nothing that would be hidden in the person's own texts stands among the terms."""
    terms = tuple(term for term in match.terms if not says_who(term, name, email))
    return StoredMatch(match.position, match.labs, match.applicant_position, match.applicants, terms)


def says_who(term: TermShare, name: str, email: str) -> bool:
    """Whether a term, or the words it stands for, says who somebody is."""
    return any(redacted_of(text, name, email) != text for text in (term.term, term.via or "") if text)
