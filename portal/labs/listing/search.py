"""Text search over labs: one query, however many labs there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import or_, select

from portal.labs.folding import folded_letters, folded_name
from portal.labs.near_names import near_names
from portal.models import Lab

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.labs.catalogue import Catalogue

MOST_WORDS = 12
SHORTEST_NAME = 3  # characters; shorter texts are not searched for inside names of systems


def labs_with_text(session: Session, catalogue: Catalogue, text: str) -> frozenset[int]:
    """The numbers of the labs whose profile contains every word of `text`, or that have a system of that name.

    Accents do not matter in the names of labs and of their leaders.
    """
    words = text.casefold().replace("-", " ").split()[:MOST_WORDS]
    if not words:
        return catalogue.everything
    query = select(Lab.slug)
    accented = [
        (entry.record.key, folded_letters(f"{entry.record.name} {entry.record.leader}"))
        for entry in catalogue.entries
        if not (entry.record.name.isascii() and entry.record.leader.isascii())
    ]
    for word in words:
        plain = folded_letters(word)
        holding = [Lab.search_text.contains(spelling, autoescape=True) for spelling in sorted({word, plain})]
        query = query.where(or_(*holding, Lab.slug.in_([slug for slug, names in accented if plain in names])))
    return catalogue.numbers_of(session.scalars(query)) | catalogue.numbers_of(
        _with_system(catalogue, folded_name(text))
    )


def labs_near(catalogue: Catalogue, text: str) -> tuple[str, ...]:
    """Names of labs and of their leaders near to a text that no profile contains."""
    return near_names((name for entry in catalogue.entries for name in (entry.record.name, entry.record.leader)), text)


def _with_system(catalogue: Catalogue, name: str) -> list[str]:
    if len(name) < SHORTEST_NAME:
        return []
    return [entry.lab.key for entry in catalogue.systems if name in entry.name]
