"""What an applicant has done and what comes next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.applications.stated import Stated
    from portal.applications.status.standing import Standing
    from portal.models import Application, Cycle, Resume

ADD_RESUME = "Add your resume"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its subject, what to do, whether it is done, what there is so far, where to do it, its link's words.

    `values` are those of the address. An optional step is one that an application does not need.
    """

    subject: str
    title: str
    done: bool
    so_far: str
    endpoint: str
    action: str
    values: Mapping[str, str] = field(default_factory=dict)
    is_optional: bool = False


def steps_of(stated: Stated, resume: Resume | None, shares: int) -> list[Step]:
    """The steps beside an application, in the order one usually takes them: those it needs, then sharing."""
    return [_interests(stated), _resume(resume), _sharing(shares)]


def application_step(
    application: Application | None, standing: Standing | None, when_open: str, cycles: Sequence[Cycle]
) -> Step:
    """The step of applying: the newest application and how it stands or, without one, when one can apply.

    `cycles` are the open ones. Where there is only one, the step leads straight to its form.
    """
    subject, title = "Application", "Apply to the labs you choose"
    if application is None or standing is None:
        if len(cycles) == 1:
            values = {"cycle": cycles[0].slug}
            return Step(subject, title, False, when_open, "applications.application", "Start your application", values)
        return Step(subject, title, False, when_open, "applications.applications", "See the cycles")
    so_far = f"{application.cycle.name}: {standing.label.lower()}. {standing.next}"
    done = application.state != "draft" or application.submissions > 0
    return Step(subject, title, done, so_far, "applications.applications", standing.act or "See where it stands")


def next_step(steps: Sequence[Step]) -> Step | None:
    """The first step that is not done; None when all are."""
    return next((step for step in steps if not step.done), None)


def _interests(stated: Stated) -> Step:
    topics = len(stated.topics)
    parts = [f"{topics} {'topic' if topics == 1 else 'topics'}"] if topics else []
    if stated.statement:
        parts.append(f"a statement of {len(stated.statement):,} characters")
    return Step(
        subject="Interests",
        title="Say what you want to work on",
        done=bool(parts),
        so_far=f"You stated {' and '.join(parts)}." if parts else "Nothing is stated yet.",
        endpoint="applications.interests",
        action="Change your interests" if parts else "State your interests",
    )


def _resume(resume: Resume | None) -> Step:
    if resume is None:
        so_far = "None yet. Matching works without one, but is more precise with one."
        return Step("Resume", ADD_RESUME, False, so_far, "applications.resume", "Add a resume")
    source = resume.filename or "the text you pasted"
    if resume.confirmed_at is None:
        so_far = f"We read {source}. It counts once you have looked at the text and confirmed it."
        check = "Check the text of your resume"
        return Step("Resume", check, False, so_far, "applications.resume_text", check)
    so_far = f"You confirmed what was read from {resume.filename}." if resume.filename else "You confirmed its text."
    return Step("Resume", ADD_RESUME, True, so_far, "applications.resume_text", "See your resume")


def _sharing(shares: int) -> Step:
    subject, title = "Labs you share with", "Share your interests with labs you like"
    if not shares:
        so_far = (
            "You do not share with any lab yet. The professors of a lab you share with can read your interests and "
            "your confirmed resume. It is not an application, and you can stop at any time."
        )
        return Step(subject, title, False, so_far, "applications.matches", "See which labs match", is_optional=True)
    readers = "1 lab: its" if shares == 1 else f"{shares} labs: their"
    so_far = f"You share with {readers} professors can read your interests and your confirmed resume."
    return Step(subject, title, True, so_far, "applications.labs", "See the labs you share with")
