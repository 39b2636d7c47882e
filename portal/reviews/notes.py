"""Tags and notes of a lab on its applicants: for its readers alone, outside the scorecards, erased with the choice.

A tag that names the applicant or a school is refused in every lab, so that tags can be shown and filtered by while an
applicant is hidden. Notes are redacted as long as the applicant is hidden from the reader.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from flask import redirect, request, url_for
from sqlalchemy import select
from sqlalchemy.orm import joinedload

from portal.applications.forms import running_text
from portal.applications.locks import locked_application
from portal.db import db
from portal.models import Choice, ChoiceNote, ChoiceTag
from portal.reviews.access import choice_i_may_open
from portal.reviews.choice_snapshot import redactor_for, snapshot_of
from portal.reviews.rules import why_not_change
from portal.web.access import actor, ensure
from portal.web.forms import whole_number
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab
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


def change_notes(slug: str, choice_id: int) -> ResponseReturnValue:
    """Add a tag or a note, or remove a tag or a note of one's own, as the form says."""
    lab, choice = choice_i_may_open(slug, choice_id)
    ensure(why_not_change(choice.application.cycle))
    session, sent = db.session(), {name: running_text(text).strip() for name, text in request.form.items()}
    locked_application(session, choice)
    if tag := " ".join(sent.get("tag", "").split()):
        redactor = redactor_for(snapshot_of(session, lab, choice, actor()), choice.application.applicant)
        tags = session.scalars(select(ChoiceTag.tag).where(ChoiceTag.choice_id == choice.id)).all()
        reason = why_not_tag(tag, redactor, tags) if tag not in tags else None
        if reason:
            flash_message(reason, "warn")
        else:
            session.merge(ChoiceTag(choice_id=choice.id, tag=tag))
    if stored := session.get(ChoiceTag, (choice.id, sent.get("untag", ""))):
        session.delete(stored)
    if text := sent.get("note", "")[:LONGEST_NOTE]:
        mine = ChoiceNote.choice_id == choice.id, ChoiceNote.author_id == actor().id, ChoiceNote.text == text
        if session.scalar(select(ChoiceNote.id).where(*mine)) is None:  # otherwise a double click
            now = datetime.now(UTC)
            session.add(ChoiceNote(choice_id=choice.id, author_id=actor().id, text=text, written_at=now))
    note = session.get(ChoiceNote, whole_number(sent.get("remove", "")) or 0)
    if note and (note.choice_id, note.author_id) == (choice.id, actor().id):
        session.delete(note)
    page = url_for("reviews.applicant", slug=slug, choice_id=choice_id)
    return redirect(f"{page}?{request.query_string.decode('latin-1')}#notes")
