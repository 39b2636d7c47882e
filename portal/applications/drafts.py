"""Starting and saving an application, the labs that can be added to it, what goes with it. The caller commits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.applications.cycles import application_of, closed_labs, labs_with_slugs, open_cycles
from portal.applications.interests.service import asks_for_something, interests_of, query_of, resume_of, stated_in
from portal.applications.locks import Refusal, lock_person, locked_application, refuse_if
from portal.applications.moves.rules import why_not_apply
from portal.applications.sharing import saved_labs, shares_of
from portal.applications.submissions import ChosenLab, Draft, draft_of, why_not_draft, why_not_save, write_choices
from portal.labs.live_index.state import IndexPreparing
from portal.labs.matches import ranking_for
from portal.models import Application, Lab

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.labs.live_index.live import LiveIndex
    from portal.models import Cycle, Resume, User


MOST_MATCHES = 8


class StaleApplication(Exception):
    """The application was saved elsewhere since the form was opened. Nothing was written; `stored` is what is saved."""

    def __init__(self, stored: Application) -> None:
        super().__init__(f"version {stored.version} was saved meanwhile")
        self.stored = stored


def start_application(session: Session, user: User, cycle: Cycle, *, now: datetime) -> Application:
    """The applicant's application in a cycle; a new draft if there is none. Raises `Refusal`: the cycle takes no
    applications.
    """
    application = application_of(session, user, cycle)
    if application is not None:
        return application
    refuse_if(why_not_apply(cycle, now))
    lock_person(session, user)
    application = application_of(session, user, cycle)
    if application is None:
        application = Application(
            cycle_id=cycle.id, applicant_id=user.id, state="draft", state_since=now, answers={}, created_at=now
        )
        session.add(application)
        session.flush()
    return application


def save_draft(session: Session, application: Application, draft: Draft, *, base: int, now: datetime) -> Application:
    """Save what the form holds; `base` is the version the form was opened with. Saving the same again changes nothing.
    Raises `StaleApplication`: something else has been saved since; `Refusal`: the application cannot be edited now, or
    a rule refuses its content.
    """
    application = locked_application(session, application)
    stored = draft_of(application)
    if draft == stored:
        return application
    refuse_if(why_not_save(application, now, choices_change=draft.labs != stored.labs))
    refuse_if(why_not_draft(session, application.cycle, draft, stored))
    if application.version != base:
        raise StaleApplication(application)
    application.answers = dict(draft.answers)
    application.named_referees = [referee._asdict() for referee in draft.referees]
    application.version = base + 1
    write_choices(session, application, draft.labs, now=now)
    return application


def cycles_to_add_in(session: Session, user: User, now: datetime) -> list[tuple[Cycle, Application | None]]:
    """The open cycles in which somebody has a draft or no application yet, each with that draft: those with one first,
    then by deadline.
    """
    found = [(cycle, application_of(session, user, cycle)) for cycle in open_cycles(session, now)]
    drafts = [(cycle, draft) for cycle, draft in found if draft is None or draft.state == "draft"]
    return sorted(drafts, key=lambda row: row[1] is None)


def add_to_draft(session: Session, user: User, lab: Lab, *, now: datetime) -> tuple[Application | None, str]:
    """Put a lab last on the first draft that takes it, which is started if there is none: the application on which the
    lab is now, or None and why it is on none.
    """
    reason = ""
    for cycle, _ in cycles_to_add_in(session, user, now):
        if lab.id in closed_labs(session, cycle):
            reason = reason or f"It takes no applications in {cycle.name}."
            continue
        application = locked_application(session, start_application(session, user, cycle, now=now))
        stored = draft_of(application)
        if lab.id in {chosen.lab_id for chosen in stored.labs}:
            return application, ""
        extended = replace(stored, labs=(*stored.labs, ChosenLab(lab.id)))
        try:
            save_draft(session, application, extended, base=application.version, now=now)
        except Refusal as refusal:
            reason = reason or str(refusal)
        else:
            return application, ""
    return None, reason or "No open cycle takes an application of yours now."


@dataclass(frozen=True, slots=True)
class Candidate:
    """A lab on offer, its place among the matches (0 if unknown), and whether it takes no applications in the cycle."""

    lab: Lab
    position: int = 0
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Candidates:
    """The saved labs and the best matches that are not chosen yet, and how many labs fit. `shut` are the chosen labs
    that take no applications any more.
    """

    saved: Sequence[Candidate]
    matching: Sequence[Candidate]
    fitting: int
    shut: Collection[int]


def candidates(session: Session, index: LiveIndex, user: User, cycle: Cycle, chosen: Collection[int]) -> Candidates:
    """What the form offers to add; `chosen` are the labs it holds already."""
    closed = closed_labs(session, cycle)
    ranking = _ranking(session, index, user)
    positions = {slug: position for position, slug in enumerate(ranking, start=1)}
    saved = saved_labs(session, user)
    listed = {*chosen, *(lab.id for lab in saved)}

    def to_candidates(labs: Iterable[Lab], left_out: Collection[int]) -> list[Candidate]:
        return [Candidate(lab, positions.get(lab.slug, 0), lab.id in closed) for lab in labs if lab.id not in left_out]

    best_labs = labs_with_slugs(session, ranking[: MOST_MATCHES + len(listed)])
    matching = to_candidates((best_labs[slug] for slug in ranking if slug in best_labs), listed)[:MOST_MATCHES]
    return Candidates(to_candidates(saved, chosen), matching, len(ranking), closed.intersection(chosen))


def _ranking(session: Session, index: LiveIndex, user: User) -> list[str]:
    """The labs that fit what the person stated, best first; none while the index is being built."""
    query = query_of(session, user)
    if not asks_for_something(query):
        return []
    try:
        return [match.lab for match in ranking_for(index.current(session), query)]
    except IndexPreparing:
        return []


@dataclass(frozen=True, slots=True)
class Step:
    """One of the things that go with every application: what there is so far, whether it is enough, where it is done,
    and the words of the link there.
    """

    subject: str
    so_far: str
    done: bool
    endpoint: str
    action: str


def own_steps(session: Session, user: User) -> list[Step]:
    """Interests, resume and shortlist, in this order."""
    stated = stated_in(interests_of(session, user))
    saved, shared = len(saved_labs(session, user)), len(shares_of(session, user))
    topics = len(stated.topics)
    parts = [f"{topics} {'topic' if topics == 1 else 'topics'}"] if topics else []
    if stated.statement:
        parts.append(f"a statement of {len(stated.statement):,} characters")
    labs = [f"{saved} saved"] if saved else []
    if shared:
        labs.append(f"{shared} {'lab' if shared == 1 else 'labs'} may read your interests and your confirmed resume")
    return [
        Step(
            "Interests",
            f"You stated {' and '.join(parts)}." if parts else "Nothing is stated yet.",
            bool(parts),
            "applications.interests",
            "Change your interests" if parts else "Say what you want to work on",
        ),
        _resume(resume_of(session, user)),
        Step(
            "Shortlist",
            f"{', '.join(labs)}." if labs else "No lab is saved yet.",
            bool(labs),
            "applications.labs" if labs else "applications.matches",
            "See your shortlist" if labs else "See which labs match",
        ),
    ]


def _resume(resume: Resume | None) -> Step:
    if resume is None:
        so_far = "None yet. Matching works without one, but is more precise with one."
        return Step("Resume", so_far, False, "applications.resume", "Add your resume")
    if resume.confirmed_at is None:
        so_far = f"We read {resume.filename or 'the text you pasted'}. It counts once you have confirmed its text."
        return Step("Resume", so_far, False, "applications.resume_text", "Check the text of your resume")
    so_far = f"You confirmed {resume.filename or 'its text'}."
    return Step("Resume", so_far, True, "applications.resume_text", "See your resume")
