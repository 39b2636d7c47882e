"""The figures of a cycle, two of them drawn: progress, time in each state, and the topics that applicants ask for.

Topics are equal if the matcher's analyzer finds the same words in them, in whatever order and form: "LLM serving" and
"serving of LLMs". A topic that fewer than five applicants typed could reveal who typed it: it is only summed up.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from flask import current_app, render_template
from sqlalchemy import select

from portal.admin.cycles.figures.progress import days_in_states, durations, funnel, histories_of, reached
from portal.admin.cycles.figures.small_counts import LEAST, Figure, Row, in_words, part
from portal.applications.cycles import cycle_by_slug
from portal.applications.submissions import IS_NEWEST
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.matching import Query, Topic
from portal.matching.language.terms import terms
from portal.models import Application, Submission
from portal.web.access import or_404

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

    from portal.labs.live_index.state import IndexedLabs
    from portal.models import Cycle


MOST_SHOWN = 40  # topics
OTHER = "Other topics"

Words = tuple[str, ...]
"""The analyzer's keys of a topic's words, in order of the alphabet."""
Topics = Sequence[tuple[str, float]]
"""The topics of one applicant as typed, with their weights."""


def figures(slug: str) -> str:
    """All figures of one cycle, read in a constant number of statements."""
    session, now = db.session(), datetime.now(UTC)
    cycle = or_404(cycle_by_slug(session, slug))
    labs = live_index(current_app).current_if_ready(session)
    return render_template(
        "admin/figures.html", cycle=cycle, figures=figures_of(session, cycle, labs, now), least=LEAST, now=now
    )


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
        topics_asked(topics_of(session, cycle), len(histories), labs),
    ]


@dataclass(slots=True)
class RequestedTopic:
    """A topic: the applicants who typed it (by index), its total weight, and how often each spelling was typed.

    The topics of one applicant weigh 1 together, so that nobody counts more by naming more.
    """

    applicants: set[int] = field(default_factory=set)
    weight: float = 0.0
    texts: Counter[str] = field(default_factory=Counter)


def topics_asked(typed: Sequence[Topics], started: int, labs: IndexedLabs | None) -> Figure:
    """The topics of a cycle's applicants beside how many labs fit them.

    `started` is the first step of the funnel on the same page. `labs` is None while the index is being prepared.
    """
    requested = group(typed)
    by_demand = sorted(requested, key=lambda words: (-len(requested[words].applicants), words))
    shown = [words for words in by_demand if len(requested[words].applicants) >= LEAST][:MOST_SHOWN]
    rows = []
    for topic in map(requested.__getitem__, shown):
        count = part(len(topic.applicants), started, len(typed))
        rows.append(Row(_label(topic), (in_words(count), f"{topic.weight:,.1f}", _fitting(topic, labs))))
    if others := [requested[words] for words in by_demand[len(shown) :]]:
        count = part(len({applicant for topic in others for applicant in topic.applicants}), started, len(typed))
        # The weight of a small group would tell its size.
        weight = f"{sum(topic.weight for topic in others):,.1f}" if count.is_exact else "–"
        rows.append(Row(OTHER, (in_words(count), weight, "–")))
    notes = [f"The topics of one applicant weigh 1 together. Those of fewer than {LEAST} are in “{OTHER}”."]
    if labs is None or not labs.is_searchable:
        notes.append("Which labs fit is being computed. Look again in a moment.")
    return Figure(
        key="topics",
        title="Topics asked for",
        first="Topic",
        columns=("Applicants", "Weight", "Labs that fit"),
        rows=tuple(rows),
        notes=tuple(notes),
        empty="" if requested else "No submitted application in this cycle names a topic.",
    )


def group(typed: Iterable[Topics]) -> dict[Words, RequestedTopic]:
    """The topics of all applicants by their words."""
    topics: dict[Words, RequestedTopic] = defaultdict(RequestedTopic)
    for applicant, topics_typed in enumerate(typed):
        total_weight = sum(weight for _text, weight in topics_typed)
        for text, weight in topics_typed:
            words = normalised(text)
            if not weight or not words:
                continue
            topic = topics[words]
            topic.applicants.add(applicant)
            topic.weight += weight / total_weight
            topic.texts[text] += 1
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


def topics_of(session: Session, cycle: Cycle) -> list[Topics]:
    """The topics of all applicants of a cycle, as last submitted. One SQL statement."""
    rows = session.scalars(
        select(Submission.interests["topics"]).join(Application, IS_NEWEST).where(Application.cycle_id == cycle.id)
    )
    return [[(str(topic["text"]), float(topic["weight"])) for topic in topics or ()] for topics in rows]
