"""Which concepts the matcher gets, and the stamp that distinguishes their states."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from portal.labs.concepts.in_use import concepts_stamp, current_concepts, shipped_concepts
from portal.matching import Concept
from portal.models import ConceptEntry

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def stored(session: Session, plain: str, term: str, state: str = "active") -> ConceptEntry:
    entry = ConceptEntry(
        plain=[plain],
        terms=[term],
        strength=0.5,
        why="Because.",
        added_by="Ada",
        state=state,
        revision_number=1,
        created_at=NOW,
        changed_at=NOW,
    )
    session.add(entry)
    session.commit()
    return entry


def test_without_entries_the_shipped_file_is_used(session: Session) -> None:
    assert current_concepts(session) == shipped_concepts()
    assert len(shipped_concepts()) > 0
    assert concepts_stamp(session) == 0


def test_with_entries_only_the_active_ones_are_used_oldest_first(session: Session) -> None:
    stored(session, "video card", "GPU")
    stored(session, "old words", "new words", state="retired")
    stored(session, "chatbot", "LLM")
    assert current_concepts(session) == (
        Concept(("video card",), ("GPU",), "Because.", "Ada", 0.5),
        Concept(("chatbot",), ("LLM",), "Because.", "Ada", 0.5),
    )


def test_where_all_are_retired_no_concept_is_used(session: Session) -> None:
    stored(session, "video card", "GPU", state="retired")
    assert current_concepts(session) == ()


def test_the_stamp_rises_with_a_change_of_an_older_entry(session: Session) -> None:
    older = stored(session, "video card", "GPU")
    stored(session, "chatbot", "LLM")
    before = concepts_stamp(session)
    older.revision_number += 1
    session.commit()
    assert concepts_stamp(session) == before + 1
