"""A cycle as its applicants and professors see it: the real pages with made-up people and disabled controls.

Nothing is stored: the made-up objects are never added to a session.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from sqlalchemy import select

from portal.applications.content.checklist import checklist
from portal.applications.content.choosing import ChosenLab, Draft
from portal.applications.drafting.candidates import Candidate, Candidates
from portal.labs.queries import IS_LISTED
from portal.matching.results import TermShare
from portal.models import Application, Lab, User
from portal.reviews.blind_review.blinding import Shown
from portal.reviews.queue.page import QueueRow, StoredMatch
from portal.reviews.queue.rows import QueueCounts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.content.checklist import Item
    from portal.models import Cycle

When = Literal["before", "open", "closed"]
WHENS: dict[When, str] = {"before": "before it opens", "open": "while it is open", "closed": "after the deadline"}
MOST_LABS = 5  # on offer, and in the draft two of them
REASON = "Made up for this preview: your work on serving large models is what I want to do."
ANSWER = "Made up for this preview."
PEOPLE = ("Ada Example", "Bo Example", "Cleo Example", "Dai Example", "Eve Example")
TERMS = ("distributed training", "inference", "scheduling")
PRESENT_ITEMS = frozenset({"interests", "choices", "reasons"})

_CONTROL = re.compile(r"<(input|button|select|textarea)\b", re.IGNORECASE)
# Templates write no bare “<” into a tag. A search that passed over one would begin again at each, in quadratic time.
_LINK = re.compile(r"(<a\b[^<>]*?)\shref=\"(?!#)[^\"]*\"", re.IGNORECASE)
_FORM = re.compile(r"(<form\b[^<>]*?)(?:\s(?:action=\"[^\"]*\"|data-autosave|data-unsaved))+", re.IGNORECASE)
_TOKEN = re.compile(r"<input\b(?=[^<>]*?name=\"csrf_token\")[^<>]*+>", re.IGNORECASE)
_MAIN = re.compile(r"<main\b[^<>]*>")


@dataclass(frozen=True, slots=True)
class MadeUpDraft:
    """The application of somebody who does not exist: two labs with reasons, answers, no resume yet."""

    application: Application
    draft: Draft
    labs: Sequence[Lab]
    items: Sequence[tuple[Item, bool]]
    offered: Candidates


def moment_of(cycle: Cycle, when: When) -> datetime:
    """A moment of the cycle: a minute before it opens, a minute after its deadline, or the middle between both."""
    if when == "before":
        return cycle.opens_at - timedelta(minutes=1)
    if when == "closed":
        return cycle.deadline_at + timedelta(minutes=1)
    return cycle.opens_at + (cycle.deadline_at - cycle.opens_at) / 2


def made_up_draft(session: Session, cycle: Cycle) -> MadeUpDraft:
    """A draft for the first labs by name. Reads only."""
    labs = session.scalars(select(Lab).where(IS_LISTED).order_by(Lab.name).limit(MOST_LABS)).all()
    chosen = labs[: min(2, cycle.most_choices)]
    answers = {str(question["key"]): ANSWER for question in cycle.questions}
    with session.no_autoflush:
        application = Application(
            cycle=cycle,
            applicant=User(email="ada@example.edu", name=PEOPLE[0]),
            cycle_id=cycle.id,
            state="draft",
            answers=answers,
            submissions=0,
            version=0,
        )
        items = [
            (item, item.key in PRESENT_ITEMS or item.key.startswith("question:"))
            for item in checklist(session, application)
        ]
    return MadeUpDraft(
        application,
        Draft(tuple(ChosenLab(lab.id, REASON) for lab in chosen), answers),
        chosen,
        items,
        Candidates(
            (),
            [Candidate(lab, position) for position, lab in enumerate(labs, 1) if lab not in chosen],
            (),
            0,
            len(labs),
            0,
            "",
            (),
        ),
    )


def made_up_queue(cycle: Cycle, *, blind: bool) -> list[QueueRow]:
    """Choices of a lab by people who do not exist, in several states, each due a reply."""
    states = ("pending", "in_review", "shortlisted", "interview", "declined")
    rows = []
    for position, (name, state) in enumerate(zip(PEOPLE, states, strict=True), 1):
        email = f"{name.split()[0].lower()}@example.edu"
        replied = cycle.deadline_at + timedelta(days=1) if state in ("interview", "declined") else None
        terms = [TermShare(term, 0.3 / position, "topic", ())._asdict() for term in TERMS[: 1 + position % 3]]
        rows.append(
            QueueRow(
                id=position,
                shown=Shown(f"Applicant {position}", None, hidden=True) if blind else Shown(name, email, hidden=False),
                state=state,
                state_since=cycle.deadline_at,
                score=round(0.62 - 0.09 * position, 3),
                preference=None,
                card="locked" if state == "shortlisted" else "draft" if state == "in_review" else "none",
                fresh="new" if state == "pending" else "",
                submitted_at=cycle.deadline_at - timedelta(days=position),
                reply_by_at=cycle.reply_by_at,
                replied_at=replied,
                match=StoredMatch(position, 40, position, len(PEOPLE), terms),
            )
        )
    return rows


def counts_of(rows: Sequence[QueueRow], *, late: int, blind: bool) -> QueueCounts:
    """The counts of made-up rows, in a lab that reviews blind first or not."""
    states: dict[str, int] = dict.fromkeys((row.state for row in rows), 0)
    cards = dict.fromkeys(("none", "draft", "locked"), 0)
    for row in rows:
        states[row.state] += 1
        cards[row.card] += 1
    return QueueCounts(len(rows), states, cards, sum(row.fresh == "new" for row in rows), 0, late, blind)


def without_controls(page: str, band: str) -> str:
    """The page with all controls disabled and links to other pages removed, and `band` above its content."""
    opening, end = _MAIN.search(page), page.rfind("</main>")
    if opening is None or end < opening.end():
        return page
    content = page[opening.end() : end]
    content = _LINK.sub(r"\1", _FORM.sub(r"\1", _TOKEN.sub("", content)))
    return page[: opening.end()] + band + _CONTROL.sub(r"<\1 disabled", content) + page[end:]
