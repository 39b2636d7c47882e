"""The state of the index: this process's, and the saved one that new processes start from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.labs.live_index.corpus import read_revisions, size
from portal.labs.live_index.live import live_index

if TYPE_CHECKING:
    from datetime import datetime

    from flask import Flask
    from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True)
class IndexState:
    """The index that this process answers from.

    Attributes:
        version: Id of the newest revision in it.
        labs: Number of labs.
        works: Number of their works that are matched.
        terms: Number of terms with a weight; 0 before the first fit.
        fitted_at: When the weights were fitted; None before the first fit.
        edits: Number of labs that changed since the fit.
        drift: What changed since, as a fraction of the fitted works.
        is_building: Whether this or another process of this host is fitting an index.
        failure: Why the last attempt to build or to catch up failed; empty if it did not.
    """

    version: int
    labs: int
    works: int
    terms: int
    fitted_at: datetime | None
    edits: int
    drift: float
    is_building: bool
    failure: str


@dataclass(frozen=True, slots=True)
class SavedState:
    """The saved index compared with the database; `edits` counts labs saved, added or removed since.

    `terms` is its number of weighted terms. `fitted_at` is None if there is no usable saved index.
    """

    labs: int
    works: int
    terms: int
    fitted_at: datetime | None
    edits: int
    bytes: int
    is_building: bool


def index_state(app: Flask) -> IndexState | None:
    """The index of this process, without checking for changes; None before anything was read."""
    live = live_index(app)
    labs = live.last_used()
    if labs is None:
        return None
    return IndexState(
        version=labs.version,
        labs=len(labs.profiles),
        works=sum(not work.question for profile in labs.profiles.values() for work in profile.works),
        terms=labs.searchable.terms if labs.searchable is not None else 0,
        fitted_at=labs.fit.at if labs.is_searchable else None,
        edits=len(labs.edited),
        drift=labs.drift(),
        is_building=live.is_building or live.saved.is_claimed(),
        failure=live.caretaker.failure,
    )


def saved_state(app: Flask, session: Session) -> SavedState:
    """The saved index; reads all of it, so that damage is found."""
    saved_index = live_index(app).saved
    is_building = saved_index.is_claimed()
    saved, revisions = saved_index.load(), read_revisions(session)
    labs, works = size(session)
    saved_revisions = saved.revisions if saved else {}
    return SavedState(
        labs=labs,
        works=works,
        terms=saved.index.terms if saved else 0,
        fitted_at=saved.fit.at if saved else None,
        edits=sum(
            saved_revisions.get(slug) != revisions.get(slug) for slug in saved_revisions.keys() | revisions.keys()
        ),
        bytes=saved_index.bytes(),
        is_building=is_building,
    )
