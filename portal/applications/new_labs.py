"""Tells applicants of labs that were made public and fit what they state, as they chose in their e-mail settings."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from flask import current_app
from sqlalchemy import select, update

from portal import mail
from portal.applications.interests.service import asks_for_something, query_from
from portal.applications.locks import commit_each
from portal.jobs.registry import clockwork
from portal.labs.live_index.live import live_index
from portal.labs.live_index.state import IndexPreparing
from portal.labs.queries import IS_LISTED
from portal.matching import strength
from portal.models import Interests, Lab, Resume, User

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session


@clockwork("word of new labs", every=timedelta(hours=1), long=True)
def tell_of_new_labs(session: Session, now: datetime) -> int:
    """Tell everybody whom a lab fits at least fairly that it was made public: once each, and nobody whose account is
    newer. Commits after each person; returns how many were told of any.
    """
    statement = select(Lab.id, Lab.slug, Lab.name, Lab.untold_since).where(IS_LISTED).order_by(Lab.id)
    new = [lab for lab in session.execute(statement.where(Lab.untold_since.is_not(None))).all() if lab.untold_since]
    if not new:
        return 0
    try:
        index = live_index(current_app).current(session).index
    except IndexPreparing:
        session.rollback()
        return 0

    def tell(person: int) -> bool:
        stated = select(User, Interests, Resume).join(Interests).outerjoin(Resume, Resume.user_id == User.id)
        row = session.execute(stated.where(User.id == person, User.active)).one_or_none()
        query = query_from(row.Interests, row.Resume) if row else None
        if row is None or query is None or not asks_for_something(query):
            return False
        told = False
        for lab in new:
            (match,) = index.rank_reverse(lab.slug, {"": query})
            is_older = row.User.created_at is None or row.User.created_at <= lab.untold_since
            if is_older and match.fits and strength(match.score) != "slight":
                key, path = f"new_lab:{lab.id}", f"/me/matches/{lab.slug}"
                mail.tell(session, row.User, "new_lab", {"lab": lab.name}, now=now, path=path, dedupe=key)
                told = True
        return told

    # By id, as each is committed, and what was read is forgotten.
    people = select(User.id).join(Interests).where(User.active).order_by(User.id)
    told = commit_each(session, "Telling of new labs", session.scalars(people).all(), tell)
    session.execute(update(Lab).where(Lab.id.in_([lab.id for lab in new])).values(untold_since=None))
    return told
