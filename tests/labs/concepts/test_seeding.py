"""Seeding the shipped concept file: changes by administrators always win, the other entries follow the file."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.labs.concepts import service
from portal.labs.concepts.in_use import concepts_stamp, current_concepts
from portal.labs.concepts.queries import all_entries, revisions_of
from portal.labs.concepts.seeding import seed_concepts
from portal.matching import Concept
from portal.models import AuditEntry, ConceptEntry, User

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from tests.people import Person

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CARD = Concept(("video card", "graphics card"), ("GPU",), "Sold as that.", "the editors", 0.9)
CHAT = Concept(("chatbot",), ("LLM",), "The product.", "the editors", 0.8)
SQL = Concept(("SQL",), ("relational database",), "Papers say so.", "the editors")


@pytest.fixture
def ada(session: Session, admin: Person) -> User:
    return session.get_one(User, admin.id)


def seed(session: Session, *concepts: Concept) -> list[str]:
    """Seed these concepts, and return what became of each."""
    kinds: Sequence[str] = [step.kind for step in seed_concepts(session, concepts, now=NOW)]
    session.commit()
    return list(kinds)


def entry(session: Session, entry_id: int) -> ConceptEntry:
    return session.get_one(ConceptEntry, entry_id)


def edit(session: Session, entry_id: int, concept: Concept, ada: User) -> None:
    stored = entry(session, entry_id)
    service.save_concept(session, stored, concept, base=stored.revision_number, author=ada, reason="Better", now=NOW)
    session.commit()


def test_the_entries_of_the_file_are_stored_once(session: Session) -> None:
    assert seed(session, CARD, CHAT) == ["add", "add"]
    assert current_concepts(session) == (CARD, CHAT)
    assert seed(session, CARD, CHAT) == ["same", "same"]
    assert concepts_stamp(session) == 2
    assert [(revision.number, revision.author_label) for revision in revisions_of(session, entry(session, 1))] == [
        (1, "command line")
    ]
    acts = session.scalars(select(AuditEntry).where(AuditEntry.object_type == "concept")).all()
    assert [(act.act, act.object_key, act.after["add"]) for act in acts] == [("concept.seed", "concepts.toml", 2)]


def test_a_new_entry_of_the_file_is_added_whatever_its_place(session: Session) -> None:
    seed(session, CARD, CHAT)
    assert seed(session, SQL, CHAT, CARD) == ["add", "same", "same"]
    assert current_concepts(session) == (CARD, CHAT, SQL)


def test_an_entry_that_nobody_changed_follows_the_file(session: Session) -> None:
    seed(session, CARD, CHAT)
    later = replace(CARD, plain=("graphics card", "gaming PC"), strength=0.5)
    assert seed(session, later, CHAT) == ["update", "same"]
    assert current_concepts(session) == (later, CHAT)
    assert [revision.number for revision in revisions_of(session, entry(session, 1))] == [2, 1]


def test_an_entry_changed_by_hand_stays_however_often_the_file_changes(session: Session, ada: User) -> None:
    seed(session, CARD)
    mine = replace(CARD, terms=("GPU", "accelerator"))
    edit(session, 1, mine, ada)
    for strength in (0.5, 0.4, 0.3):
        assert seed(session, replace(CARD, strength=strength)) == ["keep"]
        assert seed(session, replace(CARD, strength=strength)) == ["same"]
        assert current_concepts(session) == (mine,)
    assert entry(session, 1).revision_number == 2


def test_a_change_by_hand_that_is_taken_back_follows_the_file_again(session: Session, ada: User) -> None:
    seed(session, CARD)
    edit(session, 1, replace(CARD, strength=0.2), ada)
    edit(session, 1, CARD, ada)
    assert seed(session, replace(CARD, strength=0.5)) == ["update"]
    assert current_concepts(session) == (replace(CARD, strength=0.5),)


def test_an_entry_retired_by_hand_stays_retired(session: Session, ada: User) -> None:
    seed(session, CARD)
    service.retire(session, entry(session, 1), author=ada, reason="Wrong here", now=NOW)
    session.commit()
    assert seed(session, CARD) == ["same"]
    assert seed(session, replace(CARD, strength=0.5)) == ["keep"]
    assert current_concepts(session) == ()


def test_an_entry_that_the_file_no_longer_has_is_retired_and_comes_back_with_it(session: Session) -> None:
    seed(session, CARD, CHAT)
    assert seed(session, CARD) == ["same", "retire"]
    assert seed(session, CARD) == ["same"]
    assert current_concepts(session) == (CARD,)
    assert seed(session, CARD, CHAT) == ["same", "update"]
    assert current_concepts(session) == (CARD, CHAT)
    assert len(all_entries(session)) == 2


def test_an_entry_brought_back_by_hand_stays_though_the_file_does_not_have_it(session: Session, ada: User) -> None:
    seed(session, CARD, CHAT)
    seed(session, CARD)
    service.bring_back(session, entry(session, 2), author=ada, reason="We need it", now=NOW)
    session.commit()
    assert seed(session, CARD) == ["same"]
    assert current_concepts(session) == (CARD, CHAT)


def test_an_edited_entry_that_the_file_no_longer_has_stays(session: Session, ada: User) -> None:
    seed(session, CARD)
    edit(session, 1, replace(CARD, strength=0.2), ada)
    assert seed(session, CHAT) == ["add", "forget"]
    assert seed(session, CHAT) == ["same"]
    assert current_concepts(session) == (replace(CARD, strength=0.2), CHAT)


def test_an_entry_added_by_hand_is_not_doubled_when_the_file_says_the_same(session: Session, ada: User) -> None:
    seed(session, CARD)
    service.add_concept(session, replace(CHAT, strength=0.3), author=ada, reason="Missing", now=NOW)
    session.commit()
    assert seed(session, CARD, CHAT) == ["same", "adopt"]
    assert current_concepts(session) == (CARD, replace(CHAT, strength=0.3))


def test_the_first_entry_by_hand_brings_those_of_the_file_with_it(session: Session, ada: User) -> None:
    before = current_concepts(session)
    mine = Concept(("qwzx words",), ("GPU",), "Why not.", "Ada")
    service.add_concept(session, mine, author=ada, reason="Missing", now=NOW)
    session.commit()
    assert current_concepts(session) == (*before, mine)
