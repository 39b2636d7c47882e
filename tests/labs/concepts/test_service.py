"""Every change of a concept is a revision and an audit entry; the second of two concurrent changes is refused, and
nothing is stored twice.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.db import db
from portal.labs.concepts import service
from portal.labs.concepts.in_use import concept_of, concepts_stamp, current_concepts
from portal.labs.concepts.queries import all_entries, object_key, revisions_of, snapshot_at
from portal.labs.concepts.seeding import seed_concepts
from portal.matching import Concept
from portal.models import AuditEntry, ConceptEntry, User
from tests.meanwhile import meanwhile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from sqlalchemy.orm import Session

    from tests.people import Person

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CARD = Concept(("video card",), ("GPU",), "Sold as that.", "the editors", 0.9)
CHAT = Concept(("chatbot", "chat bot"), ("LLM", "language model"), "The product.", "Ada", 0.8)


@pytest.fixture
def session(app: Flask) -> Iterator[Session]:
    with app.app_context():
        seed_concepts(db.session(), (CARD,), now=NOW)
        db.session.commit()
        yield db.session()


@pytest.fixture
def ada(session: Session, person: object) -> User:
    person_made: Person = person("admin", name="Ada Byron")  # type: ignore[operator]
    return session.get_one(User, person_made.id)


@pytest.fixture
def chat(session: Session, ada: User) -> ConceptEntry:
    entry = service.add_concept(session, CHAT, author=ada, reason="Missing", now=NOW)
    session.commit()
    return entry


def acts(session: Session) -> list[tuple[str, str, str]]:
    rows = session.scalars(select(AuditEntry).where(AuditEntry.act != "concept.seed").order_by(AuditEntry.id))
    return [(row.act, row.object_key, row.after["reason"]) for row in rows if row.object_type == "concept"]


def test_a_new_entry_is_in_use_with_its_history_and_in_the_log(session: Session, chat: ConceptEntry) -> None:
    assert current_concepts(session) == (CARD, CHAT)
    assert [(revision.number, revision.author_label, revision.reason) for revision in revisions_of(session, chat)] == [
        (1, "Ada Byron", "Missing")
    ]
    assert acts(session) == [("concept.add", "2 chatbot", "Missing")]


def test_an_edit_is_a_revision_that_keeps_what_was_before(session: Session, chat: ConceptEntry, ada: User) -> None:
    stamp = concepts_stamp(session)
    later = replace(CHAT, strength=0.4, plain=("chatbot",))
    service.save_concept(session, chat, later, base=1, author=ada, reason="Weaker", now=NOW)
    session.commit()
    assert concept_of(chat) == later
    assert concepts_stamp(session) == stamp + 1
    first, second = snapshot_at(session, chat, 1), snapshot_at(session, chat, 2)
    assert first is not None
    assert second is not None
    assert (first["strength"], second["strength"]) == (0.8, 0.4)
    assert acts(session)[-1] == ("concept.edit", "2 chatbot", "Weaker")
    log = session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc())).first()
    assert log is not None
    assert (log.before["strength"], log.after["strength"]) == (0.8, 0.4)


def test_saving_what_is_stored_writes_nothing(session: Session, chat: ConceptEntry, ada: User) -> None:
    assert service.save_concept(session, chat, CHAT, base=1, author=ada, reason="Again", now=NOW) is None
    assert chat.revision_number == 1


def test_the_second_of_two_edits_is_told_and_nothing_is_overwritten(
    session: Session, chat: ConceptEntry, ada: User
) -> None:
    theirs = replace(CHAT, strength=0.4)
    service.save_concept(session, chat, theirs, base=1, author=ada, reason="First", now=NOW)
    session.commit()
    with pytest.raises(service.StaleConcept) as stale:
        service.save_concept(session, chat, replace(CHAT, why="Mine."), base=1, author=ada, reason="Second", now=NOW)
    session.rollback()
    assert stale.value.entry.revision_number == 2
    assert concept_of(chat) == theirs
    # The same edit sent twice is no dispute.
    assert service.save_concept(session, chat, theirs, base=1, author=ada, reason="First", now=NOW) is None


def test_retired_is_out_of_use_and_can_come_back(session: Session, chat: ConceptEntry, ada: User) -> None:
    service.retire(session, chat, author=ada, reason="Misleads", now=NOW)
    session.commit()
    assert current_concepts(session) == (CARD,)
    with pytest.raises(service.RefusedConcept, match="Entry 2 is retired already"):
        service.retire(session, chat, author=ada, reason="Again", now=NOW)
    service.bring_back(session, chat, author=ada, reason="It does not", now=NOW)
    session.commit()
    assert current_concepts(session) == (CARD, CHAT)
    with pytest.raises(service.RefusedConcept, match="Entry 2 is in use already"):
        service.bring_back(session, chat, author=ada, reason="Again", now=NOW)
    assert [revision.reason for revision in revisions_of(session, chat)] == ["It does not", "Misleads", "Missing"]
    assert [act for act, _, _ in acts(session)] == ["concept.add", "concept.retire", "concept.bring_back"]


@pytest.mark.parametrize(
    ("plain", "terms", "refusal"),
    [
        (("video cards",), ("GPUs",), "Entry 1 has these terms for these phrases already"),
        (("Chat Bot",), ("llm",), "Entry 2 has these terms for these phrases already"),
        (("chatbot", "chat bot", "talking machine"), ("LLM",), None),
        (("video card",), ("LLM",), None),
    ],
)
def test_the_same_phrases_and_terms_are_not_kept_twice(
    session: Session, chat: ConceptEntry, ada: User, plain: tuple[str, ...], terms: tuple[str, ...], refusal: str | None
) -> None:
    concept = Concept(plain, terms, "Why.", "Ada")
    if refusal is None:
        assert service.add_concept(session, concept, author=ada, reason="x", now=NOW).id > chat.id
        return
    with pytest.raises(service.RefusedConcept, match=refusal):
        service.add_concept(session, concept, author=ada, reason="x", now=NOW)
    assert len(all_entries(session)) == 2


def test_a_retired_twin_is_brought_back_instead_of_added_again(session: Session, chat: ConceptEntry, ada: User) -> None:
    service.retire(session, chat, author=ada, reason="x", now=NOW)
    with pytest.raises(service.RefusedConcept, match=r"but is retired\. Bring that one back instead"):
        service.add_concept(session, CHAT, author=ada, reason="x", now=NOW)


def test_an_entry_does_not_come_back_beside_one_that_replaced_it(
    session: Session, chat: ConceptEntry, ada: User
) -> None:
    service.retire(session, chat, author=ada, reason="x", now=NOW)
    wider = replace(CHAT, plain=(*CHAT.plain, "talking machine"))
    service.add_concept(session, wider, author=ada, reason="x", now=NOW)
    with pytest.raises(service.RefusedConcept, match="Entry 3 has these terms for these phrases already"):
        service.bring_back(session, chat, author=ada, reason="x", now=NOW)


def test_the_log_names_an_entry_by_its_number_and_first_phrase(session: Session, ada: User) -> None:
    concept = Concept(("词" * 300, "b"), ("GPU",), "Why.", "Ada")
    entry = service.add_concept(session, concept, author=ada, reason="x", now=NOW)
    assert object_key(entry) == f"{entry.id} {'词' * 198}"


def test_of_two_entries_that_are_edited_to_say_the_same_at_the_same_moment_one_does(
    app: Flask, session: Session, ada: User, chat: ConceptEntry
) -> None:
    same = replace(CHAT, plain=("talking machine",))
    card_id = session.scalars(select(ConceptEntry.id).where(ConceptEntry.id != chat.id)).one()
    chat_id, ada_id = chat.id, ada.id

    def edit_the_other() -> None:
        known = all_entries(db.session())  # as the page shows them
        entry, author = db.session.get_one(ConceptEntry, card_id), db.session.get_one(User, ada_id)
        assert entry in known
        with suppress(service.RefusedConcept):
            service.save_concept(db.session(), entry, same, base=1, author=author, reason="The same", now=NOW)

    with meanwhile(app, "UPDATE concept SET", edit_the_other):
        service.save_concept(session, chat, same, base=1, author=ada, reason="The first", now=NOW)
        session.commit()
    session.expire_all()
    assert [entry.id for entry in all_entries(session) if concept_of(entry) == same] == [chat_id]
