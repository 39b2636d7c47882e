"""A page of a lab's queue as finished values: how each applicant is shown, what the match record says, what is due."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sqlalchemy import bindparam, func, literal, select
from sqlalchemy.orm import aliased

from portal.applications.states import READ_BY_LABS
from portal.matching import TermShare
from portal.models import Application, Choice, MatchRecord, User
from portal.reviews.blinding import HIDDEN, Shown, shown_person
from portal.reviews.queue_rows import CARD, IS_FRESH, IS_NEW, fetch, with_application, with_card
from portal.reviews.redaction import redacted_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.reviews.queue_rows import Queue

Fresh = Literal["new", "changed", ""]
AT_ONCE = 5_000  # rows in one statement


class StoredMatch(NamedTuple):
    """What the newest match record of a choice says: both places as they were then, and the strongest terms.

    `position` of `labs` is the lab's place for the applicant (0: it does not fit), `applicant_position` of
    `applicants` the applicant's among those whom the lab could read by then.
    """

    position: int
    labs: int
    applicant_position: int
    applicants: int
    terms: tuple[TermShare, ...]

    @property
    def words(self) -> str:
        """The terms as one line."""
        return ", ".join([term.term for term in self.terms])


class QueueRow(NamedTuple):
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
    """The lines of these choices of the queue, in this order. One statement for up to five thousand."""
    found: dict[int, QueueRow] = {}
    for start in range(0, len(ids), AT_ONCE):
        part = ids[start : start + AT_ONCE]
        found.update((row.id, _row(row)) for row in fetch(session, _ROWS[with_terms], queue, ids=part))
    return [found[number] for number in ids if number in found]


class Neighbour(NamedTuple):
    """Somebody of the queue in one line beside an applicant."""

    id: int
    shown: Shown
    state: str
    score: float
    card: str


_NEIGHBOURS = (
    with_card(select(Choice.id, Choice.state, Choice.score, User.name, User.email, CARD, HIDDEN).select_from(Choice))
    .join(Application, Application.id == Choice.application_id)
    .join(User, User.id == Application.applicant_id)
    .where(Choice.id.in_(bindparam("ids", expanding=True)), Application.state.in_(READ_BY_LABS))
)


def neighbours_of(session: Session, queue: Queue, ids: Sequence[int]) -> list[Neighbour]:
    """These choices of the queue, a few, in this order. One statement."""
    found = {
        number: Neighbour(number, shown_person(number, name, email, hidden), state, score, card)
        for number, state, score, name, email, card, hidden in fetch(session, _NEIGHBOURS, queue, ids=ids)
    }
    return [found[number] for number in ids if number in found]


_RECORD = aliased(MatchRecord)


def _statement(terms: ColumnElement[Any]) -> Select[Any]:
    newest = select(func.max(_RECORD.id)).where(_RECORD.choice_id == Choice.id).correlate(Choice).scalar_subquery()
    columns: tuple[Any, ...] = (
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
        HIDDEN.label("hidden"),
        IS_NEW.label("new"),
        IS_FRESH.label("fresh"),
        MatchRecord.id.label("record"),
        MatchRecord.position,
        MatchRecord.labs,
        MatchRecord.applicant_position,
        MatchRecord.applicants,
        terms.label("terms"),
    )
    statement = with_application(with_card(select(*columns).select_from(Choice)))
    return (
        statement.join(User, User.id == Application.applicant_id)
        .outerjoin(MatchRecord, MatchRecord.id == newest)
        .where(Choice.id.in_(bindparam("ids", expanding=True)), Application.state.in_(READ_BY_LABS))
    )


_ROWS = {True: _statement(MatchRecord.strongest.expression), False: _statement(literal(None))}


def _row(row: Any) -> QueueRow:  # noqa: ANN401  (a row of columns)
    match = None
    if row.record is not None:
        terms = tuple([_term(term) for term in row.terms or ()])
        match = StoredMatch(row.position, row.labs, row.applicant_position, row.applicants, terms)
    return QueueRow(
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


def _term(term: Mapping[str, Any]) -> TermShare:
    return TermShare(term["term"], term["share"], term["source"], tuple(term["works"]), term["via"])


def _without_terms_of_the_person(match: StoredMatch, name: str, email: str) -> StoredMatch:
    """Nothing that would be hidden in the person's own texts stands among the terms."""
    return match._replace(terms=tuple(term for term in match.terms if not says_who(term, name, email)))


def says_who(term: TermShare, name: str, email: str) -> bool:
    """Whether a term, or the words it stands for, says who somebody is."""
    return any(redacted_of(text, name, email) != text for text in (term.term, term.via or "") if text)
