"""What an application needs before it can be submitted, and what of it is complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.applications.content.rules import why_not_chosen_labs
from portal.applications.queries import interests_of, resume_of, stated_in
from portal.models import Choice, Referee

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from portal.models import Application


@dataclass(frozen=True, slots=True)
class Item:
    """One thing an application needs: what it is, whether it is complete, and otherwise what to do and where."""

    key: str
    title: str
    done: bool
    advice: str
    endpoint: str


def checklist(session: Session, application: Application) -> Sequence[Item]:
    """Every item, in the usual order of completing them."""
    user, cycle = application.applicant, application.cycle
    stated = stated_in(interests_of(session, user))
    resume = resume_of(session, user)
    choices = session.scalars(
        select(Choice).where(Choice.application_id == application.id).order_by(Choice.position)
    ).all()
    # What was submitted keeps its labs, also while it is completed.
    closed = why_not_chosen_labs(session, application) if application.state == "draft" else None
    without_reason = [choice.position for choice in choices if not choice.reason.strip()]
    items = [
        Item(
            "interests",
            "Interests",
            bool(stated.topics or stated.statement.strip()),
            "State at least one topic or a statement.",
            "applications.interests",
        ),
        Item(
            "resume",
            "Resume, with its text confirmed",
            resume is not None and resume.confirmed_at is not None,
            "Add a resume." if resume is None else "Confirm the text of your resume.",
            "applications.resume" if resume is None else "applications.resume_text",
        ),
        Item(
            "choices",
            "1 lab" if cycle.most_choices == 1 else f"1 to {cycle.most_choices} labs, in your order",
            0 < len(choices) <= cycle.most_choices and closed is None,
            "Choose at least one lab."
            if not choices
            else closed or f"Choose at most {cycle.most_choices} labs; you have {len(choices)}.",
            "applications.application",
        ),
        Item(
            "reasons",
            "A reason for each lab",
            bool(choices) and not without_reason,
            f"Say why you choose {_places(without_reason)}." if without_reason else "Say why you choose each lab.",
            "applications.application",
        ),
    ]
    items += [
        Item(
            f"question:{question['key']}",
            question["text"],
            bool(str(application.answers.get(question["key"], "")).strip()),
            f"Answer “{question['text']}”.",
            "applications.application",
        )
        for question in cycle.questions
        if question.get("required")
    ]
    if cycle.referees:
        items.append(_referees(session, application, cycle.referees))
    return items


def missing_from(session: Session, application: Application) -> Sequence[Item]:
    """The items that are missing."""
    return [item for item in checklist(session, application) if not item.done]


def _referees(session: Session, application: Application, required: int) -> Item:
    asked_count = (
        session.scalar(
            select(func.count())
            .select_from(Referee)
            .where(
                Referee.application_id == application.id,
                Referee.revoked_at.is_(None),
                Referee.declined_at.is_(None),
                Referee.token_hash.is_not(None) | Referee.received_at.is_not(None),
            )
        )
        or 0
    )
    missing = max(0, required - asked_count)
    more = "more " if asked_count else ""
    return Item(
        "referees",
        f"{required} {'referee' if required == 1 else 'referees'} asked for a letter",
        missing == 0,
        f"Ask {missing} {more}{'referee' if missing == 1 else 'referees'}.",
        "applications.referees",
    )


def _places(positions: Sequence[int]) -> str:
    if len(positions) == 1:
        return f"lab {positions[0]}"
    return f"labs {', '.join(map(str, positions[:-1]))} and {positions[-1]}"
