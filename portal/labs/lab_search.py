"""Text search over labs: one query, however many labs there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.labs.folding import folded_name
from portal.models import Lab

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.labs.catalogue import Catalogue

MOST_WORDS = 12
SHORTEST_NAME = 3  # characters; shorter texts are not searched for inside names of systems


def labs_with_text(session: Session, catalogue: Catalogue, text: str) -> frozenset[int]:
    """The numbers of the labs whose profile contains every word of `text`, or that have a system of that name."""
    words = text.casefold().replace("-", " ").split()[:MOST_WORDS]
    if not words:
        return catalogue.everything
    query = select(Lab.slug)
    for word in words:
        query = query.where(Lab.search_text.contains(word, autoescape=True))
    return catalogue.numbers_of(session.scalars(query)) | catalogue.numbers_of(
        _with_system(catalogue, folded_name(text))
    )


def _with_system(catalogue: Catalogue, name: str) -> list[str]:
    if len(name) < SHORTEST_NAME:
        return []
    return [entry.lab.key for entry in catalogue.systems if name in entry.name]
