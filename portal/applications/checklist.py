"""What an application needs, why it cannot be saved as it is, and what submitted ones lack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import joinedload

from portal import mail
from portal.applications.cycles import application_path, takes_no_applications
from portal.applications.interests.service import interests_of, resume_of, stated_in
from portal.applications.submissions import IS_NEWEST
from portal.models import Application, Choice, Lab, Referee, Submission, User
from portal.moments import format_in_zone

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from portal.applications.submissions import Draft
    from portal.models import Cycle


LONGEST_REASON = 2_000  # characters
LONGEST_ANSWER = 4_000  # characters, unless the question says otherwise
IF_KEPT_FROM_IT = "If something on our side kept you from it, write to the administrators."
IF_IT_SHOULD = "If you were told that it takes some, ask the administrators."
BLANK = " \t\r\n\f\v"
MAY_LACK = ("submitted", "incomplete", "eligible")


def why_not_save(application: Application, now: datetime, *, choices_change: bool) -> str | None:
    """Why it cannot be saved at all: applications are edited as drafts until the deadline, or completed when asked
    to.
    """
    cycle = application.cycle
    if cycle.closed_at is not None:
        return f"{cycle.name} is closed."
    if application.state == "incomplete":
        if choices_change and now >= cycle.deadline_at:
            return "The deadline has passed: the labs and the reasons stay as they are. Add what is missing."
        return None
    if application.state != "draft":
        return "This application is not a draft. Open it for editing first, if the deadline allows."
    if now >= cycle.deadline_at:
        passed_on = format_in_zone(cycle.deadline_at, cycle.zone)
        return f"The deadline of {cycle.name} passed on {passed_on}. {IF_KEPT_FROM_IT}"
    return None


def why_not_draft(session: Session, cycle: Cycle, draft: Draft, stored: Draft) -> str | None:
    """The first reason why a draft with this content is refused. A lab that is `stored` already and takes no
    applications any more keeps nobody from saving the rest; submitting is refused (`labs_open`).
    """
    lab_ids = [lab.lab_id for lab in draft.labs]
    if len(set(lab_ids)) != len(lab_ids):
        return "A lab is chosen twice. Keep it once."
    if len(lab_ids) > cycle.most_choices:
        return f"You can choose {cycle.most_choices} labs in {cycle.name}; these are {len(lab_ids)}. Take some off."
    existing_ids = set(session.scalars(select(Lab.id).where(Lab.id.in_(lab_ids))))
    if set(lab_ids) - existing_ids:
        return "One of the labs is not in the portal any more. Remove it from your choices."
    added_ids = set(lab_ids) - {lab.lab_id for lab in stored.labs}
    closed_lab = session.scalars(
        select(Lab.name).where(takes_no_applications(cycle.id), Lab.id.in_(added_ids)).order_by(Lab.name)
    ).first()
    if closed_lab:
        return f"{closed_lab} takes no applications in {cycle.name}. Remove it from your choices. {IF_IT_SHOULD}"
    return next((reason for reason in map(why_not_reason, (lab.reason for lab in draft.labs)) if reason), None) or next(
        (reason for reason in (why_not_answer(cycle, key, text) for key, text in draft.answers.items()) if reason), None
    )


def why_not_chosen_labs(session: Session, application: Application) -> str | None:
    """Why the chosen labs cannot be submitted to: some take no applications in this cycle."""
    closed = session.scalars(
        select(Lab.name)
        .join(Choice, Choice.lab_id == Lab.id)
        .where(Choice.application_id == application.id, takes_no_applications(application.cycle_id))
        .order_by(Choice.position)
    ).all()
    if not closed:
        return None
    remove = "Remove it from your choices." if len(closed) == 1 else "Remove them from your choices."
    return f"No applications are taken in this cycle by: {', '.join(closed)}. {remove}"


def why_not_reason(text: str) -> str | None:
    """Why the reason for one lab is refused."""
    if len(text) > LONGEST_REASON:
        return f"A reason may have {LONGEST_REASON:,} characters; this one has {len(text):,}."
    return None


def why_not_answer(cycle: Cycle, key: str, text: str) -> str | None:
    """Why the answer to one question is refused."""
    question = next((question for question in cycle.questions if question["key"] == key), None)
    if question is None:
        return "The form has no such question."
    limit = int(question.get("most") or LONGEST_ANSWER)
    if len(text) > limit:
        return f"The answer to “{question['text']}” may have {limit:,} characters; this one has {len(text):,}."
    return None


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


@dataclass(frozen=True, slots=True)
class Lacking:
    """An application that was submitted, and what it lacks, each in a few words."""

    application_id: int
    name: str
    email: str
    state: str
    submitted_at: datetime | None
    items: tuple[str, ...]


class _RefereeLetter(NamedTuple):
    """The letter of one referee: whether it was received, or is awaited."""

    name: str
    received: bool
    awaited: bool


def lacking(session: Session, cycle: Cycle, *, only: Application | None = None) -> list[Lacking]:
    """The submitted applications of a cycle that lack something, first submitted first. Four statements in all.

    With `only`, just that application. The last submission counts, not a draft that is being edited.
    """
    conditions = () if only is None else (Application.id == only.id,)
    rows = session.execute(
        select(
            Application.id,
            Application.state,
            Application.submitted_at,
            User.name,
            User.email,
            Submission.answers,
            # Read here: thousands of resumes need not be fetched to learn that they are there.
            or_(Submission.storage_key != "", func.ltrim(Submission.resume_text, BLANK) != "").label("has_resume"),
        )
        .join(User, User.id == Application.applicant_id)
        .join(Submission, IS_NEWEST)
        .where(Application.cycle_id == cycle.id, Application.state.in_(MAY_LACK), *conditions)
        .order_by(Application.submitted_at, Application.id)
    ).all()
    letters = _letters(session, cycle, conditions)
    result = []
    for row in rows:
        items = [] if row.has_resume else ["a resume"]
        items += [
            f"an answer to “{question['text']}”"
            for question in cycle.questions
            if question.get("required") and not str(row.answers.get(question["key"], "")).strip()
        ]
        items += _letters_lacking(cycle.referees, letters.get(row.id, ()))
        if items:
            name = row.name or row.email
            result.append(Lacking(row.id, name, row.email, row.state, row.submitted_at, tuple(items)))
    return result


def remind_of_lacking(session: Session, cycle: Cycle, reminded: Sequence[Lacking], *, asked_at: datetime) -> None:
    """Tell these applicants what their application lacks, each at most once on the day of `asked_at`.

    Side effects: mails and news.
    """
    ids = [entry.application_id for entry in reminded]
    of_these = select(Application).where(Application.id.in_(ids), Application.state.in_(MAY_LACK))
    with_people = of_these.options(joinedload(Application.applicant))
    applications = {application.id: application for application in session.scalars(with_people)}
    with mail.together(session):
        for entry in reminded:
            application = applications.get(entry.application_id)
            if application is None:  # withdrawn meanwhile
                continue
            mail.tell(
                session,
                application.applicant,
                "application_lacks",
                {"cycle": cycle.name, "missing": "\n".join(f"– {item}" for item in entry.items)},
                now=asked_at,
                path=application_path(application),
                dedupe=f"application:{application.id}:lacks:{asked_at:%Y%m%d}",
            )


def _letters(
    session: Session, cycle: Cycle, conditions: Sequence[ColumnElement[bool]]
) -> dict[int, list[_RefereeLetter]]:
    """The referees that were not removed, by application; their letters are not read."""
    by_application: dict[int, list[_RefereeLetter]] = {}
    referees = session.execute(
        select(
            Referee.application_id,
            Referee.name,
            Referee.received_at.is_not(None),
            and_(Referee.received_at.is_(None), Referee.declined_at.is_(None), Referee.token_hash.is_not(None)),
        )
        .join(Application, Application.id == Referee.application_id)
        .where(Application.cycle_id == cycle.id, Referee.revoked_at.is_(None), *conditions)
        .order_by(Referee.id)
    )
    for application_id, name, received, awaited in referees:
        by_application.setdefault(application_id, []).append(_RefereeLetter(name, received, awaited))
    return by_application


def _letters_lacking(required: int, referees: Sequence[_RefereeLetter]) -> list[str]:
    """The missing letters: awaited ones by the name of the referee, and how many referees are still to be asked."""
    received = sum(referee.received for referee in referees)
    if received >= required:
        return []
    awaited = [referee for referee in referees if referee.awaited]
    items = [f"the letter of {referee.name}, who was asked" for referee in awaited[: required - received]]
    not_asked = required - received - len(items)
    if not_asked > 0:
        items.append("a referee to ask for a letter" if not_asked == 1 else f"{not_asked} referees to ask for letters")
    return items
