"""Words for the codes in a lab profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

    from portal.seeding.records import ActivityKind, MemberRole

DEGREES = {"phd": "Ph.D.", "mphil": "M.Phil.", "ra": "Research assistant", "postdoc": "Postdoc"}

PEOPLE: dict[MemberRole, str] = {
    "leader": "Leader",
    "phd_student": "Ph.D. students",
    "mphil_student": "M.Phil. students",
    "research_assistant": "Research assistants",
    "visiting": "Visiting",
    "member": "Members",
}

ROLES: dict[MemberRole, str] = {
    "leader": "leader",
    "phd_student": "Ph.D. student",
    "mphil_student": "M.Phil. student",
    "research_assistant": "research assistant",
    "visiting": "visiting",
    "member": "member",
}

ACTIVITIES: dict[ActivityKind, str] = {
    "course": "Courses",
    "talk": "Talks",
    "news": "News",
    "award": "Awards",
    "service": "Service",
    "education": "Education",
    "employment": "Employment",
}


def degree_name(degree: str) -> str:
    """The name of a degree, such as "Ph.D." for "phd"; unknown codes are returned unchanged."""
    return DEGREES.get(degree.strip().casefold(), degree.strip())


def deadline_words(deadline: date) -> str:
    """When a deadline passes, as in "15 Dec 2026, 23:59 (Anywhere on Earth)"."""
    return f"{deadline.day} {deadline:%b %Y}, 23:59 (Anywhere on Earth)"


def statement_beside_focus(statement: str, focus: str) -> str:
    """The recruiting statement without the sentence already shown above it."""
    return statement.replace(focus, "", 1).strip() if focus else statement
