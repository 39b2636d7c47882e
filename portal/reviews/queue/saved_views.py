"""A reviewer's saved filters of a queue: reads and writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import bindparam, delete, func, select

from portal.accounts.rules import shows_nothing
from portal.applications.locks import lock_person
from portal.db import columns
from portal.models import SavedView

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Lab, User

LONGEST_NAME = 100  # characters
LONGEST_QUERY = 1_000  # characters of an address, in which a Chinese one takes nine
MOST_VIEWS = 50


class ViewRefused(Exception):
    """The view cannot be saved like this; the message says why. Nothing was written."""


_VIEWS = (
    select(SavedView.id, SavedView.name, SavedView.query)
    .where(SavedView.lab_id == bindparam("lab"), SavedView.reviewer_id == bindparam("reviewer"))
    .order_by(func.lower(SavedView.name), SavedView.id)
)


class StoredView(NamedTuple):
    """A view to show; `query` is its query string."""

    id: int
    name: str
    query: str


def views_of(session: Session, lab: Lab, reviewer: User) -> Sequence[StoredView]:
    """A reviewer's views of a lab, by name."""
    return [StoredView(*row) for row in columns(session, _VIEWS, {"lab": lab.id, "reviewer": reviewer.id})]


def view_of(session: Session, lab: Lab, reviewer: User, view_id: int) -> SavedView | None:
    """One of the reviewer's own views of a lab."""
    return session.scalar(
        select(SavedView).where(
            SavedView.id == view_id, SavedView.lab_id == lab.id, SavedView.reviewer_id == reviewer.id
        )
    )


def save_view(session: Session, lab: Lab, reviewer: User, *, name: str, query: str, now: datetime) -> SavedView:
    """Save a filter under a name; replaces a view with that name.

    Raises:
        ViewRefused: The name is empty or too long, the text searched for is too long, or there are too many views.
    """
    name = _named(name)
    if len(query) > LONGEST_QUERY:
        raise ViewRefused("The text that is searched for is too long to be kept. Shorten it, then save the view.")
    lock_person(session, reviewer)
    ids_by_name = {view.name: view.id for view in views_of(session, lab, reviewer)}
    view = view_of(session, lab, reviewer, ids_by_name[name]) if name in ids_by_name else None
    if view is None:
        if len(ids_by_name) >= MOST_VIEWS:
            raise ViewRefused(f"You keep {MOST_VIEWS} views of this queue already. Delete one first.")
        view = SavedView(lab_id=lab.id, reviewer_id=reviewer.id, name=name, created_at=now)
        session.add(view)
    view.query = query
    session.flush()
    return view


def rename_view(session: Session, lab: Lab, reviewer: User, view: SavedView, name: str) -> None:
    """Rename a view.

    Raises:
        ViewRefused: The name is empty or too long, another view has it, or the view is gone.
    """
    name = _named(name)
    lock_person(session, reviewer)
    if view_of(session, lab, reviewer, view.id) is None:
        raise ViewRefused("This view was deleted in another tab.")
    if any(other.name == name and other.id != view.id for other in views_of(session, lab, reviewer)):
        raise ViewRefused(f"Another view is called “{name}” already. Choose another name.")
    view.name = name
    session.flush()


def delete_view(session: Session, view: SavedView) -> None:
    """Delete a view; a second click finds nothing left to delete."""
    session.execute(delete(SavedView).where(SavedView.id == view.id))


def _named(name: str) -> str:
    name = " ".join(name.replace("\0", "").split())
    if shows_nothing(name):
        raise ViewRefused("Give the view a name.")
    if len(name) > LONGEST_NAME:
        raise ViewRefused(f"Keep the name to {LONGEST_NAME} characters; this one has {len(name)}.")
    return name
