"""The figures of a cycle, two of them drawn: how far applications came, how long they stay in each state, and the
topics that applicants ask for.

Topics are equal if the matcher's analyzer finds the same words in them, in whatever order and form: "LLM serving" and
"serving of LLMs". A topic that fewer than five applicants typed could reveal who typed it: it is only summed up.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from statistics import quantiles
from typing import TYPE_CHECKING, NamedTuple

from flask import current_app, render_template
from sqlalchemy import select

from portal.applications.cycles import cycle_by_slug
from portal.applications.states import LABELS, OPEN_APPLICATION, OPEN_CHOICE, Subject
from portal.applications.submissions import IS_NEWEST
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.matching import Query, Topic
from portal.matching.language.terms import terms
from portal.models import Application, Choice, MoveRecord, Submission
from portal.web.access import or_404

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.labs.live_index.state import IndexedLabs
    from portal.models import Cycle

LEAST = 5
"""The smallest group whose median, or whose topic, is shown."""
LEAST_SEEN = 0.6  # per cent of the width that a bar has at least
MOST_SHOWN = 40  # topics
OTHER = "Other topics"


class Row(NamedTuple):
    """A row of a table: its label, a text for each further column; and its line in the chart, if it has one, with the
    width of its bar in per cent.
    """

    label: str
    texts: tuple[str, ...]
    said: str = ""
    width: float = 0.0


class Figure(NamedTuple):
    """One figure. `first` is the head of the column of labels, `columns` those of the others, with units; `notes` say
    how to read it, `empty` why there is nothing to show.
    """

    key: str
    title: str
    first: str
    columns: tuple[str, ...]
    rows: Sequence[Row]
    notes: tuple[str, ...] = ()
    empty: str = ""

    @property
    def drawn(self) -> list[Row]:
        """The rows of the chart; a figure without any is a table alone."""
        return [row for row in self.rows if row.said]


def figures(slug: str) -> str:
    """All figures of one cycle, read in a constant number of statements."""
    session = db.session()
    cycle = or_404(cycle_by_slug(session, slug))
    labs = live_index(current_app).current_if_ready(session)
    shown = figures_of(session, cycle, labs, datetime.now(UTC))
    return render_template("admin/figures.html", cycle=cycle, figures=shown)


def figures_of(session: Session, cycle: Cycle, labs: IndexedLabs | None, now: datetime) -> list[Figure]:
    """Every figure of a cycle; none once its applications are erased or being erased.

    `labs` is None while the index is being prepared.
    """
    if cycle.kept_counts:
        return []
    histories = histories_of(session, cycle)
    end = min(now, cycle.closed_at) if cycle.closed_at else now  # until which unfinished stays are counted
    return [
        funnel(reached(histories)),
        durations(days_in_states(histories, end)),
        topics_asked(topics_of(session, cycle), labs),
    ]


def _width(value: float, largest: float) -> float:
    """The width of a bar in per cent; a small one is still seen."""
    return max(100 * value / largest, LEAST_SEEN) if value else 0.0


STEPS = ("Started", "Submitted", "Eligible", "In review", "Shortlisted", "Interview", "Offered", "Accepted")
STARTED, SUBMITTED, ELIGIBLE, IN_REVIEW, SHORTLISTED, INTERVIEW, OFFERED, ACCEPTED = range(len(STEPS))
STEP_OF_APPLICATION = {"eligible": ELIGIBLE}
STEP_OF_CHOICE = {
    "in_review": IN_REVIEW,
    "declined": IN_REVIEW,
    "shortlisted": SHORTLISTED,
    "ranked": SHORTLISTED,
    "waitlisted": SHORTLISTED,
    "interview": INTERVIEW,
    "interviewed": INTERVIEW,
    "offered": OFFERED,
    "declined_by_applicant": OFFERED,
    "expired": OFFERED,
    "accepted": ACCEPTED,
}
"""The step that is reached by entering a state, or by leaving it forwards; other states reach no further step."""
BACK = {
    "take_off_shortlist",
    "take_off_ranking",
    "take_back_waitlist",
    "take_back_decline",
    "take_back_offer",
    "reopen",
    "reconsider",
    "edit",
}
"""Moves backwards: the state that they leave does not count as reached."""
SECONDS_PER_DAY = 86_400
OPEN: dict[Subject, frozenset[str]] = {"application": OPEN_APPLICATION, "choice": OPEN_CHOICE}
NAMES: dict[Subject, str] = {"application": "Application", "choice": "Choice"}


class Moved(NamedTuple):
    """One move."""

    move: str
    from_state: str
    to_state: str
    at: datetime


@dataclass(slots=True)
class History:
    """An application or a choice: its state, and its moves in their order; an application also has when it was begun,
    how often it was submitted, and its choices.
    """

    state: str
    moves: list[Moved] = field(default_factory=list)
    created_at: datetime | None = None
    submissions: int = 0
    choices: list[History] = field(default_factory=list)


def histories_of(session: Session, cycle: Cycle) -> list[History]:
    """The applications of a cycle with their moves and choices, in two statements."""
    rows = (
        select(Application.id, Application.state, Application.created_at, Application.submissions)
        .add_columns(Choice.id, Choice.state)
        .outerjoin(Choice, Choice.application_id == Application.id)
        .where(Application.cycle_id == cycle.id)
        .order_by(Application.id, Choice.id)
    )
    applications: dict[int, History] = {}
    choices: dict[int, History] = {}
    for application_id, state, created_at, submissions, choice_id, choice_state in session.execute(rows):
        history = applications.setdefault(
            application_id, History(state, created_at=created_at, submissions=submissions)
        )
        if choice_id is not None:
            choices[choice_id] = History(choice_state)
            history.choices.append(choices[choice_id])
    moves = (
        select(MoveRecord.application_id, MoveRecord.choice_id)
        .add_columns(MoveRecord.move, MoveRecord.from_state, MoveRecord.to_state, MoveRecord.at)
        .join(Application, Application.id == MoveRecord.application_id)
        .where(Application.cycle_id == cycle.id)
        .order_by(MoveRecord.id)
    )
    for application_id, choice_id, *moved in session.execute(moves):
        found = applications.get(application_id) if choice_id is None else choices.get(choice_id)
        if found is not None:  # None if it was created since the first statement
            found.moves.append(Moved(*moved))
    return list(applications.values())


def reached(histories: Iterable[History]) -> tuple[int, ...]:
    """How many applications reached at least each of `STEPS`, by the furthest of their choices."""
    furthest: Counter[int] = Counter()
    for history in histories:
        own = max(
            SUBMITTED if history.submissions else STARTED, _furthest(history.state, history.moves, STEP_OF_APPLICATION)
        )
        furthest[max((own, *(_furthest(each.state, each.moves, STEP_OF_CHOICE) for each in history.choices)))] += 1
    return tuple(sum(count for step, count in furthest.items() if step >= minimum) for minimum in range(len(STEPS)))


def funnel(counts: Sequence[int]) -> Figure:
    """How many applications reached at least each of `STEPS`."""
    texts = [f"{count:,}" for count in counts]
    return Figure(
        key="applications",
        title="Funnel of applications",
        first="At least",
        columns=("Applications",),
        rows=[
            Row(step, (text,), text, _width(count, counts[0]))
            for step, text, count in zip(STEPS, texts, counts, strict=True)
        ],
        notes=("By the furthest choice of each application, decisions before their release included.",),
        empty="" if counts[0] else "Nobody has begun an application in this cycle.",
    )


def _furthest(state: str, moves: Iterable[Moved], steps: Mapping[str, int]) -> int:
    """The furthest step of the current state and of all states that were left forwards."""
    left = (steps.get(moved.from_state, 0) for moved in moves if moved.move not in BACK)
    return max(steps.get(state, 0), *left, 0)


Days = dict[tuple[Subject, str], list[float]]
"""For each state that can be left, how many days each stay in it took."""


def days_in_states(histories: Iterable[History], end: datetime) -> Days:
    """Every stay of applications and choices in a state, in days; unfinished stays count until `end`.

    A choice begins to wait when its application is found eligible, since nobody may read it before.
    """
    days: Days = defaultdict(list)
    for history in histories:
        if history.created_at is not None:
            _add(days, "application", "draft", history.created_at, history.moves, end)
        eligible = next((moved.at for moved in reversed(history.moves) if moved.to_state == "eligible"), None)
        if eligible is not None:
            for choice in history.choices:
                _add(days, "choice", "pending", eligible, choice.moves, end)
    return days


def durations(days: Mapping[tuple[Subject, str], Sequence[float]]) -> Figure:
    """Medians and quartiles of the days in each state."""
    quartiles = {key: quantiles(stays, n=4, method="inclusive") for key, stays in days.items() if len(stays) >= LEAST}
    largest = max((median for _low, median, _high in quartiles.values()), default=0.0)
    rows: list[Row] = []
    for subject, states in OPEN.items():
        for state in (each for each in LABELS[subject] if each in states):
            label, stays = f"{NAMES[subject]}: {LABELS[subject][state].lower()}", days.get((subject, state), ())
            if (subject, state) not in quartiles:
                rows.append(Row(label, (f"{len(stays):,}", "–", "–")))
                continue
            low, median, high = quartiles[subject, state]
            middle = f"{low:,.1f} to {high:,.1f}"
            texts = (f"{len(stays):,}", f"{median:,.1f}", middle)
            rows.append(Row(label, texts, f"{median:,.1f} days (middle half {middle})", _width(median, largest)))
    return Figure(
        key="durations",
        title="Median days in each state",
        first="State",
        columns=("Stays", "Median (days)", "Middle half (days)"),
        rows=rows,
        notes=(f"From {LEAST} stays on; those that have not ended count until now.",),
        empty="" if any(days.values()) else "Nobody has begun an application in this cycle.",
    )


def _add(days: Days, subject: Subject, state: str, since: datetime, moves: Iterable[Moved], end: datetime) -> None:
    """Add the stays of one application or choice, which begins in `state`."""
    for moved in moves:
        if moved.to_state != moved.from_state:  # a release leaves the state as it is
            _add_stay(days, subject, state, since, moved.at)
            state, since = moved.to_state, moved.at
    _add_stay(days, subject, state, since, end)


def _add_stay(days: Days, subject: Subject, state: str, since: datetime, until: datetime) -> None:
    if state in OPEN[subject]:
        days[subject, state].append(max(0.0, (until - since).total_seconds() / SECONDS_PER_DAY))


Words = tuple[str, ...]
"""The analyzer's keys of a topic's words, in order of the alphabet."""


class RequestedTopic(NamedTuple):
    """A topic: the applicants who typed it (by index), and how often each spelling was typed."""

    applicants: set[int]
    texts: Counter[str]


def topics_asked(typed: Sequence[Sequence[str]], labs: IndexedLabs | None) -> Figure:
    """The topics of a cycle's applicants beside how many labs fit them.

    `typed` has the topics of each applicant. `labs` is None while the index is being prepared.
    """
    requested = group(typed)
    by_demand = sorted(requested, key=lambda words: (-len(requested[words].applicants), words))
    shown = [words for words in by_demand if len(requested[words].applicants) >= LEAST][:MOST_SHOWN]
    rows = [
        Row(_label(topic), (f"{len(topic.applicants):,}", _fitting(topic, labs)))
        for topic in map(requested.__getitem__, shown)
    ]
    if by_demand[len(shown) :]:
        others = {applicant for words in by_demand[len(shown) :] for applicant in requested[words].applicants}
        rows.append(Row(OTHER, (f"{len(others):,}", "–")))
    notes = [f"Topics of fewer than {LEAST} applicants are in “{OTHER}”."]
    if labs is None or not labs.is_searchable:
        notes.append("Which labs fit is being computed. Look again in a moment.")
    return Figure(
        key="topics",
        title="Topics asked for",
        first="Topic",
        columns=("Applicants", "Labs that fit"),
        rows=rows,
        notes=tuple(notes),
        empty="" if requested else "No submitted application in this cycle names a topic.",
    )


def group(typed: Iterable[Sequence[str]]) -> dict[Words, RequestedTopic]:
    """The topics of all applicants by their words."""
    topics: dict[Words, RequestedTopic] = defaultdict(lambda: RequestedTopic(set(), Counter()))
    for applicant, texts in enumerate(typed):
        for text in texts:
            if words := normalised(text):
                topics[words].applicants.add(applicant)
                topics[words].texts[text] += 1
    return dict(topics)


@lru_cache(maxsize=65_536)
def normalised(text: str) -> Words:
    """The words of a topic as the matcher compares them; empty if it has none."""
    return tuple(sorted({term.key for term in terms(text) if term.kind == "word"}))


def _label(topic: RequestedTopic) -> str:
    """A label of words that all applicants of a topic typed in some form: a full text may be one person's own."""
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    order: Counter[Words] = Counter()
    for text, times in topic.texts.items():
        words = [term for term in terms(text) if term.kind == "word"]
        order[tuple(dict.fromkeys(term.key for term in words))] += times
        for term in words:
            forms[term.key][text[term.start : term.end]] += times
    usual_order = min(order, key=lambda keys: (-order[keys], keys))
    return " ".join(min(forms[key], key=lambda form: (-forms[key][form], form)) for key in usual_order)


def _fitting(topic: RequestedTopic, labs: IndexedLabs | None) -> str:
    """How many labs fit the most common spelling; a dash while the index is being prepared."""
    if labs is None or not labs.is_searchable:
        return "–"
    text = min(topic.texts, key=lambda spelling: (-topic.texts[spelling], spelling))
    return f"{len(labs.index.rank(Query((Topic(text),)), k=max(1, len(labs.profiles)))):,}"


def topics_of(session: Session, cycle: Cycle) -> list[list[str]]:
    """The topics that count of all applicants of a cycle, as last submitted. One SQL statement."""
    rows = session.scalars(
        select(Submission.interests["topics"]).join(Application, IS_NEWEST).where(Application.cycle_id == cycle.id)
    )
    return [[str(topic["text"]) for topic in topics or () if topic["weight"]] for topics in rows]
