"""The one writer of what applicants state, and of whom they share it with. The caller commits."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import delete, update
from sqlalchemy.orm.attributes import set_committed_value

from portal.applications import rules
from portal.applications.content.submissions import is_submitted_file
from portal.applications.erasing import erase_applications
from portal.applications.files import holds, remove_if_rolled_back, remove_once_committed
from portal.applications.locks import lock_person
from portal.applications.queries import (
    Weights,
    interests_of,
    resume_of,
    share_count,
    stated_in,
)
from portal.applications.stated import USUAL_RESUME_WEIGHT, Stated, topic_key
from portal.matching import Topic
from portal.models import Interests, InterestTopic, LabShare, Resume, User

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.erasing import Erased
    from portal.documents.extracted import Extracted
    from portal.models import Lab
    from portal.storage import FileStore


class StaleInterests(Exception):
    """The interests were saved elsewhere since the form was opened. Nothing was written; `stored` is what is saved."""

    def __init__(self, stored: Interests) -> None:
        super().__init__(f"version {stored.version} was saved meanwhile")
        self.stored = stored


class ReplacedResume(Exception):
    """The resume is not the one that was shown any more: it was replaced or deleted. Nothing was written."""


class RefusedByRule(ValueError):
    """A rule of `portal.applications.rules` is against it; the message is the rule's reason."""


def save_interests(session: Session, user: User, stated: Stated, *, base: int, now: datetime) -> Interests:
    """Save what an applicant states; `base` is the version that the form was opened with, 0 for none.

    Saving what is saved already changes nothing, whatever the base: a form may be sent twice.

    Raises:
        StaleInterests: Something else was saved since `base`.
        RefusedByRule: A limit is not kept.
    """
    _ensure(rules.why_not_state(stated))
    lock_person(session, user)
    stored = interests_of(session, user) or _first_row(session, user, now)
    if stated == stated_in(stored):
        return stored
    if not _claim(session, stored, base):
        if stated == stated_in(stored):
            return stored
        raise StaleInterests(stored)
    stored.statement = stated.statement
    stored.facets = {name: list(values) for name, values in stated.facets.items()}
    stored.discoverable = stated.discoverable
    stored.resume_weight = stated.resume_weight
    stored.version = base + 1
    stored.changed_at = now
    _write_topics(stored, stated.topics)
    session.flush()
    return stored


def save_weights(session: Session, user: User, weights: Weights, *, base: int, now: datetime) -> Interests:
    """Make weights that were tried out the saved ones; topics that `weights` does not name keep theirs.

    Raises:
        StaleInterests: The interests were saved since `base`, with other weights.
        RefusedByRule: A weight is out of bounds.
    """
    stated = stated_in(interests_of(session, user))
    topics = tuple(
        Topic(topic.text, weights.topics.get(topic_key(topic.text), topic.weight)) for topic in stated.topics
    )
    resume_weight = stated.resume_weight if weights.resume is None else weights.resume
    weighted = replace(stated, topics=topics, resume_weight=resume_weight)
    return save_interests(session, user, weighted, base=base, now=now)


def share_with_lab(session: Session, user: User, lab: Lab, *, now: datetime) -> bool:
    """Let the professors of a lab read what the applicant states; False if they could already.

    Raises:
        RefusedByRule: The applicant shares with as many labs as can be, or the lab is archived.
    """
    lock_person(session, user)
    if session.get(LabShare, (user.id, lab.id)) is not None:
        return False
    _ensure(rules.why_not_share_with(lab) or rules.why_not_share(share_count(session, user)))
    session.add(LabShare(user_id=user.id, lab_id=lab.id, shared_at=now))
    session.flush()
    return True


def stop_sharing(session: Session, user: User, lab: Lab) -> bool:
    """Undo `share_with_lab`; False if nothing was shared."""
    stopped = session.execute(delete(LabShare).where(LabShare.user_id == user.id, LabShare.lab_id == lab.id))
    return bool(stopped.rowcount)  # type: ignore[attr-defined]  # a DELETE gives a CursorResult


def keep_resume(
    session: Session, files: FileStore, user: User, extracted: Extracted, *, data: bytes, filename: str, now: datetime
) -> Resume:
    """Store what was read as the applicant's resume, in place of any other; it waits for confirmation.

    `data` is the file as uploaded, empty for pasted text. If the content is the same as before, and its file still
    there, only the name changes.

    Side effects: writes the file now, removes it if the transaction fails, and removes the file that it
    replaces once the transaction is committed.
    """
    digest = hashlib.sha256(data or extracted.text.encode()).hexdigest()
    lock_person(session, user)
    resume = resume_of(session, user)
    same = (digest, extracted.kind, extracted.text)
    if (
        resume is not None
        and (resume.sha256, resume.kind, resume.text) == same
        and holds(files, resume.storage_key, data)
    ):
        resume.filename = filename
        return resume
    key = _stored_file(session, files, user, data) if data else ""
    read = {
        "kind": str(extracted.kind),
        "filename": filename,
        "storage_key": key,
        "size": len(data),
        "sha256": digest,
        "pages": extracted.pages,
        "text": extracted.text,
        "hidden_text": extracted.hidden,
        "warnings": [str(warning) for warning in extracted.warnings],
        "uploaded_at": now,
        "confirmed_at": None,
    }
    if resume is None:
        resume = Resume(user_id=user.id, **read)
        session.add(resume)
        session.flush()
        return resume
    _forget_file(session, files, resume)
    for name, value in read.items():
        setattr(resume, name, value)
    session.flush()
    return resume


def confirm_resume(session: Session, user: User, *, sha256: str, now: datetime) -> Resume:
    """Let the resume count in matching; `sha256` says which one the applicant has seen.

    Raises:
        ReplacedResume: It is another one by now, or there is none.
    """
    lock_person(session, user)
    resume = resume_of(session, user)
    if resume is None or resume.sha256 != sha256:
        raise ReplacedResume
    if resume.confirmed_at is None:
        resume.confirmed_at = now
        session.flush()
    return resume


def delete_resume(session: Session, files: FileStore, user: User) -> bool:
    """Delete the resume, and its file once the transaction is committed; False where there was none."""
    lock_person(session, user)
    resume = resume_of(session, user)
    if resume is None:
        return False
    _forget_file(session, files, resume)
    session.delete(resume)
    session.flush()
    return True


def erase(session: Session, files: FileStore, user: User, *, now: datetime) -> Erased:
    """Delete everything the applicant stated and handed in: applications, interests, resume, files and shares.

    The account stays. Returns how much was deleted.
    """
    lock_person(session, user)
    erased = erase_applications(session, files, user, now=now)
    delete_resume(session, files, user)
    session.execute(delete(LabShare).where(LabShare.user_id == user.id))
    interests = interests_of(session, user)
    if interests is not None:
        session.delete(interests)
    session.flush()
    return erased


def _ensure(reason: str | None) -> None:
    if reason is not None:
        raise RefusedByRule(reason)


def _first_row(session: Session, user: User, now: datetime) -> Interests:
    """A row with nothing stated, as version 0."""
    empty = Interests(
        user_id=user.id,
        statement="",
        facets={},
        resume_weight=USUAL_RESUME_WEIGHT,
        discoverable=False,
        version=0,
        changed_at=now,
    )
    session.add(empty)
    session.flush()
    return empty


def _claim(session: Session, stored: Interests, base: int) -> bool:
    """Take the version after `base` if `base` is still saved: one statement, so only one of two writers succeeds."""
    claimed = session.execute(
        update(Interests)
        .where(Interests.id == stored.id, Interests.version == base)
        .values(version=base + 1)
        .execution_options(synchronize_session=False)
    )
    won = bool(claimed.rowcount)  # type: ignore[attr-defined]  # an UPDATE gives a CursorResult
    if won:
        set_committed_value(stored, "version", base + 1)
    else:
        session.expire(stored)
    return won


def _write_topics(stored: Interests, topics: tuple[Topic, ...]) -> None:
    """Write the topics, reusing rows by position: it is unique, and a moved row would collide with its neighbour."""
    for position, topic in enumerate(topics):
        if position < len(stored.topics):
            stored.topics[position].text = topic.text
            stored.topics[position].weight = topic.weight
        else:
            stored.topics.append(InterestTopic(position=position, text=topic.text, weight=topic.weight))
    del stored.topics[len(topics) :]


def _stored_file(session: Session, files: FileStore, user: User, data: bytes) -> str:
    key = f"resumes/{user.id}/{secrets.token_urlsafe(24)}"
    files.put(key, data)
    remove_if_rolled_back(session, files, key)
    return key


def _forget_file(session: Session, files: FileStore, resume: Resume) -> None:
    """Remove the file once the transaction is committed, unless a submission refers to it."""
    if resume.storage_key and not is_submitted_file(session, resume.storage_key):
        remove_once_committed(session, files, resume.storage_key)
