"""Concepts for the tests of their pages: three stored entries, and what is said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.db import db
from portal.labs.concepts import service
from portal.labs.concepts.in_use import current_concepts
from portal.labs.concepts.queries import all_entries, revisions_of
from portal.labs.concepts.seeding import seed_concepts
from portal.matching import Concept
from portal.models import AuditEntry, ConceptEntry
from tests.admin.desk import NOW

if TYPE_CHECKING:
    from flask import Flask

CONCEPTS = "/admin/concepts/"
CARD = Concept(("video card", "gaming PC"), ("GPU",), "A GPU is sold as that.", "the editors", 0.9)
CHAT = Concept(("chatbot",), ("LLM", "large language model"), "The product & the model.", "the editors", 0.8)
OLD = Concept(("thinking machine",), ("expert system",), "Said long ago.", "李华", 0.4)
# What the form for CARD sends when nobody touches it.
CARD_FORM = {
    "base": "1",
    "plain": "video card\r\ngaming PC",
    "terms": "GPU",
    "strength": "0.9",
    "why": "A GPU is sold as that.",
    "reason": "My reason",
}


def store_concepts(app: Flask) -> None:
    """Three entries as seeding stores them, numbers 1 to 3."""
    with app.app_context():
        seed_concepts(db.session(), (CARD, CHAT, OLD), now=NOW)
        db.session.commit()


def in_use(app: Flask) -> tuple[Concept, ...]:
    """What the matcher gets."""
    with app.app_context():
        return current_concepts(db.session())


def reasons(app: Flask, number: int) -> list[str]:
    """The reasons of all revisions of an entry, newest first."""
    with app.app_context():
        entry = db.session.get_one(ConceptEntry, number)
        return [revision.reason for revision in revisions_of(db.session(), entry)]


def count(app: Flask) -> int:
    """How many entries are stored."""
    with app.app_context():
        return len(all_entries(db.session()))


def somebody_saves(app: Flask, number: int, concept: Concept, reason: str = "By somebody else") -> None:
    """The entry is saved by somebody else."""
    with app.app_context():
        entry = db.session.get_one(ConceptEntry, number)
        base = entry.revision_number
        service.save_concept(db.session(), entry, concept, base=base, author=None, reason=reason, now=NOW)
        db.session.commit()


def last_act(app: Flask) -> tuple[str, str, Any]:
    """What was done last: the act, by whom, and to what."""
    with app.app_context():
        entry = db.session.query(AuditEntry).order_by(AuditEntry.id.desc()).first()
        assert entry is not None
        return entry.act, entry.actor_label, entry.object_key
