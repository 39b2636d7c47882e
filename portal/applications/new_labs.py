"""Tells applicants of a new lab that fits what they state, as they chose in their e-mail settings."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import current_app
from sqlalchemy import select

from portal import mail
from portal.applications.interests.service import asks_for_something, query_from, resume_of
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job
from portal.labs.live_index.live import live_index
from portal.labs.queries import lab_by_slug
from portal.matching import strength
from portal.models import Interests, User
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress


TELL = "tell of a new lab"


@job(TELL)
def tell_of_lab(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Tell everybody whom the lab fits at least fairly; each once, however often it runs."""
    slug = str(arguments["lab"])
    lab, index = lab_by_slug(session, slug), live_index(current_app).current(session).index
    if lab is None or not lab.is_listed:
        raise JobRefused("This lab is on no public page any more; nobody is told of it.")
    name, key, told = lab.name, f"new_lab:{lab.id}", 0
    # By id, as each step commits and forgets what was read.
    people = session.scalars(select(Interests.user_id).join(User).where(User.active).order_by(Interests.id)).all()
    for number, person in enumerate(people, start=1):
        user = session.get(User, person)  # None once they deleted their account
        interests = session.scalar(select(Interests).where(Interests.user_id == person))
        query = query_from(interests, resume_of(session, user)) if user is not None and user.active else None
        if user is not None and query is not None and asks_for_something(query):
            (match,) = index.rank_reverse(slug, {str(person): query})
            if match.fits and strength(match.score) != "slight":
                mail.tell(
                    session,
                    user,
                    "new_lab",
                    {"lab": name},
                    now=datetime.now(UTC),
                    path=f"/me/matches/{slug}",
                    dedupe=key,
                )
                told += 1
        progress.step(number, len(people), "Comparing what applicants state")
    return Outcome(f"{counted(told, 'applicant is', 'applicants are')} told of {name}.", f"/labs/{slug}", name)
