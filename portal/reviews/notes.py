"""Tags and notes of a lab on its applicants: for its readers alone, outside the scorecards, erased with the choice.

A tag that names the applicant or a school is refused in every lab, so that tags can be shown and filtered by while an
applicant is hidden. Notes are redacted as long as the applicant is hidden from the reader.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from portal.applications.locks import locked_application
from portal.models import Choice, ChoiceNote, ChoiceTag
from portal.reviews.choice_snapshot import redactor_for, snapshot_of
from portal.web.forms import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab, User
    from portal.reviews.blind_review import Redactor

LONGEST_TAG = 40  # characters
LONGEST_NOTE = 4_000
MOST_TAGS = 12  # of one applicant


class Note(NamedTuple):
    """A note as somebody reads it; `author_id` is empty if its author left."""

    id: int
    author_id: int | None
    author: str
    text: str
    written_at: datetime


def tags_in(session: Session, lab: Lab, cycle: Cycle) -> dict[int, list[str]]:
    """The tags of the lab's choices in a cycle, by choice. One statement."""
    rows = session.execute(
        select(ChoiceTag.choice_id, ChoiceTag.tag)
        .join(Choice, Choice.id == ChoiceTag.choice_id)
        .where(Choice.lab_id == lab.id, Choice.listed_in_id == cycle.id)
        .order_by(ChoiceTag.tag)
    )
    by_choice: dict[int, list[str]] = {}
    for choice, tag in rows:
        by_choice.setdefault(choice, []).append(tag)
    return by_choice


def notes_on(session: Session, choices: Collection[int], told: Callable[[str], str] = str) -> dict[int, list[Note]]:
    """The notes on these choices, oldest first; `told` redacts their texts. One statement."""
    rows = session.scalars(
        select(ChoiceNote)
        .where(ChoiceNote.choice_id.in_(choices))
        .options(joinedload(ChoiceNote.author))
        .order_by(ChoiceNote.written_at, ChoiceNote.id)
    )
    by_choice: dict[int, list[Note]] = {}
    for row in rows:
        author = row.author.display_name if row.author else "somebody who left"
        by_choice.setdefault(row.choice_id, []).append(
            Note(row.id, row.author_id, author, told(row.text), row.written_at)
        )
    return by_choice


def why_not_tag(tag: str, redactor: Redactor, tags: Sequence[str]) -> str | None:
    """The reason against one more tag."""
    if len(tag) > LONGEST_TAG:
        return f"Keep a tag to {LONGEST_TAG} characters; write a note for more."
    if redactor.term_identifies(tag, None):
        return "A tag must not name the applicant, a school or a place. Write it in a note."
    return f"An applicant has at most {MOST_TAGS} tags. Remove one first." if len(tags) >= MOST_TAGS else None


def change(session: Session, lab: Lab, choice: Choice, sent: Mapping[str, str], user: User) -> dict[str, str]:
    """Add a tag or a note, or remove a tag or a note of one's own, as a form says.

    Returns: What is wrong with its `tag` or `note`; nothing is written then.
    """
    locked_application(session, choice)
    tag, text = " ".join(sent.get("tag", "").split()), sent.get("note", "")
    tags = session.scalars(select(ChoiceTag.tag).where(ChoiceTag.choice_id == choice.id)).all()
    errors: dict[str, str] = {}
    if tag and tag not in tags:
        redactor = redactor_for(snapshot_of(session, lab, choice, user), choice.application.applicant)
        errors["tag"] = why_not_tag(tag, redactor, tags) or ""
    if len(text) > LONGEST_NOTE:
        errors["note"] = f"Keep a note to {LONGEST_NOTE:,} characters; this has {len(text):,}."
    if any(errors.values()):
        return errors
    if tag:
        session.merge(ChoiceTag(choice_id=choice.id, tag=tag))
    if stored := session.get(ChoiceTag, (choice.id, sent.get("untag", ""))):
        session.delete(stored)
    mine = ChoiceNote.choice_id == choice.id, ChoiceNote.author_id == user.id, ChoiceNote.text == text
    if text and session.scalar(select(ChoiceNote.id).where(*mine)) is None:  # otherwise a double click
        session.add(ChoiceNote(choice_id=choice.id, author_id=user.id, text=text, written_at=datetime.now(UTC)))
    note = session.get(ChoiceNote, whole_number(sent.get("remove", "")) or 0)
    if note and (note.choice_id, note.author_id) == (choice.id, user.id):
        session.delete(note)
    return {}
