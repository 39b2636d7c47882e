"""A lab's queue as one reviewer sees it: its filter, its choices in order, filtered, counted and searched; its lines.

Nothing is matched here: scores come from the stored match records. Of all choices of the queue a few columns are read
at once; of those on a page, in a file or around one applicant the rest is.

A search must not reveal what is hidden: it does not find hidden applicants by name, and finds texts only by words that
remain after redaction.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlencode

from sqlalchemy import String, and_, bindparam, case, exists, func, literal, or_, select, union_all

from portal.applications.match_records import NEWEST_RECORD_ID
from portal.applications.people import has_other_letters, ids_of_names, is_plainly_named
from portal.applications.states import CHOICE_LABELS, OPEN_CHOICE
from portal.applications.submissions import IS_NEWEST
from portal.db import columns, insert_into
from portal.models import Application, Choice, Conflict, MatchRecord, QueueVisit, Redaction, Scorecard, Submission, User
from portal.reviews.assigning import assigned_in
from portal.reviews.blind_review import BLIND, HIDDEN, HOLDS, Shown, rules_in_use, shown_person
from portal.reviews.notes import LONGEST_TAG, tags_in
from portal.reviews.rules import READABLE
from portal.reviews.scorecards.service import POINTS_GIVEN, means_seen
from portal.web.forms import whole_number
from portal.web.paging import Page, page_within

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session
    from sqlalchemy.sql.selectable import TypedReturnsRows

    from portal.models import Cycle, Lab

LONGEST_TEXT = 200  # characters
ROWS = (20, 100, 250)  # rows per page; the first is the default
CARDS = {"none": "No scorecard of mine", "draft": "My draft", "locked": "My locked scorecard"}
SORTS = {
    "match": "Match",
    "reply": "Reply due",
    "mean": "Mean of scorecards",
    "preference": "Our order",
    "newest": "Newest",
}


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """What a queue is narrowed to; empty values do not filter. `reviewer` is who is assigned or
    has a locked card, by id.
    """

    cycle: str = ""
    state: str = ""
    card: str = ""
    new: bool = False
    reviewer: int = 0
    tag: str = ""
    text: str = ""
    sort: str = "match"
    rows: int = ROWS[0]

    @property
    def narrows(self) -> bool:
        """Whether any filter is set."""
        return bool(self.state or self.card or self.new or self.reviewer or self.tag or self.text)

    def query(self) -> dict[str, str]:
        """The query parameters, without defaults."""
        values = {
            "cycle": self.cycle,
            "state": self.state,
            "card": self.card,
            "new": "yes" if self.new else "",
            "reviewer": str(self.reviewer or ""),
            "tag": self.tag,
            "q": self.text,
            "sort": "" if self.sort == "match" else self.sort,
            "show": "" if self.rows == ROWS[0] else str(self.rows),
        }
        return {name: value for name, value in values.items() if value}

    def in_address(self, **changed: str) -> str:
        """A query string such as "?state=ranked&sort=newest", with some values changed or, if empty, removed."""
        values = {name: value for name, value in {**self.query(), **changed}.items() if value}
        return f"?{urlencode(values)}" if values else ""

    def of_cycle(self, slug: str) -> QueueFilter:
        """The same in another cycle."""
        return replace(self, cycle=slug)


def read_filter(values: Mapping[str, str]) -> QueueFilter:
    """The filter in query parameters; invalid values are ignored."""
    state, card, sort = (values.get(name, "") for name in ("state", "card", "sort"))
    return QueueFilter(
        cycle=plain(values.get("cycle", ""))[:120],
        state=state if state in CHOICE_LABELS else "",
        card=card if card in CARDS else "",
        new=values.get("new") == "yes",
        reviewer=whole_number(values.get("reviewer", "")) or 0,
        tag=plain(values.get("tag", ""))[:LONGEST_TAG],
        text=plain(values.get("q", ""))[:LONGEST_TEXT],
        sort=sort if sort in SORTS else "match",
        rows=next((number for number in ROWS if values.get("show") == str(number)), ROWS[0]),
    )


def plain(text: str) -> str:
    """The text without NUL, which PostgreSQL refuses, and without surrounding spaces."""
    return text.replace("\0", "").strip()


NEVER = datetime(9999, 1, 1, tzinfo=UTC)
ONE_VISIT = timedelta(minutes=30)  # after which a visit is over
WRITTEN_EVERY = timedelta(minutes=1)


class Queue(NamedTuple):
    """A lab's queue in a cycle, as one reviewer sees it; `since` is when their previous visit ended."""

    lab: Lab
    cycle: Cycle
    reviewer: User
    since: datetime | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The bound parameters of the statements, which are therefore built only once."""
        return {
            "lab": self.lab.id,
            "cycle": self.cycle.id,
            "reviewer": self.reviewer.id,
            "since": self.since or NEVER,
            "rules": rules_in_use(),
        }


class Listed(NamedTuple):
    """What a choice of the queue is filtered and counted by. `fresh`: it arrived or changed since the last visit."""

    id: int
    state: str
    score: float
    card: str
    fresh: bool


class QueueCounts(NamedTuple):
    """How many choices there are to read in total, by state, and by the reviewer's scorecard; how many are new,
    withheld by a conflict of interest, and overdue. `blind` says whether the lab reviews blind.
    """

    everybody: int
    states: Mapping[str, int]
    cards: Mapping[str, int]
    new: int
    conflicts: int
    late: int
    blind: bool


_SINCE = bindparam("since", type_=Choice.state_since.type)
IS_NEW = Choice.listed_since > _SINCE
# That a colleague, or oneself, began to read is no change worth a look.
IS_FRESH = or_(IS_NEW, and_(Choice.state_since > _SINCE, Choice.state != "in_review"))
_IS_LATE = and_(Choice.replied_at.is_(None), Choice.reply_by_at <= bindparam("now", type_=Choice.reply_by_at.type))
CARD = case((Scorecard.id.is_(None), "none"), (Scorecard.locked_at.is_(None), "draft"), else_="locked")
OWN_CARD = and_(Scorecard.choice_id == Choice.id, Scorecard.reviewer_id == bindparam("reviewer"))
_OF_LAB = and_(Choice.lab_id == bindparam("lab"), Choice.listed_in_id == bindparam("cycle"))
# Of applicants with whom the reviewer has a conflict, and the reviewer's own.
_APART = union_all(
    select(Application.id)
    .join(Conflict, Conflict.applicant_id == Application.applicant_id)
    .where(Conflict.reviewer_id == bindparam("reviewer"), Conflict.state == "declared")
    .correlate(None),
    select(Application.id).where(Application.applicant_id == bindparam("reviewer")).correlate(None),
)
_IN_QUEUE = and_(_OF_LAB, Choice.application_id.not_in(_APART))
_LISTED = (
    select(Choice.id, Choice.state, Choice.score, CARD, IS_FRESH)
    .select_from(Choice)
    .outerjoin(Scorecard, OWN_CARD)
    .where(_IN_QUEUE)
)
_REPLY_DUE = func.coalesce(
    case((Choice.replied_at.is_(None), Choice.reply_by_at)), literal(NEVER, Choice.reply_by_at.type)
)
_BEST = (Choice.score.desc(), Choice.id)
_IN_ORDER = {
    sort: _LISTED.order_by(*keys, *_BEST)
    for sort, keys in {
        "match": (),
        "newest": (Choice.submitted_at.desc(),),
        "reply": (_REPLY_DUE,),
        "preference": (func.coalesce(Choice.preference, 2**31 - 1),),
    }.items()
}
_NUMBER = select(func.count()).select_from(Choice)
_BESIDE = select(
    _NUMBER.where(_OF_LAB, Choice.application_id.in_(_APART)).scalar_subquery().label("conflicts"),
    _NUMBER.where(_IN_QUEUE, _IS_LATE).scalar_subquery().label("late"),
    BLIND.label("blind"),
)


def fetch(
    session: Session, statement: TypedReturnsRows[*tuple[Any, ...]], queue: Queue, **values: object
) -> Sequence[Any]:
    """The rows of a statement over a queue that selects columns only."""
    return columns(session, statement, {**queue.values, **values}).all()


def listed_choices(session: Session, queue: Queue, sort: str = "match") -> list[Listed]:
    """All choices of the queue, in an order of `SORTS`."""
    listed = [Listed(*row) for row in fetch(session, _IN_ORDER.get(sort, _IN_ORDER["match"]), queue)]
    if sort == "mean":
        means = means_seen(session, queue.lab, queue.cycle.id, queue.reviewer).means
        listed.sort(key=lambda choice: -means[choice.id].calibrated if choice.id in means else 0.0)
    return listed


def filtered_ids(
    session: Session, queue: Queue, chosen: QueueFilter, listed: Iterable[Listed], *, also: int | None = None
) -> list[int]:
    """The ids of those whom the filter keeps; `also` is kept in any case. A text takes two more statements."""
    with_text = _ids_with_text(session, queue, chosen.text) if chosen.text else None
    scored = means_seen(session, queue.lab, queue.cycle.id, queue.reviewer).reviewers if chosen.reviewer else {}
    assigned = assigned_in(session, queue.lab, queue.cycle) if chosen.reviewer else {}
    tags = tags_in(session, queue.lab, queue.cycle) if chosen.tag else {}

    def keeps(choice: Listed) -> bool:
        return (
            chosen.state in {"", choice.state}
            and chosen.card in {"", choice.card}
            and (choice.fresh or not chosen.new)
            and (not chosen.reviewer or chosen.reviewer in {*assigned.get(choice.id, ()), *scored.get(choice.id, ())})
            and (not chosen.tag or chosen.tag in tags.get(choice.id, ()))
            and (with_text is None or choice.id in with_text)
        )

    return [choice.id for choice in listed if choice.id == also or keeps(choice)]


def ordered_ids(session: Session, queue: Queue, chosen: QueueFilter, *, also: int | None = None) -> list[int]:
    """The filtered choices in order; `also` is included in any case."""
    return filtered_ids(session, queue, chosen, listed_choices(session, queue, chosen.sort), also=also)


def counts_of(session: Session, queue: Queue, listed: Sequence[Listed], now: datetime) -> QueueCounts:
    """The counts without a filter. One statement."""
    (beside,) = fetch(session, _BESIDE, queue, now=now)
    states, cards = Counter(choice.state for choice in listed), Counter(choice.card for choice in listed)
    return QueueCounts(
        everybody=len(listed),
        states={state: states[state] for state in CHOICE_LABELS if states[state]},
        cards={card: cards[card] for card in ("none", "draft", "locked")},
        new=sum(choice.fresh for choice in listed),
        conflicts=beside.conflicts,
        late=beside.late,
        blind=bool(beside.blind),
    )


def _with_submission(*columns: Any) -> Select[Any]:  # noqa: ANN401  (columns of any table)
    """A statement over the choices of a queue with their applicants and last submissions."""
    return (
        select(*columns)
        .select_from(Choice)
        .join(Application, Application.id == Choice.application_id)
        .join(User, User.id == Application.applicant_id)
        .outerjoin(Submission, IS_NEWEST)
        .where(_IN_QUEUE)
    )


def _ids_with_text(session: Session, queue: Queue, text: str) -> set[int]:
    """The choices of which the reviewer may see a name, an address or a text that contains `text`; hidden applicants
    once their texts are redacted, which the clock does.
    """
    texts = _texts(queue.cycle)
    in_texts = or_(*(column.icontains(text, autoescape=True) for column in texts))
    after_redaction = exists().where(HOLDS, Redaction.searchable.contains(text.casefold(), autoescape=True))
    shown = and_(~HIDDEN, or_(_is_named(session, queue, text), in_texts))
    found = fetch(session, _with_submission(Choice.id).where(or_(shown, and_(HIDDEN, after_redaction))), queue)
    return {row.id for row in found}


def _is_named(session: Session, queue: Queue, text: str) -> ColumnElement[bool]:
    """An SQL condition on `User` and `Choice`: whether the name or the e-mail address contains `text`."""
    with_other_letters = _with_submission(Choice.id, User.name).where(has_other_letters(User.name.expression))
    return or_(
        is_plainly_named(User.name.expression, text),
        User.email.icontains(text, autoescape=True),
        Choice.id.in_(ids_of_names(fetch(session, with_other_letters, queue), text)),
    )


def _texts(cycle: Cycle) -> list[ColumnElement[str]]:
    """The searched texts of a submission: the statement, the reason for this lab, the answers."""
    keys = [str(question["key"]) for question in cycle.questions]
    return [
        Submission.interests["statement"].as_string(),
        func.coalesce(Choice.reason, "", type_=String),
        *(Submission.answers[key].as_string() for key in keys),
    ]


_VISIT = select(QueueVisit.visited_at, QueueVisit.before_at).where(
    QueueVisit.lab_id == bindparam("lab"), QueueVisit.reviewer_id == bindparam("reviewer")
)


def visit(session: Session, lab: Lab, reviewer: User, *, now: datetime) -> datetime | None:
    """Record that the reviewer looks at the queue; returns when their previous visit ended, if there was one.

    A visit lasts while looks are less than half an hour apart. Side effect: writes the row, at most once per minute.
    """
    row = columns(session, _VISIT, {"lab": lab.id, "reviewer": reviewer.id}).one_or_none()
    if row is None:  # two pages opened at once both find none
        first = {"lab_id": lab.id, "reviewer_id": reviewer.id, "visited_at": now}
        session.execute(insert_into(session, QueueVisit).values(first).on_conflict_do_nothing())
        return None
    visited_at, before_at = row
    if now - visited_at > WRITTEN_EVERY:
        before_at = visited_at if now - visited_at > ONE_VISIT else before_at
        stored = session.get_one(QueueVisit, (lab.id, reviewer.id))
        stored.visited_at, stored.before_at = now, before_at
    return before_at


def visited_before(session: Session, lab: Lab, reviewer: User) -> datetime | None:
    """When the visit before the present one ended; writes nothing."""
    row = columns(session, _VISIT, {"lab": lab.id, "reviewer": reviewer.id}).one_or_none()
    return row.before_at if row else None


Fresh = Literal["new", "changed", ""]
AT_ONCE = 5_000  # choices per statement
DECIDED = frozenset({"offered", "waitlisted", "declined"})


class QueueRow(NamedTuple):
    """One line of the queue; `points` are of the reviewer's locked card.

    Of the newest match record, None until it is computed: the lab's `position` of `labs` for the applicant (0: it does
    not fit), and the `applicant_position` of `applicants` whom the lab could read then.
    """

    id: int
    shown: Shown
    state: str
    state_since: datetime
    score: float
    preference: int | None
    card: str
    points: float | None
    topics: tuple[str, ...]
    fresh: Fresh
    submitted_at: datetime | None
    reply_by_at: datetime | None
    replied_at: datetime | None
    position: int | None
    labs: int | None
    applicant_position: int | None
    applicants: int | None

    def is_late(self, now: datetime) -> bool:
        """Whether a reply to the applicant is overdue."""
        return self.replied_at is None and self.reply_by_at is not None and self.reply_by_at <= now

    @property
    def is_decided(self) -> bool:
        """Whether the lab has decided; without a reply, the decision waits for its release."""
        return self.state in DECIDED


class Near(NamedTuple):
    """An applicant's position in the filtered queue (from 1, of `total`), and who is next to them, by id.

    `to_score` is the next one behind, or else from the start, whose scorecard the reviewer can still lock; `after` the
    same or, where there is none, the next one.
    """

    position: int
    total: int
    before: int | None
    after: int | None
    to_score: QueueRow | None


class NotInQueue(LookupError):
    """The choice is no longer in the queue: its application was withdrawn, or a conflict was declared."""


def page_of(session: Session, queue: Queue, ids: Sequence[int], *, number: int, per_page: int) -> Page[QueueRow]:
    """One page of these choices; a page beyond the last gives the last."""
    number = page_within(number, len(ids), per_page)
    return Page(rows_of(session, queue, ids[(number - 1) * per_page : number * per_page]), number, len(ids), per_page)


def near(session: Session, queue: Queue, chosen: QueueFilter, choice: Choice) -> Near:
    """Where a choice stands, also one outside the filter; `NotInQueue` if it may not be opened."""
    listed = listed_choices(session, queue, chosen.sort)
    ids = filtered_ids(session, queue, chosen, listed, also=choice.id)
    if choice.id not in ids:
        raise NotInQueue
    index = ids.index(choice.id)
    unscored = {one.id for one in listed if one.card != "locked" and one.state in OPEN_CHOICE}
    to_score = next((number for number in (*ids[index + 1 :], *ids[:index]) if number in unscored), None)
    next_one = ids[index + 1] if index + 1 < len(ids) else None
    rows = rows_of(session, queue, [to_score]) if to_score else []
    return Near(index + 1, len(ids), ids[index - 1] if index else None, to_score or next_one, next(iter(rows), None))


_ROWS = (
    select(
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
        POINTS_GIVEN,
        HIDDEN.label("hidden"),
        IS_NEW.label("new"),
        IS_FRESH.label("fresh"),
        MatchRecord.position,
        MatchRecord.labs,
        MatchRecord.applicant_position,
        MatchRecord.applicants,
        Submission.interests["topics"].label("topics"),
        Redaction.topics.label("shown_topics"),
    )
    .select_from(Choice)
    .join(Application, Application.id == Choice.application_id)
    .join(User, User.id == Application.applicant_id)
    .outerjoin(Scorecard, OWN_CARD)
    .outerjoin(Submission, IS_NEWEST)
    .outerjoin(MatchRecord, MatchRecord.id == NEWEST_RECORD_ID)
    .outerjoin(Redaction, HOLDS)
    .where(READABLE, Choice.id.in_(bindparam("ids", expanding=True)))
)


def rows_of(session: Session, queue: Queue, ids: Sequence[int]) -> list[QueueRow]:
    """The rows of these choices, in this order. Topics of hidden applicants are missing until they are redacted."""
    by_id: dict[int, Any] = {}
    for start in range(0, len(ids), AT_ONCE):
        by_id.update((row.id, row) for row in fetch(session, _ROWS, queue, ids=ids[start : start + AT_ONCE]))
    return [_row(by_id[number]) for number in ids if number in by_id]


def _row(row: Any) -> QueueRow:  # noqa: ANN401  (a row of columns)
    topics = row.shown_topics if row.hidden else [topic["text"] for topic in row.topics or ()]
    made: dict[str, Any] = {
        "shown": shown_person(row.id, row.name, row.email, row.hidden),
        "topics": tuple(topics or ()),
        "fresh": "new" if row.new else "changed" if row.fresh else "",
    }
    return QueueRow(**{name: made[name] if name in made else getattr(row, name) for name in QueueRow._fields})
