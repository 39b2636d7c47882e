"""How things stand with the index: that of this process, and the saved one that new processes start from."""

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
    """What this process answers from.

    Attributes:
        version: Id of the newest save of a profile in it.
        labs: How many labs it holds.
        works: How many works of them are matched.
        terms: How many terms have a weight; 0 before the first fit.
        fitted_at: When the weights were fitted; None before the first fit.
        edits: How many labs are not as they were fitted.
        drift: What changed since, as a share of the works it was fitted to.
        is_building: Whether this process or another one of this host fits an index at this moment.
        failure: What went wrong in the last try to build it or to catch up; empty when all is well.
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
    """The saved index beside what the database says now; `edits` counts labs saved, added or removed since.

    `terms` is how many terms have a weight in it. `fitted_at` is None where no index is saved that can be used.
    """

    labs: int
    works: int
    terms: int
    fitted_at: datetime | None
    edits: int
    bytes: int
    is_building: bool


def index_state(app: Flask) -> IndexState | None:
    """The index of this process, without looking for newer saves; None before anything was read."""
    live = live_index(app)
    held = live.held()
    if held is None:
        return None
    return IndexState(
        version=held.version,
        labs=len(held.profiles),
        works=sum(not work.question for profile in held.profiles.values() for work in profile.works),
        terms=held.searchable.terms if held.searchable is not None else 0,
        fitted_at=held.fit.at if held.is_searchable else None,
        edits=len(held.edited),
        drift=held.drift(),
        is_building=live.is_building or live.saved.is_claimed(),
        failure=live.caretaker.failure,
    )


def saved_state(app: Flask, session: Session) -> SavedState:
    """The saved index; reads it whole, so that damage is found."""
    saved_index = live_index(app).saved
    is_building = saved_index.is_claimed()
    saved, revisions = saved_index.load(), read_revisions(session)
    labs, works = size(session)
    known = saved.revisions if saved else {}
    return SavedState(
        labs=labs,
        works=works,
        terms=saved.index.terms if saved else 0,
        fitted_at=saved.fit.at if saved else None,
        edits=sum(known.get(slug) != revisions.get(slug) for slug in known.keys() | revisions.keys()),
        bytes=saved_index.bytes(),
        is_building=is_building,
    )
